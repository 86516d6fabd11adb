"""Saved scenarios: tables, library, revisions, backups, and opening a database."""
