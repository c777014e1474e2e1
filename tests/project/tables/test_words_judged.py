"""What is printed beside a table is part of what reviewers judge, and nobody approves under rules they just changed."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.project.samples import ready
from workbench.core.errors import Refused
from workbench.policy.profile import PolicyProfile
from workbench.policy.text import from_text
from workbench.project.store import Project

TWO = from_text('[policy]\nname = "two"\nversion = 1\n[review]\nreviewers = 2\n')
BLIND = from_text('[policy]\nname = "blind"\nversion = 1\n[review]\nreviewers = 2\nblinded = true\n')


def rules(project: Project, profile: PolicyProfile) -> None:
    project.set_policy(profile, actor="Director", reason="June")


def change_words(project: Project, release_id: str) -> None:
    project.update_release_plan(
        release_id, project.release(release_id).plan_text, actor="Paula", context={"statement": "ε is 0.01."}
    )


def test_that_other_words_make_votes_stale(project: Project) -> None:
    release_id = ready(project)
    rules(project, TWO)
    project.vote(release_id, vote="approve", reviewer="Rita")
    assert project.voting(release_id).voted == ("Rita",)
    change_words(project, release_id)
    assert project.voting(release_id).voted == ()
    assert [vote.stale for vote in project.votes(release_id, viewer="Sam")] == [True]
    with pytest.raises(Refused, match="needs 2 approving reviewers"):
        project.decide(release_id, decision="approve", reviewer="Sam")
    project.vote(release_id, vote="approve", reviewer="Rita")
    project.decide(release_id, decision="approve", reviewer="Sam")


def test_that_another_title_makes_votes_stale_and_the_old_one_brings_them_back(project: Project) -> None:
    release_id = ready(project)
    rules(project, TWO)
    project.vote(release_id, vote="approve", reviewer="Rita")
    title, text = project.release(release_id).title, project.release(release_id).plan_text
    project.update_release_plan(release_id, text, actor="Paula", title="Something else")
    assert project.votes(release_id, viewer="Sam")[0].stale
    project.update_release_plan(release_id, text, actor="Paula", title=title)
    assert not project.votes(release_id, viewer="Sam")[0].stale


def test_that_a_blinded_vote_on_other_words_does_not_complete_the_round(project: Project) -> None:
    release_id = ready(project)
    rules(project, BLIND)
    project.vote(release_id, vote="reject", reviewer="Rita", comment="no")
    change_words(project, release_id)
    project.vote(release_id, vote="approve", reviewer="Sam")
    hidden = [vote.hidden for vote in project.votes(release_id, viewer="Sam")]
    assert hidden == [True, False], "Rita's vote was on other words: Sam has not yet earned to see it"


def test_that_nobody_approves_under_a_policy_they_put_in_force_after_the_draw(project: Project) -> None:
    release_id = ready(project)
    project.set_policy(from_text('[policy]\nname = "easy"\nversion = 1\n'), actor="Cid", reason="because")
    with pytest.raises(Refused, match=r"(?i)cid changed the policy after .* was drawn"):
        project.decide(release_id, decision="approve", reviewer="cid")
    project.decide(release_id, decision="approve", reviewer="Rita")


def test_that_nobody_approves_with_a_budget_they_changed_after_the_draw(project: Project) -> None:
    release_id = ready(project)
    run = project.latest_run(release_id)
    assert run is not None
    project.set_cap(run.dataset_id, Decimal(100), actor="Cid", reason="because")
    with pytest.raises(Refused, match="Cid changed the budget after"):
        project.decide(release_id, decision="approve", reviewer="Cid")
    project.decide(release_id, decision="request changes", reviewer="Cid", comment="not that much")


def test_that_whoever_set_the_rules_before_the_draw_may_approve(project: Project) -> None:
    project.set_policy(from_text('[policy]\nname = "easy"\nversion = 1\n'), actor="Cid", reason="June")
    release_id = ready(project)
    project.decide(release_id, decision="approve", reviewer="Cid")
