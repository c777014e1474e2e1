"""Runs of a plan with what they found and what they drew. Only what may be published is stored in full."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.claims import Claim
from workbench.core.errors import UserProblem
from workbench.core.findings import Finding
from workbench.core.plain import canonical
from workbench.core.restore import restore
from workbench.core.states import ReleaseState
from workbench.project.file.action import Action
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import RunRecord, SpecUse
from workbench.project.tables import old_runs
from workbench.project.tables.datasets import dataset
from workbench.project.tables.old_findings import with_source
from workbench.project.tables.releases import refuse_if_closed, release_row
from workbench.project.tables.shared_people import together_with
from workbench.project.tables.values import insert_values, packed_values

if TYPE_CHECKING:
    from workbench.core.published import Published

_SELECT = "SELECT run.*, release.code FROM run JOIN release ON release.id = run.release"


def add_run(
    session: Session, release_id: str, run: RunRecord, *, findings: Sequence[Finding] = (),
    published: Published | None = None, actor: str = "",
) -> RunRecord:  # fmt: skip
    """Store a run under the next draw number. The release is in draft again, earlier votes and decisions are stale."""
    dataset(session, run.dataset_id)
    who = actor or run.run_by or session.person
    values = None if published is None else packed_values(published)
    with session.act("add run", subject=release_id, actor=who) as act:
        release = release_row(session, release_id)
        refuse_if_closed(release)
        number = release["draws"] + 1
        label = f"run {number} of {release_id}"
        row = _row(run, release, number=number, who=who, at=act.at)
        key = act.insert("run", row, label)
        for position, finding in enumerate(findings):
            _add_finding(act, run=key, position=position, finding=finding, label=label)
        if values is not None:
            insert_values(act, key, values, label)
        state = {"state": ReleaseState.DRAFT.value, "changed_at": act.at}
        act.update("release", release["id"], state, f"release {release_id}")
    return run_by_id(session, key)


def _row(run: RunRecord, release: dict[str, Any], *, number: int, who: str, at: str) -> dict[str, Any]:
    return {
        "release": release["id"], "number": number, "dataset": run.dataset_id,
        "plan_digest": run.plan_digest or release["plan_digest"], "specs": _json(run.specs),
        "inputs": _json(run.inputs), "tools": _json(run.tools),
        "claim": "" if run.claim is None else _json(run.claim), "run_by": who, "run_at": at,
        "same_table": run.same_table, "offered": None if run.offered is None else _json(run.offered),
        "units": _json(run.units),
    }  # fmt: skip


def _add_finding(act: Action, *, run: int, position: int, finding: Finding, label: str) -> None:
    row: dict[str, Any] = {
        "run": run, "position": position, "finding": finding.id, "status": finding.status.value,
        "audience": finding.audience.value, "body": _json(finding),
    }  # fmt: skip
    act.insert("finding", row, f"finding {position + 1} of {label}")


def _json(value: Any) -> str:
    return canonical(value).decode("utf-8")


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
    """How often other releases drew the same table from the same people without publishing it.

    Starting a new release is no way around the count: somebody who may choose among draws learns more than one tells.
    """
    group = together_with(session, run.dataset_id)
    marks = ", ".join("?" * len(group))
    rows = session.rows(
        f"{_SELECT} WHERE dataset IN ({marks}) AND code <> ?"
        " AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.run = run.id)",
        (*group, run.release_id),
    )
    return sum(_record(row).same_table == run.same_table for row in rows)


@reads_stored
def run_by_id(session: Session, run_id: int) -> RunRecord:
    row = session.row(f"{_SELECT} WHERE run.id = ?", (run_id,))
    if row is None:
        raise UserProblem("The project holds no such run", str(session.path))
    return _record(row)


def _record(row: dict[str, Any]) -> RunRecord:
    specs = tuple(restore(SpecUse, spec) for spec in json.loads(row["specs"]))
    claim = restore(Claim, json.loads(row["claim"])) if row["claim"] else None
    old = row["same_table"] is None  # of a file before version 6
    return RunRecord(
        id=row["id"], release_id=row["code"], number=row["number"], dataset_id=row["dataset"],
        plan_digest=row["plan_digest"], run_by=row["run_by"], run_at=row["run_at"],
        specs=specs, inputs=json.loads(row["inputs"]), tools=json.loads(row["tools"]),
        claim=claim, before_parts=old,
        same_table=old_runs.same_table(specs) if old else row["same_table"],
        offered=old_runs.offered(specs) if old else _offered(row["offered"]),
        units=tuple((str(title), int(count)) for title, count in json.loads(row["units"] or "[]")),
    )  # fmt: skip


def _offered(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(str(name) for name in json.loads(text))


@reads_stored
def findings(session: Session, run_id: int) -> tuple[Finding, ...]:
    found = session.rows("SELECT body FROM finding WHERE run = ? ORDER BY position", (run_id,))
    made = [restore(Finding, json.loads(row["body"])) for row in found]
    specs = run_by_id(session, run_id).specs if made else ()
    return tuple(with_source(finding, specs) for finding in made)
