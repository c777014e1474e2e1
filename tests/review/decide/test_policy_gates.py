"""The gates before a decision tell what the policy in force asks, and an exception where one was granted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.review.small_review import SMALL_PLAN, session_in
from workbench.core.claims import Definition
from workbench.core.errors import Refused, UserProblem
from workbench.core.findings import Audience, Finding, Status
from workbench.core.progress import QUIET
from workbench.policy.judge import CHOSEN_BLIND
from workbench.policy.profile import NotFormal, PolicyProfile, Severity
from workbench.products.employment_tables.params import DomainKind
from workbench.review.decide.gates import gates
from workbench.review.run.run import run_plan
from workbench.review.workspace import Workspace

WHY = "decided in June"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A project with one release, run once by Ana."""
    session_in(tmp_path)
    made = Workspace()
    made.open(tmp_path / "p.dwb", create=True, person="Ana")
    release = made.new_release(SMALL_PLAN, "Ana").release_id
    whole = run_plan(SMALL_PLAN, base=tmp_path, context=QUIET)
    made.store_run(
        release, SMALL_PLAN, loaded=whole.loaded, prepared=whole.prepared, outcome=whole.outcome, actor="Ana"
    )
    yield made
    made.close()


def found(workspace: Workspace) -> dict[str, Finding]:
    review = workspace.open_release("R-0001")
    return {gate.id.removeprefix("gate."): gate for gate in gates(review.session(), review.budget)}


def office(**sections: dict[str, object]) -> PolicyProfile:
    made = PolicyProfile()
    sections.setdefault("policy", {}).update(name="office")
    return replace(made, **{name: replace(getattr(made, name), **values) for name, values in sections.items()})


def test_that_without_a_policy_only_what_every_release_is_asked_is_shown(workspace: Workspace) -> None:
    shown = found(workspace)
    assert {"integers", "differencing", "delta", "budget", "context", "fresh"} <= shown.keys()
    assert not {"checks", "threshold"} & shown.keys()
    assert shown["integers"].status is Status.PASS
    assert shown["differencing"].status is Status.WARN, "nobody has compared it"
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")


def test_that_a_policy_in_force_shows_its_rules_as_gates(workspace: Workspace) -> None:
    rules = {"required_checks": ("exact-loss",), "differencing": Severity.REFUSE, "context_fields": ("contact",)}
    workspace.set_policy(office(evidence=rules), actor="Dana", reason=WHY)
    shown = found(workspace)
    assert shown["checks"].status is Status.PASS
    assert shown["differencing"].status is Status.FAIL
    assert shown["context"].sentence == "Still empty: Contact."
    with pytest.raises(Refused, match="Differencing"):
        workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="never mind")


def test_that_context_filled_in_after_the_draw_opens_its_gate(workspace: Workspace) -> None:
    rules = {"context_fields": ("contact",), "context_missing": Severity.REFUSE}
    workspace.set_policy(office(evidence=rules), actor="Dana", reason=WHY)
    assert found(workspace)["context"].status is Status.FAIL
    plan = workspace.open_release("R-0001").plan
    workspace.save_plan("R-0001", replace(plan, release=replace(plan.release, contact="Desk 4")), "Ana")
    assert found(workspace)["context"].status is Status.PASS
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")


def test_that_the_smaller_cap_is_the_one_shown_and_an_exception_is_told(workspace: Workspace) -> None:
    rules = office(epsilon={"edge": Decimal(1)}, review={"exceptions_by": ("Head",)})
    workspace.set_policy(rules, actor="Dana", reason=WHY)
    budget = workspace.budget("R-0001")
    assert budget is not None
    assert budget.cap == 1
    assert found(workspace)["budget"].status is Status.FAIL
    workspace.project.grant_exception("R-0001", actor="Head", reason="a pilot")
    gate = found(workspace)["budget"]
    assert gate.status is Status.WARN
    assert "Head granted an exception for this draw." in gate.sentence
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")
    assert workspace.project.ledger()[0].exception_id
    (made,) = workspace.report("R-0001").exceptions
    assert made.granted_by == "Head"
    assert "was set aside for this release" in made.public_text
    assert "Head" not in made.public_text
    assert made.text == "ε would exceed the cap of 1 by 0.5. Reason given: a pilot"
    public = workspace.report_bytes("R-0001", Audience.PUBLIC, "html").decode("utf-8")
    assert "a pilot" not in public
    gate = found(workspace)["budget"]
    assert gate.status is Status.WARN  # an approval under an exception never turns green
    assert "Approved under an exception granted by Head" in gate.sentence
    assert "was set aside for this release" in public
    assert "Above the limit" in public
    assert "Remaining" not in public
    assert "No exception is published" not in public


