"""Study draws of a method, in as many copies at once as fit into memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.contract import AnyMechanism
from workbench.products.model_fits.fit_data import FitData

_AT_ONCE = 20_000_000  # people × coefficients × draws made at once


def study_draws(
    data: FitData, method: tuple[AnyMechanism, Any], wanted: int, rng: StudyRandom, context: Context
) -> tuple[Columns, ...]:
    """At least one part; each holds the rows of its copies one after another."""
    mechanism, settings = method
    many = max(1, min(wanted, _AT_ONCE // max(1, data.grid.reveal().size)))
    parts: list[Columns] = []
    for start in range(0, wanted, many):
        copies = min(many, wanted - start)
        within = Part(context, start / wanted, (start + copies) / wanted)
        parts.append(mechanism.study(replace(data, copies=copies), settings, rng, within).reveal())
    return tuple(parts)


def drawn_numbers(parts: tuple[Columns, ...], name: str, coefficients: int) -> Floats:
    """One column of all draws: draws × coefficients, not-a-number where there is a gap."""
    return np.concatenate([part.units(name).numbers().reshape(-1, coefficients) for part in parts])
