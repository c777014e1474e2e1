"""The state of each stage follows what was done, what was changed since, and what was changed back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.review.small_review import SMALL_PLAN, decision, draw, go_through, load, session_in, tabulate
from workbench.core.claims import Standing
from workbench.core.findings import Status
from workbench.core.quantities import Epsilon
from workbench.core.states import ReleaseState, Verdict
from workbench.products.registry import PRODUCTS
from workbench.review.decide.evidence import evidence_view
from workbench.review.decide.stages import Stage, StageState
from workbench.review.decide.status import compact, next_step, stages
from workbench.review.plan.plan import blank, with_roles
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES
from workbench.review.session import ReviewSession

NOT, LOOK, DONE, STALE = StageState.NOT_STARTED, StageState.ATTENTION, StageState.DONE, StageState.STALE


def _states(session: ReviewSession) -> list[StageState]:
    return [info.state for info in stages(session)]


def _state(session: ReviewSession, stage: Stage) -> StageState:
    return next(info.state for info in stages(session) if info.stage is stage)


def _epsilon(session: ReviewSession, value: str) -> None:
    mechanism = session.plan.mechanism
    params = replace(mechanism.params, epsilon=Epsilon(value))
    session.edit("ε", mechanism=replace(mechanism, params=params))


@pytest.fixture
def session(tmp_path: Path) -> ReviewSession:
    return session_in(tmp_path)


def test_that_a_blank_review_has_nothing_started(tmp_path: Path) -> None:
    session = ReviewSession(blank(PRODUCTS[0], title="New"), tmp_path)
    assert _states(session) == [NOT] * 7
    assert next_step(session)[0] is Stage.DATA


@pytest.mark.parametrize("name", SAMPLES)
def test_that_the_stages_of_every_sample_can_be_told(name: str) -> None:
    """Settings that name columns may be a word, a list or a table."""
    session = ReviewSession(read_plan(SAMPLES[name] / "plan.toml"), SAMPLES[name])
    (release,) = (info for info in stages(session) if info.stage is Stage.RELEASE)
    assert release.summary
    assert evidence_view(session, Stage.RELEASE).standing is Standing.UNKNOWN


def test_that_a_file_without_roles_needs_attention(tmp_path: Path) -> None:
    session = session_in(tmp_path, with_roles(SMALL_PLAN, {}))
    assert _state(session, Stage.DATA) is LOOK


def test_that_no_guarantee_is_told_before_there_is_a_table(session: ReviewSession) -> None:
    """Before any file, while the table is not prepared, and while the plan has a problem: not known yet."""
    view = evidence_view(session, Stage.MECHANISM)
    assert (view.standing, view.standing_words) == (Standing.UNKNOWN, "Not known yet: the data are not loaded.")
    load(session)
    assert evidence_view(session, Stage.MECHANISM).standing is Standing.UNKNOWN
    tabulate(session)
    assert evidence_view(session, Stage.MECHANISM).standing is Standing.PROVED
    draw(session)
    _epsilon(session, "3")
    params = replace(session.plan.product.params, workplace=())
    session.edit("table", product=replace(session.plan.product, params=params))
    assert evidence_view(session, Stage.MECHANISM).standing is Standing.UNKNOWN


def test_that_each_stage_is_done_as_the_review_goes_through_it(session: ReviewSession) -> None:
    assert _states(session) == [NOT] * 7
    assert next_step(session)[0] is Stage.DATA
    load(session)
    assert _states(session) == [DONE, *[NOT] * 6]
    assert next_step(session)[0] is Stage.RELEASE
    tabulate(session)
    assert _states(session) == [DONE, DONE, *[NOT] * 5], "settings that nobody looked at are not done"
    assert next_step(session)[0] is Stage.MECHANISM
    session.mechanism_seen = True
    assert _states(session) == [DONE, DONE, DONE, *[NOT] * 4]
    assert next_step(session)[0] is Stage.AUDIT
    draw(session)
    assert _states(session) == [*[DONE] * 5, NOT, NOT]
    assert next_step(session)[0] is Stage.DECIDE
    session.decisions = (decision(),)
    assert _states(session) == [*[DONE] * 6, NOT]
    assert next_step(session)[0] is Stage.REPORT
    session.exported = True
    assert _states(session) == [DONE] * 7
    assert "Everything is done" in next_step(session)[1]


def test_that_a_changed_epsilon_makes_stale_what_depends_on_it_and_only_that(session: ReviewSession) -> None:
    go_through(session)
    session.decisions, session.exported = (decision(),), True
    _epsilon(session, "0.5")
    assert _states(session) == [DONE, DONE, DONE, STALE, STALE, STALE, STALE]
    assert next_step(session)[0] is Stage.AUDIT
    assert "out of date" in next_step(session)[1]


def test_that_changed_attributes_make_the_table_stale_but_not_the_data(session: ReviewSession) -> None:
    go_through(session)
    product = session.plan.product
    session.edit("Attributes", product=replace(product, params=replace(product.params, workplace=("place",))))
    assert _states(session)[:5] == [DONE, STALE, NOT, STALE, STALE]


def test_that_another_file_makes_everything_stale(session: ReviewSession) -> None:
    go_through(session)
    session.edit("File", data=replace(session.plan.data, path="other.csv"))
    assert _states(session)[:5] == [STALE, STALE, NOT, STALE, STALE]


def test_that_an_edit_that_is_undone_makes_everything_fresh_again(session: ReviewSession) -> None:
    go_through(session)
    session.decisions, session.exported = (decision(),), True
    before = stages(session)
    _epsilon(session, "0.5")
    assert stages(session) != before
    session.history.undo()
    assert stages(session) == before
    session.history.redo()
    assert _state(session, Stage.AUDIT) is STALE
    _epsilon(session, "1.5")
    assert stages(session) == before, "typing the old value again is as good as undoing"


def test_that_words_around_a_release_make_nothing_stale(session: ReviewSession) -> None:
    go_through(session)
    before = _states(session)
    session.edit("Purpose", release=replace(session.plan.release, purpose="Better said."))
    session.edit("Budget", policy=replace(session.plan.policy, budget=session.plan.policy.budget + 1))
    assert _states(session) == before


def test_that_an_infeasible_epsilon_needs_attention(session: ReviewSession) -> None:
    go_through(session)
    _epsilon(session, "0")
    assert _state(session, Stage.MECHANISM) is LOOK
    assert session.claim() is None


def test_that_an_unknown_attribute_needs_attention(session: ReviewSession) -> None:
    load(session)
    product = session.plan.product
    session.edit("Attributes", product=replace(product, params=replace(product.params, workplace=("nowhere",))))
    assert _state(session, Stage.RELEASE) is LOOK


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (decision(Verdict.APPROVE), DONE),
        (decision(Verdict.REJECT), DONE),
        (decision(Verdict.CHANGES), LOOK),
        (decision(Verdict.APPROVE, stale=True), STALE),
    ],
)
def test_that_the_decision_stage_shows_the_last_decision(session: ReviewSession, made: object, state: object) -> None:
    go_through(session)
    session.decisions = (decision(Verdict.REJECT), made)  # type: ignore[assignment]
    assert _state(session, Stage.DECIDE) is state


def test_that_what_is_against_a_release_needs_attention(session: ReviewSession) -> None:
    """A warning of the audit is to be weighed; a comparison speaks up only where it fails."""
    go_through(session)
    fresh = session.evidence
    assert fresh is not None
    expected = {Status.PASS: (DONE, DONE), Status.WARN: (LOOK, DONE), Status.FAIL: (LOOK, LOOK)}
    for status, states in expected.items():
        findings = tuple(
            replace(f, status=status if f.stage in ("audit", "compare") else f.status) for f in fresh.findings
        )
        session.evidence = replace(fresh, findings=findings)
        assert (_state(session, Stage.AUDIT), _state(session, Stage.COMPARE)) == states
    assert next_step(session) == (Stage.DECIDE, "Review the items that need attention, then decide.")
    session.state = ReleaseState.APPROVED
    assert next_step(session) == (Stage.REPORT, "Export the approval report."), "it has been weighed"


def test_that_a_stored_review_is_done_without_its_data(session: ReviewSession) -> None:
    """Opened again from the project, the data are not loaded; what was reviewed stays reviewed."""
    go_through(session)
    session.loaded = session.prepared = None
    assert _states(session)[:5] == [DONE] * 5
    _epsilon(session, "0.5")
    assert _states(session)[:5] == [NOT, NOT, NOT, STALE, STALE]


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (999, "999"), (1000, "1 k"), (20_000, "20 k"), (10_900_000, "10.9 M"), (2_500_000_000, "2.5 G"),
     (999_999, "1 M"), (999_600, "1 M"), (999_400, "999 k"), (999_999_999, "1 G")],
)  # fmt: skip
def test_that_numbers_are_short_enough_for_the_rail(number: int, shown: str) -> None:
    assert compact(number) == shown


def test_that_another_dictionary_makes_evidence_stale(tmp_path: Path) -> None:
    """The dictionary decides which cells are published; its path in the plan stays the same when its lines change."""
    words = tmp_path / "words.csv"
    lines = "column,value,label\nsector,x,X\nsector,y,Y\n"
    session = session_in(tmp_path, replace(SMALL_PLAN, data=replace(SMALL_PLAN.data, dictionary="words.csv")))
    words.write_text(lines, encoding="utf-8")
    go_through(session)
    load(session)
    assert session.evidence_fresh
    words.write_text(lines + "sector,z,Z\n", encoding="utf-8")
    load(session)
    assert not session.evidence_fresh
    assert _state(session, Stage.AUDIT) is STALE


@pytest.mark.parametrize(
    ("failing", "warning", "words"),
    [
        (1, 0, "1 fails"),
        (2, 0, "2 fail"),
        (1, 2, "1 fails, 2 to judge"),
        (2, 1, "2 fail, 1 to judge"),
        (0, 2, "2 to judge"),
    ],
)
def test_that_what_fails_is_counted_in_good_english(
    session: ReviewSession, failing: int, warning: int, words: str
) -> None:
    go_through(session)
    fresh = session.evidence
    assert fresh is not None
    one = replace(fresh.of_stage("audit")[0], status=Status.FAIL)
    findings = (*[one] * failing, *[replace(one, status=Status.WARN)] * warning)
    session.evidence = replace(fresh, findings=findings)
    assert next(info.summary for info in stages(session) if info.stage is Stage.AUDIT) == words
