"""The gates before a decision say what is missing, and pass only where nothing is."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.review.small_review import draw, go_through, session_in
from workbench.accounting.what_if import what_if
from workbench.audit import black_box
from workbench.audit.black_box import BlackBoxParams
from workbench.core.findings import DIFFERENCING, Finding, Status
from workbench.core.quantities import Epsilon
from workbench.review.decide.gates import gates
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.review.views import Budget


def _by_name(session: ReviewSession, budget: Budget | None = None) -> dict[str, Finding]:
    return {finding.id.removeprefix("gate."): finding for finding in gates(session, budget)}


@pytest.fixture
def session(tmp_path: Path) -> ReviewSession:
    made = session_in(tmp_path)
    go_through(made)
    return made


def _budget(session: ReviewSession, cap: str) -> Budget:
    claim = session.claim()
    assert claim is not None
    return Budget(entries=(), cap=Decimal(cap), what_if=what_if((), claim, Decimal(cap)))


def test_that_every_gate_passes_once_everything_is_there(session: ReviewSession) -> None:
    found = _by_name(session, _budget(session, "4"))
    assert {name: finding.status for name, finding in found.items()} == dict.fromkeys(found, Status.PASS)
    assert len(found) == 7
    assert all(finding.does_not_prove and finding.sentence.endswith(".") for finding in found.values())


def test_that_before_the_draw_nothing_passes_but_the_context(tmp_path: Path) -> None:
    found = _by_name(session_in(tmp_path))
    assert {name for name, finding in found.items() if finding.status is Status.PASS} == {"context"}
    not_yet = {found[name].status for name in ("fresh", "audit", "data", "budget")}
    assert not_yet == {Status.INFO}, "what has not been done yet has not failed"


def test_that_a_changed_plan_closes_the_gate_and_undo_opens_it(session: ReviewSession) -> None:
    mechanism = session.plan.mechanism
    session.edit("ε", mechanism=replace(mechanism, params=replace(mechanism.params, epsilon=Epsilon("3"))))
    assert _by_name(session)["fresh"].status is Status.FAIL
    session.history.undo()
    assert _by_name(session)["fresh"].status is Status.PASS


@pytest.mark.parametrize("stage", ["audit", "data"])
@pytest.mark.parametrize("status", [Status.WARN, Status.FAIL])
def test_that_a_finding_against_the_release_is_named(session: ReviewSession, stage: str, status: Status) -> None:
    evidence = session.evidence
    assert evidence is not None
    first = next(f for f in evidence.findings if f.stage == stage)
    worse = tuple(replace(f, status=status) if f is first else f for f in evidence.findings)
    session.evidence = replace(evidence, findings=worse)
    gate = _by_name(session)[stage]
    assert gate.status is status
    assert first.title in gate.sentence


def test_that_an_audit_without_a_look_at_the_loss_is_no_audit(session: ReviewSession) -> None:
    """What is always found, such as differencing, and whole numbers say nothing of the loss."""
    evidence = session.evidence
    assert evidence is not None
    left = tuple(f for f in evidence.findings if f.source != "exact-loss")
    always = replace(left[0], source=DIFFERENCING, stage="audit", status=Status.INFO)
    session.evidence = replace(evidence, findings=(*left, always))
    gate = _by_name(session)["audit"]
    assert gate.status is Status.FAIL
    assert "not computed" in gate.sentence
    assert "Add exact-loss and draw again" in gate.sentence


def test_that_a_black_box_alone_is_no_audit(session: ReviewSession) -> None:
    """A thousand draws see no breach of a large ε: that bounds the loss from below only."""
    watching = BlackBoxParams(draws=1000, release_draws=0)
    (first, *_) = session.plan.checks
    checks = (replace(first, id="black-box", version=black_box.SPEC.version, params=watching),)
    session.edit("audit", checks=checks)
    draw(session)
    gate = _by_name(session)["audit"]
    assert gate.status is Status.FAIL
    assert "watching draws cannot replace it" in gate.sentence


def test_that_a_release_over_the_budget_fails_and_says_by_how_much(session: ReviewSession) -> None:
    gate = _by_name(session, _budget(session, "1"))["budget"]
    assert gate.status is Status.FAIL
    assert "0.5" in gate.sentence
    spent = Budget(entries=(), cap=Decimal(1), what_if=None)
    assert _by_name(session, spent)["budget"].status is Status.PASS, "what is approved is counted already"
    assert _by_name(session, None)["budget"].status is Status.INFO


def test_that_missing_context_is_named_by_its_labels(session: ReviewSession) -> None:
    session.edit("Context", release=replace(session.plan.release, purpose=" ", authority=""))
    gate = _by_name(session)["context"]
    assert gate.status is Status.WARN
    assert gate.sentence == "Still empty: Purpose, Legal authority."


def test_that_choosing_among_draws_is_warned_of(session: ReviewSession) -> None:
    draw(session, draws=3)
    gate = _by_name(session)["draws"]
    assert gate.status is Status.WARN
    assert "3 times" in gate.sentence


def test_that_the_budget_names_what_it_does_not_count(tmp_path: Path) -> None:
    session = session_in(tmp_path)
    fits = Budget(entries=(), cap=Decimal(9), what_if=None, spent_elsewhere=2)
    found = {gate.id: gate for gate in gates(session, fits)}["gate.budget"]
    assert "2 approved releases from other data sets" in found.does_not_prove
    assert "only from data that share most of their people" in found.does_not_prove


def test_that_ids_and_titles_decide_nothing(session: ReviewSession) -> None:
    """What a finding is about is its source and its stage; how it is called may change at any time."""
    evidence = session.evidence
    assert evidence is not None
    before = [(gate.id, gate.status) for gate in gates(session, None)]
    renamed = tuple(replace(f, id=f"finding-{place}", title="A finding") for place, f in enumerate(evidence.findings))
    session.evidence = replace(evidence, findings=renamed)
    assert [(gate.id, gate.status) for gate in gates(session, None)] == before
    assert session.evidence.loss == evidence.loss is not None


def test_that_every_finding_of_a_review_names_who_found_it(session: ReviewSession) -> None:
    evidence, product = session.evidence, product_of(session.plan)
    assert evidence is not None
    known = {
        "data": {"data"},
        "release": {product.id},
        "audit": {check.id for check in session.plan.checks},
        "compare": {measure.id for measure in product.measures},
    }
    assert {finding.stage for finding in evidence.findings} == set(known)
    for finding in evidence.findings:
        assert finding.source in known[finding.stage], finding.id
