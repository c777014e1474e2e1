"""The ledger's rows: what each approval spent, as exact decimal text, by which rule, and how that was worked out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workbench.accounting.coverage import Coverage, coverage_from
from workbench.accounting.ledger import counted, total_under
from workbench.accounting.totals import Rule
from workbench.core.claims import Claim, Definition
from workbench.core.quantities import exact
from workbench.project.file.action import Action
from workbench.project.file.session import Session, reads_stored
from workbench.project.records import ExceptionRecord, LedgerRecord, RunRecord
from workbench.project.tables.datasets import dataset
from workbench.project.tables.policies import limits_of
from workbench.project.tables.values import published

COVERAGE = "coverage"  # under which a product that restricts its input records the witness with the run
_SELECT = """
SELECT ledger.*, release.code, decision.number AS decision_number, drawn.specs
FROM ledger JOIN release ON release.id = ledger.release JOIN decision ON decision.id = ledger.decision
JOIN run AS drawn ON drawn.id = ledger.run
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """A claim that is not in the ledger yet, with the witness of what its input was restricted to."""

    definition: Definition
    epsilon: Decimal
    delta: Decimal
    alpha: Decimal | None
    formal: bool
    coverage: Coverage | None
    jobs: int = 1


@reads_stored
def ledger(session: Session, which: int | str | None = None) -> tuple[LedgerRecord, ...]:
    """The entries of one data set (by id or content fingerprint), or of all, the oldest first."""
    if which is None:
        return tuple(_record(row) for row in session.rows(f"{_SELECT} ORDER BY ledger.id"))
    content = dataset(session, which).content
    return tuple(_record(row) for row in session.rows(f"{_SELECT} WHERE content = ? ORDER BY ledger.id", (content,)))


def prospective(run: RunRecord, claim: Claim) -> Prospect:
    return Prospect(
        definition=claim.definition, epsilon=claim.epsilon, delta=claim.delta, alpha=claim.alpha, formal=claim.formal,
        coverage=coverage_from(run.inputs.get(COVERAGE, "")),
        jobs=_jobs({spec.kind: spec.params for spec in run.specs}),
    )  # fmt: skip


def _jobs(params: Mapping[str, Mapping[str, Any]]) -> int:
    """The most jobs of one worker that a mechanism was set to; one where it has no such setting."""
    return int(params.get("mechanism", {}).get("jobs_per_worker", 1))


def add_entry(
    session: Session, act: Action, *, run: RunRecord, claim: Claim, row: dict[str, Any],
    exception: ExceptionRecord | None,
) -> None:  # fmt: skip
    """Enter a claim with the rule that applies to it; `row` brings the ids of release, run and decision."""
    about = dataset(session, run.dataset_id)
    rule, workings = _worked_out(session, run, claim)
    if exception is not None:
        workings += f" Approved under an exception granted by {exception.granted_by}: {exception.overspend}"
    entry = {
        **row, "dataset": about.id, "content": about.content, "definition": claim.definition.value, "unit": claim.unit,
        "epsilon": str(claim.epsilon), "delta": str(claim.delta),
        "alpha": "" if claim.alpha is None else str(claim.alpha), "formal": int(claim.formal),
        "rule": rule.value, "sentence": claim.sentence, "entered_at": act.at, "workings": workings,
        "coverage": run.inputs.get(COVERAGE, ""), "exception": exception.id if exception is not None else 0,
    }  # fmt: skip
    act.insert("ledger", entry, f"the ledger entry of {run.release_id}")


def _worked_out(session: Session, run: RunRecord, claim: Claim) -> tuple[Rule, str]:
    """The rule by which a claim enters the ledger, and the sentence that shows the sum."""
    if not counted(claim):
        return Rule.SEQUENTIAL, "Recorded, but not counted: there is no formal promise that could be added."
    own, limits = prospective(run, claim), limits_of(session, run.dataset_id)
    entries = ledger(session, run.dataset_id)
    before = total_under(claim.definition, entries, limits)
    after = total_under(claim.definition, (*entries, own), limits)
    words = [_table_words(session, run, claim)]
    words.append(
        f"ε {exact(claim.epsilon)} is added to the {exact(before.epsilon)} spent before: {exact(after.epsilon)}."
    )
    if after.delta:
        words.append(f"δ adds up to {exact(after.delta)}.")
    rule = Rule.WEAK_TABLE if words[0] else Rule.SEQUENTIAL
    if after.tight.rule is not Rule.SEQUENTIAL:
        words.append(f"Tighter by the rule “{after.tight.rule.value}”: {exact(after.tight.epsilon)} in all.")
    if after.tight.rule is Rule.PARALLEL and own.coverage is not None:
        rule = Rule.PARALLEL
        words.append(after.tight.words)
    return rule, " ".join(word for word in words if word)


def _table_words(session: Session, run: RunRecord, claim: Claim) -> str:
    """d·ε in words, for a weak claim on a table with worker attributes; d is read off the published rows."""
    if claim.definition is not Definition.WEAK:
        return ""
    cells = _worker_cells(session, run)
    if cells < 2:
        return ""
    return (
        f"The table has {cells} worker cells in every workplace cell; each spends a {cells}th part of ε, and together "
        f"they add up to {exact(claim.epsilon)}."
    )


def _worker_cells(session: Session, run: RunRecord) -> int:
    table = published(session, run.id)
    names = {
        str(name) for spec in run.specs if spec.kind == "product" for name in spec.params.get("worker", ())
    }  # fmt: skip
    if table is None or not names:
        return 1
    import numpy as np

    columns = [key.codes for key in table.keys if key.name in names]
    sizes = tuple(len(key.values) for key in table.keys if key.name in names)
    return len(np.unique(np.ravel_multi_index(tuple(columns), sizes))) if columns else 1


def _record(row: dict[str, Any]) -> LedgerRecord:
    return LedgerRecord(
        id=row["id"], dataset_id=row["dataset"], content=row["content"], release_id=row["code"], run_id=row["run"],
        decision=row["decision_number"], definition=Definition(row["definition"]), unit=row["unit"],
        epsilon=Decimal(row["epsilon"]), delta=Decimal(row["delta"]),
        alpha=Decimal(row["alpha"]) if row["alpha"] else None, formal=bool(row["formal"]), rule=row["rule"],
        sentence=row["sentence"], entered_at=row["entered_at"], workings=row["workings"] or "",
        coverage=coverage_from(row["coverage"] or ""), exception_id=row["exception"] or 0,
        jobs=_jobs({spec["kind"]: spec["params"] for spec in json.loads(row["specs"])}),
    )  # fmt: skip
