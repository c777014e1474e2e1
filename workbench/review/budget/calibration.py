"""What a mechanism would do to one case: noise scale, expected error, loss. No data and no project are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from workbench.core.claims import Claim
from workbench.core.errors import UserProblem
from workbench.core.findings import Table
from workbench.core.params import parse
from workbench.core.specs import find
from workbench.mechanisms.contract import AnyMechanism, Calibration, HasSettingsTable
from workbench.products import registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    claim: Claim
    numbers: Calibration


def case_of(mechanism: str) -> type[Any]:
    """The params of a case, as the mechanism of that id describes one."""
    return _mechanism(mechanism).case


def calibrated(mechanism: str, settings: Mapping[str, Any], case: Any) -> Calibrated:
    """The mechanism with these settings on a case; a problem where they are not possible."""
    found = _mechanism(mechanism)
    params: Any = parse(found.params, settings, found.id)
    numbers = found.calibrate(params, case)
    return Calibrated(claim=found.claim(None, params), numbers=numbers)


def settings_table(mechanism: str) -> Table:
    """Which settings of the mechanism are possible together, where it has such a table."""
    found = _mechanism(mechanism)
    if isinstance(found, HasSettingsTable):
        return found.settings_table()
    having = ", ".join(one.id for one in registry.offered("mechanisms") if isinstance(one, HasSettingsTable))
    raise UserProblem(f"{found.title} has no table of possible settings", "--table", f"These have one: {having}")


def _mechanism(name: str) -> AnyMechanism:
    return cast(AnyMechanism, find(registry.offered("mechanisms"), name, "mechanism"))
