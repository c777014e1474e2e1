"""Figure 1 of Haney et al. (2017): what an attacker believes of one establishment's size, before and after."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.progress import Context

_LEAST_SHOWN = 1e-9  # probabilities below are left out of the figure
_POINTS = 81


class Prior(StrEnum):
    UNIFORM = "uniform"
    SMALL = "small"


def sizes_around(size: int, spread: float) -> NDArray[np.int64]:
    """Whole sizes from size/spread to size·spread, evenly on a logarithmic axis, the size itself among them."""
    around = np.rint(np.geomspace(max(size / spread, 1), spread * size, _POINTS)).astype(np.int64)
    return np.union1d(around, [size])


def prior_posterior(
    loss_to: Callable[[int], float],
    *,
    size: int,
    slope: float,
    context: Context,
    spread: float = 2.0,
    prior: Prior = Prior.UNIFORM,
) -> Figure:
    """A prior over sizes, and how peaked around one size a posterior can become.

    For each other size the posterior odds fall by at most the loss of that pair, `loss_to(other)`; the requirement
    allows ε for each factor of 1+α, a slope of ε/ln(1+α) on logarithmic axes (the source's figure misprints the slope).
    """
    sizes = sizes_around(size, spread)
    losses = np.empty(len(sizes))
    for number, other in enumerate(sizes.tolist()):
        context.step(number / len(sizes), "Prior and posterior of one establishment")
        losses[number] = loss_to(other)
    x = sizes.astype(np.float64)
    weight = np.ones(len(x)) if prior is Prior.UNIFORM else 1.0 / x
    permitted = slope * np.abs(np.log(x / size))
    before = weight / weight.sum()
    words = "Sizes drawn are equally likely beforehand" if prior is Prior.UNIFORM else "Small sizes are likelier"
    return Figure(
        kind=Kind.LINES,
        title=f"What an attacker may learn about an establishment of {size:,} {'job' if size == 1 else 'jobs'}",
        subtitle=f"{words}; the most peaked belief afterwards",
        x=Axis(label="Size of the establishment", unit="jobs", log=True),
        y=Axis(label="Probability", log=True),
        series=(
            Series(name="before", x=tuple(x.tolist()), y=tuple(before.tolist()), dashed=True, muted=True),
            _belief("permitted by the requirement", x, weight * np.exp(-permitted), dashed=True),
            _belief("reached by this mechanism", x, weight * np.exp(-losses), dashed=False),
        ),
        marks=(Mark(name="true size", value=float(size), vertical=True),),
    )


def permitted_slope(epsilon: float, alpha: float) -> float:
    """ε/ln(1+α): how fast the log odds may fall with the logarithm of the size."""
    return epsilon / math.log1p(alpha)


def _belief(name: str, x: NDArray[np.float64], weight: NDArray[Any], *, dashed: bool) -> Series:
    """Probabilities in proportion to the weights, those too small to draw left out."""
    share = weight / weight.sum()
    kept = share >= _LEAST_SHOWN
    return Series(name=name, x=tuple(x[kept].tolist()), y=tuple(share[kept].tolist()), dashed=dashed)
