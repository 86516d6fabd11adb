"""The sheet: rows in order, each one plain function whose parameters are the rows and inputs it needs.

    @row(unit="s", section="Decode")
    def memory_time_s(weights_read_time_s: Value, kv_read_time_s: Value) -> Value:
        \"\"\"Time one step reads memory: weights, then the KV cache.\"\"\"
        return weights_read_time_s + kv_read_time_s

A row is blank where an argument is blank, unless the parameter is annotated ``Maybe``: then the body decides with
``given`` and ``otherwise``. A parameter annotated with a dataclass of Values is a bundle: it stands for the rows and
inputs its fields name, so that rows which share a formula share its method.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from graphlib import TopologicalSorter
from types import ModuleType
from typing import Any, Literal, TypeVar

from planner.model.expression import Value, lift, shared, walk

Maybe = Value
"""Annotation of a parameter that may be blank without making the row blank."""

RowFunction = Callable[..., Value]
Better = Literal["", "lower", "higher"]
RowKind = Literal["number", "word", "flag"]
_Function = TypeVar("_Function", bound=RowFunction)
_DECLARATION = "_planner_row"


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of the sheet.

    ``kind`` is number, word (the function gives a code that counts ``words`` from 1) or flag (1 yes, 0 no).
    ``better`` says which direction a planner wants; ``reason`` is why the row is blank when nothing it needs is.
    """

    name: str
    label: str
    unit: str
    section: str
    function: RowFunction
    arguments: tuple[tuple[str, type[Any] | None], ...]
    parameters: tuple[str, ...]
    maybe: frozenset[str]
    kind: RowKind = "number"
    words: tuple[str, ...] = ()
    better: Better = ""
    reason: str = ""
    key: bool = False
    detail: bool = False
    iterative: bool = False

    @property
    def doc(self) -> str:
        """The docstring of the function, unindented: what it is, its formula and source."""
        return inspect.cleandoc(self.function.__doc__ or "")

    def call(self, cell: Callable[[str], Any]) -> Value:
        """The function's result with ``cell(name)`` put in for each parameter, bundles built from their fields."""
        return self.function(
            **{
                name: cell(name)
                if bundle is None
                else bundle(**{part.name: cell(part.name) for part in fields(bundle)})
                for name, bundle in self.arguments
            }
        )

    @property
    def strict(self) -> tuple[str, ...]:
        """The parameters whose blank makes the row blank."""
        return tuple(name for name in self.parameters if name not in self.maybe)


@dataclass(frozen=True, slots=True)
class _Declaration:
    label: str
    unit: str
    section: str
    kind: RowKind
    words: tuple[str, ...]
    better: Better
    reason: str
    key: bool
    detail: bool
    iterative: bool


def row(
    *,
    label: str,
    section: str,
    unit: str = "",
    kind: RowKind = "number",
    words: tuple[str, ...] = (),
    better: Better = "",
    reason: str = "",
    key: bool = False,
    detail: bool = False,
    iterative: bool = False,
) -> Callable[[_Function], _Function]:
    """Declares a function as a row. ``key`` rows lead a short comparison; ``detail`` rows are steps on the way.

    An ``iterative`` row runs many steps and may be blank: it is traced only when it is computed.
    """

    def declare(function: _Function) -> _Function:
        kind_here: RowKind = "word" if words else kind
        declaration = _Declaration(label, unit, section, kind_here, words, better, reason, key, detail, iterative)
        setattr(function, _DECLARATION, declaration)
        return function

    return declare


def rows_of(module: ModuleType) -> list[Row]:
    """The rows that ``module`` declares, in the order of their definition."""
    found: list[Row] = []
    for function in vars(module).values():
        declared = getattr(function, _DECLARATION, None)
        if not isinstance(declared, _Declaration) or function.__module__ != module.__name__:
            continue
        signature = inspect.signature(function).parameters
        maybe = frozenset(name for name, parameter in signature.items() if parameter.annotation == "Maybe")
        arguments = tuple((name, _bundle(function, parameter)) for name, parameter in signature.items())
        parameters = dict.fromkeys(
            part
            for name, bundle in arguments
            for part in ([name] if bundle is None else [part.name for part in fields(bundle)])
        )
        found.append(
            Row(
                name=function.__name__,
                label=declared.label,
                unit=declared.unit,
                section=declared.section,
                function=function,
                arguments=arguments,
                parameters=tuple(parameters),
                maybe=maybe,
                kind=declared.kind,
                words=declared.words,
                better=declared.better,
                reason=declared.reason,
                key=declared.key,
                detail=declared.detail,
                iterative=declared.iterative,
            )
        )
    return found


def _bundle(function: RowFunction, parameter: inspect.Parameter) -> type[Any] | None:
    """The dataclass that ``parameter`` is annotated with, if any."""
    found = function.__globals__.get(str(parameter.annotation))
    return found if isinstance(found, type) and is_dataclass(found) else None


@dataclass(slots=True)
class Sheet:
    """Rows in sheet order over named inputs.

    ``inputs`` maps each input's name to whether it may be blank. Raises ValueError when a name is defined twice, a
    parameter is unknown, or a row needs one that stands below it.
    """

    rows: Mapping[str, Row]
    inputs: Mapping[str, bool]
    _traces: dict[str, Value] = field(default_factory=dict)

    def __init__(self, rows: Iterable[Row], inputs: Mapping[str, bool]) -> None:
        ordered = list(rows)
        self.rows = {row.name: row for row in ordered}
        self.inputs = dict(inputs)
        self._traces = {}
        if len(self.rows) != len(ordered):
            raise ValueError("two rows have the same name")
        seen = set(self.inputs)
        for row in ordered:
            if row.name in self.inputs:
                raise ValueError(f"row {row.name} has the name of an input")
            missing = [name for name in row.parameters if name not in seen]
            if missing:
                raise ValueError(f"row {row.name} needs {', '.join(missing)}, not defined above it")
            seen.add(row.name)
        TopologicalSorter({row.name: row.parameters for row in ordered}).prepare()

    def trace(self, name: str) -> Value:
        """The expression of row ``name`` over its parameters."""
        found = self._traces.get(name)
        if found is None:
            row = self.rows[name]
            leaves = {p: Value("input" if p in self.inputs else "row", name=p) for p in row.parameters}
            found = self._traces[name] = shared(lift(row.call(leaves.__getitem__)))
        return found

    def upstream(self, names: Iterable[str]) -> list[str]:
        """The rows that ``names`` need, themselves included, in sheet order. Raises KeyError for an unknown row."""
        wanted = set()
        stack = list(names)
        while stack:
            name = stack.pop()
            if name in wanted or name in self.inputs:
                continue
            wanted.add(name)
            stack.extend(self.rows[name].parameters)
        return [name for name in self.rows if name in wanted]

    def may_be_blank(self) -> dict[str, bool]:
        """For every input and row, whether it can be blank."""
        blankable = dict(self.inputs)
        for name, row in self.rows.items():
            own = row.iterative or any(node.op == "blank" for node in walk(self.trace(name)))
            blankable[name] = own or any(blankable[parameter] for parameter in row.strict)
        return blankable
