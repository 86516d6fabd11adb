"""Draws the pictures of the README from the program itself: fixed size, fixed colours, the example workspace.

    python scripts/screenshots.py [FOLDER]

writes PNG files into docs/screenshots (or FOLDER). It needs the font DejaVu Sans Mono, and rsvg-convert (Debian:
librsvg2-bin) or the Python package cairosvg.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from catalog import load_catalog
from planner.store import open_library
from planner.tui.app import PlannerApp

FONT = "DejaVu Sans Mono"
THEME = "textual-dark"
PIXELS_PER_COLUMN = 10
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screenshots"


@dataclass(frozen=True)
class Picture:
    """One picture: its name, the terminal's size, and the keys that lead to it (what begins with = is typed)."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...]
    line: str = ""
    column: int = 0
    theme: str = THEME


PICTURES = (
    Picture("grid", (132, 40), (), "tensor_parallel", 3),
    Picture("difference", (132, 40), ("ctrl+b", "f6"), "tpot_s", 3),
    Picture("explain", (110, 36), ("f4", "down"), "tpot_s", 3),
    Picture("bars", (80, 24), ("f7",), "tpot_s", 3),
)


async def drawn(picture: Picture, folder: Path) -> str:
    """The picture as SVG."""
    with open_library(folder / f"{picture.name}.db") as library:
        app = PlannerApp(library, load_catalog(), theme=picture.theme)
        app.desk.clock = lambda: datetime(2026, 1, 2, 12, 4, 31, tzinfo=UTC)
        async with app.run_test(size=picture.size) as pilot:
            if picture.line:
                app.desk.go_to(picture.line, picture.column)
                app.desk_screen.sync()
            for key in picture.keys:
                await pilot.press(*(key[1:] if key.startswith("=") else [key]))
            await pilot.pause()
            return app.export_screenshot(title="planner")


def with_installed_font(svg: str) -> str:
    """``svg`` in a font of this machine, without the address of another one; leading spaces are kept."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg).replace("<text ", '<text xml:space="preserve" ')
    return re.sub(r"font-family:[^;]*;", f"font-family: {FONT};", svg)


def write_png(svg: str, path: Path, pixels: int) -> None:
    """Write ``svg`` as a PNG file ``pixels`` wide. Raises SystemExit where nothing can draw it."""
    program = shutil.which("rsvg-convert")
    if program is not None:
        subprocess.run([program, "--width", str(pixels), "--output", str(path)], input=svg.encode(), check=True)  # noqa: S603
        return
    if importlib.util.find_spec("cairosvg") is None:
        raise SystemExit("Install librsvg2-bin or the Python package cairosvg to draw the pictures.")
    cairosvg = importlib.import_module("cairosvg")
    cairosvg.svg2png(bytestring=svg.encode(), write_to=str(path), output_width=pixels)


def main() -> None:
    """Draw every picture."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for picture in PICTURES:
            svg = asyncio.run(drawn(picture, Path(folder)))
            write_png(with_installed_font(svg), target / f"{picture.name}.png", picture.size[0] * PIXELS_PER_COLUMN)
            print(target / f"{picture.name}.png")  # noqa: T201


if __name__ == "__main__":
    main()
