"""Published values in the project file: one row that describes the columns, and one for each column's bytes.

What reviewers sign is the SHA-256 of the description, which holds that of every column's dictionary and body: other
texts, other units or other values are another release. Values that do not match are never returned.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.core.errors import Defect
from workbench.core.plain import canonical
from workbench.core.together import in_order
from workbench.project.file.action import Action
from workbench.project.file.failures import damaged
from workbench.project.file.session import Session, reads_stored
from workbench.project.tables.old_values import old_values, old_values_hold, value_columns

if TYPE_CHECKING:
    from workbench.core.published import Column, Published
    from workbench.project.tables.column_bytes import ColumnBytes

COLUMNS = "SELECT packing, dictionary, body FROM published_column WHERE published = ? ORDER BY position"

_WORTH_THREADS = 50_000  # rows below which starting threads takes longer than the work

ColumnRows = Callable[[int], Sequence[Mapping[str, Any]]]  # the stored columns of a published row, by its number


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedValues:
    """Ready to be inserted: made before the transaction, which is kept short."""

    row: dict[str, Any]
    columns: tuple[dict[str, Any], ...]
    described: tuple[dict[str, Any], ...]


def packed_values(table: Published) -> PackedValues:
    from workbench.project.tables.column_bytes import packed

    beside = table.published_beside
    columns_of_both = (*table.columns, *(beside.columns if beside is not None else ()))
    made = list(in_order(partial(packed, column) for column in columns_of_both))
    own = len(table.columns)
    described: dict[str, Any] = _described(table, made[:own])
    if beside is not None:
        described["beside"] = _described(beside, made[own:])
    layout = canonical(described).decode("utf-8")
    row = {
        "columns": canonical(table.names).decode("utf-8"), "value_name": "", "length": table.rows,
        "keys": b"", "numbers": b"", "digest": _digest(layout), "layout": layout,
    }  # fmt: skip
    columns = tuple({"packing": each.packing, "dictionary": each.dictionary, "body": each.body} for each in made)
    return PackedValues(row=row, columns=columns, described=tuple(each.described for each in made))


def _described(table: Published, columns: Sequence[ColumnBytes]) -> dict[str, Any]:
    told = {"columns": [each.described for each in columns], "records": table.records, "rows": table.rows}
    return {**told, "notes": list(table.notes)} if table.notes else told  # without notes as earlier versions wrote it


def insert_values(act: Action, run: int, values: PackedValues, label: str) -> None:
    key = act.insert("published", {"run": run, **values.row}, f"the published values of {label}")
    for position, (column, described) in enumerate(zip(values.columns, values.described, strict=True)):
        name = f"column {position + 1} of the published values of {label}"
        known = {} if column["packing"] else {"body": described["body"]}
        act.insert("published_column", {"published": key, "position": position, **column}, name, known)


@reads_stored
def published(session: Session, run_id: int) -> Published | None:
    """The values a run drew, or None where it drew none. Values that do not match their SHA-256 are never returned."""
    row = session.row("SELECT * FROM published WHERE run = ?", (run_id,))
    if row is None:
        return None
    table = _read(row, lambda key: session.rows(COLUMNS, (key,)))
    if table is None:
        raise damaged(session.path)
    return table


@reads_stored
def published_columns(session: Session, run_id: int) -> tuple[Column, ...]:
    """What the columns of a drawn table are, without a row of it."""
    row = session.row("SELECT value_name, layout FROM published WHERE run = ?", (run_id,))
    if row is None:
        return ()
    layout = row["layout"] or ""
    if not _by_columns(layout):
        return value_columns(row["value_name"], layout)
    from workbench.project.tables.column_bytes import without_rows

    return tuple(without_rows(described) for described in json.loads(layout)["columns"])


def values_hold(row: Mapping[str, Any], columns: ColumnRows) -> bool:
    """True where stored values still give the SHA-256 that the release is known by: for whoever verifies a file."""
    try:
        return _read(row, columns) is not None if _by_columns(row.get("layout") or "") else old_values_hold(row)
    except (zlib.error, TypeError, ValueError, KeyError, Defect):
        return False


def _by_columns(layout: str) -> bool:
    """True for values as version 6 stores them; before, a layout named `values`, or there was none."""
    return bool(layout) and "columns" in json.loads(layout)


def _digest(layout: str) -> str:
    return hashlib.sha256(layout.encode("utf-8")).hexdigest()


def _read(row: Mapping[str, Any], columns: ColumnRows) -> Published | None:
    """None where something does not fit: a table that cannot be made was never written by this program."""
    from workbench.project.tables.column_bytes import Broken

    layout = row["layout"] or ""
    try:
        if not _by_columns(layout):
            return old_values(row)
        told, stored = json.loads(layout), columns(int(row["id"]))
        if _digest(layout) != row["digest"] or told["rows"] != row["length"]:
            return None
        own = len(told["columns"])
        beside = _made(told["beside"], stored[own:], None) if "beside" in told else None
        table = _made(told, stored if beside is None else stored[:own], beside)
        return table if table.rows == told["rows"] and canonical(table.names).decode() == row["columns"] else None
    except (Broken, Defect, zlib.error):
        return None


def _made(told: Mapping[str, Any], stored: Sequence[Mapping[str, Any]], beside: Published | None) -> Published:
    """One table of its described columns and their bytes, as many of one as of the other."""
    from workbench.core.published import Published
    from workbench.project.tables.column_bytes import Broken, unpacked

    described, rows = told["columns"], told["rows"]
    tasks = (partial(unpacked, each, bytes_of, rows) for each, bytes_of in zip(described, stored, strict=True))
    table = Published(
        columns=tuple(task() for task in tasks) if rows < _WORTH_THREADS else tuple(in_order(tasks)),
        records=bool(told["records"]),
        beside=beside,
        notes=tuple(str(note) for note in told.get("notes", ())),
    )
    if table.rows != rows:
        raise Broken
    return table
