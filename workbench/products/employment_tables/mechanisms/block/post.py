"""What may be done to block noise after it was drawn: nothing, zero for negative values, or consistent estimates.

It is a function of drawn values and of public facts, so it costs no privacy (differential privacy and its kin are
closed under post-processing). It makes the error smaller and gives up that every cell is right on average.
`non-negative`: max(y, 0), which adds jobs wherever cells are small.
`consistent`: the estimates of `block_shrinkage`; then for each workplace cell the nearest values (least squares) that
are not below zero and add up to its estimated total, which is at least one where the list of workplace cells names only
those with an establishment; then the margins over similar workplace cells; then whole numbers that add up to the
rounded total of their workplace cell, by largest remainders. `components`: the estimates of `block_components` instead,
and no factor for the margins. Both need to know how large the noise is on average, for which a two-hundredth of the ε
that was set is put aside (`block_scale_meter`): the whole costs ε as before.
"""

from __future__ import annotations

import math
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import Epsilon
from workbench.products.employment_tables.mechanisms.block.components import Covariance, estimated
from workbench.products.employment_tables.mechanisms.block.scale_meter import SHARE, ScaleMeter
from workbench.products.employment_tables.mechanisms.block.shrinkage import alike, shrunk, with_margins
from workbench.products.employment_tables.mechanisms.block.steps import RepeatedCells, least_total
from workbench.products.employment_tables.tabulation.cells import Cells

_LARGEST = 2.0**50  # doubles keep whole numbers and their sums up to here; the same for all data
_ROWS = 50_000


class PostProcessing(StrEnum):
    NONE = "none"
    NON_NEGATIVE = "non-negative"
    CONSISTENT = "consistent"
    COMPONENTS = "components"

    @property
    def metered(self) -> bool:
        """Whether a part of ε asks how large the noise is."""
        return self in (PostProcessing.CONSISTENT, PostProcessing.COMPONENTS)


def post_processing_param() -> Any:
    return param(
        PostProcessing.NONE,
        "Post-processing",
        "Changes values after the draw, at no privacy cost. “None” keeps cells right on average; the last two borrow "
        "from similar workplace cells and put ε/200 aside.",
        labels={
            "none": "None: right on average",
            "non-negative": "Negative values set to zero",
            "consistent": "Consistent: not negative",
            "components": "Components: not negative, smallest error",
        },
        effect="post-processing",
    )


def with_post_processing(raw: dict[str, object]) -> dict[str, object]:
    """Settings of older plans and projects, which knew `non_negative` only, in today's words."""
    if "non_negative" not in raw or "post_processing" in raw:
        return raw
    was = str(raw["non_negative"]).strip().lower() in ("true", "yes", "on", "1")
    kept = {key: value for key, value in raw.items() if key != "non_negative"}
    return {**kept, "post_processing": str(PostProcessing.NON_NEGATIVE if was else PostProcessing.NONE)}


def for_noise(epsilon: Decimal, kind: PostProcessing) -> Fraction:
    """The part of ε that the noise gets."""
    return Fraction(epsilon) * (1 - SHARE) if kind.metered else Fraction(epsilon)


def for_scale(epsilon: Decimal, kind: PostProcessing) -> Fraction:
    """The part of ε that asking for the size of the noise gets."""
    return Fraction(epsilon) - for_noise(epsilon, kind)


class SplitEpsilon:
    """Params whose ε may be divided between the noise and the question how large it is."""

    __slots__ = ()
    epsilon: Epsilon
    post_processing: PostProcessing

    @property
    def noise_epsilon(self) -> float:
        """What the noise gets of ε."""
        return float(for_noise(self.epsilon, self.post_processing))

    @property
    def scale_epsilon(self) -> float:
        """What asking for the size of the noise gets of ε."""
        return float(for_scale(self.epsilon, self.post_processing))

    from_older = staticmethod(with_post_processing)


def sentence(kind: PostProcessing) -> str:
    """What the claim adds, empty where nothing is done."""
    if kind is PostProcessing.NON_NEGATIVE:
        return " Negative values were set to zero afterwards, which costs no privacy and makes small cells too large."
    if kind.metered:
        return (
            " A two-hundredth of ε asked how large the noise is on average. Afterwards the drawn values were turned "
            "into consistent estimates, from themselves and public facts alone: that costs no privacy, and pulls "
            "single cells towards the shares of similar workplace cells."
        )
    return ""


def processed(
    noisy: Integers, prepared: Cells, kind: PostProcessing, *, noise: Covariance, meter: ScaleMeter, context: Context
) -> Integers:
    """The values to publish, from drawn ones and the public domain; the meter is the only way to anything else."""
    if kind is PostProcessing.NONE:
        return noisy
    if kind is PostProcessing.NON_NEGATIVE:
        return np.maximum(noisy, 0)
    domain = prepared.domain
    drawn = noisy.reshape(len(domain.workplace_cells), domain.worker_combinations)
    estimate = np.clip(drawn.astype(np.float64), -_LARGEST, _LARGEST)
    if isinstance(prepared, RepeatedCells):  # copies stand for separate data sets: nothing may pass between them
        return _in_whole_numbers(estimate, prepared.least, context)
    least = least_total(domain)
    pool = alike(estimate, domain, Part(context, 0.0, 0.4))
    if pool is not None and kind is PostProcessing.COMPONENTS:
        sizes = [len(attribute.values) for attribute in domain.worker]
        estimate = estimated(pool, sizes, noise, meter, Part(context, 0.4, 0.8))
        estimate = on_simplex(estimate, np.maximum(estimate.sum(axis=1), least))
    elif pool is not None:
        estimate = shrunk(pool, math.sqrt(noise.own), meter, Part(context, 0.4, 0.8))
        estimate = on_simplex(estimate, np.maximum(estimate.sum(axis=1), least))
        context.step(0.8, "bringing the margins into line")
        estimate = with_margins(estimate, pool)
    return _in_whole_numbers(estimate, least, Part(context, 0.8, 1.0))


def _in_whole_numbers(estimate: Floats, least: int, context: Context) -> Integers:
    made = np.empty(estimate.shape, dtype=np.int64)
    for start in range(0, len(made), _ROWS):
        context.step(start / len(made), "rounding to whole numbers that add up")
        made[start : start + _ROWS] = whole_numbers(estimate[start : start + _ROWS], least)
    context.step(1.0, "values post-processed")
    return made.ravel()


def whole_numbers(estimate: Floats, least: int) -> Integers:
    """Per row: not below zero, whole, adding up to the rounded sum of the row or to `least`, and near the estimate."""
    total = np.maximum(np.rint(estimate.sum(axis=1)), least)
    near = on_simplex(estimate, total)
    down = np.floor(near)
    missing = (total - down.sum(axis=1))[:, None]
    order = np.argsort(down - near, axis=1, kind="stable")
    place = np.argsort(order, axis=1, kind="stable")
    made: Integers = (down + (place < missing)).astype(np.int64)
    return made


def on_simplex(values: Floats, total: Floats) -> Floats:
    """The nearest point with no negative part and this sum: max(v − t, 0), t found by sorting (Held et al. 1974)."""
    falling = -np.sort(-values, axis=1)
    excess = np.cumsum(falling, axis=1) - total[:, None]
    count = np.arange(1, values.shape[1] + 1)
    last = np.maximum(np.count_nonzero(falling * count > excess, axis=1), 1) - 1
    cut = excess[np.arange(len(values)), last] / (last + 1)
    found: Floats = np.maximum(values - cut[:, None], 0.0)
    return found
