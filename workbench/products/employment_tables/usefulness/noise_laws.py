"""The law of a mechanism's error, where it knows one; otherwise it is studied by its own draws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from workbench.mechanisms.contract import AnyMechanism
from workbench.products.employment_tables.mechanisms.error_law import ErrorLaw, Noise


def noise_of(mechanism: AnyMechanism, params: Any, worker_cells: int) -> Noise | None:
    """The law of the error for feasible params on a table with so many worker cells; None where none is known."""
    return _law(mechanism, params, worker_cells) if isinstance(mechanism, ErrorLaw) else None


@lru_cache(maxsize=4096)
def _law(mechanism: ErrorLaw, params: Any, worker_cells: int) -> Noise | None:
    """A calibration depends on settings alone, and studies ask for the same ones again and again."""
    return mechanism.error_law(params, worker_cells)
