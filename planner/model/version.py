"""The version of the model: it rises when a formula changes what comes out for the same inputs and facts."""

from __future__ import annotations

MODEL_VERSION = "1"
"""Noted with every saved change and export. A test holds it together with figures that the model gives."""
