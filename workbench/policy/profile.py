"""A policy profile: what an agency asks of every release before it may be approved. Params like all others.

A profile is a TOML file with a name and a version. A new meaning is a new version, never a changed one: decisions name
the version they were made under, and the project keeps the text of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from decimal import Decimal
from enum import StrEnum
from typing import Any

from workbench.accounting.limits import Limit, Limits
from workbench.core.claims import Definition
from workbench.core.errors import Problem
from workbench.core.params import param, to_plain
from workbench.core.plain import digest

CONTEXT_FIELDS = ("title", "requester", "purpose", "authority", "period", "smallest_geography")
_MOST_EPSILON = 1000


class Severity(StrEnum):
    """What happens where a rule is not met."""

    WARN = "warn"
    REFUSE = "refuse"


class AuditRule(StrEnum):
    """Which results of the audit stand in the way of an approval."""

    COMMENT = "comment"
    FAIL = "fail"
    WARN = "warn"


class NotFormal(StrEnum):
    """What an approval needs where the claim is not a formal guarantee. Its gate is never green."""

    WARN = "warn"
    EXCEPTION = "exception"
    REFUSE = "refuse"


class Compose(StrEnum):
    """How spending is measured against the caps."""

    FILTER = "filter"
    SEQUENTIAL = "sequential"
    TIGHTEST = "tightest"


_SEVERITY = {"warn": "Warn; the reviewer decides", "refuse": "Refuse the approval"}


def _epsilon(what: str) -> Any:
    help_text = f"Largest total ε of all approved releases from one data set under {what}. 0 allows none."
    return param(Decimal(_MOST_EPSILON), f"Cap on ε, {what}", help_text, unit="ε", ge=0, le=_MOST_EPSILON)


def _delta(what: str) -> Any:
    help_text = f"Largest total δ of all approved releases from one data set under {what}. 0 allows pure ε only."
    return param(Decimal(1), f"Cap on δ, {what}", help_text, unit="δ", ge=0, le=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyHead:
    """What the policy is called. A changed policy needs a new version."""

    name: str = param("default", "Name", "The policy's name in lists, decisions and reports.")
    version: int = param(1, "Version", "Raise it with every change: decisions name it.", ge=1, le=1_000_000)
    summary: str = param("", "Summary", "What the policy is for, in one sentence.")

    def check(self) -> tuple[Problem, ...]:
        return () if self.name.strip() else (Problem("The policy has no name", "name", 'Write name = "…"'),)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonCaps:
    """Caps on the privacy loss ε by definition; the budget of the data set holds besides, and the smaller counts."""

    edge: Decimal = _epsilon("edge differential privacy")
    strong: Decimal = _epsilon("strong employer-employee privacy")
    weak: Decimal = _epsilon("weak employer-employee privacy")
    node: Decimal = _epsilon("node differential privacy")
    local: Decimal = _epsilon("local differential privacy")
    probabilistic: Decimal = _epsilon("probabilistic differential privacy")
    central: Decimal = _epsilon("differential privacy")
    conditional: Decimal = _epsilon("claims conditional on the data")
    replaced: Decimal = _epsilon("one record replaced; never above that of differential privacy")
    history: Decimal = _epsilon("whole histories; never above that of differential privacy")
    residence: Decimal = _epsilon("residence privacy; never above that of probabilistic differential privacy")
    compose: Compose = param(
        Compose.FILTER,
        "Measured by",
        "In sequence adds every loss. A filter allows more small releases at the δ for composing. Tightest also counts "
        "units shown apart once, and composes a programme registered before the first draw.",
        labels={
            "filter": "Plain sum, or a filter at the δ for composing",
            "sequential": "Losses added in sequence",
            "tightest": "The filter, units shown apart once, registered programmes",
        },
    )
    count_implied: bool = param(
        True,
        "Count implied losses",
        "An employer-level release also spends at worker level. Where this is on, every release is counted under each "
        "definition in use: one budget per person, not one per definition.",
    )

    no_bound: Severity = param(
        Severity.WARN,
        "Where no bound is left",
        "Releases under different definitions can leave no promise for all of them together.",
        labels=_SEVERITY,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaCaps:
    """Caps on δ by definition, and δ against the number of records."""

    edge: Decimal = _delta("edge differential privacy")
    strong: Decimal = _delta("strong employer-employee privacy")
    weak: Decimal = _delta("weak employer-employee privacy")
    node: Decimal = _delta("node differential privacy")
    local: Decimal = _delta("local differential privacy")
    probabilistic: Decimal = _delta("probabilistic differential privacy")
    central: Decimal = _delta("differential privacy")
    conditional: Decimal = _delta("claims conditional on the data")
    replaced: Decimal = _delta("one record replaced; never above that of differential privacy")
    history: Decimal = _delta("whole histories; never above that of differential privacy")
    residence: Decimal = _delta("residence privacy; never above that of probabilistic differential privacy")
    composing: Decimal = param(
        Decimal(0),
        "δ for composing",
        "δ at which the losses of many releases are composed tighter than their sum; at most the cap of the "
        "definition. 0 leaves it at the sum.",
        unit="δ",
        ge=0,
        le="0.001",
    )
    times_records: Decimal = param(
        Decimal(1),
        "Largest δ·n",
        "δ of one release times the number n of records. At 1 a mechanism that publishes one record outright would "
        "still be allowed; well below 1 it is not.",
        gt=0,
        le=1,
    )
    above: Severity = param(Severity.WARN, "Where δ·n is larger", "What happens then.", labels=_SEVERITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRules:
    """What must have been looked at, and what must be filled in."""

    required_checks: tuple[str, ...] = param(
        (), "Required checks", "Checks of the audit that must have been run and must not fail."
    )
    audit: AuditRule = param(
        AuditRule.COMMENT,
        "Against the release",
        "Which results prevent an approval regardless of the reviewer.",
        labels={
            "comment": "None; a failed check needs a comment",
            "fail": "A failed check",
            "warn": "A failed check or a warning of the audit",
        },
    )
    not_formal: NotFormal = param(
        NotFormal.WARN,
        "Claims that are not formal",
        "What approving a release without a formal guarantee needs.",
        labels={
            "warn": "Nothing; the reviewer decides",
            "exception": "An exception by a named person, with a reason",
            "refuse": "It is always refused",
        },
    )
    declarations: Severity = param(
        Severity.WARN,
        "Where declarations are missing",
        "An approval declares that ε was not chosen on confidential results, and every condition of the claim.",
        labels=_SEVERITY,
    )
    differencing: Severity = param(
        Severity.WARN, "Where differencing was not checked", "Against earlier releases.", labels=_SEVERITY
    )
    context_fields: tuple[str, ...] = param(
        CONTEXT_FIELDS, "Context to fill in", "Fields of the release's context that must not be empty."
    )
    context_missing: Severity = param(
        Severity.WARN, "Where context is missing", "What happens then.", labels=_SEVERITY
    )  # fmt: skip
    rounding: int = param(
        1, "Published values are multiples of", "1: integers. 5: multiples of five, and so on.", ge=1, le=1000
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRules:
    """Who decides, and how."""

    reviewers: int = param(1, "Reviewers", "How many people other than the preparer must approve.", ge=1, le=20)
    blinded: bool = param(
        False,
        "Blinded votes",
        "Nobody sees what others voted or wrote before having voted, and before all that are needed have voted.",
    )
    unanimous: bool = param(
        False, "Unanimous", "An approval is refused while any reviewer's latest vote is against it."
    )
    exceptions_by: tuple[str, ...] = param(
        (), "Who can grant an exception", "People who can let a release exceed a cap, with a recorded reason."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyProfile:
    """The sections of a profile, in the order a person reads them."""

    policy: PolicyHead = field(default_factory=PolicyHead)
    epsilon: EpsilonCaps = field(default_factory=EpsilonCaps)
    delta: DeltaCaps = field(default_factory=DeltaCaps)
    evidence: EvidenceRules = field(default_factory=EvidenceRules)
    review: ReviewRules = field(default_factory=ReviewRules)

    @property
    def title(self) -> str:
        return f"{self.policy.name}, version {self.policy.version}"

    def plain(self) -> dict[str, Any]:
        return {item.name: to_plain(getattr(self, item.name)) for item in fields(self)}

    def digest(self) -> str:
        return digest(self.plain())

    def limits(self, cap: Decimal | None) -> Limits:
        """Caps of every definition, each at most the budget of the data set."""
        by = {definition: self._limit(name, cap) for name, definition in DEFINITIONS.items()}
        return Limits(
            others=Limit(epsilon=cap),
            by_definition=by,
            tightest=self.epsilon.compose is Compose.TIGHTEST,
            filtered=self.epsilon.compose is not Compose.SEQUENTIAL,
            implied=self.epsilon.count_implied,
            needs_bound=self.epsilon.no_bound is Severity.REFUSE,
        )

    def _limit(self, name: str, cap: Decimal | None) -> Limit:
        wider = _CAPPED_BY.get(name, name)  # policies of earlier versions name the wider one only
        own: Decimal = min(getattr(self.epsilon, name), getattr(self.epsilon, wider))
        delta: Decimal = min(getattr(self.delta, name), getattr(self.delta, wider))
        composing = min(self.delta.composing, delta)
        return Limit(epsilon=own if cap is None else min(own, cap), delta=delta, composing=composing)


DEFINITIONS = {
    "edge": Definition.EDGE,
    "strong": Definition.STRONG,
    "weak": Definition.WEAK,
    "node": Definition.NODE,
    "local": Definition.LOCAL,
    "probabilistic": Definition.PROBABILISTIC,
    "central": Definition.CENTRAL,
    "conditional": Definition.CONDITIONAL,
    "replaced": Definition.REPLACED,
    "history": Definition.HISTORY,
    "residence": Definition.RESIDENCE,
}
_CAPPED_BY = {"replaced": "central", "history": "central", "residence": "probabilistic"}
SECTIONS: dict[str, type[Any]] = {
    "policy": PolicyHead,
    "epsilon": EpsilonCaps,
    "delta": DeltaCaps,
    "evidence": EvidenceRules,
    "review": ReviewRules,
}
