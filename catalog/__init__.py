"""Accelerators, models, prices and efficiency profiles as data, each figure with its source, and their loaders."""
