"""The dial: the one setting of a mechanism that is turned to spend more or less.

Most mechanisms call it `epsilon`. One that spends ε for each variable or each statistic names its own (`dial`), and its
claim says what that comes to. Whatever is drawn over ε stands at the ε of the claim, which is what the ledger counts.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from workbench.core.params import fields_of
from workbench.mechanisms.contract import AnyMechanism

_USUAL = "epsilon"


def dial_of(mechanism: AnyMechanism) -> str:
    """The name of the params field; empty where the mechanism is not governed by any."""
    name: str = getattr(mechanism, "dial", _USUAL)
    return name if any(field.name == name for field in fields_of(mechanism.params)) else ""


def turned(mechanism: AnyMechanism, params: Any, value: Decimal) -> Any:
    """The same params with the dial at `value`. A larger value never claims less."""
    name = dial_of(mechanism)
    kind = type(getattr(params, name))
    return replace(params, **{name: kind(value)})


def setting(mechanism: AnyMechanism, params: Any) -> Decimal | None:
    """Where the dial stands; None where there is none."""
    name = dial_of(mechanism)
    return Decimal(getattr(params, name)) if name else None


def claimed(mechanism: AnyMechanism, params: Any, prepared: Any = None) -> Decimal:
    """The ε that the claim states at these params."""
    return Decimal(mechanism.claim(prepared, params).epsilon)


def moved_by(mechanism: AnyMechanism, params: Any, prepared: Any = None) -> str:
    """The setting that a line at the claimed ε stands for: the dial where it is that ε itself, otherwise none."""
    return dial_of(mechanism) if setting(mechanism, params) == claimed(mechanism, params, prepared) else ""
