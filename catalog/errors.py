"""What the catalogue refuses, one clear sentence each."""

from __future__ import annotations

from planner.model.fields import InputError


class CatalogError(InputError):
    """A name, a file or an entry that the catalogue refuses; the text is one sentence for the user."""


class UnknownNameError(CatalogError):
    """A name that is in no layer of the catalogue; the sentence names the nearest ones."""


class MissingFileError(CatalogError):
    """A path that leads to no file."""


class BadFileError(CatalogError):
    """A file that can be read but not used: not TOML or JSON, too large, or with a wrong or unknown entry."""


class ConfigError(BadFileError):
    """A model's config.json that is refused, with the name of what is unknown or wrong."""
