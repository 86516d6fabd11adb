"""Devices, models, prices and efficiency profiles as data, each figure with its source, and what reads them.

The data are TOML files in ``catalog/data``, read lazily; ``Catalog`` looks entries up and lays a user's own entries
over the shipped ones, ``resolve`` fills the facts that a sheet needs from a scenario's names.
"""
