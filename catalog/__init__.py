"""Devices, models, prices and efficiency profiles as data, each figure with its source, and what reads them.

The data are TOML files in ``catalog/data``, read lazily; ``Catalog`` looks entries up and lays a user's own entries
over the shipped ones, ``catalog.resolve`` fills the facts that a sheet needs from a scenario's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalog.book import Catalog, Overlay, load_catalog
    from catalog.load import version

__all__ = ["Catalog", "Overlay", "load_catalog", "version"]


def __getattr__(name: str) -> Any:
    """What ``catalog.book`` and ``catalog.load`` offer, loaded when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from catalog import book, load  # noqa: PLC0415 - the package itself stays light

    return getattr(load if name == "version" else book, name)
