"""Runs of a plan with what they found and what they drew. Only what may be published is stored in full."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.claims import Claim
from workbench.core.errors import Defect, UserProblem
from workbench.core.findings import Finding
from workbench.core.plain import canonical, digest
from workbench.core.restore import restore
from workbench.core.states import ReleaseState
from workbench.project.file.action import Action
from workbench.project.file.failures import damaged
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import RunRecord, SpecUse
from workbench.project.tables.datasets import dataset
from workbench.project.tables.old_findings import with_source
from workbench.project.tables.releases import refuse_if_closed, release_row

if TYPE_CHECKING:
    from workbench.core.published import Column, Published, Units

MOST_KEYS = 2**29  # bytes; the keys of several million rows
_DIMENSIONS = ("workplace", "worker")  # a column may change sides: the cells stay
_NO_OTHER_TABLE = ("value_name", "domain")  # a title, and how many empty cells are listed beside the same ones
_SELECT = "SELECT run.*, release.code FROM run JOIN release ON release.id = run.release"


def add_run(
    session: Session, release_id: str, run: RunRecord, *, findings: Sequence[Finding] = (),
    published: Published | None = None, actor: str = "",
) -> RunRecord:  # fmt: skip
    """Store a run under the next draw number. The release is in draft again, earlier votes and decisions are stale."""
    dataset(session, run.dataset_id)
    who = actor or run.run_by or session.person
    packed = None if published is None else _packed(published)  # before the transaction, which is kept short
    with session.act("add run", subject=release_id, actor=who) as act:
        release = release_row(session, release_id)
        refuse_if_closed(release)
        number = release["draws"] + 1
        label = f"run {number} of {release_id}"
        row = _row(run, release, number=number, who=who, at=act.at)
        key = act.insert("run", row, label)
        for position, finding in enumerate(findings):
            _add_finding(act, run=key, position=position, finding=finding, label=label)
        if packed is not None:
            act.insert("published", {"run": key, **packed}, f"the published values of {label}")
        state = {"state": ReleaseState.DRAFT.value, "changed_at": act.at}
        act.update("release", release["id"], state, f"release {release_id}")
    return run_by_id(session, key)


def _row(run: RunRecord, release: dict[str, Any], *, number: int, who: str, at: str) -> dict[str, Any]:
    return {
        "release": release["id"], "number": number, "dataset": run.dataset_id,
        "plan_digest": run.plan_digest or release["plan_digest"], "specs": _json(run.specs),
        "inputs": _json(run.inputs), "tools": _json(run.tools),
        "claim": "" if run.claim is None else _json(run.claim), "run_by": who, "run_at": at,
    }  # fmt: skip


def _add_finding(act: Action, *, run: int, position: int, finding: Finding, label: str) -> None:
    row: dict[str, Any] = {
        "run": run, "position": position, "finding": finding.id, "status": finding.status.value,
        "audience": finding.audience.value, "body": _json(finding),
    }  # fmt: skip
    act.insert("finding", row, f"finding {position + 1} of {label}")


def _json(value: Any) -> str:
    return canonical(value).decode("utf-8")


def _packed(table: Published) -> dict[str, Any]:
    """Keys as compressed JSON, numbers as compressed little-endian 64-bit integers, SHA-256 over both unpacked."""
    texts = [key.texts() for key in table.keys]
    keys = json.dumps(texts, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    if len(keys) > MOST_KEYS:  # what reading refuses must never be written: the file would be taken for damaged
        raise UserProblem(
            f"The keys of {table.rows:,} rows are more than a project file holds", do="Publish fewer rows per release"
        )
    columns = [table.units(column.name) for column in table.value_columns]
    numbers = table.values.astype("<i8", casting="safe").tobytes()
    plain = len(columns) == 1 and columns[0].counts and not columns[0].gaps and not table.records
    layout = "" if plain else _json({"values": [_described(each) for each in columns], "records": table.records})
    packed = {
        "columns": _json([key.name for key in table.keys]), "value_name": columns[0].name, "length": table.rows,
        "keys": zlib.compress(keys), "numbers": zlib.compress(numbers),
        "digest": published_digest(keys, numbers, layout),
    }  # fmt: skip
    return {**packed, "layout": layout} if layout else packed


def unpacked(row: Mapping[str, Any]) -> tuple[bytes, bytes, str]:
    """Keys, numbers and layout of a stored table. Raises zlib.error where they are broken, or larger than they can be.

    A file may be made to unpack to more than the memory holds: numbers are as many as the row says, keys have a limit.
    """
    layout = row.get("layout") or ""  # a file of an earlier version has no such column
    wide = max(1, len(json.loads(layout)["values"])) if layout else 1
    return _inflated(row["keys"], MOST_KEYS), _inflated(row["numbers"], 8 * wide * int(row["length"])), layout


def _inflated(packed: bytes, most: int) -> bytes:
    stream = zlib.decompressobj()
    content = stream.decompress(packed, most + 1)
    if len(content) > most or not stream.eof:
        raise zlib.error("larger than it can be, or cut short")
    return content


def published_digest(keys: bytes, numbers: bytes, layout: str = "") -> str:
    """SHA-256 over the unpacked keys, then the unpacked numbers. This is what reviewers sign.

    With a layout, over the SHA-256 of each and the layout: the same integers in other units are other values.
    """
    if not layout:
        return hashlib.sha256(keys + numbers).hexdigest()
    return digest([hashlib.sha256(keys).hexdigest(), hashlib.sha256(numbers).hexdigest(), layout])


@reads_stored
def runs(session: Session, release_id: str) -> tuple[RunRecord, ...]:
    """Every run of a release, the first draw first."""
    release = release_row(session, release_id)
    return tuple(_record(row) for row in session.rows(f"{_SELECT} WHERE release = ? ORDER BY number", (release["id"],)))


@reads_stored
def latest_run(session: Session, release_id: str) -> RunRecord | None:
    release = release_row(session, release_id)
    row = session.row(f"{_SELECT} WHERE release = ? ORDER BY number DESC LIMIT 1", (release["id"],))
    return None if row is None else _record(row)


@reads_stored
def drawn_elsewhere(session: Session, run: RunRecord) -> int:
    """How often other releases drew the same table from the same data without publishing it.

    Starting a new release is no way around the count: somebody who may choose among draws learns more than one tells.
    """
    rows = session.rows(
        f"{_SELECT} WHERE dataset = ? AND code <> ? AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.run = run.id)",
        (run.dataset_id, run.release_id),
    )
    return sum(_tables(_record(row)) == _tables(run) for row in rows)


def _tables(run: RunRecord) -> list[tuple[str, list[str], dict[str, Any]]]:
    """What decides which cells were drawn: the product, its attributes in any order, and the settings that are left."""
    return [_cells_of(spec) for spec in run.specs if spec.kind == "product"]


def _cells_of(spec: SpecUse) -> tuple[str, list[str], dict[str, Any]]:
    attributes = sorted(str(column) for name in _DIMENSIONS for column in spec.params.get(name) or ())
    left = set(spec.params) - {*_DIMENSIONS, *_NO_OTHER_TABLE}
    return spec.id, attributes, {name: _unordered(spec.params[name]) for name in left}


def _unordered(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value


@reads_stored
def run_by_id(session: Session, run_id: int) -> RunRecord:
    row = session.row(f"{_SELECT} WHERE run.id = ?", (run_id,))
    if row is None:
        raise UserProblem("The project holds no such run", str(session.path))
    return _record(row)


def _record(row: dict[str, Any]) -> RunRecord:
    return RunRecord(
        id=row["id"], release_id=row["code"], number=row["number"], dataset_id=row["dataset"],
        plan_digest=row["plan_digest"], run_by=row["run_by"], run_at=row["run_at"],
        specs=tuple(restore(SpecUse, spec) for spec in json.loads(row["specs"])),
        inputs=json.loads(row["inputs"]), tools=json.loads(row["tools"]),
        claim=restore(Claim, json.loads(row["claim"])) if row["claim"] else None,
    )  # fmt: skip


@reads_stored
def findings(session: Session, run_id: int) -> tuple[Finding, ...]:
    found = session.rows("SELECT body FROM finding WHERE run = ? ORDER BY position", (run_id,))
    made = [restore(Finding, json.loads(row["body"])) for row in found]
    specs = run_by_id(session, run_id).specs if made else ()
    return tuple(with_source(finding, specs) for finding in made)


@reads_stored
def published(session: Session, run_id: int) -> Published | None:
    """The values a run drew, or None where it drew none. Values that do not match their SHA-256 are never returned."""
    row = session.row("SELECT * FROM published WHERE run = ?", (run_id,))
    if row is None:
        return None
    try:
        keys, numbers, layout = unpacked(row)
        if published_digest(keys, numbers, layout) != row["digest"]:
            raise damaged(session.path)
        return _table(row, keys, numbers, layout)
    except (zlib.error, Defect) as error:  # a table that cannot be made was never written by this program
        raise damaged(session.path) from error


@reads_stored
def published_columns(session: Session, run_id: int) -> tuple[Column, ...]:
    """What the columns of values in a drawn table are, without a row of it."""
    row = session.row("SELECT value_name, layout FROM published WHERE run = ?", (run_id,))
    return _value_columns(row["value_name"], row["layout"] or "", None) if row is not None else ()


def _described(column: Units) -> dict[str, Any]:
    return {"name": column.name, "decimals": column.decimals, "unit": column.unit, "additive": column.additive}


def _value_columns(name: str, layout: str, values: Any) -> tuple[Units, ...]:
    """The value columns that a layout names; without one, a column of whole numbers none of which is missing."""
    import numpy as np

    from workbench.core.published import Units

    told = json.loads(layout)["values"] if layout else ()
    many = max(len(told), 1)
    integers = np.zeros((0, many), np.int64) if values is None else values.reshape(-1, many)
    if not told:
        return (Units(name=name, integers=np.ascontiguousarray(integers[:, 0])),)
    return tuple(
        Units(**each, gaps=True, integers=np.ascontiguousarray(integers[:, place])) for place, each in enumerate(told)
    )


def _table(row: Mapping[str, Any], keys: bytes, numbers: bytes, layout: str) -> Published:
    import numpy as np

    from workbench.core.published import Published, coded

    values = _value_columns(row["value_name"], layout, np.frombuffer(numbers, dtype="<i8").astype(np.int64))
    named = zip(json.loads(row["columns"]), json.loads(keys), strict=True)
    records = bool(json.loads(layout)["records"]) if layout else False
    return Published(columns=(*(coded(name, texts) for name, texts in named), *values), records=records)
