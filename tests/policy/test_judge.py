"""Each rule of a policy passes where it is met, and warns or refuses where it is not, without a confidential number."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from workbench.core.claims import Claim, Definition
from workbench.core.findings import Finding, Status
from workbench.policy.judge import UNUSUAL_DELTA, UNUSUAL_EPSILON, Facts, Judgement, judge
from workbench.policy.profile import CONTEXT_FIELDS, DEFINITIONS, AuditRule, PolicyProfile, Severity
from workbench.policy.text import read_profile


def found(name: str, status: Status = Status.PASS, stage: str = "audit", source: str = "") -> Finding:
    return Finding(
        id=name, title=f"About {name}", status=status, sentence=f"{name} was looked at.", stage=stage,
        source=source or name,
    )  # fmt: skip


def claim(delta: str = "0") -> Claim:
    return Claim(
        definition=Definition.EDGE, unit="one job", epsilon=Decimal(1), delta=Decimal(delta), sentence="A promise."
    )


GOOD = Facts(
    claim=claim(),
    findings=(found("exact-loss"), found("integers"), found("differencing")),
    checks=("exact-loss", "integers"),
    context=dict.fromkeys(CONTEXT_FIELDS, "said"),
    records=7919,
    drawn=True,
)


def judged(profile: PolicyProfile, facts: Facts) -> dict[str, Judgement]:
    return {each.finding.id.removeprefix("gate."): each for each in judge(profile, facts)}


def evidence(**changes: object) -> PolicyProfile:
    profile = PolicyProfile()
    return replace(profile, evidence=replace(profile.evidence, **changes))  # type: ignore[arg-type]


def test_that_a_release_that_meets_every_rule_passes_every_rule() -> None:
    profile = evidence(
        required_checks=("exact-loss",), audit=AuditRule.WARN, differencing=Severity.REFUSE,
        context_missing=Severity.REFUSE,
    )  # fmt: skip
    judged = judge(profile, GOOD)
    assert len(judged) > 3
    for each in judged:
        assert each.finding.status is Status.PASS, each.finding
        assert not each.refuses
        assert each.finding.does_not_prove and each.finding.sentence.endswith(".")


@pytest.mark.parametrize("severity", list(Severity))
def test_that_missing_context_is_named(severity: Severity) -> None:
    facts = replace(GOOD, context={**GOOD.context, "purpose": " ", "smallest_geography": ""})
    gate = judged(evidence(context_missing=severity), facts)["context"]
    assert gate.finding.sentence == "Still empty: purpose, smallest geography."
    assert gate.refuses is (severity is Severity.REFUSE)
    assert gate.finding.status is (Status.FAIL if gate.refuses else Status.WARN)


def test_that_required_checks_must_be_there_and_must_not_fail() -> None:
    profile = evidence(required_checks=("exact-loss", "black-box"))
    gate = judged(profile, GOOD)["checks"]
    assert gate.refuses and "not run: black-box" in gate.finding.sentence
    ran = replace(GOOD, checks=(*GOOD.checks, "black-box"))
    assert judged(profile, ran)["checks"].refuses, "a check that found nothing at all has not passed"
    partly = replace(ran, findings=(*GOOD.findings, found("black-box-pairs", Status.FAIL, source="black-box")))
    assert "failed: black-box" in judged(profile, partly)["checks"].finding.sentence
    weighed = replace(ran, findings=(*GOOD.findings, found("black-box", Status.WARN)))
    assert not judged(profile, weighed)["checks"].refuses


def test_that_a_required_check_that_had_nothing_to_judge_is_no_evidence() -> None:
    """A method that declares no law is told so, for information: that is no pass of the check."""
    profile = evidence(required_checks=("exact-loss", "declared-law"))
    silent = found("declared-law-draws", Status.INFO, source="declared-law")
    facts = replace(GOOD, checks=(*GOOD.checks, "declared-law"), findings=(*GOOD.findings, silent))
    gate = judged(profile, facts)["checks"]
    assert gate.finding.status is Status.WARN and not gate.refuses
    assert "nothing to judge: declared-law" in gate.finding.sentence
    told = replace(facts, findings=(*facts.findings, found("declared-law-words", source="declared-law")))
    assert judged(profile, told)["checks"].finding.status is Status.PASS


def test_that_a_check_the_product_does_not_have_is_named_and_does_not_block_it() -> None:
    profile = evidence(required_checks=("exact-loss", "requirements"))
    flows = replace(GOOD, offered=("exact-loss", "integers", "posterior-ratio"))
    gate = judged(profile, flows)["checks"]
    assert not gate.refuses and "Not a check of this product: requirements" in gate.finding.sentence
    assert judged(profile, replace(flows, checks=(), findings=()))["checks"].refuses, "its own are still asked for"
    assert judged(profile, replace(GOOD, offered=None))["checks"].refuses, "an unknown product is asked for all"


@pytest.mark.parametrize(
    ("rule", "status", "refuses"),
    [
        (AuditRule.COMMENT, Status.FAIL, False),
        (AuditRule.FAIL, Status.FAIL, True),
        (AuditRule.FAIL, Status.WARN, False),
        (AuditRule.WARN, Status.WARN, True),
        (AuditRule.WARN, Status.INFO, False),
    ],
)
def test_that_the_threshold_says_what_blocks(rule: AuditRule, status: Status, refuses: bool) -> None:
    facts = replace(GOOD, findings=(*GOOD.findings, found("black-box", status)))
    gate = judged(evidence(audit=rule), facts)["threshold"]
    assert gate.refuses is refuses
    assert ("About black-box" in gate.finding.sentence) is (refuses or rule is AuditRule.COMMENT)


@pytest.mark.parametrize("severity", list(Severity))
def test_that_differencing_that_was_not_looked_at_is_told(severity: Severity) -> None:
    profile = evidence(differencing=severity)
    unseen = replace(GOOD, findings=GOOD.findings[:2])
    assert judged(profile, unseen)["differencing"].refuses is (severity is Severity.REFUSE)
    early = replace(GOOD, compared_too_early=True)
    gate = judged(profile, early)["differencing"]
    assert gate.finding.status is not Status.PASS
    assert "approved since" in gate.finding.sentence


@pytest.mark.parametrize("severity", list(Severity))
def test_that_a_suppressed_table_made_before_another_was_approved_is_refused_under_every_policy(
    severity: Severity,
) -> None:
    profile = evidence(differencing=severity)
    one = judged(profile, replace(GOOD, patterns_since=("R-0001",)))["differencing"]
    assert one.refuses and not one.exceptable
    assert one.finding.sentence.startswith("R-0001 was approved after the suppressed table of this release was made.")
    two = judged(profile, replace(GOOD, findings=(), patterns_since=("R-0001", "R-0002")))["differencing"]
    assert two.refuses and two.finding.sentence.startswith("R-0001, R-0002 were approved after")


def test_that_differencing_that_fails_refuses_unless_the_policy_is_content_with_a_comment() -> None:
    facts = replace(
        GOOD, findings=(found("differencing"), found("differencing.bounds", Status.FAIL, source="differencing"))
    )
    assert judged(evidence(differencing=Severity.REFUSE), facts)["differencing"].refuses
    assert judged(evidence(audit=AuditRule.FAIL), facts)["differencing"].refuses
    gate = judged(PolicyProfile(), facts)["differencing"]
    assert (gate.refuses, gate.finding.status) == (False, Status.FAIL)
    assert gate.finding.sentence == "differencing.bounds was looked at."


def test_that_published_values_off_the_step_refuse() -> None:
    assert judged(evidence(rounding=5), replace(GOOD, off_step=True))["integers"].refuses


def test_that_columns_without_counts_are_on_their_own_grid_and_not_held_to_the_step() -> None:
    mixed = judged(evidence(rounding=5), replace(GOOD, on_grid=("mean pay",)))["integers"]
    assert not mixed.refuses
    assert mixed.finding.sentence == (
        "All published counts are multiples of 5. On the grid of their own decimals: mean pay."
    )
    none = judged(evidence(), replace(GOOD, counts=False, on_grid=("slope",)))["integers"]
    assert none.finding.sentence == "No column holds counts. On the grid of their own decimals: slope."
    assert "multiples of 5" in judged(evidence(rounding=5), GOOD)["integers"].finding.sentence
    assert not judged(PolicyProfile(), replace(GOOD, drawn=False))["integers"].refuses


@pytest.mark.parametrize(("delta", "fits"), [("0", True), ("0.00012", True), ("0.0002", False), ("0.5", False)])
def test_that_delta_is_held_against_one_over_n_without_telling_n(delta: str, fits: bool) -> None:
    profile = PolicyProfile()
    strict = replace(profile, delta=replace(profile.delta, above=Severity.REFUSE))
    gate = judged(strict, replace(GOOD, claim=claim(delta)))["delta"]
    assert (not gate.refuses) is fits
    assert "7919" not in gate.finding.sentence.replace(",", "")
    assert not judged(profile, replace(GOOD, claim=claim(delta)))["delta"].refuses, "the default only warns"
    assert judged(strict, replace(GOOD, claim=claim("1e-30"), records=0))["delta"].refuses, "n unknown"


def test_that_an_unusual_loss_is_told_where_no_policy_is_set() -> None:
    at_most = replace(GOOD, unset=True, claim=replace(claim(), epsilon=UNUSUAL_EPSILON))
    assert "ceiling" not in judged(PolicyProfile(), at_most)
    above = replace(at_most, claim=replace(claim("0.001"), epsilon=Decimal(500)))
    gate = judged(PolicyProfile(), above)["ceiling"]
    assert gate.finding.status is Status.WARN and not gate.refuses
    assert "ε = 500 is above 20 and δ = 0.001 is above 10⁻⁵" in gate.finding.sentence
    assert "ceiling" not in judged(PolicyProfile(), replace(above, unset=False)), "then the policy's own caps hold"


def test_that_unusual_is_what_the_standard_policy_does_not_allow() -> None:
    standard = read_profile("standard")
    assert max(getattr(standard.epsilon, name) for name in DEFINITIONS) == UNUSUAL_EPSILON
    assert max(getattr(standard.delta, name) for name in DEFINITIONS) == UNUSUAL_DELTA
