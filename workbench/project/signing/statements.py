"""The bytes that people sign.

A vote is signed as such (form 1): the project, who signs, the journal's last hash (the whole history before), the
release, the run, the digests of plan, data, published values and policy, and every column of the row but its number
(choice, comments, time, name). A merge gives rows other numbers in another copy; everything else stays signed.

Everything else is signed as the whole action that it is (form 2): the same, and besides the action's name, subject,
actor and note, and the digest of every row that it wrote. The ledger entry of an approval, the release's new state, the
reason of a withdrawal are as little to be changed as the decision itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.plain import canonical
from workbench.project.signing.signing_trust import REQUIRE, Fetch, project_of

WITHDRAW = "withdraw release"
VOTE, ENTRY = "vote", "entry"
WHOLE = 2  # the form that covers an action

SIGNED = {
    VOTE: "reviewer", "decision": "reviewer", "exception": "granted_by", "policy": "set_by", "cap": "set_by",
    "separation": "set_by", "programme": "set_by",
}  # fmt: skip  # table → who signs its rows
JUDGING = (VOTE, "decision", "exception")  # what files of every version expect a signature of
ENTRIES = (REQUIRE, WITHDRAW)  # actions that leave no row of their own: the entry itself is signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """An action as a signature covers it: what its journal entry will say, but for the signature itself."""

    action: str
    subject: str
    actor: str
    at: str
    payload: str

    @classmethod
    def of_entry(cls, row: Mapping[str, Any]) -> Deed:
        return cls(**{name: str(row[name]) for name in ("action", "subject", "actor", "at", "payload")})

    def plain(self) -> dict[str, Any]:
        """Rows in the order in which they were written. The signature's own row comes after it was made."""
        said = json.loads(self.payload)
        said["rows"] = [row for row in said["rows"] if row[0] != "signature"]
        return {"action": self.action, "subject": self.subject, "actor": self.actor, "at": self.at, "said": said}


def statement(
    fetch: Fetch, kind: str, row: Mapping[str, Any], *, by: str, anchor: str, deed: Deed | None = None
) -> bytes:  # fmt: skip
    """What is signed for a row, or with an empty row for an entry; two that mean the same thing give the same bytes."""
    said = {name: value for name, value in row.items() if name != "id" and value is not None}
    facts = {
        "format": "dwb-signature-1" if deed is None else "dwb-signature-2", "project": project_of(fetch), "kind": kind,
        "by": by, "anchor": anchor, "row": said, **_judged(fetch, row),
    }  # fmt: skip
    return canonical(facts if deed is None else {**facts, "deed": deed.plain()})


def _judged(fetch: Fetch, row: Mapping[str, Any]) -> dict[str, Any]:
    """What the row is about, by digests that do not depend on numbers of rows."""
    run = _first(
        fetch,
        "SELECT release.code, run.number, run.plan_digest, dataset.content, published.digest FROM run"
        " JOIN release ON release.id = run.release JOIN dataset ON dataset.id = run.dataset"
        " LEFT JOIN published ON published.run = run.id WHERE run.id = ?",
        row.get("run"),
    )
    policy = _first(fetch, "SELECT digest FROM policy WHERE id = ?", row.get("policy"))
    return {
        "release": run.get("code", ""), "run": run.get("number", 0), "plan": run.get("plan_digest", ""),
        "data": run.get("content", ""), "published": run.get("digest") or "", "policy": policy.get("digest", ""),
    }  # fmt: skip


def _first(fetch: Fetch, sql: str, key: object) -> dict[str, Any]:
    rows = fetch(sql, (key,)) if isinstance(key, int) else []
    return rows[0] if rows else {}
