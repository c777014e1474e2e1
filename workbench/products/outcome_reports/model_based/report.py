"""Model-based estimates of a whole published report, from the published table alone.

The first key column is what is pooled over (the institution where there is one), the last is the year, those between
are the cells; people move between those of the last key before the year. Percentiles are modelled one by one, each with
its own margin. Means are modelled from the noisy sums or bins themselves (`linear_means.py`). Where count and mean come
from the same noisy sums, the modelled mean makes the count better (`joint_noise.py`), and the counts are modelled once
more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published, Units
from workbench.products.outcome_reports.model_based.counts import modelled_with_noise
from workbench.products.outcome_reports.model_based.earnings import modelled_deviations, modelled_earnings
from workbench.products.outcome_reports.model_based.expected_people import expected
from workbench.products.outcome_reports.model_based.joint_noise import Cells, published_cap, steadied
from workbench.products.outcome_reports.model_based.linear_means import Direct, deviations
from workbench.products.outcome_reports.model_based.noise_within_blocks import after_means, possible
from workbench.products.outcome_reports.model_based.within_bins import parted
from workbench.products.outcome_reports.published_outcomes import LEVEL, MARGINS, NAMES

_WEAK = 0.5  # relative sd that a percentile of a few people gets besides: projected bins are not centred there
_FEWEST = 5.0  # people: where there may be fewer, by one sd, pay of single people decides and a mean has no margin
_WIDER = 1.1  # than the model has it: pay of few people is not normal, and sizes of effects are seen through noise
_CERTAIN = 3.0  # sds of noise: fewer people are a few


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBased:
    """By name of the published column: estimates and margins of error, row by row."""

    values: dict[str, Floats]
    margins: dict[str, Floats]


def modelled(table: Published) -> ModelBased:
    """What the model makes of every column that has a margin of error."""
    shape = _shape([len(key.values) for key in table.keys])
    cube = (shape[0], shape[1] * shape[2], shape[3])
    count, noise = _column(table, NAMES[0]), _column(table, MARGINS[0]) / LEVEL
    if np.isnan(noise).all():
        return ModelBased(values={}, margins={})
    noise = np.maximum(noise, 1e-3)
    laws = possible(table, shape[2], shape[3])
    people, spread, law = modelled_with_noise(count.reshape(shape), noise.reshape(shape), laws)
    earned: dict[str, tuple[Floats, Floats]] = {}
    for name, margin in zip(NAMES[1:], MARGINS[1:], strict=True):
        direct, sd = _column(table, name), _column(table, margin) / LEVEL
        if not np.isfinite(direct * sd).any():
            continue
        if name == NAMES[1]:
            told = Direct(count=count, count_sd=noise, mean=direct, mean_sd=sd)
            means = deviations(table, told, expected(people, spread), shape, law)
            away, left = modelled_deviations(means.given)
            value = means.pooled * np.maximum(1.0 + away.reshape(-1), 0.0)
            earned[name] = value, np.hypot(means.pooled * left.reshape(-1), means.alike)
            continue
        parts = parted(table, direct, sd)
        few = _CERTAIN * noise / np.maximum(people.reshape(-1), 1.0)
        doubt = np.hypot(parts.noise, direct * _WEAK * np.minimum(few, 1.0) ** 2)
        found, left = modelled_earnings(direct.reshape(cube), doubt.reshape(cube), people.reshape(cube))
        gone = np.where(few > 1.0, np.nan, 0.0)
        earned[name] = found.reshape(-1) + gone, np.hypot(left.reshape(-1), np.nan_to_num(parts.stays)) + gone
    cap = published_cap(table, _column(table, NAMES[1])) if NAMES[1] in earned else None
    if cap is not None:
        model, left = earned[NAMES[1]]
        cells = Cells(
            count=count.reshape(shape), count_sd=noise.reshape(shape), mean=_column(table, NAMES[1]).reshape(shape),
            mean_sd=_column(table, MARGINS[1]).reshape(shape) / LEVEL, model=model.reshape(shape),
            left=left.reshape(shape), people=people,
        )  # fmt: skip
        people, spread, _ = modelled_with_noise(*steadied(cells, cap, law.same_year), after_means(law))
    every = {NAMES[0]: (people.reshape(-1), spread.reshape(-1)), **earned}
    margins = {name: LEVEL * sd for name, (_, sd) in every.items()}
    if NAMES[1] in margins:
        doubtful = (people - spread).reshape(-1) < _FEWEST
        margins[NAMES[1]] = np.where(doubtful, np.nan, _WIDER * margins[NAMES[1]])
    return ModelBased(values=_in_order({name: value for name, (value, _) in every.items()}), margins=margins)


def _shape(sizes: list[int]) -> tuple[int, int, int, int]:
    """Institutions × titles × sectors × years: the sectors are the last key before the year, where there are two."""
    if len(sizes) == 1:
        return 1, 1, 1, sizes[0]
    middle = sizes[1:-1]
    sectors = middle[-1] if len(middle) > 1 else 1
    return sizes[0], math.prod(middle) // sectors, sectors, sizes[-1]


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
