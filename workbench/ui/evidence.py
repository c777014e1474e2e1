"""What the evidence panel shows, read off the session."""

from __future__ import annotations

from decimal import Decimal

from workbench.accounting.ledger import total_under
from workbench.core.claims import Claim
from workbench.review.decide.stages import TITLES, Stage
from workbench.review.decide.status import compact, next_step
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.review.views import BudgetAhead
from workbench.ui.widgets.evidence_panel import BudgetView, EvidenceView, NextStep

# The pages on which a step can be taken: both have a button that draws.
_TAKEN_AT = {Stage.AUDIT: (Stage.MECHANISM, Stage.AUDIT)}


def evidence_view(session: ReviewSession | None, here: Stage, viewer: str = "") -> EvidenceView:
    """What the panel says to whoever looks while the page of the stage `here` is in view."""
    if session is None:
        return EvidenceView(next_step=NextStep("new", "New release…", "No release is open yet."))
    stuck = bool(session.mechanism_problems())
    claim = None if stuck else _claim(session)
    stage, why = next_step(session, viewer)
    arrived = here in _TAKEN_AT.get(stage, (stage,))
    return EvidenceView(
        claim=claim,
        spent=session.evidence.loss if session.evidence is not None and session.evidence_fresh else None,
        foreseen=session.foreseen[1],
        budget=_budget(claim, session),
        no_budget="What is left of the budget of these data is known once they are loaded.",
        next_step=NextStep(stage.value, "" if arrived else f"Go to {TITLES[stage]}", why),
        facts=_facts(session),
        no_claim="No claim: the mechanism cannot run with these settings. Mechanism & budget says why."
        if stuck
        else "",
    )


def _claim(session: ReviewSession) -> Claim | None:
    """Once values are drawn, the claim of the draw: it knows the data, which need not be loaded any more."""
    drawn = session.evidence is not None and session.evidence_fresh
    return session.evidence.claim if drawn and session.evidence is not None else session.claim()


def _budget(claim: Claim | None, session: ReviewSession) -> BudgetView | None:
    """The ledger of the data that would be spent from: those that are loaded, else those of the draw."""
    if claim is None:
        return None
    ahead, budget = ahead_of(session), session.budget
    if ahead is not None:
        entries, cap = ahead.entries, ahead.cap_on(claim.definition, session.plan.policy.budget)
    elif budget is not None:
        entries, cap = budget.entries, budget.cap if budget.cap is not None else session.plan.policy.budget
    else:
        return None
    counted = budget is not None and budget.counted
    adds = Decimal(0) if counted and session.evidence_fresh else Decimal(claim.epsilon)
    return BudgetView(spent=total_under(claim.definition, entries).epsilon, adds=adds, cap=cap)


def ahead_of(session: ReviewSession) -> BudgetAhead | None:
    """What is known of the budget of the loaded data, where they are not those of the stored draw."""
    if session.loaded is None or not session.data_fresh or session.ahead is None:
        return None
    content, drawn = session.loaded.microdata.fingerprint.content, session.evidence
    drawn_from_these = session.budget is not None and drawn is not None and drawn.content == content
    return session.ahead if session.ahead.content == content and not drawn_from_these else None


def _facts(session: ReviewSession) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    words = product_of(session.plan).words
    if session.loaded is not None and session.data_fresh:
        facts.append((f"{words.record[1]}:", compact(session.loaded.microdata.rows)))
    if session.evidence is not None and session.evidence_fresh:
        facts.append((f"{words.row[1]}:", f"{session.evidence.rows:,}"))
        facts.append(("drawn", "once" if session.evidence.draws == 1 else f"{session.evidence.draws} times"))
    facts.append(("prepared by", session.preparer))
    return tuple(facts)
