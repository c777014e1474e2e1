"""What the evidence panel shows, read off the session."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from workbench.accounting.entries import counted_under
from workbench.accounting.implied import read_under
from workbench.accounting.ledger import total_under
from workbench.core.claims import Claim, Standing
from workbench.core.findings import Spent
from workbench.core.quantities import show, show_left
from workbench.review.decide.stages import TITLES, Stage
from workbench.review.decide.status import next_step
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.review.views import Budget, BudgetAhead

# The pages on which a step can be taken: both have a button that draws.
_TAKEN_AT = {Stage.AUDIT: (Stage.MECHANISM, Stage.AUDIT)}


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetView:
    """The ledger of the data set in numbers: spent before, added by this release, and the cap if there is one."""

    spent: Decimal
    adds: Decimal
    cap: Decimal | None = None

    @property
    def lacks(self) -> Decimal:
        """By how much this release goes beyond what is left; never below zero."""
        return max(Decimal(0), self.spent + self.adds - self.cap) if self.cap is not None else Decimal(0)

    def sentence(self) -> str:
        if self.cap is None:
            return f"ε {show(self.spent)} spent so far; this release adds {show(self.adds)}. No cap is set."
        remains = self.cap - self.spent - self.adds
        if not self.adds:
            rest = f"{show_left(remains)} remain" if remains >= 0 else f"{show(-remains)} above the cap"
            return f"ε {show(self.spent)} of {show(self.cap)} spent, this release included; {rest}."
        if remains < 0:
            return f"ε {show(self.spent)} of {show(self.cap)} spent; this release adds {show(self.adds)}, " \
                   f"{show(-remains)} more than is left."  # fmt: skip
        return f"ε {show(self.spent)} of {show(self.cap)} spent; this release adds {show(self.adds)}; " \
               f"{show_left(remains)} would remain."  # fmt: skip


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a reviewer should do first: an id for the signal, the button's words, one sentence why.

    Without words there is no button: what is to be done is on the page in view.
    """

    id: str
    action: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """What one look at the window must tell: the next step, the claim, the loss, the budget."""

    claim: Claim | None = None
    spent: Spent | None = None
    foreseen: float | None = None  # ε that the settings would spend at most, before anything is audited
    budget: BudgetView | None = None
    next_step: NextStep | None = None
    facts: tuple[tuple[str, str], ...] = ()
    no_claim: str = "No claim yet. Choose a mechanism and a budget first."
    no_budget: str = ""  # why no budget is shown, where none is
    standing: Standing = Standing.UNKNOWN  # how firmly the claim stands
    standing_words: str = ""


def evidence_view(session: ReviewSession | None, here: Stage, viewer: str = "") -> EvidenceView:
    """What the panel says to whoever looks while the page of the stage `here` is in view."""
    if session is None:
        return EvidenceView(next_step=NextStep("new", "New release…", "No release is open yet."))
    stuck = bool(session.mechanism_problems())
    claim = None if stuck else _claim(session)
    stage, why = next_step(session, viewer)
    arrived = here in _TAKEN_AT.get(stage, (stage,))
    known = claim is not None and _table_known(session)
    budget = _budget(claim, session)
    if stage in (Stage.MECHANISM, Stage.AUDIT) and budget is not None and budget.lacks > 0:
        why = f"This ε is {show(budget.lacks)} more than is left of the budget. Lower it before anything is drawn, " \
              "or have the budget changed."  # fmt: skip
    return EvidenceView(
        claim=claim,
        standing=claim.standing if claim is not None and known else Standing.UNKNOWN,
        standing_words=claim.standing_words if claim is not None and known else _not_known(session),
        spent=session.evidence.loss if session.evidence is not None and session.evidence_fresh else None,
        foreseen=session.foreseen[1],
        budget=budget,
        no_budget="Load the data to see the remaining budget.",
        next_step=NextStep(stage.value, "" if arrived else f"Go to {TITLES[stage]}", why),
        facts=_facts(session),
        no_claim="No claim: the mechanism cannot run with these settings. Mechanism & budget says why."
        if stuck
        else "",
    )


def _table_known(session: ReviewSession) -> bool:
    """Whether the claim is that of a table: one drawn for this plan, or one prepared for it and not refused."""
    if session.evidence is not None and session.evidence_fresh:
        return True
    return session.prepared_fresh and not session.release_problems() and not session.mechanism_problems()


def _not_known(session: ReviewSession) -> str:
    """Why nobody can say yet whether the claim is proved."""
    if session.loaded is None or not session.data_fresh:
        return "Not known yet: the data are not loaded."
    if session.release_problems() or session.mechanism_problems():
        return "Not known yet: the plan has a problem."
    return "Not known yet: the table is not prepared."


def _claim(session: ReviewSession) -> Claim | None:
    """Once values are drawn, the claim of the draw: it knows the data, which need not be loaded any more."""
    drawn = session.evidence is not None and session.evidence_fresh
    return session.evidence.claim if drawn and session.evidence is not None else session.claim()


def _budget(claim: Claim | None, session: ReviewSession) -> BudgetView | None:
    """The ledger of the data that would be spent from: those that are loaded, else those of the draw."""
    if claim is None:
        return None
    ahead, budget = ahead_of(session), session.budget
    under = counted_under(claim.definition, formal=claim.formal)
    if ahead is not None:
        entries, cap = ahead.entries, ahead.cap_on(under, session.plan.policy.budget)
    elif budget is not None:
        entries, cap = budget.entries, budget.cap if budget.cap is not None else session.plan.policy.budget
    else:
        return None
    counted = budget is not None and budget.counted
    adds = Decimal(0) if counted and session.evidence_fresh else Decimal(claim.epsilon)
    implied = _implied(ahead, budget)
    spent = total_under(under, read_under(under, entries) if implied else entries)
    return BudgetView(spent=spent.epsilon, adds=adds, cap=cap)


def _implied(ahead: BudgetAhead | None, budget: Budget | None) -> bool:
    """Whether the policy counts what releases imply under other definitions; so it is where there is none."""
    policy = ahead.policy if ahead is not None else budget.profile if budget is not None else None
    return policy is None or policy.epsilon.count_implied


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
        facts.append(("rows", f"{session.loaded.microdata.rows:,}"))
    if session.evidence is not None and session.evidence_fresh:
        facts.append((words.row[1], f"{session.evidence.rows:,}"))
        facts.append(("drawn", "once" if session.evidence.draws == 1 else f"{session.evidence.draws} times"))
    facts.append(("prepared by", session.preparer))
    return tuple(facts)


def loss_pairs(view: EvidenceView) -> tuple[tuple[str, str], ...]:
    """The names and numbers of the privacy loss. What is not known yet says so."""
    claim = view.claim
    if claim is None:
        return ()
    pure = "" if claim.delta else ", δ = 0"
    pairs = [("claimed", f"ε = {show(claim.epsilon)}{pure}")]
    spent = view.spent
    found = "spent, at most" if spent is not None and spent.bound else "spent, exact"
    if spent is not None:
        pairs.append((found, f"ε = {show(spent.epsilon)}"))
    elif view.foreseen is not None:
        pairs.append(("would spend", f"at most ε = {show(view.foreseen)}"))
    else:
        pairs.append(("spent, exact", "not audited yet"))
    if claim.delta:
        pairs.append(("added probability", f"δ = {show(claim.delta)}"))
    if spent is not None and spent.delta and claim.delta:
        pairs.append((found, f"δ = {show(spent.delta)}"))
    if claim.alpha is not None:
        pairs.append(("size window", f"α = {show(claim.alpha)}"))
    return tuple(pairs)
