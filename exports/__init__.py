"""Scenarios as files: workbook, CSV, JSON and Markdown."""
