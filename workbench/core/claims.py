"""What a mechanism promises, in numbers a ledger can add and a sentence a person can read."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from workbench.core.plain import LATER


class Definition(StrEnum):
    """The privacy definition a claim is made under. Claims under different definitions are never added up."""

    EDGE = "edge differential privacy"
    STRONG = "strong (α, ε) employer-employee privacy"
    WEAK = "weak (α, ε) employer-employee privacy"
    NODE = "node differential privacy"
    LOCAL = "local differential privacy"
    PROBABILISTIC = "(ε, δ)-probabilistic differential privacy"
    CENTRAL = "differential privacy"
    CONDITIONAL = "conditional on a data-dependent constant"
    NONE = "no formal guarantee"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPart:
    """What one part of a release spends: a column, a year, a variable of a record."""

    name: str
    epsilon: Decimal
    delta: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A promise: definition, unit of protection, ε, δ, α, what it assumes, and whether it is a proved guarantee.

    `parts` say how ε is divided; the whole is never more than their sum. `condition` names what the promise holds
    fixed although it was computed from the data ("the observed sensitivity χ"): such a promise is not a formal one.
    """

    definition: Definition
    unit: str
    epsilon: Decimal
    sentence: str
    delta: Decimal = Decimal(0)
    alpha: Decimal | None = None
    formal: bool = True
    assumptions: tuple[str, ...] = ()
    composition: str = "Sequential: ε adds up over every release from the same data."
    parts: tuple[ClaimPart, ...] = field(default=(), metadata=LATER)
    condition: str = field(default="", metadata=LATER)
