"""What the study that set the limits of area estimates tells of its atlas apart from any private table, beside ours.

Errors of exact lines by number of children; of maximum observed sensitivity the median χ of a pool, the cell that sets
it, and what the removal of one person does to χ. The law of parents' ranks in `area_atlas` was chosen by these.
`python -m benchmarks.area_facts 51` takes all states; a second number is the seed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.area_atlas import SEXES, USUAL, Children, children
from workbench.mechanisms.observed_sensitivity import losses
from workbench.products.area_estimates.line import Lines
from workbench.products.area_estimates.local_sensitivity import Bounds, of_estimate

RANKS = (0.25, 0.75)
EDGES = (5, 20, 50, 100, 250, 10**9)
LEAST = 20  # children of a cell that maximum observed sensitivity publishes
_LOOKED_AT = 5_000  # people of a pool whose removal is tried, those of the most sensitive cells first
_DELTA = 1e-6
STUDY_ERRORS = (".111/.180", ".069/.106", ".048/.061", ".034/.035", ".023/.020")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One pool at one rank: χ, the size of the cell that sets it, and χ without each person over χ."""

    rank: float
    chi: float
    setting: int
    cells: int
    ratios: np.ndarray

    def changing(self) -> int:
        return int((np.abs(self.ratios - 1) > 1e-12).sum())

    def worst(self) -> float:
        """ε at δ = 10⁻⁶ that the other cells tell of the person who changes χ most."""
        told = [
            max(losses.rescaling_epsilon(cells=self.cells - 1, ratio=float(ratio), delta=_DELTA))
            for ratio in (self.ratios.min(), self.ratios.max())
        ]
        return max(told)


def main() -> int:
    states = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    errors, sizes, found = [], [], []
    for each in children(states, seed, USUAL, SEXES[0]):
        lines = each.lines
        errors.append(np.stack([lines.at(rank) for rank in RANKS], axis=1) - each.truth)
        sizes.append(each.size)
        found += list(_pools(each, lines))
    size, off = np.concatenate(sizes), np.concatenate(errors)
    off = np.where(np.isfinite(off), off, np.nan)
    print(
        f"{len(size):,} cells, {int(size.sum()):,} children, {len(found)} pools at two ranks; in parentheses the study"
    )
    for (low, high), study in zip(pairwise(EDGES), STUDY_ERRORS, strict=True):
        inside = (size >= low) & (size < high)
        own = "/".join(f"{np.sqrt(np.nanmean(each**2)):.3f}" for each in off[inside].T)
        print(f"  error of exact lines, {low} to {high - 1}: {own} ({study})")
    chi = "/".join(f"{np.median([each.chi for each in found if each.rank == rank]):.1f}" for rank in RANKS)
    print(f"  median χ: {chi} (9.3/9.7)")
    print(f"  children of the cell that sets χ, median: {np.median([each.setting for each in found]):.0f} (180)")
    changing = sum(each.changing() for each in found) / len(RANKS) / size.sum()
    print(f"  people whose removal changes χ at a rank, mean of both: {changing:.3%} (.094 %)")
    print(f"  χ after a removal over χ: {min(each.ratios.min() for each in found):.2f} to "
          f"{max(each.ratios.max() for each in found):.2f} (.60 to 2.40)")  # fmt: skip
    worst = np.array([each.worst() for each in found])
    print(f"  pools where a removal costs ε above 8: {np.mean(worst > 8):.0%} (79 %); median of the worst: "
          f"{np.median(worst):.1f} (21.6)")  # fmt: skip
    return 0


def _pools(pool: Children, lines: Lines) -> Iterator[Pool]:
    shown = np.flatnonzero(lines.usable & (lines.size >= LEAST))
    if len(shown) < 2:
        return
    by_cell = np.argsort(pool.cell, kind="stable")
    ends = np.searchsorted(pool.cell[by_cell], np.arange(len(pool.size) + 1))
    for rank in RANKS:
        product = lines.size[shown] * of_estimate(lines.chosen(shown), rank, Bounds()).largest
        order = np.argsort(-product, kind="stable")
        cells, chi, second = shown[order], float(product[order[0]]), float(product[order[1]])
        taken = cells[: max(1, int((np.cumsum(lines.size[cells]) <= _LOOKED_AT).sum()))]
        rows = np.concatenate([by_cell[ends[each] : ends[each + 1]] for each in taken])
        cell = pool.cell[rows]
        left = lines.chosen(cell).minus(pool.x[rows] / 1000, pool.y[rows] / 1000)
        after = np.zeros(len(rows))
        kept = np.flatnonzero(left.usable & (left.size >= LEAST))
        after[kept] = left.size[kept] * of_estimate(left.chosen(kept), rank, Bounds()).largest
        elsewhere = np.where(cell == cells[0], second, chi)
        yield Pool(
            rank=rank, chi=chi, setting=int(lines.size[cells[0]]), cells=len(cells),
            ratios=np.maximum(after, elsewhere) / chi,
        )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
