"""Where the variance of published estimates comes from: true differences between cells, sampling, and noise.

Over the cells that a method publishes: privacy is the mean square of published minus exact over study draws, sampling
the mean of the exact squared standard errors, and the signal what is left of the variance of exact estimates.
Source: the decomposition of Chetty and Friedman (2019) for teenage births.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import percent
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import declare, share_of
from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import claimed
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import LEVEL, MARGIN, at_words, truth
from workbench.products.area_estimates.exact import exact_estimates
from workbench.products.area_estimates.mechanisms import mos
from workbench.products.area_estimates.same_total import at_total
from workbench.utility.contract import Comparison

declare(
    {
        "share_signal": share_of("Variance that is signal"),
        "share_sampling": share_of("Variance by sampling"),
        "share_privacy": share_of("Variance by noise"),
    }
)
_TRIALS = 5
_LEAST = 20
_PARTS = ("signal", "sampling", "noise for privacy")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Signal, sampling and privacy, for this release and for the source's method."""

    id: str = "variance-decomposition"
    version: int = 1
    title: str = "Signal, sampling and noise"
    summary: str = "How much of the variance between cells is signal, sampling error and noise for privacy."
    params: type[DecompositionParams] = DecompositionParams

    def run(self, comparison: Comparison, params: DecompositionParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: AreaData = comparison.prepared
        context.step(0.0, "drawing for study")
        ours = shares_of(prepared, comparison.mechanism, comparison.mechanism_params, comparison.seed, context)
        named = {"this release": ours}
        if not mos.SPEC.problems(prepared, mos.MosParams()):
            quiet = Part(context, 1.0, 1.0)
            total = claimed(comparison.mechanism, comparison.mechanism_params, prepared)
            equal = at_total(mos.SPEC, mos.MosParams(), prepared, total)
            named["source's method, same ε"] = shares_of(prepared, mos.SPEC, equal, comparison.seed, quiet)
            named["source's method, ε = 8 each"] = shares_of(
                prepared, mos.SPEC, mos.MosParams(), comparison.seed, quiet
            )
        given = {name: shares for name, shares in named.items() if shares is not None}
        context.step(1.0, "variance divided")
        if ours is None:
            said = "Fewer than two cells are published, so that there is no variance between them to divide."
            return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said),)
        keys = ("share_signal", "share_sampling", "share_privacy")
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=(
                    f"Of the variance between cells {at_words(prepared.rank_names()[0])}, {percent(ours[0])} is "
                    f"signal, {percent(ours[1])} sampling error and {percent(ours[2])} noise for privacy, in cells "
                    f"of {_LEAST} and more."
                ),
                values=dict(zip(keys, ours.tolist(), strict=True)),
                tables=(
                    Table(
                        title="Shares of the variance of direct estimates",
                        columns=("published", *_PARTS),
                        rows=tuple((name, *shares.tolist()) for name, shares in given.items()),
                    ),
                ),
                figures=(_bars(given),),
            ),
        )


def shares_of(
    prepared: AreaData, mechanism: AnyMechanism, params: object, seed: int, context: Context
) -> Floats | None:
    """Signal, sampling and privacy at the first rank, as shares; None where fewer than two cells are published."""
    name, cells = prepared.rank_names()[0], prepared.places.cells
    whole = truth(prepared)
    exact = whole.units(name).numbers()[:cells]
    error = whole.units(f"{name}_{MARGIN}").numbers()[:cells] / LEVEL
    rng, squares, shown = StudyRandom(seed), [], np.zeros(cells, np.bool_)
    large = exact_estimates(prepared, 0).usable & (prepared.lines.reveal()[0].size >= _LEAST)
    for trial in range(_TRIALS):
        within = Part(context, 0.9 * trial / _TRIALS, 0.9 * (trial + 1) / _TRIALS)
        drawn = mechanism.study(prepared, params, rng, within).reveal().units(name).numbers()[:cells]
        shown = large & np.isfinite(drawn)
        squares.append(float(np.mean((drawn - exact)[shown] ** 2)) if shown.any() else np.nan)
    if shown.sum() < 2:
        return None
    privacy, sampling = float(np.mean(squares)), float(np.mean(error[shown] ** 2))
    signal = max(float(np.var(exact[shown])) - sampling, 0.0)
    parts = np.array([signal, sampling, privacy])
    shares: Floats = parts / max(parts.sum(), 1e-300)
    return shares


def _bars(given: dict[str, Floats]) -> Figure:
    places = tuple(float(place) for place in range(len(given)))
    return Figure(
        kind=Kind.BARS,
        title="Where the variance between cells comes from",
        x=Axis(label="Published by", categories=tuple(given)),
        y=Axis(label="Share of the variance"),
        series=tuple(
            Series(name=part, x=places, y=tuple(float(shares[place]) for shares in given.values()))
            for place, part in enumerate(_PARTS)
        ),
        stacked=True,
    )


SPEC = Decomposition()
