"""A method at a given total ε, whatever its own setting counts: so that methods are compared at equal cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed, turned
from workbench.products.area_estimates.area_data import AreaData


def at_total(mechanism: AnyMechanism, params: Any, prepared: AreaData, total: Decimal) -> Any:
    """The same settings with the dial where the claim comes to this total; claims are proportional to their dial."""
    one = claimed(mechanism, turned(mechanism, params, Decimal(1)), prepared)
    return turned(mechanism, params, total / one)
