"""What the store hands out: frozen values, free of the database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from planner.model.fields import FieldValue, InputError
from planner.model.scenario import Scenario

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Document = Mapping[str, Json]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Workspace:
    """A named set of scenarios; ``scenarios`` is their number."""

    id: int
    name: str
    notes: str = ""
    scenarios: int = 0
    version: int = 1


@dataclass(frozen=True, slots=True)
class Stored:
    """A saved scenario.

    ``version`` rises with every change; ``position`` is its column, from 0. ``damaged`` names every stored value
    that is out of its bounds, with a sentence: reading such a value from ``scenario`` raises InputError, so that
    nothing is ever computed with it.
    """

    id: int
    version: int
    workspace: str
    position: int
    is_baseline: bool
    scenario: Scenario
    tags: tuple[str, ...] = ()
    in_fleet: bool = False
    modified_at: datetime | None = None
    uid: str = ""
    deleted_at: datetime | None = None
    damaged: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.scenario.name


@dataclass(frozen=True, slots=True)
class Change:
    """One value to set in one scenario: an input, or a fact (None takes the catalogue's again).

    ``version`` is the version that the person looked at. Given, a change that somebody else made to the same field
    since then is a conflict; changes to other fields merge.
    """

    scenario_id: int
    name: str
    value: FieldValue
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """The same field changed twice: what I want, what is stored now, and what both started from."""

    scenario_id: int
    scenario: str
    name: str
    mine: Json
    theirs: Json
    base: Json
    version: int
    who: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """One action as it was recorded.

    ``before`` and ``after`` hold, for every scenario id, the fields that the action changed (an empty mapping
    before it was created). ``scenario_id`` is set where the action concerns one scenario.
    ``undoes`` is the revision that this one takes back (action ``undo``) or brings back (action ``redo``).
    """

    id: int
    sequence: int
    at: datetime
    who: str
    action: str
    description: str
    why: str
    scenario_id: int | None
    before: Mapping[int, Document]
    after: Mapping[int, Document]
    program_version: str
    model_version: str
    catalogue_version: str
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which two scenarios differ."""

    name: str
    label: str
    unit: str
    first: FieldValue
    second: FieldValue


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named, unchanging copy of a workspace; ``digest`` is the SHA-256 of its content."""

    id: int
    name: str
    at: datetime
    who: str
    notes: str
    revision_id: int | None
    digest: str
    scenarios: int
    program_version: str
    model_version: str
    catalogue_version: str


@dataclass(frozen=True, slots=True)
class Witness:
    """The key results of a scenario, by row, as a person last saw them, and the versions that they came from."""

    scenario_id: int
    scenario_version: int
    catalogue_version: str
    model_version: str
    results: Mapping[str, float | str | bool | None]
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A person's own catalogue entry: ``kind`` is accelerator, model, prices or profile."""

    id: int
    kind: str
    name: str
    document: Document
    version: int
    modified_at: datetime | None = None


class Checked(Mapping[str, _T], Generic[_T]):
    """Values by name, some of them damaged: reading a damaged one, alone or with all others, raises InputError."""

    __slots__ = ("_damaged", "_values")

    def __init__(self, values: Mapping[str, _T], damaged: Mapping[str, str]) -> None:
        self._values = dict(values)
        self._damaged = dict(damaged)

    def __getitem__(self, name: str) -> _T:
        if name in self._damaged:
            raise InputError(self._damaged[name])
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._values, **self._damaged})

    def __len__(self) -> int:
        return len(self._values.keys() | self._damaged.keys())

    def __reduce__(self) -> tuple[type[Checked[_T]], tuple[dict[str, _T], dict[str, str]]]:
        return type(self), (self._values, self._damaged)