def not_formal(workspace: Workspace) -> None:
    """Draw the release again with cells listed by the jobs."""
    plan = workspace.open_release("R-0001").plan
    listed = replace(plan.product, params=replace(plan.product.params, domain=DomainKind.ESTABLISHMENTS))
    changed = replace(plan, product=listed)
    whole = run_plan(changed, base=workspace.open_release("R-0001").base, context=QUIET)
    workspace.store_run(
        "R-0001", changed, loaded=whole.loaded, prepared=whole.prepared, outcome=whole.outcome, actor="Ana"
    )


def test_that_a_claim_that_is_not_formal_is_never_green_and_needs_what_the_policy_says(workspace: Workspace) -> None:
    not_formal(workspace)
    assert found(workspace)["guarantee"].status is Status.WARN
    assert found(workspace)["audit"].status is Status.WARN  # exact loss does not pass for it
    strict = office(evidence={"not_formal": NotFormal.REFUSE}, review={"exceptions_by": ("Head",)})
    workspace.set_policy(strict, actor="Dana", reason=WHY)
    with pytest.raises(Refused, match="Not a formal guarantee"):
        workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    with pytest.raises(UserProblem, match="breaks no limit"):
        workspace.project.grant_exception("R-0001", actor="Head", reason="a pilot")


def test_that_an_exception_for_a_claim_that_is_not_formal_stays_visible(workspace: Workspace) -> None:
    not_formal(workspace)
    rules = office(evidence={"not_formal": NotFormal.EXCEPTION}, review={"exceptions_by": ("Head",)})
    workspace.set_policy(rules, actor="Dana", reason=WHY)
    with pytest.raises(Refused, match="Not a formal guarantee"):
        workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    workspace.project.grant_exception("R-0001", actor="Head", reason="a pilot")
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    gate = found(workspace)["guarantee"]
    assert gate.status is Status.WARN
    assert "Head granted an exception" in gate.sentence
    (entry,) = workspace.project.ledger()
    assert entry.definition is Definition.CONDITIONAL  # it never counts as what it does not promise
    public = workspace.report_bytes("R-0001", Audience.PUBLIC, "html").decode("utf-8")
    assert "was set aside for this release" in public


def test_that_an_approval_declares_what_no_program_can_see(workspace: Workspace) -> None:
    workspace.set_policy(office(evidence={"declarations": Severity.REFUSE}), actor="Dana", reason=WHY)
    with pytest.raises(Refused, match="not chosen after looking at confidential results"):
        workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed", declares=True)
    (decision,) = workspace.project.decisions("R-0001")
    assert decision.declared == (CHOSEN_BLIND,)
    assert CHOSEN_BLIND in workspace.report_bytes("R-0001", Audience.PUBLIC, "html").decode("utf-8")


def test_that_a_policy_with_names_nobody_knows_is_not_put_in_force(workspace: Workspace) -> None:
    wrong = office(evidence={"required_checks": ("exakt-loss",), "context_fields": ("contakt",)})
    with pytest.raises(UserProblem) as caught:
        workspace.set_policy(wrong, actor="Dana", reason=WHY)
    assert [problem.do for problem in caught.value.problems] == [
        "Did you mean “exact-loss”?",
        "Did you mean “contact”?",
    ]
    assert workspace.project.policy() is None


def test_that_a_report_holds_the_release_against_the_caps_of_the_policy_it_was_decided_under(
    workspace: Workspace,
) -> None:
    workspace.set_policy(office(epsilon={"edge": Decimal(4)}), actor="Cy", reason=WHY)
    workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="weighed")
    wider = office(policy={"version": 2}, epsilon={"edge": Decimal(7)})
    workspace.set_policy(wider, actor="Cy", reason=WHY)
    report = workspace.report("R-0001")
    assert report.ledger is not None and report.ledger.epsilon_limit == Decimal(4)
    assert report.decisions[-1].decision == "Approved under the policy office, version 1"


def test_that_without_a_comment_the_remedy_is_the_policys_where_a_comment_would_not_help(workspace: Workspace) -> None:
    workspace.set_policy(office(evidence={"required_checks": ("sdl-attacks",)}), actor="Cy", reason=WHY)
    with pytest.raises(Refused, match="Add them to the audit"):
        workspace.decide("R-0001", decision="approve", reviewer="Ben", comment="")
