"""Tables from outside that a release was compared with: name and SHA-256, in the journal alone, never their content.

What was found is kept with them, so that the report tells what the reviewer saw.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.findings import Finding
from workbench.core.plain import plain
from workbench.core.restore import restore
from workbench.project.file.session import Session, reads_stored
from workbench.project.history.places import entry_of
from workbench.project.records import RunRecord
from workbench.project.tables.old_findings import with_source
from workbench.project.tables.releases import release_row

COMPARE = "compare with other tables"
WITHHELD = "withheld_cells"  # of a run, or of a later comparison: the cells that its suppressed rival withholds


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRecord:
    """One comparison of one draw."""

    run_id: int
    at: str
    actor: str
    files: dict[str, str]  # file name → SHA-256
    findings: tuple[Finding, ...]
    entry: int  # of the journal
    withheld: str = ""  # the cells that the suppressed rival withholds since; empty where its pattern stayed


def record_comparison(
    session: Session, run: RunRecord, *, files: Mapping[str, str], findings: Sequence[Finding], withheld: str = "",
    actor: str = "",
) -> None:  # fmt: skip
    """Note in the journal with which tables (name → SHA-256) a draw was compared, and what was found.

    `withheld` are the cells of its suppressed rival, where they were worked out again.
    """
    row = release_row(session, run.release_id)
    with session.act(COMPARE, subject=row["code"], actor=actor) as act:
        act.note = {"run": run.id, "files": dict(files), "findings": plain(list(findings))}
        if withheld:
            act.note = {**act.note, WITHHELD: withheld}


@reads_stored
def comparisons(session: Session, release_id: str) -> tuple[ComparisonRecord, ...]:
    """Every comparison of a release, the oldest first."""
    rows = session.rows(
        "SELECT seq, at, actor, payload FROM journal WHERE action = ? AND subject = ? ORDER BY seq",
        (COMPARE, release_id),
    )
    notes = [json.loads(row["payload"])["note"] for row in rows]
    return tuple(
        ComparisonRecord(
            run_id=int(note["run"]), at=row["at"], actor=row["actor"], files=dict(note["files"]),
            findings=tuple(with_source(restore(Finding, finding), ()) for finding in note["findings"]),
            entry=row["seq"], withheld=note.get(WITHHELD, ""),
        )
        for row, note in zip(rows, notes, strict=True)
    )  # fmt: skip


def pattern_of(session: Session, run: RunRecord) -> tuple[str, int]:
    """The cells that the suppressed rival of a draw withholds, and the entry of the journal since which it does."""
    later = [each for each in comparisons(session, run.release_id) if each.run_id == run.id and each.withheld]
    if later:
        return later[-1].withheld, later[-1].entry
    return run.inputs.get(WITHHELD, ""), entry_of(session, "run", run.id) or 0
