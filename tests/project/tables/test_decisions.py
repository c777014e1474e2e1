"""Who may decide what, when, and what an approval spends."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.project.samples import PLAN, claim, data, draft, finding, ready, run_of, table
from workbench.accounting.ledger import together
from workbench.core.claims import Definition
from workbench.core.errors import Refused, UserProblem
from workbench.core.findings import Status
from workbench.core.people import same_person
from workbench.core.states import ReleaseState, Verdict
from workbench.project.records import RunRecord
from workbench.project.store import Project


def test_that_an_approval_is_recorded_with_its_ledger_entry(project: Project) -> None:
    release_id = ready(project)
    made = project.decide(release_id, decision="approve", reviewer="Rita", comment="fine", public_comment="released")
    assert (made.number, made.supersedes, made.decision, made.stale) == (1, 0, Verdict.APPROVE, False)
    assert project.release(release_id).state is ReleaseState.APPROVED
    (entry,) = project.ledger("c" * 64)
    assert (entry.release_id, entry.definition, entry.epsilon) == (release_id, Definition.EDGE, Decimal(2))
    assert (entry.rule, entry.sentence, entry.decision, entry.run_id) == ("sequential", "A promise.", 1, 1)


@pytest.mark.parametrize(
    "name",
    ["Paula", "paula", "  PAULA ", "Pau\u200bla", "Ｐaula", "Paula\ufe0f", "Pau\u034fla", "Paula\u3164", "\u2800Paula"],
)
@pytest.mark.parametrize("choice", list(Verdict))
def test_that_the_preparer_cannot_review(project: Project, name: str, choice: Verdict) -> None:
    release_id = ready(project)
    with pytest.raises(Refused, match="cannot review"):
        project.decide(release_id, decision=choice, reviewer=name, comment="x")
    assert project.decisions(release_id) == ()


@pytest.mark.parametrize("name", ["José", "Jose\u0301", "JOSÉ", "JOSE\u0301"])
def test_that_a_name_is_the_same_however_its_accents_are_written(name: str) -> None:
    assert same_person("José", name)
    assert not same_person("José", "Josè")


def test_that_whoever_wrote_the_plan_that_was_run_cannot_review(project: Project) -> None:
    release_id = ready(project)
    project.update_release_plan(release_id, PLAN + "# better\n", actor="Rita")
    project.add_run(release_id, run_of(1), actor="Paula")
    with pytest.raises(Refused, match="wrote the plan"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    project.decide(release_id, decision="approve", reviewer="Sam")


def test_that_a_reviewer_who_tried_a_setting_and_took_it_back_may_still_review(project: Project) -> None:
    release_id = ready(project)
    drawn_as = project.release(release_id).plan_text
    project.update_release_plan(release_id, PLAN + "# tried\n", actor="Rita")
    project.update_release_plan(release_id, drawn_as, actor="Rita")
    assert project.too_close(release_id, "Rita") == ()
    project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_a_clock_that_was_put_back_makes_no_author_a_reviewer(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    release_id = ready(project)
    project.update_release_plan(release_id, PLAN + "# better\n", actor="Rita")
    monkeypatch.setattr("workbench.project.file.action.utc_now", lambda: "2001-01-01T00:00:00.000000Z")
    project.note_clock(reason="an hour's work on a machine whose battery is flat")
    project.add_run(release_id, run_of(1), actor="Paula")
    assert "wrote the plan" in project.too_close(release_id, "Rita")[0].what


def test_that_what_is_said_against_an_approval_is_what_refuses_it(project: Project) -> None:
    release_id = ready(project)
    assert project.against_approval(release_id, "Rita") == ()
    assert "prepared" in project.against_approval(release_id, "Paula")[0].what
    project.decide(release_id, decision="approve", reviewer="Rita")
    assert "approved already" in project.against_approval(release_id, "Sam")[0].what


def test_that_nothing_can_be_decided_without_a_run(project: Project) -> None:
    release = draft(project)
    with pytest.raises(Refused, match="has not been run"):
        project.decide(release.id, decision="approve", reviewer="Rita")


def test_that_a_changed_plan_must_be_run_again_first(project: Project) -> None:
    release_id = ready(project)
    project.update_release_plan(release_id, PLAN + "# new\n")
    with pytest.raises(Refused, match="changed after its latest run"):
        project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_a_run_of_another_plan_is_stored_but_cannot_be_decided(project: Project) -> None:
    release = draft(project)
    key = project.save_dataset(data())
    stray = RunRecord(dataset_id=key, claim=claim(), plan_digest="0" * 64)
    project.add_run(release.id, stray)
    assert project.release(release.id).stale
    with pytest.raises(Refused, match="changed after"):
        project.decide(release.id, decision="approve", reviewer="Rita")


def test_that_approving_over_a_failed_check_needs_a_comment(project: Project) -> None:
    release = draft(project)
    project.add_run(release.id, run_of(project.save_dataset(data())), findings=(finding(), finding(Status.FAIL)))
    with pytest.raises(Refused, match="check of R-0001 failed"):
        project.decide(release.id, decision="approve", reviewer="Rita", comment="  ")
    project.decide(release.id, decision="approve", reviewer="Rita", comment="a known false alarm")
    assert project.release(release.id).state is ReleaseState.APPROVED


def test_that_requesting_changes_needs_a_comment_and_rejecting_does_not(project: Project) -> None:
    release_id = ready(project)
    with pytest.raises(Refused, match="needs a comment"):
        project.decide(release_id, decision="request changes", reviewer="Rita")
    project.decide(release_id, decision="request changes", reviewer="Rita", comment="fewer cells")
    assert project.release(release_id).state is ReleaseState.CHANGES
    project.decide(release_id, decision="reject", reviewer="Rita")
    assert project.release(release_id).state is ReleaseState.REJECTED
    assert [(made.number, made.supersedes) for made in project.decisions(release_id)] == [(1, 0), (2, 1)]
    assert project.ledger() == ()


def test_that_all_reasons_are_given_at_once(project: Project) -> None:
    release = draft(project)
    with pytest.raises(Refused) as caught:
        project.decide(release.id, decision="request changes", reviewer="Paula")
    assert len(caught.value.problems) == 3


def test_that_an_unknown_decision_and_a_missing_name_are_user_problems(project: Project) -> None:
    release_id = ready(project)
    with pytest.raises(UserProblem, match="Say one of “approve”"):
        project.decide(release_id, decision="ok", reviewer="Rita")
    with pytest.raises(UserProblem, match="name is missing"):
        project.decide(release_id, decision="approve", reviewer=" ")


def test_that_a_new_draw_makes_decisions_and_votes_stale(project: Project) -> None:
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Vera")
    project.decide(release_id, decision="reject", reviewer="Rita")
    project.add_run(release_id, run_of(1))
    assert [made.stale for made in project.decisions(release_id)] == [True]
    assert [voice.stale for voice in project.votes(release_id)] == [True]
    assert project.release(release_id).state is ReleaseState.DRAFT


def test_that_a_changed_plan_makes_decisions_and_votes_stale(project: Project) -> None:
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Vera")
    project.decide(release_id, decision="request changes", reviewer="Rita", comment="x")
    assert not project.votes(release_id)[0].stale
    assert project.update_release_plan(release_id, PLAN + "# new\n").state is ReleaseState.DRAFT
    assert project.votes(release_id)[0].stale
    assert project.decisions(release_id)[0].stale


def test_that_an_approved_release_stays_as_it_was_approved(project: Project) -> None:
    release_id = ready(project)
    project.decide(release_id, decision="approve", reviewer="Rita")
    for attempt in (
        lambda: project.update_release_plan(release_id, "other"),
        lambda: project.add_run(release_id, run_of(1)),
        lambda: project.withdraw(release_id),
    ):
        with pytest.raises(Refused, match="Make a new release"):
            attempt()
    with pytest.raises(Refused, match="approved already"):
        project.decide(release_id, decision="approve", reviewer="Otto")


def test_that_a_revoked_approval_gives_no_budget_back_and_costs_none_twice(project: Project) -> None:
    release_id = ready(project)
    project.decide(release_id, decision="approve", reviewer="Rita")
    project.decide(release_id, decision="reject", reviewer="Otto", comment="second thoughts")
    assert len(project.ledger()) == 1
    with pytest.raises(Refused, match="Make a new release"):
        project.add_run(release_id, run_of(1))
    project.decide(release_id, decision="approve", reviewer="Rita")
    assert len(project.ledger()) == 1
    assert [made.decision for made in project.decisions(release_id)] == [
        Verdict.APPROVE,
        Verdict.REJECT,
        Verdict.APPROVE,
    ]


def test_that_an_approval_beyond_the_cap_is_refused_and_spends_nothing(project: Project) -> None:
    first, second, third = (ready(project, claim("0.4")) for _ in range(3))
    project.set_cap(1, Decimal("0.8"))
    project.decide(first, decision="approve", reviewer="Rita")
    project.decide(second, decision="approve", reviewer="Rita")
    before = project.journal()
    with pytest.raises(Refused, match=r"exceed the cap of 0\.8 by 0\.4"):
        project.decide(third, decision="approve", reviewer="Rita")
    assert (len(project.ledger(1)), project.journal()) == (2, before)
    project.set_cap(1, Decimal("1.2"), reason="raised")
    project.decide(third, decision="approve", reviewer="Rita")


def test_that_other_data_have_a_budget_of_their_own_and_other_definitions_have_not(project: Project) -> None:
    spent = ready(project, claim("1"))
    project.set_cap(1, Decimal(2))
    project.decide(spent, decision="approve", reviewer="Rita")
    other_definition = ready(project, claim("1", Definition.STRONG))
    project.decide(other_definition, decision="approve", reviewer="Rita")
    more = ready(project, claim("0.1", Definition.STRONG))
    with pytest.raises(Refused, match=r"exceed the cap of 2 by 0.1 .what it implies under edge"):
        project.decide(more, decision="approve", reviewer="Rita")
    other_data = ready(project, claim("5"), dataset=data(content="d" * 64, file="9" * 64))
    project.decide(other_data, decision="approve", reviewer="Rita")
    assert [len(project.ledger(which)) for which in ("c" * 64, "d" * 64)] == [2, 1]


def test_that_an_approval_without_a_claim_is_refused(project: Project) -> None:
    release = draft(project)
    project.add_run(release.id, RunRecord(dataset_id=project.save_dataset(data())))
    with pytest.raises(Refused, match="states no claim"):
        project.decide(release.id, decision="approve", reviewer="Rita")


def test_that_two_reviewers_are_asked_where_two_are_needed(project: Project) -> None:
    release = draft(project, reviewers_needed=2)
    project.add_run(release.id, run_of(project.save_dataset(data())))
    with pytest.raises(Refused, match="needs 2 approving reviewers"):
        project.decide(release.id, decision="approve", reviewer="Rita")
    project.vote(release.id, vote="approve", reviewer="rita")
    with pytest.raises(Refused, match="needs 2"):
        project.decide(release.id, decision="approve", reviewer="Rita")
    project.vote(release.id, vote="approve", reviewer="Vera")
    project.vote(release.id, vote="reject", reviewer="Vera", comment="on reflection, no")
    with pytest.raises(Refused, match="needs 2"):
        project.decide(release.id, decision="approve", reviewer="Rita")
    project.vote(release.id, vote="approve", reviewer="Vera")
    assert project.decide(release.id, decision="approve", reviewer="Rita").decision is Verdict.APPROVE


def test_that_votes_follow_the_same_rules_as_decisions(project: Project) -> None:
    release_id = ready(project)
    with pytest.raises(Refused, match="cannot review"):
        project.vote(release_id, vote="approve", reviewer="Paula")
    with pytest.raises(Refused, match="needs a comment"):
        project.vote(release_id, vote="request changes", reviewer="Vera")
    voice = project.vote(release_id, vote="reject", reviewer="Vera", comment="no")
    assert (voice.vote, voice.run_id, voice.stale) == (Verdict.REJECT, 1, False)


def test_that_everybody_who_votes_for_or_approves_confirms_an_attack_that_succeeded(project: Project) -> None:
    release = draft(project, reviewers_needed=2)
    attack = replace(finding(Status.WARN, "linkage"), title="Linkage attack", confirm=True)
    key = project.save_dataset(data())
    project.add_run(release.id, run_of(key, claim("2")), findings=(attack,), published=table())
    with pytest.raises(Refused, match="“Linkage attack” was read and weighed"):
        project.vote(release.id, vote="approve", reviewer="Vera")
    cast = project.vote(release.id, vote="approve", reviewer="Vera", comment="small gain", declares=True)
    assert cast.comment == "small gain Confirmed: the finding “Linkage attack” was read and weighed."
    with pytest.raises(Refused, match="“Linkage attack” was read and weighed"):
        project.decide(release.id, decision="approve", reviewer="Rita")
    made = project.decide(release.id, decision="approve", reviewer="Rita", declares=True)
    assert made.declared[-1] == "the finding “Linkage attack” was read and weighed"
    assert attack.sentence not in " ".join(made.declared)


def test_that_whoever_approves_declares_that_no_bound_is_left(project: Project) -> None:
    project.decide(ready(project, claim("2", Definition.STRONG)), decision="approve", reviewer="Rita")
    laplace = ready(project, claim("1"))
    made = project.decide(laplace, decision="approve", reviewer="Rita", declares=True)
    assert made.declared[-1] == (
        "all releases from these data together have no bound under strong (α, ε) employer-employee privacy"
    )
    assert [each.definition for each in together(project.ledger(1)) if each.total is None] == [Definition.STRONG]
