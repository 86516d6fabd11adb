"""The names that an input may take from the catalogue, with what tells them apart."""

from __future__ import annotations

from catalog import Catalog
from catalog.book import ACCELERATOR, ENGINE, INTERCONNECT, MODEL, PROFILE
from catalog.entries import Accelerator, Model
from catalog.resolve import looks_like_path
from planner.model.fields import show_number
from planner.tui.choices import Option
from planner.tui.text import one_line

OWN_LINK, IDEAL_LINK = "catalogue", "ideal"


def name_options(field: str, catalog: Catalog) -> list[Option]:
    """What the catalogue knows for the input called ``field``; empty where any name will do."""
    if field == "accelerator":
        return [_option(found.entry.id, _device(found.entry), found.own) for found in catalog.all(ACCELERATOR)]
    if field in ("model", "draft_model"):
        return [_option(found.entry.id, _model(found.entry), found.own) for found in catalog.all(MODEL)]
    if field == "engine":
        return [_option(found.entry.id, found.entry.name, found.own) for found in catalog.all(ENGINE)]
    if field == "efficiency_profile":
        return [_option(found.entry.id, found.entry.name, found.own) for found in catalog.all(PROFILE)]
    if field == "interconnect":
        links = [found.entry for found in catalog.all(INTERCONNECT)]
        options = [
            _option(link.id, f"{link.gb_s:g} GB/s" if link.gb_s is not None else "costs nothing") for link in links
        ]
        return [Option(OWN_LINK, "the device's own link", value=OWN_LINK), *options]
    return []


def leads_to_file(text: str) -> bool:
    """Whether a name leads to a file rather than into the catalogue."""
    return looks_like_path(text)


def _option(name: str, detail: str, own: bool = False) -> Option:
    return Option(name, one_line(f"{detail} (own)" if own else detail), value=name)


def _device(device: Accelerator) -> str:
    memory = device.runtime_memory_gib or device.memory_label_gb
    parts = [
        f"{memory:.0f} {'GiB' if device.runtime_memory_gib else 'GB'}" if memory else "memory unknown",
        f"{show_number(device.bandwidth_tb_s)} TB/s",
        f"{show_number(device.dense_tflops.bf16)} TFLOP/s bf16" if device.dense_tflops.bf16 else "",
    ]
    return ", ".join(part for part in parts if part)


def _model(model: Model) -> str:
    architecture = model.architecture
    count = architecture.parameters if architecture is not None else model.parameters
    parts = [f"{show_number(count / 1e9, 3)} B parameters" if count else "", model.name]
    return ", ".join(part for part in parts if part)
