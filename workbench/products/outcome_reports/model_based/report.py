"""Model-based estimates of a whole published report, from the published table alone.

The first key column is what is pooled over (the institution where there is one), the last is the year, those between
are the cells. Percentiles are modelled one by one, each with its own margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published, Units
from workbench.products.outcome_reports.model_based.counts import modelled_counts
from workbench.products.outcome_reports.model_based.earnings import modelled_earnings
from workbench.products.outcome_reports.published_outcomes import LEVEL, MARGINS, NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBased:
    """By name of the published column: estimates and margins of error, row by row."""

    values: dict[str, Floats]
    margins: dict[str, Floats]


def modelled(table: Published) -> ModelBased:
    """What the model makes of every column that has a margin of error."""
    sizes = [len(key.values) for key in table.keys]
    shape = (sizes[0], math.prod(sizes[1:-1]), 1, sizes[-1]) if len(sizes) > 1 else (1, 1, 1, sizes[-1])
    values: dict[str, Floats] = {}
    margins: dict[str, Floats] = {}
    count = _column(table, NAMES[0])
    noise = _column(table, MARGINS[0]) / LEVEL
    if np.isnan(noise).all():
        return ModelBased(values={}, margins={})
    people, spread = modelled_counts(count.reshape(shape), np.maximum(noise, 1e-3).reshape(shape))
    values[NAMES[0]], margins[NAMES[0]] = people.reshape(-1), LEVEL * spread.reshape(-1)
    cube = (shape[0], shape[1], shape[3])
    for name, margin in zip(NAMES[1:], MARGINS[1:], strict=True):
        direct, sd = _column(table, name), _column(table, margin) / LEVEL
        if np.isfinite(direct * sd).any():
            found, left = modelled_earnings(direct.reshape(cube), sd.reshape(cube), people.reshape(cube))
            values[name], margins[name] = found.reshape(-1), LEVEL * left.reshape(-1)
    return ModelBased(values=_in_order(values), margins=margins)


def _column(table: Published, name: str) -> Floats:
    column = table.units(name)
    assert isinstance(column, Units)
    return column.numbers()


def _in_order(values: dict[str, Floats]) -> dict[str, Floats]:
    """Percentiles that were modelled one by one are put in order."""
    if not set(NAMES[2:]) <= set(values):
        return values
    arranged = np.sort(np.stack([values[name] for name in NAMES[2:]]), axis=0)
    return {**values, **dict(zip(NAMES[2:], arranged, strict=True))}
