"""What rows say of each other, worked out again: the ledger from claims, the state of a release from its decisions.

Seals show that a row is what was written; this shows that what was written follows from the rest. Whoever rewrites an
entry of the ledger together with the journal must then rewrite the claim of the run too, which every later signature
covers.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from workbench.core.claims import Claim, Definition
from workbench.core.errors import Defect
from workbench.core.restore import restore
from workbench.core.states import ReleaseState, Verdict

_LEDGER = (
    "SELECT ledger.*, run.claim, run.dataset AS drawn_from, dataset.content AS drawn_content, release.code FROM ledger"
    " LEFT JOIN run ON run.id = ledger.run LEFT JOIN dataset ON dataset.id = run.dataset"
    " LEFT JOIN release ON release.id = ledger.release ORDER BY ledger.id"
)
_UNCOUNTED = (
    "SELECT release.code, decision.number FROM decision JOIN run ON run.id = decision.run"
    " JOIN release ON release.id = decision.release WHERE decision.decision = ? AND run.claim <> ''"
    " AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.run = decision.run) ORDER BY decision.id"
)
_UNFOUNDED = (
    "SELECT code FROM release WHERE state = ? AND coalesce((SELECT decision FROM decision WHERE release = release.id"
    " ORDER BY number DESC LIMIT 1), '') <> ? ORDER BY id"
)


def inconsistencies(connection: sqlite3.Connection) -> Iterator[str]:
    """Everything that does not follow, in words."""
    cursor = connection.execute(_LEDGER)
    names = [column[0] for column in cursor.description]
    for values in cursor:
        row = dict(zip(names, values, strict=True))
        if not _follows(row):
            yield f"the ledger entry of {row['code']} (number {row['id']}) does not say what the claim of its draw says"
    approve = Verdict.APPROVE.value
    for code, number in connection.execute(_UNCOUNTED, (approve,)):
        yield f"decision {number} of {code} approves a draw that the ledger does not count"
    for (code,) in connection.execute(_UNFOUNDED, (ReleaseState.APPROVED.value, approve)):
        yield f"{code} is called approved, but its latest decision does not say so"


def _follows(row: Mapping[str, Any]) -> bool:
    """Compared is what every version of the program has entered alike: ε, δ, definition, and whether it is proved."""
    try:
        claim = restore(Claim, json.loads(row["claim"]))
        part = next((each for each in claim.parts if each.name == row.get("part")), None)
        if row.get("part") and part is None:
            return False
        said = (Decimal(row["epsilon"]), Decimal(row["delta"]))
        due = (claim.epsilon, claim.delta) if part is None else (part.epsilon, part.delta)
        definition = (part.definition if part is not None else None) or claim.definition
        formal = claim.formal if part is None or part.formal is None else part.formal
        return (
            said == due
            and bool(row["formal"]) == formal
            and row["definition"] in (definition.value, *(() if formal else (Definition.CONDITIONAL.value,)))
            and (row["dataset"], row["content"]) == (row["drawn_from"], row["drawn_content"])
        )
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, Defect):
        return False
