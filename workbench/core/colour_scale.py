"""Which number is which colour: one scale for the cells of a heat map and for the places of a map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats
from workbench.core.figures import Figure, Kind


@dataclass(frozen=True, slots=True)
class Scale:
    """Which number is which colour: from `low` to `high`, evenly or by logarithm."""

    low: float
    high: float
    log: bool = False

    def shares(self, values: Iterable[float] | Floats) -> Floats:
        """0 for the lowest number, 1 for the highest; not-a-number where there is no colour for it."""
        numbers = _scaled(values, log=self.log)
        low, high = _scaled((self.low, self.high), log=self.log)
        with np.errstate(invalid="ignore"):
            return (numbers - low) / (high - low) if high > low else np.where(np.isnan(numbers), np.nan, 0.5)

    def colours(self, values: Iterable[float] | Floats, ramp: Sequence[str], missing: str) -> NDArray[np.uint8]:
        """Red, green and blue of every number, as bytes."""
        shares = self.shares(values)
        stops = np.array([_rgb(stop) for stop in ramp], dtype=np.float64)
        at = np.linspace(0, 1, len(stops))
        known = np.nan_to_num(shares)
        made = np.stack([np.interp(known, at, stops[:, part]) for part in range(3)], axis=-1)
        made[np.isnan(shares)] = _rgb(missing)
        return np.rint(made).astype(np.uint8)

    def at(self, share: float) -> float:
        """The number that this share of the colours stands for."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)


def scale_of(figure: Figure) -> Scale:
    """The scale of a heat map's cells or of all values of a map; from 0 to 1 where there are none."""
    log = figure.colour is not None and figure.colour.log
    parts = figure.grid if figure.kind is Kind.HEAT_MAP else [series.value for series in figure.series]
    numbers = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts] or [np.zeros(0)])
    known = numbers[np.isfinite(numbers) & ((numbers > 0) | (not log))]
    return Scale(float(known.min()), float(known.max()), log) if len(known) else Scale(0.0, 1.0)


def _scaled(values: Iterable[float] | Floats, *, log: bool) -> Floats:
    numbers = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
    if log:
        numbers = np.log10(np.where(numbers > 0, numbers, np.nan))
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
