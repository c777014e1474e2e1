"""The figures of the posterior-ratio audit: transition matrix and distribution of ε over populations."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Mark, Series
from workbench.core.quantities import show
from workbench.products.commuting_flows.audit.posterior_ratio_population import Attack
from workbench.products.commuting_flows.synthetic_residences.loss import Losses

_BINS = 40
_DIGITS = 6


def transition_heat_map(attack: Attack, *, most: int, all_draws: bool = False) -> Figure:
    """Rows: where the unknown worker lives; columns: where synthetic workers do. The worst pair is outlined."""
    shown = attack.shown(most)
    numbers = tuple(str(number) for number in range(1, len(shown) + 1))
    names = tuple(f"{number}  {attack.view.points[place]}" for number, place in zip(numbers, shown, strict=True))
    chances = at_least_one(attack)[:, shown] if all_draws else attack.audit.matrix[:, shown]
    worst = attack.audit.all_draws if all_draws else attack.audit.one_draw
    rows = [shown.index(row) for row in dict.fromkeys((worst.row_a, worst.row_b))]
    draws = "at least one of the synthetic workers" if all_draws else "one synthetic worker"
    return Figure(
        kind=Kind.HEAT_MAP,
        title=f"Posterior transition matrix of {attack.view.name}",
        subtitle=(
            f"Chance that {draws} lives at a point, by the true residence of the unknown worker; all priors kept. "
            f"{show(len(shown))} of {show(len(attack.view.points))} points."
        ),
        x=Axis(label="Synthetic residence, by its number", categories=numbers),
        y=Axis(label="True residence of the unknown worker", categories=names),
        grid=tuple(tuple(round(float(value), _DIGITS) for value in chances[place]) for place in shown),
        outlined=tuple((row, shown.index(worst.outcome)) for row in rows),
    )


def at_least_one(attack: Attack) -> Floats:
    """1 − P(none of the m draws at c | the unknown worker lives at i).

    P(none) = Γ(W − w + m)·Γ(W)/(Γ(W − w)·Γ(W + m)), w the weight of the point and W of all, with the unknown worker.
    """
    from scipy.special import gammaln

    weights, draws = attack.audit.weights, attack.view.draws
    own = weights[None, :] + np.eye(len(weights))
    whole = weights.sum() + 1.0
    left = np.maximum(whole - own, 1e-300)
    none = np.exp(gammaln(left + draws) - gammaln(left) - (gammaln(whole + draws) - gammaln(whole)))
    return np.asarray(1.0 - none)


def epsilon_distribution(losses: Losses, *, claimed: Decimal, nominal: float) -> Figure | None:
    """How many populations spend how much; None where none spends a finite amount."""
    finite = losses.total[np.isfinite(losses.total) & (losses.draws > 0)]
    if not len(finite):
        return None
    low, high = float(finite.min()), float(finite.max())
    heights, edges = np.histogram(finite, bins=_BINS if high > low else 1, range=(low, high) if high > low else None)
    marks = [Mark(name=f"nominal ε* {show(nominal)}", value=nominal, vertical=True)]
    if claimed.is_finite():  # rounded as in every sentence about it
        marks.append(Mark(name=f"claimed ε {show(claimed)}", value=float(claimed), vertical=True))
    return Figure(
        kind=Kind.DISTRIBUTION,
        title="ε of every population",
        subtitle="With the price of pruning, for one population of a worker",
        x=Axis(label="Privacy loss ε", unit="log odds"),
        y=Axis(label="Populations", unit="count"),
        series=(Series(name="populations", x=tuple(map(float, edges)), y=tuple(map(float, heights))),),
        marks=tuple(marks),
    )
