"""A small review under way, stage by stage, as the window goes through it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.cli.small import FORMAL_PLAN, write_small
from workbench.core.progress import QUIET, Context
from workbench.core.states import Verdict
from workbench.project.records import DecisionRecord
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_text
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare
from workbench.review.run.run import draw_and_judge
from workbench.review.session import ReviewSession

SMALL_PLAN: Plan = from_text(FORMAL_PLAN)


def session_in(folder: Path, plan: Plan = SMALL_PLAN) -> ReviewSession:
    write_small(folder)
    return ReviewSession(plan, folder, release_id="R-0001", preparer="Ana")


def load(session: ReviewSession, context: Context = QUIET) -> None:
    plan = session.plan
    session.loaded = load_data(plan, base=session.base, context=context)


def tabulate(session: ReviewSession) -> None:
    assert session.loaded is not None
    session.prepared = prepare(session.loaded, session.plan, QUIET)


def draw(session: ReviewSession, draws: int = 1) -> None:
    assert session.loaded is not None
    assert session.prepared is not None
    outcome = draw_and_judge(session.loaded, session.prepared, session.plan, QUIET)
    session.accept_outcome(outcome, draws=draws, drawn_at=datetime(2026, 11, 5, 9, 30, tzinfo=UTC))


def go_through(session: ReviewSession) -> None:
    """Everything up to the decision."""
    load(session)
    tabulate(session)
    draw(session)


def decision(choice: Verdict = Verdict.APPROVE, *, stale: bool = False) -> DecisionRecord:
    return DecisionRecord(
        id=1, release_id="R-0001", number=1, run_id=1, plan_digest="", decision=choice, reviewer="Ben", comment="",
        public_comment="", supersedes=0, decided_at="2026-11-05T09:30:00.000000Z", stale=stale,
    )  # fmt: skip
