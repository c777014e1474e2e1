"""The policy in force, blinded votes, exceptions, and the rules by which approvals enter the ledger."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from tests.project.samples import PLAN, claim, data, draft, finding, ready, run_of, table
from tests.published import table as made_table
from workbench.accounting.coverage import ESTABLISHMENT
from workbench.accounting.ledger import totals
from workbench.core.claims import Claim, ClaimPart, Coverage, Definition
from workbench.core.errors import Refused, UserProblem
from workbench.core.findings import Finding, Status
from workbench.core.published import Units
from workbench.core.states import Verdict
from workbench.policy.profile import AuditRule, Compose, PolicyProfile, Severity
from workbench.project.history.verify import verify
from workbench.project.store import Project, open_project
from workbench.project.tables.standing import judgements

WHY = "decided in June"


def profile(version: int = 1, **sections: dict[str, object]) -> PolicyProfile:
    """A policy called “office” with some settings of some sections changed."""
    made = PolicyProfile()
    sections.setdefault("policy", {}).update(name="office", version=version)
    changed = {name: replace(getattr(made, name), **values) for name, values in sections.items()}
    return replace(made, **changed)


def blinded(**review: object) -> PolicyProfile:
    return profile(review={"reviewers": 2, "blinded": True, **review})


def test_that_a_policy_is_kept_with_its_text_and_named_by_decisions(project: Project) -> None:
    assert project.policy() is None
    record = project.set_policy(profile(epsilon={"edge": Decimal(5)}), actor="Dana", reason=WHY)
    assert project.policy() == record
    assert record.profile.epsilon.edge == 5
    made = project.decide(ready(project), decision="approve", reviewer="Rita")
    project.set_policy(profile(2), actor="Dana", reason="less is needed")
    assert made.policy == project.decisions("R-0001")[0].policy == "office, version 1"
    assert not project.decisions("R-0001")[0].stale, "a decision stands under the policy it was made by"
    assert [(each.version, each.reason) for each in project.policies()] == [(1, WHY), (2, "less is needed")]
    assert verify(project.path).ok


def test_that_setting_the_same_policy_twice_is_one_action(project: Project) -> None:
    first = project.set_policy(profile(), reason=WHY)
    assert project.set_policy(profile(), reason="again") == first
    assert [entry.action for entry in project.journal()].count("set policy") == 1


def test_that_a_version_means_one_thing_and_a_reason_is_needed(project: Project) -> None:
    project.set_policy(profile(), reason=WHY)
    with pytest.raises(Refused, match="version 2 or higher"):
        project.set_policy(blinded(), reason=WHY)
    with pytest.raises(UserProblem, match="needs a reason"):
        project.set_policy(profile(2), reason="  ")


def test_that_whoever_waits_for_a_decision_cannot_change_the_rules(project: Project) -> None:
    release_id = ready(project)
    for author in {"PAULA", project.runs(release_id)[-1].run_by}:
        with pytest.raises(Refused, match="had a hand in R-0001"):
            project.set_policy(profile(), actor=author, reason=WHY)
    project.decide(release_id, decision="approve", reviewer="Rita")
    project.set_policy(profile(), actor="Paula", reason=WHY)


def test_that_another_policy_makes_votes_stale_and_they_no_longer_count(project: Project) -> None:
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Vera")
    project.set_policy(profile(review={"reviewers": 2}), actor="Dana", reason=WHY)
    assert project.votes(release_id)[0].stale
    with pytest.raises(Refused, match="needs 2"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    project.vote(release_id, vote="approve", reviewer="Vera")
    assert [vote.stale for vote in project.votes(release_id)] == [True, False]
    project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_blinded_votes_say_nothing_before_everybody_has_voted(project: Project) -> None:
    project.set_policy(blinded(), reason=WHY)
    release_id = ready(project)
    own = project.vote(release_id, vote="reject", reviewer="Rita", comment="no", public_comment="hm")
    assert (own.vote, own.comment, own.public_comment) == (Verdict.REJECT, "no", "hm")
    for viewer in ("", "Vera", "Paula", "Ann"):
        (seen,) = project.votes(release_id, viewer=viewer)
        assert (seen.vote, seen.comment, seen.public_comment, seen.hidden) == (None, "", "", True)
        assert seen.reviewer == "Rita", "who has voted is no secret"
    assert project.votes(release_id, viewer="rita")[0].vote is Verdict.REJECT
    assert (project.voting(release_id).voted, project.voting(release_id).complete) == (("Rita",), False)
    project.vote(release_id, vote="approve", reviewer="Vera")
    assert [vote.hidden for vote in project.votes(release_id, viewer="Vera")] == [False, False]
    assert [vote.hidden for vote in project.votes(release_id, viewer="Sam")] == [True, True], "Sam has not voted"
    project.decide(release_id, decision="reject", reviewer="Rita")
    assert not any(vote.hidden for vote in project.votes(release_id, viewer="Paula"))


@pytest.mark.parametrize("choice", list(Verdict))
def test_that_no_decision_shows_a_mind_before_the_blinded_votes_are_in(project: Project, choice: Verdict) -> None:
    project.set_policy(blinded(), reason=WHY)
    release_id = ready(project)
    project.vote(release_id, vote="approve", reviewer="Vera")
    with pytest.raises(Refused, match="1 of 2 reviewers have voted"):
        project.decide(release_id, decision=choice, reviewer="Vera", comment="x")
    project.vote(release_id, vote="reject", reviewer="Rita")
    with pytest.raises(Refused, match="Sam has not voted"):
        project.decide(release_id, decision=choice, reviewer="Sam", comment="x")


def test_that_what_a_refusal_says_is_the_same_whatever_the_others_voted(project: Project) -> None:
    project.set_policy(blinded(), reason=WHY)
    told = set()
    for vote in Verdict:
        release_id = ready(project)
        project.vote(release_id, vote=vote, reviewer="Vera", comment="x")
        with pytest.raises(Refused) as caught:
            project.decide(release_id, decision="approve", reviewer="Rita")
        told.add(str(caught.value).replace(release_id, "R"))
    assert len(told) == 1


def test_that_lifting_the_blindfold_or_changing_the_plan_shows_no_earlier_vote(project: Project) -> None:
    project.set_policy(blinded(), reason=WHY)
    release_id = ready(project)
    project.vote(release_id, vote="reject", reviewer="Rita", comment="no")
    project.set_policy(profile(2), actor="Dana", reason=WHY)
    project.update_release_plan(release_id, PLAN + "# new\n")
    (seen,) = project.votes(release_id, viewer="Vera")
    assert (seen.hidden, seen.stale) == (True, True)


def test_that_unanimous_means_nobody_is_against(project: Project) -> None:
    project.set_policy(profile(review={"unanimous": True}), reason=WHY)
    release_id = ready(project)
    project.vote(release_id, vote="reject", reviewer="Vera")
    with pytest.raises(Refused, match="latest vote is against"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    project.vote(release_id, vote="approve", reviewer="Vera")
    project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_the_policys_caps_hold_besides_the_budget(project: Project) -> None:
    project.set_policy(profile(epsilon={"edge": Decimal(3)}, delta={"strong": Decimal("1e-6")}), reason=WHY)
    first, second = ready(project), ready(project)
    project.set_cap(1, Decimal(10))
    project.decide(first, decision="approve", reviewer="Rita")
    with pytest.raises(Refused, match="exceed the cap of 3 by 1"):
        project.decide(second, decision="approve", reviewer="Rita")
    other = ready(project, claim("1", Definition.STRONG, delta="2e-6"))
    with pytest.raises(Refused, match=r"δ would exceed the cap of 10⁻⁶ by 10⁻⁶"):
        project.decide(other, decision="approve", reviewer="Rita")


def _overspending(project: Project) -> str:
    names = {"exceptions_by": ("Head", "Paula")}
    project.set_policy(profile(epsilon={"edge": Decimal(3)}, review=names), reason=WHY)
    project.decide(ready(project), decision="approve", reviewer="Rita")
    return ready(project)


def test_that_an_exception_is_granted_by_whom_the_policy_names_and_recorded(project: Project) -> None:
    release_id = _overspending(project)
    with pytest.raises(Refused, match="ask Head or Paula for an exception"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    with pytest.raises(Refused, match="does not name Rita"):
        project.grant_exception(release_id, actor="Rita", reason="I want it")
    with pytest.raises(Refused, match="prepared R-0002 and cannot grant"):
        project.grant_exception(release_id, actor="Paula", reason="I want it")
    with pytest.raises(UserProblem, match="needs a reason"):
        project.grant_exception(release_id, actor="Head", reason=" ")
    granted = project.grant_exception(release_id, actor="head", reason="parliament asks")
    assert (granted.epsilon, granted.reason, granted.stale) == (Decimal(4), "parliament asks", False)
    made = project.decide(release_id, decision="approve", reviewer="Rita")
    assert made.exception_id == granted.id
    entry = project.ledger(1)[-1]
    assert entry.exception_id == granted.id
    assert "granted by head: ε would exceed the cap of 3 by 1." in entry.workings
    assert "grant exception" in [each.action for each in project.journal()]
    assert verify(project.path).ok


def test_that_an_exception_holds_for_one_draw_one_policy_and_no_further(project: Project) -> None:
    release_id, other = _overspending(project), ready(project, claim("0.5"))
    project.grant_exception(release_id, actor="Head", reason="asked")
    project.decide(other, decision="approve", reviewer="Rita")  # the ledger moved on: 2.5 spent before, not 2
    with pytest.raises(Refused, match=r"exceed the cap of 3 by 1\.5"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    project.grant_exception(release_id, actor="Head", reason="asked again")
    project.add_run(release_id, run_of(1))
    assert all(each.stale for each in project.exceptions(release_id))
    with pytest.raises(Refused, match="exceed"):
        project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_an_exception_for_delta_does_not_cover_a_cap_that_was_lowered_since(project: Project) -> None:
    rules = profile(delta={"above": Severity.REFUSE}, review={"exceptions_by": ("Head",)})
    project.set_policy(rules, reason=WHY)
    release_id = ready(project, claim("2", delta="0.5"))
    project.grant_exception(release_id, actor="Head", reason="a pilot")
    project.set_cap(1, Decimal("0.5"), actor="Chief", reason="much less from now on")
    with pytest.raises(Refused, match=r"exceed the cap of 0\.5 by 1\.5"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    project.grant_exception(release_id, actor="Head", reason="all the same")
    project.decide(release_id, decision="approve", reviewer="Rita", comment="with both in mind")


def test_that_an_exception_across_definitions_covers_only_what_was_looked_at(project: Project) -> None:
    caps = {"edge": Decimal(3), "strong": Decimal(9), "count_implied": True}
    project.set_policy(profile(epsilon=caps, review={"exceptions_by": ("Head",)}), reason=WHY)
    small, edge = ready(project, claim("0.5")), ready(project)
    strong = ready(project, claim("2", Definition.STRONG))
    project.decide(edge, decision="approve", reviewer="Rita")
    project.grant_exception(strong, actor="Head", reason="asked")
    project.decide(small, decision="approve", reviewer="Rita")
    with pytest.raises(Refused, match=r"exceed the cap of 3 by 1\.5 \(what it implies"):
        project.decide(strong, decision="approve", reviewer="Rita")
    project.grant_exception(strong, actor="Head", reason="asked again")
    project.decide(strong, decision="approve", reviewer="Rita")


def test_that_what_is_implied_for_a_worker_counts_every_job_the_worker_may_hold(project: Project) -> None:
    caps = {"edge": Decimal(5), "strong": Decimal(9), "count_implied": True}
    project.set_policy(profile(epsilon=caps), reason=WHY)
    release_id, key = draft(project).id, project.save_dataset(data())
    project.add_run(
        release_id, run_of(key, replace(claim("1"), group_size=3)), findings=(finding(),), published=table()
    )
    project.decide(release_id, decision="approve", reviewer="Rita")
    assert [entry.group_size for entry in project.ledger()] == [3]
    with pytest.raises(Refused, match=r"exceed the cap of 5 by 2 \(what it implies"):
        project.decide(ready(project, claim("2", Definition.STRONG)), decision="approve", reviewer="Rita")


def test_that_no_exception_is_granted_where_none_is_needed_or_nobody_is_named(project: Project) -> None:
    project.set_policy(profile(review={"exceptions_by": ("Head",)}), reason=WHY)
    release_id = ready(project)
    with pytest.raises(UserProblem, match="needs no exception"):
        project.grant_exception(release_id, actor="Head", reason="to be safe")
    project.set_policy(profile(2, epsilon={"edge": Decimal(1)}), actor="Dana", reason=WHY)
    with pytest.raises(Refused, match="names nobody"):
        project.grant_exception(release_id, actor="Head", reason="please")


def test_that_delta_above_one_over_n_is_refused_and_can_be_excepted(project: Project) -> None:
    rules = profile(delta={"above": Severity.REFUSE}, review={"exceptions_by": ("Head",)})
    project.set_policy(rules, reason=WHY)
    release_id = ready(project, claim("1", delta="0.001"))
    with pytest.raises(Refused, match="above 1/n"):
        project.decide(release_id, decision="approve", reviewer="Rita")
    project.grant_exception(release_id, actor="Head", reason="a pilot")
    project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_evidence_the_policy_asks_for_must_be_there(project: Project) -> None:
    project.set_policy(
        profile(evidence={"required_checks": ("exact-loss",), "audit": AuditRule.FAIL, "rounding": 7}), reason=WHY
    )
    release_id = ready(project)
    with pytest.raises(Refused) as caught:
        project.decide(release_id, decision="approve", reviewer="Rita", comment="please")
    told = str(caught.value)
    assert "not run: exact-loss" in told
    assert "multiples of 7" in told
    project.add_run(release_id, run_of(1), findings=(finding(Status.FAIL),))
    with pytest.raises(Refused, match="does not allow: Exact loss"):
        project.decide(release_id, decision="approve", reviewer="Rita", comment="please")


def test_that_a_table_approved_in_between_has_to_be_compared_again(project: Project) -> None:
    project.set_policy(profile(evidence={"differencing": Severity.REFUSE}), reason=WHY)
    clean = Finding(id="differencing", title="D", status=Status.PASS, sentence="Clean.", stage="audit")
    key = project.save_dataset(data())
    first, second = draft(project), draft(project)
    for release in (first, second):
        project.add_run(release.id, run_of(key), findings=(clean,))
    project.decide(first.id, decision="approve", reviewer="Rita")
    with pytest.raises(Refused, match="approved since"):
        project.decide(second.id, decision="approve", reviewer="Rita")
    run = project.latest_run(second.id)
    assert run is not None
    project.record_comparison(run, files={}, findings=(clean,), actor="Rita")
    project.decide(second.id, decision="approve", reviewer="Rita")


def test_that_a_table_of_other_people_approved_in_between_needs_no_comparison(project: Project) -> None:
    """Every approval in a project made all others look as if they had to be compared again."""
    project.set_policy(profile(evidence={"differencing": Severity.REFUSE}), reason=WHY)
    clean = Finding(id="differencing", title="D", status=Status.PASS, sentence="Clean.", stage="audit")
    key = project.save_dataset(data())
    other = replace(
        data("survey.csv", "d" * 64, "e" * 64), columns=(replace(data().columns[0], name="answer"),), rows=9
    )
    first, second = draft(project), draft(project)
    project.add_run(first.id, run_of(key), findings=(clean,))
    project.add_run(second.id, run_of(project.save_dataset(other)), findings=(clean,))
    project.decide(second.id, decision="approve", reviewer="Rita")
    project.decide(first.id, decision="approve", reviewer="Rita")


def test_that_a_step_is_asked_of_counts_only(project: Project) -> None:
    project.set_policy(profile(evidence={"rounding": 5}), reason=WHY)
    for jobs, status in ((10, Status.PASS), (12, Status.FAIL)):
        pay = Units(name="mean pay", integers=np.array([1207]), decimals=2, additive=False)
        drawn = made_table({"k": ("a",)}, Units(name="jobs", integers=np.array([jobs])), pay)
        judged = {each.finding.id: each.finding for each in judgements(project._session, ready(project, drawn=drawn))}
        assert judged["gate.integers"].status is status


def test_that_the_ledger_repeats_how_a_claim_adds_up_inside_its_table(project: Project) -> None:
    release = draft(project)
    worked = replace(claim("2", Definition.WEAK), workings="Each of 6 cells spends a 6th part; they add up to 2.")
    project.add_run(release.id, run_of(project.save_dataset(data()), worked), published=table())
    project.decide(release.id, decision="approve", reviewer="Rita")
    (entry,) = project.ledger()
    assert entry.rule == "sequential"
    assert entry.workings.startswith("Each of 6 cells spends a 6th part; they add up to 2. ε 2 is added to the 0 spent")


def _restricted(project: Project, place: str, promise: Claim) -> str:
    release = draft(project)
    witness = Coverage(attribute="place", values=(place,), fixed_for=(ESTABLISHMENT,))
    project.add_run(release.id, run_of(project.save_dataset(data()), replace(promise, coverage=witness)))
    return release.id


def test_that_a_recorded_witness_lets_distinct_establishments_share_a_budget(project: Project) -> None:
    strong = claim("2", Definition.STRONG)
    caps = {"strong": Decimal(3), "compose": Compose.TIGHTEST}
    project.set_policy(profile(epsilon=caps), reason=WHY)
    first, second, third = (_restricted(project, place, strong) for place in ("A", "B", "A"))
    project.decide(first, decision="approve", reviewer="Rita")
    project.decide(second, decision="approve", reviewer="Rita")
    with pytest.raises(Refused, match="exceed the cap of 3 by 1"):
        project.decide(third, decision="approve", reviewer="Rita")
    entry = project.ledger()[-1]
    assert entry.rule == "parallel"
    assert entry.coverage == Coverage(attribute="place", values=("B",), fixed_for=(ESTABLISHMENT,))
    assert "Tighter by the rule “parallel”: 2 in all." in entry.workings


def test_that_policy_votes_and_exceptions_survive_closing(project: Project, tmp_path: Path) -> None:
    release_id = _overspending(project)
    project.grant_exception(release_id, actor="Head", reason="asked")
    project.vote(release_id, vote="approve", reviewer="Vera", public_comment="useful")
    path = project.path
    project.close()
    with open_project(path) as again:
        assert again.profile().review.exceptions_by == ("Head", "Paula")
        assert again.exceptions(release_id)[0].reason == "asked"
        assert again.votes(release_id)[0].public_comment == "useful"


def test_that_an_approval_enters_every_part_of_a_claim(project: Project) -> None:
    release = draft(project)
    parts = (
        ClaimPart(name="counts", epsilon=Decimal("1.5")),
        ClaimPart(name="means", epsilon=Decimal("0.5")),
        ClaimPart(name="answers", epsilon=Decimal(3), definition=Definition.LOCAL, unit="one answer"),
    )
    whole = replace(claim("2"), parts=parts, workings="Counts and means are drawn apart.")
    project.add_run(release.id, run_of(project.save_dataset(data()), whole), published=table())
    project.decide(release.id, decision="approve", reviewer="Rita")
    entries = project.ledger()
    assert [(entry.part, entry.definition, entry.unit, entry.epsilon) for entry in entries] == [
        ("counts", Definition.EDGE, "one job", Decimal("1.5")),
        ("means", Definition.EDGE, "one job", Decimal("0.5")),
        ("answers", Definition.LOCAL, "one answer", Decimal(3)),
    ]
    assert entries[0].workings.startswith("Counts and means are drawn apart. ε 1.5 is added to the 0")
    assert entries[1].workings.startswith("ε 0.5 is added to the 1.5 spent before: 2.")
    assert [(total.definition, total.epsilon, total.releases) for total in totals(entries)] == [
        (Definition.EDGE, Decimal(2), 1),
        (Definition.LOCAL, Decimal(3), 1),
    ]
    assert project.outlook(project.latest_run(release.id)) is None  # type: ignore[arg-type]
    project.decide(release.id, decision="request changes", reviewer="Rita", comment="once more")
    project.decide(release.id, decision="approve", reviewer="Rita")
    assert project.ledger() == entries, "approved again, it is not entered again"


def test_that_a_policy_caps_every_definition_that_a_claim_has_parts_under(project: Project) -> None:
    project.set_policy(profile(epsilon={"edge": Decimal(5), "local": Decimal(2)}), reason=WHY)
    parts = (
        ClaimPart(name="counts", epsilon=Decimal(2)),
        ClaimPart(name="answers", epsilon=Decimal(3), definition=Definition.LOCAL),
    )
    release_id = ready(project, replace(claim("2"), parts=parts))
    with pytest.raises(Refused, match="local differential privacy: ε would exceed the cap of 2 by 1"):
        project.decide(release_id, decision="approve", reviewer="Rita")
