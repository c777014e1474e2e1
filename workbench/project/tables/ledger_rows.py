"""The ledger's rows: what each approval spent, as exact decimal text, by which rule, and how that was worked out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.accounting.coverage import coverage_from, coverage_text
from workbench.accounting.entries import Entry, entries_of
from workbench.accounting.ledger import counted, total_under
from workbench.accounting.totals import Rule, Spending
from workbench.core.claims import Claim, Definition, ExactTable
from workbench.core.plain import canonical
from workbench.core.quantities import exact
from workbench.core.restore import restore, stored_number
from workbench.project.file.action import Action
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import ExceptionRecord, LedgerRecord, RunRecord, SpecUse
from workbench.project.tables import old_runs
from workbench.project.tables.datasets import dataset
from workbench.project.tables.shared_people import together_with

_SELECT = """
SELECT ledger.*, release.code, decision.number AS decision_number, drawn.specs
FROM ledger JOIN release ON release.id = ledger.release JOIN decision ON decision.id = ledger.decision
JOIN run AS drawn ON drawn.id = ledger.run
"""


@reads_stored
def ledger(session: Session, which: int | str | None = None) -> tuple[LedgerRecord, ...]:
    """The entries of one data set (by id or content fingerprint) and of those that share its people, or of all.

    The oldest first.
    """
    if which is None:
        return tuple(_record(row) for row in session.rows(f"{_SELECT} ORDER BY ledger.id"))
    group = together_with(session, dataset(session, which).id)
    marks = ", ".join("?" * len(group))
    contents = f"SELECT content FROM dataset WHERE id IN ({marks})"
    return tuple(
        _record(row) for row in session.rows(f"{_SELECT} WHERE content IN ({contents}) ORDER BY ledger.id", group)
    )


def prospective(run: RunRecord, claim: Claim) -> tuple[Entry, ...]:
    """What approving a run would enter, part by part."""
    found = entries_of(claim)
    if not run.before_parts:
        return found
    return tuple(replace(entry, group_size=old_runs.group_size(run.specs)) for entry in found)


def add_entries(
    session: Session, act: Action, *, run: RunRecord, claim: Claim, row: dict[str, Any],
    exception: ExceptionRecord | None,
) -> None:  # fmt: skip
    """Enter a claim, part by part, with the rule that applies to each; `row` brings release, run and decision."""
    about = dataset(session, run.dataset_id)
    spent: list[Spending] = list(ledger(session, run.dataset_id))
    for place, own in enumerate(prospective(run, claim)):
        rule, workings = _worked_out(spent, own)
        workings = " ".join(word for word in (claim.workings if not place else "", workings) if word)
        if exception is not None:
            workings += f" Approved under an exception granted by {exception.granted_by}: {exception.overspend}"
        entry = {
            **row, "dataset": about.id, "content": about.content, "definition": own.definition.value, "unit": own.unit,
            "epsilon": str(own.epsilon), "delta": str(own.delta),
            "alpha": "" if own.alpha is None else str(own.alpha), "formal": int(own.formal),
            "rule": rule.value, "sentence": claim.sentence, "entered_at": act.at, "workings": workings,
            "coverage": coverage_text(own.coverage), "exception": exception.id if exception is not None else 0,
            "part": own.part, "group_size": own.group_size, "rho": "" if own.rho is None else str(own.rho),
            "exact": canonical(own.exact).decode("utf-8") if own.exact else None,
        }  # fmt: skip
        act.insert("ledger", entry, f"the ledger entry of {run.release_id}{f', {own.part}' if own.part else ''}")
        spent.append(own)


def _worked_out(entries: Sequence[Spending], own: Entry) -> tuple[Rule, str]:
    """The rule by which an entry is added, and the sentence that shows the sum."""
    if not counted(own):
        return Rule.SEQUENTIAL, "Recorded, but not counted: there is no formal promise that could be added."
    before = total_under(own.definition, entries)
    after = total_under(own.definition, (*entries, own))
    words = [f"ε {exact(own.epsilon)} is added to the {exact(before.epsilon)} spent before: {exact(after.epsilon)}."]
    if after.delta:
        words.append(f"δ adds up to {exact(after.delta)}.")
    if after.tight.rule is not Rule.SEQUENTIAL:
        words.append(f"Tighter by the rule “{after.tight.rule.value}”: {exact(after.tight.epsilon)} in all.")
    if after.tight.rule is Rule.PARALLEL and own.coverage is not None:
        return Rule.PARALLEL, " ".join((*words, after.tight.words))
    return Rule.SEQUENTIAL, " ".join(words)


def _record(row: dict[str, Any]) -> LedgerRecord:
    return LedgerRecord(
        id=row["id"], dataset_id=row["dataset"], content=row["content"], release_id=row["code"], run_id=row["run"],
        decision=row["decision_number"], definition=Definition(row["definition"]), unit=row["unit"],
        epsilon=stored_number(row["epsilon"]), delta=stored_number(row["delta"]),
        alpha=stored_number(row["alpha"]) if row["alpha"] else None, formal=bool(row["formal"]), rule=row["rule"],
        sentence=row["sentence"], entered_at=row["entered_at"], workings=row["workings"] or "",
        coverage=coverage_from(row["coverage"] or ""), exception_id=row["exception"] or 0,
        part=row["part"] or "", group_size=_group_size(row), rho=stored_number(row["rho"]) if row["rho"] else None,
        exact=_exact(row),
    )  # fmt: skip


def _exact(row: dict[str, Any]) -> tuple[ExactTable, ...]:
    if row["exact"] is not None:
        return tuple(restore(ExactTable, each) for each in json.loads(row["exact"]))
    return old_runs.exact(tuple(restore(SpecUse, spec) for spec in json.loads(row["specs"])))


def _group_size(row: dict[str, Any]) -> int:
    if row["group_size"] is not None:
        return int(row["group_size"])
    return old_runs.group_size(tuple(restore(SpecUse, spec) for spec in json.loads(row["specs"])))
