"""The dial of a plan's mechanism: where it stands, and the plan's settings without it. Knows no Qt."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from workbench.core.quantities import show
from workbench.mechanisms.dial import dial_of, setting, turned
from workbench.review.plan.plan import Plan
from workbench.review.plan.settings import sign_of
from workbench.review.run.protect import mechanism_of


def position(plan: Plan) -> Decimal | None:
    """Where the dial stands; None where no setting governs ε."""
    return setting(mechanism_of(plan), plan.mechanism.params)


def in_words(plan: Plan) -> str:
    """“ε = 2”; empty where no setting governs ε."""
    dial, at = dial_of(mechanism_of(plan)), position(plan)
    return "" if dial is None or at is None else f"{sign_of(dial.field)} = {show(at)}"


def at_rest(plan: Plan) -> Any:
    """The params with the dial at 1: the same for all plans that differ in nothing else."""
    return turned(mechanism_of(plan), plan.mechanism.params, Decimal(1))
