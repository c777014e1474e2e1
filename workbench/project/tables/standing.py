"""Where a release stands against budget and policy, from what the project stores of it."""

from __future__ import annotations

import json
from typing import Any

from workbench.accounting.what_if import WhatIf, what_if
from workbench.core.claims import Claim
from workbench.core.findings import DIFFERENCING, Finding
from workbench.policy.judge import Facts, Judgement, judge
from workbench.policy.profile import PolicyProfile
from workbench.project.file.session import Session
from workbench.project.history.places import entry_of
from workbench.project.records import RunRecord
from workbench.project.tables.comparisons import WITHHELD, ComparisonRecord, comparisons, pattern_of
from workbench.project.tables.datasets import dataset
from workbench.project.tables.ledger_rows import ledger, prospective
from workbench.project.tables.policies import id_in_force, limits_of, profile_in_force
from workbench.project.tables.releases import release_row
from workbench.project.tables.runs import findings, latest_run, run_by_id
from workbench.project.tables.values import published, published_columns


def spent(session: Session, run: RunRecord) -> bool:
    """True where this very draw was approved before: published once more, it costs nothing more."""
    return session.row("SELECT 1 FROM ledger WHERE run = ?", (run.id,)) is not None


def outlook(session: Session, run: RunRecord) -> WhatIf | None:
    """What approving a run would leave of the budget; None where it is counted already or states no claim."""
    return None if run.claim is None or spent(session, run) else approved(session, run, run.claim)


def approved(session: Session, run: RunRecord, claim: Claim) -> WhatIf:
    """What approving a run would leave, measured as the policy in force says."""
    entries = ledger(session, run.dataset_id)
    return what_if(entries, prospective(run, claim), limits_of(session, run.dataset_id))


def judgements(session: Session, release_id: str) -> tuple[Judgement, ...]:
    """The release compared with every rule of the policy that looks at the release itself."""
    release, run = release_row(session, release_id), latest_run(session, release_id)
    profile = profile_in_force(session)
    return judge(profile, _facts(session, release, run, profile))


def _facts(session: Session, release: dict[str, Any], run: RunRecord | None, profile: PolicyProfile) -> Facts:
    stored = json.loads(release["context"])
    context = {name.removeprefix("release."): str(text) for name, text in {"title": release["title"], **stored}.items()}
    if run is None:
        return Facts(claim=None, context=context)
    columns = published_columns(session, run.id)
    return Facts(
        claim=run.claim,
        findings=_examined(session, run),
        compared_too_early=_compared_too_early(session, run),
        patterns_since=patterns_since(session, run),
        checks=tuple(spec.id for spec in run.specs if spec.kind == "check"),
        offered=run.offered,
        context=context,
        records=dataset(session, run.dataset_id).rows,
        drawn=session.row("SELECT 1 FROM published WHERE run = ?", (run.id,)) is not None,
        off_step=_off_step(session, run, profile.evidence.rounding),
        counts=any(column.counts for column in columns),
        on_grid=tuple(column.name for column in columns if column.measures),
        unset=not id_in_force(session),
    )


def _examined(session: Session, run: RunRecord) -> tuple[Finding, ...]:
    """The findings of a run, with differencing as it was last examined: at the draw, or later by a reviewer."""
    drawn, later = findings(session, run.id), _comparisons(session, run)
    if not later:
        return drawn
    return (*(each for each in drawn if each.source != DIFFERENCING), *later[-1].findings)


def _comparisons(session: Session, run: RunRecord) -> list[ComparisonRecord]:
    return [each for each in comparisons(session, run.release_id) if each.run_id == run.id]


def _compared_too_early(session: Session, run: RunRecord) -> bool:
    """True where another table of the same people was approved after this one was last compared with those of its data.

    After by the journal: a slow clock must not hide an approval.
    """
    later = _comparisons(session, run)
    compared = later[-1].entry if later else entry_of(session, "run", run.id) or 0
    others = (entry.id for entry in ledger(session, run.dataset_id) if entry.run_id != run.id)
    return any((entry_of(session, "ledger", other) or compared + 1) > compared for other in others)


def patterns_since(session: Session, run: RunRecord) -> tuple[str, ...]:
    """Releases of the same people, approved since this draw's suppressed rival was made, that change what it reveals.

    They are suppressed as well, or tell cells exactly. None of a draw that was approved itself: later ones know it.
    """
    pattern, made = pattern_of(session, run)
    if not pattern or spent(session, run):
        return ()
    later = [
        entry
        for entry in ledger(session, run.dataset_id)
        if (entry_of(session, "ledger", entry.id) or made + 1) > made
        and (entry.exact or _suppressed_too(run, run_by_id(session, entry.run_id)))
    ]
    return tuple(dict.fromkeys(entry.release_id for entry in later))


def _suppressed_too(run: RunRecord, other: RunRecord) -> bool:
    return WITHHELD in other.inputs and _product(run) == _product(other)


def _product(run: RunRecord) -> str:
    return next((spec.id for spec in run.specs if spec.kind == "product"), "")


def _off_step(session: Session, run: RunRecord, step: int) -> bool:
    """Published counts are stored as integers, so that only a wider step has to be looked for."""
    table = published(session, run.id) if step > 1 else None
    if table is None:
        return False
    counts = [table.units(column.name) for column in table.columns if column.counts]
    return any(bool((column.integers[column.given()] % step != 0).any()) for column in counts)
