"""What the keys do. Importing this package registers every command."""

from planner.tui.commands import file, movement, scenario, view
from planner.tui.commands.edit import ask_about_conflict, paste_text, type_character

__all__ = ["ask_about_conflict", "file", "movement", "paste_text", "scenario", "type_character", "view"]
