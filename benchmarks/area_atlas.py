"""A simulated atlas for area estimates: real tract counts where the public file is there, simulated children.

One sex, white and Black children by tract, cells of 5 to 1,000. Lines differ between tracts by .054–.076 (white) and
.030–.064 (Black), less where cells are large; values at ranks .25 and .75 correlate .8; the mean of parents' rank goes
together with them (.5); outcomes are Beta with a residual standard deviation of .26. Pools are states × race.

The hard atlas breaks what the model assumes: lines differ by a law with heavy tails (t with 5 degrees), values at both
ranks correlate .6, the regression is curved (the truth is its best line in the cell), and the spread of parents' ranks
and of outcomes differs from tract to tract.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.products.area_estimates.area_data import TableSums
from workbench.products.area_estimates.fractional_sums import GRID, four_sums, moment_sum
from workbench.products.area_estimates.line import Lines, lines_of

# published means at parents' ranks .25 and .75, and the spread between tracts of the smallest and largest cells
RACES = {"white": ((0.46, 0.57), (0.076, 0.054)), "black": ((0.40, 0.51), (0.064, 0.030))}
LEAST, MOST = 5, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Atlas:
    truth: np.ndarray  # cells × 2
    lines: Lines
    table: TableSums
    pool: np.ndarray
    spread: np.ndarray  # sampling covariance of the exact line at both ranks, cells × 2 × 2

    @property
    def pools(self) -> int:
        return int(self.pool.max()) + 1


def shared_data() -> Path | None:
    """Where official and published example data are, if they are."""
    here = Path(os.environ.get("DWB_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    return here if here.is_dir() else None


def sizes(states: int) -> list[tuple[str, int, np.ndarray]]:
    """(race, state, children of each tract) of so many states, the first in the order of their numbers."""
    folder = shared_data()
    if folder is None:
        random = np.random.default_rng(8)
        return [
            (race, state, np.clip(np.exp(random.normal(mean, sd, 1400)), LEAST, MOST).astype(np.int64))
            for race, mean, sd in (("white", 5.4, 1.0), ("black", 3.9, 1.3))
            for state in range(states)
        ]
    counts: dict[tuple[str, int], list[float]] = {}
    with (folder / "opportunity_atlas_tracts" / "tract_collapse.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for race in RACES:
                text = row[f"kid_{race}_n"]
                if text not in ("", "NA") and float(text) / 2 >= LEAST:
                    counts.setdefault((race, int(row["state"])), []).append(float(text) / 2)
    chosen = sorted({state for _, state in counts})[:states]
    found = []
    for (race, state), listed in sorted(counts.items()):
        if state in chosen and len(listed) > 1:
            found.append((race, state, np.clip(np.array(listed), LEAST, MOST).astype(np.int64)))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """How lines differ between cells, and people within them."""

    together: float = 0.8
    heavy: bool = False
    curve: float = 0.0
    varies: float = 0.0  # of the logarithms of the spread of x and of y, between cells


USUAL, HARD = Law(), Law(together=0.6, heavy=True, curve=0.25, varies=0.3)


def simulated(states: int, seed: int, law: Law = USUAL) -> Atlas:
    """Pool by pool, so that no more than one pool's children are in memory."""
    random = np.random.default_rng(seed)
    parts = [_pool(size, *RACES[race], number, random, law) for number, (race, _, size) in enumerate(sizes(states))]
    truth, lines, table, pool, moments = zip(*parts, strict=True)
    whole = Lines(
        **{name: np.concatenate([getattr(each, name) for each in lines]) for name in Lines.__dataclass_fields__}
    )
    residual = np.array([each.residual.sum() / (each.size - 2).sum() for each in lines])
    pools = np.concatenate(pool)
    return Atlas(
        truth=np.concatenate(truth),
        lines=whole,
        table=TableSums(
            sums=np.concatenate([each.sums for each in table], axis=1),
            x_moment=np.concatenate([each.x_moment for each in table]),
            y_moment=np.concatenate([each.y_moment for each in table], axis=1),
        ),
        pool=pools,
        spread=residual[pools][:, None, None] * np.concatenate(moments),
    )


def _bend(rank: np.ndarray, cell: np.ndarray, concentration: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """(x − ½)² less its best line in the cell, by the moments of the Beta law of x."""
    a, total = concentration * mean, concentration
    moments = [np.ones_like(mean)]
    for order in range(3):
        moments.append(moments[-1] * (a + order) / (total + order))
    _, first, second, third = moments
    square = second - first + 0.25
    slope = (third - second + 0.25 * first - square * first) / (second - first * first)
    level = square - slope * first
    bent: np.ndarray = (rank - 0.5) ** 2 - level[cell] - slope[cell] * rank
    return bent


def _pool(
    size: np.ndarray,
    center: tuple[float, float],
    spread: tuple[float, float],
    number: int,
    random: np.random.Generator,
    law: Law,
) -> tuple[np.ndarray, Lines, TableSums, np.ndarray, np.ndarray]:
    cells = len(size)
    share = np.clip(np.log(size / LEAST) / np.log(MOST / LEAST), 0, 1)
    sd = spread[0] + (spread[1] - spread[0]) * share
    z = random.standard_t(5, size=(cells, 3)) * np.sqrt(0.6) if law.heavy else random.normal(size=(cells, 3))
    high = law.together * z[:, 0] + np.sqrt(1 - law.together**2) * z[:, 1]
    own = np.stack([z[:, 0], high], axis=1) * sd[:, None]
    truth = np.array(center) + own
    parents = np.clip(0.5 + 0.13 * (0.5 * z[:, 0] + np.sqrt(0.75) * z[:, 2]), 0.12, 0.88)
    cell = np.repeat(np.arange(cells), size)
    held = 4 * np.exp(law.varies * random.normal(size=cells)) if law.varies else np.full(cells, 4.0)
    residual = 0.26 * np.exp(law.varies / 2 * random.normal(size=cells)) if law.varies else np.full(cells, 0.26)
    x = random.beta(held[cell] * parents[cell], held[cell] * (1 - parents[cell]))
    x = np.rint(x * GRID).astype(np.int64)
    rank = x / GRID
    mean = (1.5 - 2 * rank) * truth[cell, 0] + (2 * rank - 0.5) * truth[cell, 1]
    if law.curve:
        mean = mean + law.curve * _bend(rank, cell, held, parents)
    mean = np.clip(mean, 0.03, 0.97)
    concentration = np.maximum(mean * (1 - mean) / residual[cell] ** 2 - 1, 0.2)
    y = np.rint(random.beta(mean * concentration, (1 - mean) * concentration) * GRID).astype(np.int64)

    def added(values: np.ndarray) -> np.ndarray:
        return np.bincount(cell, weights=values, minlength=cells).astype(np.int64)

    sum_x, sum_y, sum_xx = added(x), added(y), added(x * x)
    table = TableSums(
        sums=four_sums(size, sum_x, sum_y, added(x * y))[None],
        x_moment=moment_sum(size, sum_x, sum_xx),
        y_moment=moment_sum(size, sum_y, added(y * y)).sum(keepdims=True)[None],
    )
    lines = lines_of(rank, y / GRID, cell, cells)
    away = np.array([0.25, 0.75])[None, :] - lines.x_mean[:, None]
    steady = np.maximum(lines.x_spread, 1e-3)
    moments = 1 / size[:, None, None] + away[:, :, None] * away[:, None, :] / steady[:, None, None]
    return truth, lines, table, np.full(cells, number), moments
