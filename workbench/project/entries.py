"""The ledger's rows: what each approval spent, as exact decimal text."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from workbench.accounting.totals import Rule
from workbench.core.claims import Claim, Definition
from workbench.project.action import Action
from workbench.project.datasets import dataset
from workbench.project.records import DatasetRecord, LedgerRecord
from workbench.project.session import Session, reads_stored

_SELECT = """
SELECT ledger.*, release.code, decision.number AS decision_number
FROM ledger JOIN release ON release.id = ledger.release JOIN decision ON decision.id = ledger.decision
"""


@reads_stored
def ledger(session: Session, which: int | str | None = None) -> tuple[LedgerRecord, ...]:
    """The entries of one data set (by id or content fingerprint), or of all, the oldest first."""
    if which is None:
        return tuple(_record(row) for row in session.rows(f"{_SELECT} ORDER BY ledger.id"))
    content = dataset(session, which).content
    return tuple(_record(row) for row in session.rows(f"{_SELECT} WHERE content = ? ORDER BY ledger.id", (content,)))


def add_entry(act: Action, *, about: DatasetRecord, claim: Claim, row: dict[str, Any], code: str) -> None:
    """Enter a claim; `row` brings the ids of release, run and decision."""
    entry = {
        **row, "dataset": about.id, "content": about.content, "definition": claim.definition.value, "unit": claim.unit,
        "epsilon": str(claim.epsilon), "delta": str(claim.delta),
        "alpha": "" if claim.alpha is None else str(claim.alpha), "formal": int(claim.formal),
        "rule": Rule.SEQUENTIAL.value, "sentence": claim.sentence, "entered_at": act.at, "workings": "", "coverage": "",
        "exception": 0,
    }  # fmt: skip
    act.insert("ledger", entry, f"the ledger entry of {code}")


def _record(row: dict[str, Any]) -> LedgerRecord:
    return LedgerRecord(
        id=row["id"], dataset_id=row["dataset"], content=row["content"], release_id=row["code"], run_id=row["run"],
        decision=row["decision_number"], definition=Definition(row["definition"]), unit=row["unit"],
        epsilon=Decimal(row["epsilon"]), delta=Decimal(row["delta"]),
        alpha=Decimal(row["alpha"]) if row["alpha"] else None, formal=bool(row["formal"]), rule=row["rule"],
        sentence=row["sentence"], entered_at=row["entered_at"],
    )  # fmt: skip
