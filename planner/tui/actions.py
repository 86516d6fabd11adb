"""Every command, once: what it is called, what it does, and its keys. The keys, the bar of keys at the bottom, the
command palette and the help page are all made from this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from planner.tui.desk import Desk

Group = Literal["Edit", "Scenario", "View", "Move", "Select", "File", "Help"]
GROUPS: tuple[Group, ...] = ("Edit", "Scenario", "View", "Move", "Select", "File", "Help")


@dataclass(frozen=True, slots=True)
class Action:
    """One command.

    ``footer`` is its short name in the bar of keys (empty: not there) and ``order`` its place in it. ``listed``: the
    palette offers it. ``writes``: it changes the library, which a read-only one refuses.
    """

    name: str
    label: str
    help: str
    group: Group
    keys: tuple[str, ...]
    run: Callable[[Desk], None]
    footer: str = ""
    order: int = 0
    listed: bool = True
    writes: bool = False


ACTIONS: dict[str, Action] = {}
KEYS: dict[str, Action] = {}


def action(
    name: str,
    label: str,
    help: str,
    group: Group,
    *keys: str,
    footer: str = "",
    order: int = 0,
    listed: bool = True,
    writes: bool = False,
) -> Callable[[Callable[[Desk], None]], Callable[[Desk], None]]:
    """Registers a function as a command. Raises ValueError when its name or a key of it is taken."""

    def register(function: Callable[[Desk], None]) -> Callable[[Desk], None]:
        new = Action(name, label, help, group, keys, function, footer, order, listed, writes)
        if name in ACTIONS:
            raise ValueError(f"two commands are called {name}")
        ACTIONS[name] = new
        for key in keys:
            if key in KEYS:
                raise ValueError(f"{key} is the key of {KEYS[key].name} and {name}")
            KEYS[key] = new
        return function

    return register


_SYMBOLS = {
    "left": "←", "right": "→", "up": "↑", "down": "↓", "pageup": "PgUp", "pagedown": "PgDn", "delete": "Del",
    "backspace": "⌫", "enter": "Enter", "escape": "Esc", "question_mark": "?", "slash": "/", "colon": ":",
    "space": "Space", "tab": "Tab", "home": "Home", "end": "End",
}  # fmt: skip


def key_name(key: str) -> str:
    """A key as people write it: ``^Z``, ``F6``, ``Shift+→``, ``^Del``."""
    parts = key.split("+")
    last = _SYMBOLS.get(parts[-1], parts[-1].upper() if len(parts[-1]) < 4 else parts[-1].title())
    if parts[:-1] == ["ctrl"]:
        return f"^{last}"
    return "+".join([*(part.title() for part in parts[:-1]), last])


def key_names(found: Action) -> str:
    """All keys of a command."""
    return " ".join(key_name(key) for key in found.keys)
