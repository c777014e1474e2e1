"""A release compared with a policy, from what is stored of it: findings like all others, and whether each refuses.

Every rule is a function on `Facts`. None of the facts is a value of the microdata; the number of records is compared
but never repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.accounting.composition import exact_product
from workbench.core.claims import Standing
from workbench.core.errors import Problem
from workbench.core.findings import DIFFERENCING, Finding, Status
from workbench.core.quantities import agreeing, exact
from workbench.policy.profile import AuditRule, NotFormal, PolicyProfile, Severity

if TYPE_CHECKING:
    from workbench.core.claims import Claim, Definition

DELTA_RULE = "gate.delta"
UNUSUAL_EPSILON, UNUSUAL_DELTA = Decimal(20), Decimal("1e-5")  # what `standard`, the wider shipped policy, allows
_FINDING, _WEIGHED = "the finding “", "” was read and weighed"
CHOSEN_BLIND = "ε, δ and the mechanism were not chosen after looking at confidential results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a policy looks at. `off_step`: some published count is no multiple of the policy's step. `on_grid`: columns
    that hold no counts, whose values lie on a grid of their own; `counts`: whether any column does.

    `compared_too_early`: another table was approved after differencing was last looked at. `patterns_since`:
    releases of the same people approved after this one's suppressed table was made. `offered`: the checks the
    release's product has; None where that is not known, and then every check that a policy names is asked for. `unset`:
    nobody has put a policy in force, and the program's defaults apply.
    """

    claim: Claim | None
    findings: tuple[Finding, ...] = ()
    checks: tuple[str, ...] = ()
    offered: tuple[str, ...] | None = None
    context: Mapping[str, str] = field(default_factory=dict)
    records: int = 0
    drawn: bool = False
    off_step: bool = False
    counts: bool = True
    on_grid: tuple[str, ...] = ()
    compared_too_early: bool = False
    patterns_since: tuple[str, ...] = ()
    unset: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rule of the policy: what it found, and whether an approval is refused because of it."""

    finding: Finding
    refuses: bool = False
    do: str = ""
    exceptable: bool = False  # a person whom the policy names may set it aside for one draw

    def problem(self, where: str) -> Problem:
        return Problem(f"{self.finding.title}: {self.finding.sentence}", where, self.do)


def judge(profile: PolicyProfile, facts: Facts) -> tuple[Judgement, ...]:
    """Every rule of the policy that looks at the release itself. Budget and votes are judged where the ledger is."""
    rules: Sequence[Callable[[PolicyProfile, Facts], Judgement]] = (
        _guarantee, _integers, _checks, _audit, _differencing, _context, _delta,
    )  # fmt: skip
    return (*(rule(profile, facts) for rule in rules), *_without_a_policy(facts))


def _without_a_policy(facts: Facts) -> Iterator[Judgement]:
    """The program's defaults leave ε and δ to the budget of the data set. A loss that no shipped policy would allow is
    told: it warns and refuses nothing, since no agency has said yet what it allows."""
    claim = facts.claim
    if not facts.unset or claim is None:
        return
    over = [
        f"{sign} = {exact(value)} is above {exact(most)}"
        for sign, value, most in (("ε", claim.epsilon, UNUSUAL_EPSILON), ("δ", claim.delta, UNUSUAL_DELTA))
        if value > most
    ]
    if over:
        said = f"No policy is set, and {' and '.join(over)}: the policy “standard” would not allow it."
        limits = "Below these values a release is not thereby safe; set the policy of your agency."
        do = "Set a policy, or lower the privacy loss and draw again"
        yield _made("ceiling", "Usual privacy loss", said, limits, severity=Severity.WARN, do=do)


def declarations(claim: Claim | None, unbounded: Sequence[Definition] = ()) -> tuple[str, ...]:
    """What whoever approves a release declares: no program can see it, and the guarantee stands on it.

    Also that all releases together would be left without a bound, where they would be: it is accepted knowingly.
    """
    lost = f"all releases from these data together have no bound under {' or '.join(each.value for each in unbounded)}"
    return (CHOSEN_BLIND, *(claim.provided if claim is not None else ()), *((lost,) if unbounded else ()))


def confirmations(findings: Sequence[Finding]) -> tuple[str, ...]:
    """What everybody who votes for a release or approves it confirms: findings that nobody may pass over.

    By title only, and for reviewers only: whether there is such a finding follows from the confidential data.
    """
    return tuple(f"{_FINDING}{found.title}{_WEIGHED}" for found in findings if found.confirm)


def is_confirmation(declared: str) -> bool:
    """Whether a sentence that was declared confirms a finding. No public report may hold one."""
    return declared.startswith(_FINDING) and declared.endswith(_WEIGHED)


def _guarantee(profile: PolicyProfile, facts: Facts) -> Judgement:
    """Asks for a formal claim. One that is not formal never passes, whatever else was found."""
    title = "Formal guarantee"
    limits = "A proof covers the stated neighbours and assumptions, and no other release beside this one."
    claim = facts.claim
    if claim is None:
        if not facts.drawn:
            return _made(
                "guarantee", title, "Not known before a release has been drawn.", limits, severity=Severity.WARN
            )
        said = "The draw states no claim."
        return _made("guarantee", title, said, limits, severity=Severity.REFUSE, do="Draw again")
    if claim.standing is Standing.PROVED:
        return _made("guarantee", title, f"Proved under {claim.definition.value}.", limits)
    if claim.standing is Standing.PROVED_IF:
        said = f"{claim.standing_words} The approver declares it."
        return _made("guarantee", title, said, limits, severity=Severity.WARN)
    do = claim.remedy or "Choose a mechanism with a formal guarantee and draw again"
    rule = profile.evidence.not_formal
    severity = Severity.WARN if rule is NotFormal.WARN else Severity.REFUSE
    gate = _made("guarantee", title, claim.standing_words, limits, severity=severity, do=do)
    return replace(gate, exceptable=rule is NotFormal.EXCEPTION)


def _made(
    name: str, title: str, sentence: str, limits: str, *, severity: Severity | None = None, do: str = ""
) -> Judgement:
    """A rule that is met (no severity), or one that is not."""
    status = {None: Status.PASS, Severity.WARN: Status.WARN, Severity.REFUSE: Status.FAIL}[severity]
    found = Finding(id=f"gate.{name}", title=title, status=status, sentence=sentence, does_not_prove=limits)
    return Judgement(found, severity is Severity.REFUSE, do)


def _integers(profile: PolicyProfile, facts: Facts) -> Judgement:
    step, title = profile.evidence.rounding, "Integers only"
    limits = "Whole numbers can still be the true ones; that is what the audit is for."
    what = "integers" if step == 1 else f"multiples of {step}"
    if not facts.drawn:
        return _made("integers", title, "Nothing has been drawn yet.", limits, severity=Severity.WARN)
    if facts.off_step:
        said = f"Published values must be {what}; some are not."
        return _made("integers", title, said, limits, severity=Severity.REFUSE, do="Round them, then draw again")
    if not facts.on_grid:
        said = f"All published values are {what}." if facts.counts else "All published values are categories."
        return _made("integers", title, said, limits)
    head = f"All published counts are {what}." if facts.counts else "No column holds counts."
    said = f"{head} On the grid of their own decimals: {', '.join(facts.on_grid)}."
    return _made("integers", title, said, limits)


def _checks(profile: PolicyProfile, facts: Facts) -> Judgement:
    title, named = "Required checks", profile.evidence.required_checks
    required = [name for name in named if facts.offered is None or name in facts.offered]
    others = [name for name in named if name not in required]
    aside = f" Not a check of this product: {', '.join(others)}." if others else ""
    limits = "A check covers the neighbours and attacks it names, no others."
    missing = [name for name in required if name not in facts.checks or not _of(name, facts)]
    failing = [name for name in required if any(found.status is Status.FAIL for found in _of(name, facts))]
    if missing or failing:
        parts = [f"not run: {', '.join(missing)}"] if missing else []
        parts += [f"failed: {', '.join(failing)}"] if failing else []
        said = f"The policy asks for checks that have not passed; {'; '.join(parts)}.{aside}"
        return _made("checks", title, said, limits, severity=Severity.REFUSE, do="Add them to the audit and run again")
    if not required:
        return _made("checks", title, f"The policy asks for no check by name.{aside}", limits)
    silent = [name for name in required if all(found.status is Status.INFO for found in _of(name, facts))]
    if silent:
        said = f"Required checks that found nothing to judge: {', '.join(silent)}. They are no evidence.{aside}"
        return _made("checks", title, said, limits, severity=Severity.WARN)
    return _made("checks", title, f"All of {', '.join(required)} were run and none failed.{aside}", limits)


def _of(check: str, facts: Facts) -> list[Finding]:
    """The findings a check gave."""
    return [found for found in facts.findings if found.source == check]


def _audit(profile: PolicyProfile, facts: Facts) -> Judgement:
    title, rule = "Audit threshold", profile.evidence.audit
    limits = "Below the threshold a finding can still matter; read them."
    failing = [found.title for found in facts.findings if found.status is Status.FAIL]
    warning = [found.title for found in facts.findings if found.status is Status.WARN and found.stage == "audit"]
    against = {AuditRule.COMMENT: [], AuditRule.FAIL: failing, AuditRule.WARN: failing + warning}[rule]
    if against:
        said = f"The policy does not allow: {'; '.join(against)}."
        return _made("threshold", title, said, limits, severity=Severity.REFUSE, do="Correct the release and run again")
    if failing:
        said = f"Approving needs a comment, because of: {'; '.join(failing)}."
        return _made("threshold", title, said, limits, severity=Severity.WARN)
    return _made("threshold", title, "No finding reaches the policy's threshold.", limits)


def _differencing(profile: PolicyProfile, facts: Facts) -> Judgement:
    title = "Differencing"
    limits = "Only tables known to the project are compared; others may have been published elsewhere."
    found = [f for f in facts.findings if f.source == DIFFERENCING]
    failing = [f for f in found if f.status is Status.FAIL]
    if facts.patterns_since:
        others = facts.patterns_since
        said = (
            f"{', '.join(others)} {agreeing(len(others), 'was', 'were')} approved after the suppressed table of this "
            "release was made. Together they can reveal cells that each withholds."
        )
        do = "Compare again on the audit page, or with `dwb difference`"
        return _made("differencing", title, said, limits, severity=Severity.REFUSE, do=do)
    if not found:
        said = "It was not checked whether earlier releases and this one can be subtracted from each other."
        do = "Add the differencing check to the audit and run again"
        return _made("differencing", title, said, limits, severity=profile.evidence.differencing, do=do)
    if failing:
        gate = _made("differencing", title, failing[0].sentence, limits, severity=Severity.REFUSE, do="See the finding")
        return replace(gate, refuses=_strict(profile))
    if facts.compared_too_early:
        said = "A table approved since then has not been compared with this one."
        do = "Compare again with `dwb difference`, or draw again"
        return _made("differencing", title, said, limits, severity=profile.evidence.differencing, do=do)
    warning = [f for f in found if f.status is Status.WARN]
    if warning:
        return _made("differencing", title, warning[0].sentence, limits, severity=Severity.WARN)
    return _made("differencing", title, found[0].sentence, limits)


def _strict(profile: PolicyProfile) -> bool:
    """False where a comment is enough to approve against a failed check."""
    return profile.evidence.audit is not AuditRule.COMMENT or profile.evidence.differencing is Severity.REFUSE


def _context(profile: PolicyProfile, facts: Facts) -> Judgement:
    title, needed = "Context complete", profile.evidence.context_fields
    limits = "A completed field is not necessarily correct."
    missing = [name for name in needed if not facts.context.get(name, "").strip()]
    if missing:
        said = f"Still empty: {', '.join(name.replace('_', ' ') for name in missing)}."
        severity = profile.evidence.context_missing
        return _made("context", title, said, limits, severity=severity, do="Fill them in under Release")
    return _made("context", title, f"{len(needed)} of {len(needed)} fields are filled in.", limits)


def _delta(profile: PolicyProfile, facts: Facts) -> Judgement:
    """δ·n ≤ the policy's bound, n the number of records: exact. With n unknown (0) every positive δ is too large."""
    title, bound = "δ against 1/n", profile.delta.times_records
    limits = "A small δ does not say what happens in the rare case that it covers."
    delta = facts.claim.delta if facts.claim is not None else Decimal(0)
    if not delta:
        return _made("delta", title, "The claim is pure: δ is 0.", limits)
    allowed = "1/n" if bound == 1 else f"{exact(bound)}/n"
    if not facts.records or exact_product(delta, Decimal(facts.records)) > bound:
        said = f"δ = {exact(delta)} is above {allowed}, n the number of records."
        gate = _made("delta", title, said, limits, severity=profile.delta.above, do="Lower δ and draw again")
        return replace(gate, exceptable=True)
    return _made("delta", title, f"δ = {exact(delta)} is at most {allowed}, n the number of records.", limits)
