"""Which sample can be written at any size. A product's twin is one more line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from workbench.products.commuting_flows.twin.commuting import write_commuting_twin
from workbench.products.employment_tables.twin.employment import write_employment_twin

TWINS: dict[str, Callable[..., Sequence[Path] | Any]] = {
    "employment_tables": write_employment_twin,
    "commuting_flows": write_commuting_twin,
}
