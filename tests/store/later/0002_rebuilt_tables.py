"""A later version that tests migrate to: it rebuilds the tables that others refer to.

Revision: 0002
Follows: 0001
"""

# ruff: noqa: N999
from __future__ import annotations

import os
from typing import Literal

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def _rebuilt() -> Literal["always", "never"]:
    """Where tables can be changed as they are, a table that others refer to cannot be replaced."""
    return "always" if op.get_bind().dialect.name == "sqlite" else "never"


def upgrade() -> None:
    for table in ("workspace", "revision"):
        with op.batch_alter_table(table, recreate=_rebuilt()) as batch:
            batch.add_column(sa.Column("later", sa.Integer(), nullable=True))
    what = os.environ.get("LATER_MIGRATION", "")
    if what == "loses rows":
        op.execute("DELETE FROM revision_change WHERE scenario_id = 1")
    if what == "loses parents":
        op.execute("UPDATE scenario SET workspace_id = 999 WHERE id = 1")
    if what == "fails":
        op.execute("INSERT INTO nowhere VALUES (1)")
    op.execute("UPDATE setting SET value = '7.0' WHERE name = 'min_app_version'")


def downgrade() -> None:
    for table in ("workspace", "revision"):
        with op.batch_alter_table(table, recreate=_rebuilt()) as batch:
            batch.drop_column("later")
