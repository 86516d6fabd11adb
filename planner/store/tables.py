"""The tables, portable between SQLite and PostgreSQL.

Each input of a scenario is a typed column whose bounds are a CHECK made from the input's own definition. Migrations
write the same columns out; a test holds the two together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeEngine

from planner.model.fields import MAX_NAME_LENGTH, Field
from planner.model.inputs import INPUTS
from planner.store.columns import JsonDocument, Switch, UtcTime
from planner.store.names import MAX_NAME

APPLICATION_ID = 0x4C53504C
"""``LSPL``: what makes a SQLite file ours, in its header."""

SCHEMA_VERSION = 1
"""Number of the newest migration; SQLite's user_version."""

LIVE = text("deleted_at IS NULL")
_Id = BigInteger().with_variant(Integer(), "sqlite")


class Base(DeclarativeBase):
    """All tables, with names for every constraint so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class SettingRow(Base):
    """A setting of the whole library (owner empty) or of one person."""

    __tablename__ = "setting"

    name: Mapped[str] = mapped_column(String(60), primary_key=True)
    owner: Mapped[str] = mapped_column(String(120), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class InstanceRow(Base):
    """A running program that has written here; it goes when the program closes the library."""

    __tablename__ = "instance"

    id: Mapped[int] = mapped_column(_Id, primary_key=True)
    token: Mapped[str] = mapped_column(String(32), unique=True)
    host: Mapped[str] = mapped_column(String(255))
    process: Mapped[int] = mapped_column(BigInteger)
    process_start: Mapped[str] = mapped_column(String(40))
    who: Mapped[str] = mapped_column(String(120))
    started_at: Mapped[datetime] = mapped_column(UtcTime)
    program_version: Mapped[str] = mapped_column(String(40))


class WorkspaceRow(Base):
    """A named set of scenarios."""

    __tablename__ = "workspace"
    __table_args__ = (
        Index("ix_workspace_live_name", "name_key", unique=True, sqlite_where=LIVE, postgresql_where=LIVE),
        CheckConstraint(f"length(name) BETWEEN 1 AND {MAX_NAME}", name="name"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Id, primary_key=True)
    uid: Mapped[str] = mapped_column(String(32), unique=True)
    version: Mapped[int] = mapped_column(Integer)
    name: Mapped[str] = mapped_column(String(MAX_NAME))
    name_key: Mapped[str] = mapped_column(String(3 * MAX_NAME))
    notes: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    modified_at: Mapped[datetime] = mapped_column(UtcTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012


class ScenarioRow(Base):
    """A saved scenario: what belongs to it here, one column per input below, and the facts it overrides as JSON."""

    __tablename__ = "scenario"
    __table_args__ = (
        Index(
            "ix_scenario_live_name", "workspace_id", "name_key", unique=True, sqlite_where=LIVE, postgresql_where=LIVE
        ),
        Index(
            "ix_scenario_baseline",
            "workspace_id",
            unique=True,
            sqlite_where=text("is_baseline = TRUE AND deleted_at IS NULL"),
            postgresql_where=text("is_baseline = TRUE AND deleted_at IS NULL"),
        ),
        Index("ix_scenario_order", "workspace_id", "position", "id", sqlite_where=LIVE, postgresql_where=LIVE),
        CheckConstraint(f"length(name) BETWEEN 1 AND {MAX_NAME}", name="name"),
        CheckConstraint("is_baseline IN (FALSE, TRUE)", name="is_baseline"),
        CheckConstraint("in_fleet IN (FALSE, TRUE)", name="in_fleet"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Id, primary_key=True)
    uid: Mapped[str] = mapped_column(String(32), unique=True)
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspace.id"))
    version: Mapped[int] = mapped_column(Integer)
    name: Mapped[str] = mapped_column(String(MAX_NAME))
    name_key: Mapped[str] = mapped_column(String(3 * MAX_NAME))
    position: Mapped[int] = mapped_column(BigInteger)
    is_baseline: Mapped[bool] = mapped_column(Switch)
    in_fleet: Mapped[bool] = mapped_column(Switch)
    tags: Mapped[Any] = mapped_column(JsonDocument)
    notes: Mapped[str] = mapped_column(Text)
    overrides: Mapped[Any] = mapped_column(JsonDocument)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    modified_at: Mapped[datetime] = mapped_column(UtcTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012


class RevisionRow(Base):
    """One action: appended, never changed. ``sequence`` orders the actions of a workspace, whatever the clock says."""

    __tablename__ = "revision"
    __table_args__ = (
        UniqueConstraint("workspace_id", "sequence"),
        Index("ix_revision_who", "workspace_id", "who", "sequence"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Id, primary_key=True)
    workspace_id: Mapped[int | None] = mapped_column(ForeignKey("workspace.id"))
    sequence: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(UtcTime)
    who: Mapped[str] = mapped_column(String(120))
    action: Mapped[str] = mapped_column(String(40))
    why: Mapped[str] = mapped_column(Text)
    undoes_id: Mapped[int | None] = mapped_column(ForeignKey("revision.id"))
    subject: Mapped[str] = mapped_column(Text)
    before: Mapped[Any | None] = mapped_column(JsonDocument)
    after: Mapped[Any | None] = mapped_column(JsonDocument)
    program_version: Mapped[str] = mapped_column(String(40))
    model_version: Mapped[str] = mapped_column(String(40))
    catalogue_version: Mapped[str] = mapped_column(String(80))


class ChangeRow(Base):
    """What one action changed in one scenario; ``version`` is the scenario's after it."""

    __tablename__ = "revision_change"
    __table_args__ = (Index("ix_revision_change_scenario", "scenario_id", "revision_id"),)

    revision_id: Mapped[int] = mapped_column(ForeignKey("revision.id"), primary_key=True)
    scenario_id: Mapped[int] = mapped_column(_Id, primary_key=True)
    version: Mapped[int] = mapped_column(Integer)
    name: Mapped[str] = mapped_column(String(MAX_NAME))
    before: Mapped[Any] = mapped_column(JsonDocument)
    after: Mapped[Any] = mapped_column(JsonDocument)


