"""Which cells are lowest and highest: the share of those put in the lowest or highest tenth that truly are there.

The truth are the exact estimates of the cells with a line of their own. A method that publishes nothing for a cell
cannot put it anywhere. A tenth of the cells is counted in full, so that guessing gives a tenth. Model-based estimates
put cells in order by the chance of lying in the tenth, all others by value (see `tenths`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile, Rival
from workbench.core.arrays import Bools, Floats
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import percent
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import declare, share_of
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import LEVEL, MARGIN, MODEL, at_words, truth
from workbench.products.area_estimates.exact import exact_estimates
from workbench.products.area_estimates.usefulness.tenths import TENTH, order
from workbench.utility.contract import Comparison

declare(
    {
        "lowest_right": share_of("Lowest tenth that is right"),
        "highest_right": share_of("Highest tenth that is right"),
    }
)
_SLOW_TRIALS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TailsParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class Tails:
    """Share of the lowest and highest tenth that is right."""

    id: str = "tails"
    version: int = 2
    title: str = "Lowest and highest cells"
    summary: str = "Share of the cells put in the lowest and highest tenth that truly are there."
    params: type[TailsParams] = TailsParams

    def run(self, comparison: Comparison, params: TailsParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: AreaData = comparison.prepared
        context.step(0.0, "drawing for study")
        name, cells = prepared.rank_names()[0], prepared.places.cells
        exact = truth(prepared).units(name).numbers()[:cells]
        usable = exact_estimates(prepared, 0).usable
        few = comparison.mechanism.traits.few_draws
        trials = min(comparison.trials, _SLOW_TRIALS) if few else comparison.trials
        rng, found = StudyRandom(comparison.seed), []
        for trial in range(trials):
            within = Part(context, 0.95 * trial / trials, 0.95 * (trial + 1) / trials)
            drawn = comparison.mechanism.study(prepared, comparison.mechanism_params, rng, within).reveal()
            found.append([right_of(drawn, name, end, exact, usable) for end in ("", MODEL)])
        rows = _rows(np.array(found).mean(axis=0), comparison.rivals, exact, usable, name)
        context.step(1.0, "tails known")
        best = max(rows[:2], key=lambda row: row[1])
        where = "By the effect" if prepared.estimator is not None else f"At {name}"
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"{where}, {percent(best[1])} of the cells in the lowest tenth of this release and "
                    f"{percent(best[2])} in the highest truly are there, by {best[0]} estimates. Guessing gives 10 %."
                ),
                values={"lowest_right": best[1], "highest_right": best[2]},
                tables=(
                    Table(
                        title=f"Cells put in the right tenth {at_words(name)}: model-based by their chance of lying in "
                        "it, others by value",
                        columns=("estimates", "lowest tenth", "highest tenth"),
                        rows=tuple(rows),
                    ),
                ),
            ),
        )


def right_of(drawn: Columns, name: str, end: str, exact: Floats, usable: Bools) -> tuple[float, float]:
    """The same of drawn columns, direct (no end) or model-based."""
    cells = len(exact)
    values = drawn.units(name + end).numbers()[:cells]
    errors = drawn.units(f"{name}{end}_{MARGIN}").numbers()[:cells] / LEVEL if end == MODEL else None
    return right(values, exact, usable, errors)


def right(
    published: Floats, exact: Floats, usable: Bools, errors: Floats | None = None
) -> tuple[float, float]:  # fmt: skip
    """Shares of the lowest and of the highest tenth of the usable cells that are put there."""
    cells = np.flatnonzero(usable)
    tenth = max(len(cells) // TENTH, 1)
    if not len(cells):
        return 0.0, 0.0
    shares = []
    for sign in (1.0, -1.0):
        given = order(published[cells], None if errors is None else errors[cells], sign)
        put = np.argsort(given, kind="stable")[: min(tenth, int(np.isfinite(given).sum()))]
        are = np.argsort(sign * exact[cells], kind="stable")[:tenth]
        shares.append(len(np.intersect1d(put, are)) / tenth)
    return shares[0], shares[1]


def _rows(
    ours: Floats, rivals: tuple[Rival, ...], exact: Floats, usable: Bools, name: str
) -> list[tuple[str, float, float]]:
    rows = [
        (word, float(shares[0]), float(shares[1])) for word, shares in zip(("direct", "model-based"), ours, strict=True)
    ]
    for rival in rivals:
        if isinstance(rival.gives, ProtectedFile):
            values = rival.gives.published.reveal().units(name).numbers()
        else:
            values = rival.gives.values.reveal()[:, 0]
        low, high = right(values[: len(exact)], exact, usable)
        rows.append((rival.title, low, high))
    return rows


SPEC = Tails()
