"""What the evidence panel shows, read off the session."""

from __future__ import annotations

from decimal import Decimal

from workbench.accounting.ledger import total_under
from workbench.review.session import ReviewSession
from workbench.review.stages import TITLES, Stage
from workbench.review.status import compact, next_step
from workbench.review.views import Budget
from workbench.ui.widgets.evidence_panel import BudgetView, EvidenceView, NextStep


def evidence_view(session: ReviewSession | None, budget: Budget | None) -> EvidenceView:
    if session is None:
        return EvidenceView(next_step=NextStep("new", "New release…", "No release is open yet."))
    claim = session.claim()
    stage, why = next_step(session)
    spent = _spent(session)
    return EvidenceView(
        claim=claim,
        spent_epsilon=spent[0],
        spent_delta=spent[1],
        budget=_budget(session, budget),
        next_step=NextStep(stage.value, f"Go to {TITLES[stage]}" if stage is not Stage.REPORT else "Go to Report", why),
        facts=_facts(session),
    )


def _spent(session: ReviewSession) -> tuple[float | None, float | None]:
    """What the exact audit found, as long as it belongs to the plan as it stands."""
    if session.evidence is None or not session.evidence_fresh:
        return None, None
    for finding in session.evidence.of_stage("audit"):
        epsilon = finding.values.get("spent_epsilon")
        if isinstance(epsilon, int | float):
            delta = finding.values.get("spent_delta")
            return float(epsilon), float(delta) if isinstance(delta, int | float) and delta else None
    return None, None


def _budget(session: ReviewSession, budget: Budget | None) -> BudgetView | None:
    claim = session.claim()
    if claim is None:
        return None
    cap = budget.cap if budget is not None and budget.cap is not None else session.plan.policy.budget
    entries = budget.entries if budget is not None else ()
    counted = budget is not None and budget.counted
    adds = Decimal(0) if counted and session.evidence_fresh else Decimal(claim.epsilon)
    return BudgetView(spent=total_under(claim.definition, entries).epsilon, adds=adds, cap=cap)


def _facts(session: ReviewSession) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    if session.loaded is not None and session.data_fresh:
        facts.append(("jobs", compact(session.loaded.microdata.rows)))
    if session.evidence is not None and session.evidence_fresh:
        facts.append(("cells", f"{session.evidence.rows:,}"))
        facts.append(("drawn", "once" if session.evidence.draws == 1 else f"{session.evidence.draws} times"))
    facts.append(("prepared by", session.preparer))
    return tuple(facts)