class SnapshotRow(Base):
    """A named, unchanging copy of a workspace, that an exported workbook cites by id."""

    __tablename__ = "snapshot"
    __table_args__ = (
        UniqueConstraint("workspace_id", "name_key"),
        CheckConstraint(f"length(name) BETWEEN 1 AND {MAX_NAME}", name="name"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Id, primary_key=True)
    uid: Mapped[str] = mapped_column(String(32), unique=True)
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspace.id"))
    name: Mapped[str] = mapped_column(String(MAX_NAME))
    name_key: Mapped[str] = mapped_column(String(3 * MAX_NAME))
    at: Mapped[datetime] = mapped_column(UtcTime)
    who: Mapped[str] = mapped_column(String(120))
    notes: Mapped[str] = mapped_column(Text)
    revision_id: Mapped[int | None] = mapped_column(ForeignKey("revision.id"))
    digest: Mapped[str] = mapped_column(String(64))
    scenario_count: Mapped[int] = mapped_column(Integer)
    content: Mapped[Any] = mapped_column(JsonDocument)
    program_version: Mapped[str] = mapped_column(String(40))
    model_version: Mapped[str] = mapped_column(String(40))
    catalogue_version: Mapped[str] = mapped_column(String(80))


class WitnessRow(Base):
    """The results that were last seen of a scenario, with the versions that they came from."""

    __tablename__ = "witness"

    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenario.id"), primary_key=True, autoincrement=False)
    scenario_version: Mapped[int] = mapped_column(Integer)
    catalogue_version: Mapped[str] = mapped_column(String(80))
    model_version: Mapped[str] = mapped_column(String(40))
    results: Mapped[Any] = mapped_column(JsonDocument)
    at: Mapped[datetime] = mapped_column(UtcTime)


class EntryRow(Base):
    """A person's own device, model, price book or efficiency profile, as a document."""

    __tablename__ = "catalogue_entry"
    __table_args__ = (
        Index(
            "ix_catalogue_entry_live_name", "kind", "name_key", unique=True, sqlite_where=LIVE, postgresql_where=LIVE
        ),
        CheckConstraint(f"length(name) BETWEEN 1 AND {MAX_NAME_LENGTH}", name="name"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(_Id, primary_key=True)
    version: Mapped[int] = mapped_column(Integer)
    kind: Mapped[str] = mapped_column(String(20))
    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH))
    name_key: Mapped[str] = mapped_column(String(3 * MAX_NAME_LENGTH))
    document: Mapped[Any] = mapped_column(JsonDocument)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    modified_at: Mapped[datetime] = mapped_column(UtcTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012


def _literal(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def column_type(field: Field) -> TypeEngine[Any]:
    """The type of the column that stores ``field``."""
    if field.kind == "integer":
        return BigInteger()
    if field.kind == "real":
        return Double()
    if field.kind == "switch":
        return Switch()
    if field.kind == "shares":
        return JsonDocument()
    return String(MAX_NAME_LENGTH if field.kind == "name" else 40)


def column_check(field: Field) -> str | None:
    """The CHECK that holds ``field``'s column to its bounds, in SQL that both databases read the same way.

    A blank passes, since NULL makes the condition unknown; NOT NULL keeps blanks out of a field that has none.
    """
    if field.kind == "choice":
        return f"{field.name} IN ({', '.join(repr(choice) for choice in field.choices)})"
    if field.kind == "switch":
        return f"{field.name} IN (FALSE, TRUE)"
    if field.kind == "name":
        return f"length({field.name}) BETWEEN 1 AND {MAX_NAME_LENGTH}"
    if field.kind == "shares":
        return None
    bounds = []
    if field.low is not None:
        bounds.append(f"{field.name} {'>' if field.above_low else '>='} {_literal(field.low)}")
    if field.high is not None:
        bounds.append(f"{field.name} <= {_literal(field.high)}")
    return " AND ".join(bounds) or None


def _add_inputs(table: Table) -> None:
    for field in INPUTS.values():
        setattr(ScenarioRow, field.name, mapped_column(column_type(field), nullable=field.optional))
        check = column_check(field)
        if check:
            table.append_constraint(CheckConstraint(check, name=field.name))


SCENARIO_TABLE: Table = ScenarioRow.metadata.tables["scenario"]
_add_inputs(SCENARIO_TABLE)
