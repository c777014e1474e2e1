"""From which private step on the mean is taken: the first that differs from later ones by no more than noise explains.

Near the fit every step lands at β* + H⁻¹ξ with its own noise ξ ~ N(0, sd_g²I). So D = (step k − mean of the m later
steps) has H·D ~ N(0, sd_g²(1 + 1/m)·I), and ‖H·D‖²/(sd_g²(1 + 1/m)) is χ² with d degrees: d on average, with a standard
deviation of √(2d). A step that is still on its way is farther off. The mean starts at the first step, from the third to
the seventh, that is at most 1.64 standard deviations above d (one in twenty that has arrived is left out for nothing).
Where not even the seventh and the eighth agree, the steps have not settled: the mean starts at the third, without
margins. A distance that stays below the noise of one step is not seen, and is small beside it.
Privacy: a function of drawn steps alone, hence without cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers

FIRST = 2  # the third step, counted from zero
_SURE = 1.64


@dataclass(frozen=True, slots=True, eq=False)
class SettledSteps:
    """For each copy: the mean of its settled steps, how many those are, and whether there are any."""

    mean: Floats
    averaged: Integers
    settled: Bools


def settled_steps(visited: Floats, curvature: Floats, spread: Floats) -> SettledSteps:
    """`visited` is steps × copies × coefficients; curvature H and the noise sd_g of a gradient are of each copy."""
    steps, copies, d = visited.shape
    start = np.full(copies, FIRST)
    settled = np.zeros(copies, dtype=bool)
    for step in range(FIRST, steps - 1):
        later = steps - 1 - step
        away = visited[step] - visited[step + 1 :].mean(axis=0)
        pulled = np.einsum("cij,cj->ci", curvature, away)
        square = (pulled**2).sum(axis=1) / (spread**2 * (1.0 + 1.0 / later))
        now = ~settled & (square <= d + _SURE * np.sqrt(2.0 * d))
        start[now], settled = step, settled | now
    kept = np.arange(steps)[:, None] >= start
    averaged = kept.sum(axis=0)
    mean: Floats = (visited * kept[:, :, None]).sum(axis=0) / averaged[:, None]
    return SettledSteps(mean=mean, averaged=averaged, settled=settled)
