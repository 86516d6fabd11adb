"""Measurements of speed and fidelity."""
