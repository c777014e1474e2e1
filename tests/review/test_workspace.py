"""What a project remembers of a review is what the review was; and what may leave it, and where to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.small import PLAN
from tests.review.small_review import go_through, session_in
from workbench.core.errors import Defect, Refused, UserProblem
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.products import registry
from workbench.products.employment_tables import product as employment_tables
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.params import DomainKind
from workbench.project.store import open_project
from workbench.review.decide.gates import gates
from workbench.review.decide.status import stages
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_text
from workbench.review.run.opening import load_data
from workbench.review.run.run import run_plan
from workbench.review.session import ReviewSession
from workbench.review.workspace import Workspace


@pytest.fixture
def session(tmp_path: Path) -> ReviewSession:
    made = session_in(tmp_path)
    go_through(made)
    return made


@pytest.fixture
def workspace(session: ReviewSession) -> Iterator[Workspace]:
    """A project with one release, run once by Ana."""
    made = Workspace()
    made.open(session.base / "p.dwb", create=True, person="Ana")
    _run(made, made.new_release(session.plan, "Ana").release_id, session.plan)
    yield made
    made.close()


def _run(workspace: Workspace, release_id: str, plan: Plan) -> None:
    whole = run_plan(plan, base=workspace.project.path.parent, context=QUIET)
    workspace.store_run(
        release_id, plan, loaded=whole.loaded, prepared=whole.prepared, outcome=whole.outcome, actor="Ana"
    )


def _with_epsilon(plan: Plan, epsilon: str) -> Plan:
    params = replace(plan.mechanism.params, epsilon=Epsilon(epsilon))
    return replace(plan, mechanism=replace(plan.mechanism, params=params))


def test_that_a_release_opened_again_is_where_it_was_left(workspace: Workspace, session: ReviewSession) -> None:
    review = workspace.open_release("R-0001")
    assert (review.plan, review.state, review.preparer) == (session.plan, "in review", "Ana")
    again = review.session()
    assert again.evidence_fresh
    assert not again.unsaved
    assert [info.state for info in stages(again)] == [info.state for info in stages(session)]
    assert again.evidence is not None and session.evidence is not None
    assert [f.id for f in again.evidence.findings] == [f.id for f in session.evidence.findings]
    assert again.evidence.claim == session.evidence.claim


def test_that_saving_what_was_opened_changes_nothing(workspace: Workspace) -> None:
    before = workspace.project.release("R-0001")
    workspace.save_plan("R-0001", workspace.open_release("R-0001").plan, "Ana")
    assert workspace.project.release("R-0001") == before


def test_that_mending_the_words_keeps_the_decision(workspace: Workspace) -> None:
    workspace.decide("R-0001", decision="request changes", reviewer="Ben", comment="A clearer purpose, please")
    plan = workspace.open_release("R-0001").plan
    workspace.save_plan("R-0001", replace(plan, release=replace(plan.release, purpose="Clearer")), "Ana")
    review = workspace.open_release("R-0001")
    assert review.plan.release.purpose == "Clearer"
    assert not review.decisions[-1].stale
    assert review.session().evidence_fresh


def test_that_a_changed_plan_makes_stored_evidence_and_decisions_stale(workspace: Workspace) -> None:
    workspace.decide("R-0001", decision="reject", reviewer="Ben", comment="")
    plan = workspace.open_release("R-0001").plan
    workspace.save_plan("R-0001", _with_epsilon(plan, "0.5"), "Ana")
    review = workspace.open_release("R-0001")
    assert (review.state, review.decisions[-1].stale) == ("draft", True)
    assert not review.session().evidence_fresh
    workspace.save_plan("R-0001", plan, "Ana")
    assert workspace.open_release("R-0001").session().evidence_fresh, "the old plan again: the old evidence again"


def test_that_the_budget_looks_ahead_until_it_is_spent(workspace: Workspace) -> None:
    budget = workspace.budget("R-0001")
    assert budget is not None and budget.what_if is not None
    assert budget.what_if.fits and not budget.counted
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")
    spent = workspace.budget("R-0001")
    assert spent is not None
    assert spent.counted
    assert [entry.release_id for entry in spent.entries] == ["R-0001"]
    assert workspace.open_release("R-0001").session().closed


def test_that_nothing_is_reported_before_the_first_run(workspace: Workspace, session: ReviewSession) -> None:
    other = workspace.new_release(session.plan, "Ana")
    assert (other.evidence, other.budget) == (None, None)
    with pytest.raises(UserProblem, match="has not been run"):
        workspace.report(other.release_id)
    with pytest.raises(Refused, match="only after approval"):
        workspace.report_bytes(other.release_id, Audience.PUBLIC, "json")


def test_that_an_approval_made_stale_by_a_new_draw_lets_nothing_out(workspace: Workspace) -> None:
    """Approval holds for the draw that was looked at; a rejected and redrawn release waits again."""
    workspace.decide("R-0001", decision="reject", reviewer="Ben", comment="")
    _run(workspace, "R-0001", workspace.open_release("R-0001").plan)
    with pytest.raises(Refused):
        workspace.refuse_unless_approved("R-0001", "The released table")


def test_that_a_report_never_replaces_the_project_or_the_data(workspace: Workspace) -> None:
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")
    folder = workspace.project.path.parent
    for name, what in (("p.dwb", "project file"), ("jobs.csv", "data file")):
        before = (folder / name).read_bytes()
        with pytest.raises(UserProblem, match=what):
            workspace.export("R-0001", {(Audience.INTERNAL, "json"): folder / name}, actor="", context=QUIET)
        with pytest.raises(UserProblem, match=what):
            workspace.export("R-0001", {}, files={"csv": folder / "x" / ".." / name}, actor="", context=QUIET)
        assert (folder / name).read_bytes() == before


def test_that_an_export_never_erases_another_project_or_its_own_first_file(workspace: Workspace) -> None:
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")
    folder = workspace.project.path.parent
    other = Workspace()
    other.open(folder / "other.dwb", create=True, person="Ana")
    other.close()
    (folder / "renamed.csv").write_bytes((folder / "other.dwb").read_bytes())
    (folder / "linked.csv").hardlink_to(folder / "jobs.csv")
    for name, said in (("other.dwb", "project file"), ("renamed.csv", "project file"), ("linked.csv", "data file")):
        before = (folder / name).read_bytes()
        with pytest.raises(UserProblem, match=said):
            workspace.export("R-0001", {}, files={"csv": folder / name}, actor="", context=QUIET)
        assert (folder / name).read_bytes() == before
    both = {(Audience.INTERNAL, "json"): folder / "r.out", (Audience.PUBLIC, "json"): folder / "x" / ".." / "r.out"}
    with pytest.raises(UserProblem, match="same name"):
        workspace.export("R-0001", both, actor="", context=QUIET)
    assert not (folder / "r.out").exists()


def test_that_a_project_that_cannot_be_opened_leaves_the_other_one_open(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "bad.dwb").write_bytes(b"not a project")
    with pytest.raises(UserProblem):
        workspace.open(tmp_path / "bad.dwb")
    assert [row.id for row in workspace.view().releases] == ["R-0001"]


def test_that_without_a_project_every_question_is_a_defect() -> None:
    with pytest.raises(Defect, match="no project is open"):
        Workspace().view()


def test_that_withdrawn_releases_are_not_listed(workspace: Workspace) -> None:
    workspace.project.withdraw("R-0001", actor="Ana", reason="A mistake")
    assert workspace.view().releases == ()


def test_that_a_project_opened_to_be_read_says_why(workspace: Workspace) -> None:
    with open_project(workspace.project.path, read_only=True) as project:
        view = Workspace(project).view()
        assert view.read_only
        assert view.why_read_only
        with pytest.raises(UserProblem, match="reading only"):
            Workspace(project).decide("R-0001", decision="approve", reviewer="Ben", comment="")


def test_that_a_report_tells_the_budget_as_its_release_found_and_left_it(
    workspace: Workspace, session: ReviewSession
) -> None:
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    later = workspace.new_release(_with_epsilon(session.plan, "0.25"), "Ana").release_id
    _run(workspace, later, _with_epsilon(session.plan, "0.25"))
    workspace.decide(later, decision="approve", reviewer="Ben", comment="weighed")
    first, second = (workspace.report(release).ledger for release in ("R-0001", later))
    assert first is not None and second is not None
    assert (first.epsilon_before, first.epsilon_after) == (Decimal(0), Decimal("1.5"))
    assert (second.epsilon_before, second.epsilon_after) == (Decimal("1.5"), Decimal("1.75"))
    assert [entry.release_id for entry in first.entries] == ["R-0001"]


def test_that_a_report_describes_the_plan_that_was_run(workspace: Workspace, session: ReviewSession) -> None:
    drawn = workspace.report("R-0001")
    workspace.save_plan("R-0001", _with_epsilon(session.plan, "9"), "Ana")
    after = workspace.report("R-0001")
    assert after.rules == drawn.rules
    assert after.hashes[0] == drawn.hashes[0]
    assert "changed after these values were drawn" in after.exceptions[0].text
    assert not drawn.exceptions
    assert "data dictionary" in [each.name for each in drawn.hashes]


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"value_name": "employment"}, True),
        ({"workplace": ("sector", "place")}, True),
        ({"domain": DomainKind.ALL}, True),
        ({"domain": DomainKind.REGISTERED, "value_name": "x"}, True),
        ({"workplace": ("place",)}, False),
        ({"worker": ("sex",)}, False),
    ],
)
def test_that_another_title_order_or_list_of_cells_makes_no_other_table(
    workspace: Workspace, session: ReviewSession, changed: dict[str, Any], same: bool
) -> None:
    plan = session.plan
    plan = replace(plan, product=replace(plan.product, params=replace(plan.product.params, **changed)))
    again = workspace.new_release(plan, "Ana").release_id
    _run(workspace, again, plan)
    review = workspace.open_release(again)
    assert review.budget is not None
    assert review.budget.drawn_elsewhere == int(same)


def test_that_a_new_release_does_not_hide_earlier_draws_of_the_same_table(
    workspace: Workspace, session: ReviewSession
) -> None:
    def drawn_once(release_id: str) -> Finding:
        review = workspace.open_release(release_id)
        return next(gate for gate in gates(review.session(), review.budget) if gate.id == "gate.draws")

    assert drawn_once("R-0001").status is Status.PASS
    again = workspace.new_release(session.plan, "Ana").release_id
    _run(workspace, again, session.plan)
    assert drawn_once(again).status is Status.WARN
    assert "2 times, 1 of them under other releases" in drawn_once(again).sentence
    assert workspace.report(again).rules.draws == 2
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    assert drawn_once(again).status is Status.PASS, "a published draw is in the ledger, not among those to choose from"


def test_that_a_report_names_post_processing_and_never_says_there_was_none(
    workspace: Workspace, session: ReviewSession
) -> None:
    assert workspace.report("R-0001").rules.post_processing == ()
    assert b"Post-processing</th>" not in workspace.report_bytes("R-0001", Audience.INTERNAL, "html")
    mechanism = session.plan.mechanism
    clipped = replace(mechanism, params=replace(mechanism.params, clip_at_zero=True))
    _run(workspace, "R-0001", replace(session.plan, mechanism=clipped))
    assert workspace.report("R-0001").rules.post_processing == ("Set negative values to zero",)
    assert b"Post-processing</th><td>Set negative" in workspace.report_bytes("R-0001", Audience.INTERNAL, "html")


def test_that_one_row_less_is_no_fresh_budget(workspace: Workspace, session: ReviewSession) -> None:
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    data = session.base / "jobs.csv"
    data.write_text(data.read_text(encoding="utf-8").rsplit("\n", 2)[0] + "\n", encoding="utf-8")
    again = workspace.new_release(session.plan, "Ana").release_id
    _run(workspace, again, session.plan)
    review = workspace.open_release(again)
    gate = next(gate for gate in gates(review.session(), review.budget) if gate.id == "gate.budget")
    assert gate.sentence.startswith("This would leave ε 1 of 4.")
    assert "Counted together with jobs.csv (100 % of" in gate.sentence
    assert review.budget is not None and len(review.budget.entries) == 1


def test_that_over_the_budget_a_comment_is_not_offered_as_the_way_out(
    workspace: Workspace, session: ReviewSession
) -> None:
    dear = _with_epsilon(session.plan, "9")
    _run(workspace, "R-0001", dear)
    with pytest.raises(Refused) as caught:
        workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")
    over = next(problem for problem in caught.value.problems if problem.what.startswith("Budget fits"))
    assert "raise the cap" in over.do


def test_that_what_an_older_version_drew_can_be_read_but_not_drawn_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = workspace.open_release("R-0001")
    newer = replace(laplace.SPEC, version=2)
    changed = replace(employment_tables.SPEC, mechanisms=(newer,))
    monkeypatch.setattr(registry, "PRODUCTS", (changed,))
    review = workspace.open_release("R-0001")
    assert review.plan == before.plan
    assert review.session().evidence_fresh
    assert workspace.report("R-0001").rules.mechanism_version == 1
    with pytest.raises(UserProblem, match="laplace version 1, this program has version 2"):
        run_plan(review.plan, base=review.base, context=QUIET)


def test_that_a_claim_says_where_its_assumptions_are_not_settled(tmp_path: Path) -> None:
    """A plan without a dictionary takes the values from the data: the claim must not say the opposite alone."""
    session = session_in(tmp_path, from_text(PLAN))
    go_through(session)
    assert session.evidence is not None
    assert any("taken from the data" in text and "Not settled" in text for text in session.evidence.claim.assumptions)


def test_that_the_budget_of_the_same_people_is_known_before_anything_is_drawn(
    workspace: Workspace, session: ReviewSession
) -> None:
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    data = session.base / "jobs.csv"
    data.write_text(data.read_text(encoding="utf-8").rsplit("\n", 2)[0] + "\n", encoding="utf-8")
    loaded = load_data(session.plan, base=session.base, context=QUIET)
    ahead = workspace.budget_ahead(loaded)
    assert ahead.known
    assert [entry.release_id for entry in ahead.entries] == ["R-0001"]
    assert ahead.cap == 4
