"""What the published method gives noise to, statistic by statistic: its exact value and local sensitivity in each cell.

A statistic is an estimate at a rank, the slope, the mean, an effect, or the standard error of an estimate. The local
sensitivity is the largest move that one added row within the bounds brings about. Cells without a line have neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.products.area_estimates.area_data import EFFECT, AreaData
from workbench.products.area_estimates.columns import MARGIN
from workbench.products.area_estimates.effects import UNIT_SQUARE, effect_of, error_moves_of
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.local_sensitivity import of_estimate

ERROR_GRID = 65  # values of the predictor at which the standard error is fitted again


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """`column` is where it is published; values and sensitivities between 0 and 1, not-a-number without a line.

    `scale` and `shift` bring a value into the outcome's own unit. `bias` is by how much a value was moved before noise.
    """

    column: str
    outcome: int
    value: Floats
    local: Floats
    scale: float
    shift: float = 0.0
    is_error: bool = False
    bias: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which statistics are published besides the estimates at the ranks."""

    slope: bool = False
    mean: bool = False
    errors: bool = False

    def each(self, ranks: int) -> int:
        """How many there are for one outcome."""
        estimates = ranks + self.slope + self.mean
        return estimates * (2 if self.errors else 1)


def statistics_of(prepared: AreaData, wanted: Wanted, *, corners: bool = False) -> tuple[Statistic, ...]:
    """Outcome by outcome: every rank, then slope and mean, each followed by its standard error where it is wanted."""
    if prepared.estimator is not None:
        return tuple(
            statistic
            for place, outcome in enumerate(prepared.outcomes)
            for statistic in _effect(prepared, place, outcome.width, wanted)
        )
    found: list[Statistic] = []
    for place, outcome in enumerate(prepared.outcomes):
        lines = prepared.lines.reveal()[place]
        usable = lines.usable
        cut = lines.chosen(usable)
        per_x = outcome.width / prepared.predictor.width
        asked: list[tuple[str, float | None, float, float]] = [
            (name, rank, outcome.width, outcome.lower)
            for name, rank in zip(prepared.rank_names(), prepared.inner_ranks, strict=True)
        ]
        asked += [("slope", None, per_x, 0.0)] if wanted.slope else []
        for name, rank, scale, shift in asked:
            value = cut.slope if rank is None else cut.at(rank)
            local = of_estimate(cut, rank, UNIT_SQUARE, corners=corners).largest
            found.append(
                Statistic(
                    column=name, outcome=place, value=_spread(value, usable), local=_spread(local, usable),
                    scale=scale, shift=shift,
                )
            )  # fmt: skip
            if wanted.errors:
                found.append(_error(cut, rank, usable, name, place, scale, corners=corners))
        if wanted.mean:
            found.append(_mean(cut, usable, place, outcome.width, outcome.lower))
    return tuple(found)


def _effect(prepared: AreaData, outcome: int, width: float, wanted: Wanted) -> list[Statistic]:
    """An effect is a difference of outcomes: it has their width, and no bound of its own to start from."""
    found = effect_of(prepared, outcome)
    told = [Statistic(column=EFFECT, outcome=outcome, value=found.value, local=found.sensitivity, scale=width)]
    if wanted.errors:
        moves = error_moves_of(prepared, outcome)
        told.append(
            Statistic(
                column=f"{EFFECT}_{MARGIN}", outcome=outcome, value=found.error, local=moves, scale=width, is_error=True
            )
        )
    return told


def _mean(cut: Lines, usable: Bools, outcome: int, width: float, lower: float) -> Statistic:
    """The mean moves by |y − ȳ|/(n + 1), most at a bound."""
    local = np.maximum(cut.y_mean, 1.0 - cut.y_mean) / (cut.size + 1)
    return Statistic(
        column="mean", outcome=outcome, value=_spread(cut.y_mean, usable), local=_spread(local, usable),
        scale=width, shift=lower,
    )  # fmt: skip


def _error(
    cut: Lines, rank: float | None, usable: Bools, name: str, outcome: int, scale: float, *, corners: bool
) -> Statistic:
    """The standard error, and how far one added row moves it, by fitting again from the moments.

    For a given x the error grows with the distance of y from the line: it is largest at a bound of y and smallest on
    the line itself. So y is searched exactly and x on a grid, both bounds included; the original's corners miss rows
    on the line.
    """
    value = _error_of(cut, rank)
    moved = np.zeros_like(value)
    for x in (0.0, 1.0) if corners else np.linspace(0.0, 1.0, ERROR_GRID).tolist():
        at = np.full_like(value, x)
        outcomes = [np.zeros_like(value), np.ones_like(value)]
        outcomes += [] if corners else [np.clip(cut.at(x), 0.0, 1.0)]
        for y in outcomes:
            moved = np.maximum(moved, np.abs(_error_of(cut.plus(at, y), rank) - value))
    return Statistic(
        column=f"{name}_{MARGIN}", outcome=outcome, value=_spread(value, usable), local=_spread(moved, usable),
        scale=scale, is_error=True,
    )  # fmt: skip


def _error_of(lines: Lines, rank: float | None) -> Floats:
    return lines.slope_error() if rank is None else lines.standard_error(rank)


def _spread(values: Floats, usable: Bools) -> Floats:
    """Values of the usable cells among all cells."""
    whole = np.full(len(usable), np.nan)
    whole[usable] = values
    return whole
