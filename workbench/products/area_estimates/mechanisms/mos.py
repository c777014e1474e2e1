"""Maximum observed sensitivity, as published: noise scaled by the most sensitive cell of the pool.

Formula: χ = max over the cells of a pool of N·LS, LS the largest move of the estimate by one added row; θ + Laplace
noise of scale χ/(εN), N + integer Laplace noise of scale 1/ε, every draw by itself.
Guarantee: none. χ and N are statistics of the data. Even with χ held fixed, δ at the nominal ε is at least
(1 − 1/N)^(N−1)/(2N) in a cell of N, and larger where somebody joins; every rank, slope, mean, standard error and count
costs ε again. Cells below the least size are left out, which tells that they are small.
Rounding: after the noise, to the last decimal.
Source: Chetty and Friedman (2019). Their example adds one draw to both θ and N, or normal noise: both are refused here,
as each gives the data away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, counted, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.observed_sensitivity import losses
from workbench.mechanisms.traits import Traits
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.cell_noise import count_scales, expected_errors, with_noise
from workbench.products.area_estimates.cell_statistics import ERROR_GRID
from workbench.products.area_estimates.claims import (
    UNIT,
    coverage_of,
    largest_counts,
    or_the_table,
    remedy_of,
    row_rule,
)
from workbench.products.area_estimates.columns import DECIMALS
from workbench.products.area_estimates.held_neighbours import held_pair
from workbench.products.area_estimates.mechanisms.case import AreaCase
from workbench.products.area_estimates.observed_noise import (
    MosParams,
    Search,
    Winsorise,
    chi_of,
    noise_scales,
    observed_statistics,
    published_cells,
)
from workbench.products.area_estimates.own_epsilon import Share, by_pool, name_problems, shares

HELD = "the observed sensitivity χ and which cells are published"
_DELTA_DIGITS = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class Mos:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "mos"
    version: int = 1
    title: str = "Maximum observed sensitivity"
    summary: str = "Laplace noise scaled by the most sensitive cell of each pool, as in the Opportunity Atlas."
    params: type[MosParams] = MosParams
    case: type[AreaCase] = AreaCase
    traits: Traits = Traits(bound=True, of_the_source=True)

    def problems(self, prepared: AreaData, params: MosParams) -> tuple[Problem, ...]:
        named = name_problems(prepared, params.larger)
        return (*cell_method_problems(prepared), *_effect_problems(prepared, params), *named)

    def claim(self, prepared: AreaData | None, params: MosParams) -> Claim:
        outcomes, ranks = (1, 2) if prepared is None else (len(prepared.outcomes), len(prepared.rank_names()))
        statistics = outcomes * params.wanted.each(ranks)
        largest = max(_epsilons(prepared, params))
        each, delta = Decimal(largest), _rounded_up(_delta(params.minimum + 1, largest, 1))
        least = losses.least_delta(params.minimum)
        return Claim(
            definition=Definition.CONDITIONAL,
            unit=UNIT,
            epsilon=each * (statistics + 1),
            delta=_rounded_up(_delta(params.minimum + 1, largest, statistics)),
            formal=False,
            condition=_held(params),
            sentence=(
                f"Not differentially private: noise follows χ and the number of people. Even with χ fixed, δ at "
                f"ε = {show(each)} is at least {show(least, 2)} and up to {show(float(delta), 2)} for one of "
                f"{params.minimum} people, for each of {counted(statistics, 'statistic')}. "
                f"With the count they spend ε {statistics + 1} times."
            ),
            remedy=remedy_of(prepared),
            coverage=coverage_of(prepared),
            workings="" if prepared is None else largest_counts(prepared, _divided(prepared, params)),
            assumptions=(
                row_rule(prepared is not None and prepared.bounded),
                "A person who changes χ rescales the noise of every other cell of the pool; that is not counted.",
                f"Cells with fewer than {params.minimum} people are left out, which reveals that they are small.",
                *_own_note(prepared, params),
                *_search_note(params),
            ),
            parts=(
                ClaimPart(name="count", epsilon=each),
                *(ClaimPart(name=f"statistic {place + 1}", epsilon=each, delta=delta) for place in range(statistics)),
            ),
        )

    def release(self, prepared: AreaData, params: MosParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(self, prepared: AreaData, params: MosParams, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: AreaData, params: MosParams) -> Confidential[Floats]:
        statistics, scales = noise_scales(prepared, params)
        return Confidential(expected_errors(prepared, statistics, scales, _counts(prepared, params)))

    def exact_loss(self, prepared: AreaData, params: MosParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss with the observed sensitivity held fixed")
        statistics = len(prepared.outcomes) * params.wanted.each(len(prepared.rank_names()))
        shown = published_cells(prepared, 0, params)
        size, pool = prepared.lines.reveal()[0].size[shown], prepared.places.pool[shown]
        epsilons = by_pool(prepared.places, params.epsilon, params.larger)
        smallest = [(int(size[pool == place].min(initial=10**9)), each) for place, each in enumerate(epsilons)]
        return ExactLoss(
            epsilon=float(max(epsilons)) * (statistics + 1),
            delta=max(_delta(people + 1, each, statistics) for people, each in smallest),
            worst_cell=None,
            worst_pair="one person joins the smallest published cell and moves every estimate by as much as χ allows",
            condition=_held(params),
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: MosParams, copies: int) -> tuple[NeighbourPair, ...]:
        statistics = observed_statistics(prepared, params)
        shown = published_cells(prepared, 0, params)
        if not shown.any():
            return ()
        return (held_pair(prepared, int(np.flatnonzero(shown)[0]), chi_of(prepared, statistics, params), copies),)

    def calibrate(self, params: MosParams, case: AreaCase) -> Calibration:
        scale = float(case.chi) / (float(params.epsilon) * case.people)
        statistics = params.wanted.each(2)
        unit = 10.0**DECIMALS
        return Calibration(
            scale=scale,
            expected_absolute_error=scale,
            rounded_absolute_error=float(rounded_laplace(np.array([scale * unit]))[0]) / unit,
            spent_epsilon=float(params.epsilon) * (statistics + 1),
            spent_delta=_delta(case.people, params.epsilon, statistics),
            notes=("Not a guarantee: χ and the number of people come from the data.",),
            any_table=False,
        )


def cell_method_problems(prepared: AreaData) -> tuple[Problem, ...]:
    """What no method with noise by cell can do, by the plan alone."""
    found = []
    if prepared.most_weight != 1:
        found.append(Problem("This method takes no weights", "weight", "Choose the fractional table"))
    if np.bincount(prepared.places.pool, minlength=prepared.places.pools).min(initial=2) == 1:
        found.append(
            Problem(
                "A pool has a single cell, which would set its own noise",
                "pool",
                f"Choose a larger area as the pool{or_the_table(prepared)}",
            )
        )
    return tuple(found)


def _effect_problems(prepared: AreaData, params: MosParams) -> tuple[Problem, ...]:
    if prepared.estimator is None:
        return ()
    return tuple(
        Problem(f"“{place}” belongs to a line, not to an effect", place, "Leave it out")
        for place in ("slope", "mean")
        if getattr(params, place)
    )


def _drawn(prepared: AreaData, params: MosParams, rng: UniformWords, context: Context) -> Columns:
    context.step(0.0, "searching the most sensitive cell of every pool")
    statistics, scales = noise_scales(prepared, params)
    return with_noise(prepared, statistics, scales, _counts(prepared, params), rng, context)


def _counts(prepared: AreaData, params: MosParams) -> Floats:
    return count_scales(prepared, by_pool(prepared.places, params.epsilon, params.larger))


def _epsilons(prepared: AreaData | None, params: MosParams) -> tuple[Epsilon, ...]:
    """Every ε that is spent on somebody; all that the plan names where the areas are not known yet."""
    if prepared is None:
        return (params.epsilon, *(row.epsilon for row in params.larger.values()))
    return by_pool(prepared.places, params.epsilon, params.larger)


def _delta(size: int, epsilon: Epsilon, statistics: int) -> float:
    """δ at the nominal ε of all statistics together, when the last of `size` people joins, χ held fixed."""
    one = losses.joining_delta(size, float(epsilon))
    return -math.expm1(statistics * math.log1p(-one))


def _rounded_up(value: float) -> Decimal:
    return Decimal(value).quantize(_DELTA_DIGITS, rounding=ROUND_CEILING)


def _divided(prepared: AreaData, params: MosParams) -> tuple[Share, ...]:
    return shares(prepared.places, params.epsilon, params.larger)


def _own_note(prepared: AreaData | None, params: MosParams) -> tuple[str, ...]:
    """That ε differs by pool; the ledger never composes in parallel what is not formal, so the largest is entered."""
    if prepared is None or not params.larger:
        return ()
    told = "; ".join(
        f"{show(share.epsilon)} in {counted(len(share.pools), 'pool')}" for share in _divided(prepared, params)
    )
    return (f"ε of each statistic differs by pool ({told}). A person is in one of them, so that the largest counts.",)


def _held(params: MosParams) -> str:
    """What the claim holds fixed, all of it read from the data."""
    return f"{HELD}, and where estimates are cut off" if params.winsorise is Winsorise.ESTIMATES else HELD


def _search_note(params: MosParams) -> tuple[str, ...]:
    notes = []
    if params.search is Search.CORNERS:
        notes.append("The corner search can miss the worst added row; then χ is too small for what is said here.")
    if params.errors:
        notes.append("Margins of error contain the width of the noise, so that χ can be read from them.")
    if params.errors and params.search is Search.EXACT:
        notes.append(
            f"How far a row moves a standard error is searched at {ERROR_GRID} values of the predictor; between them "
            "it can be slightly more."
        )
    if params.winsorise is Winsorise.SENSITIVITY:
        notes.append(f"χ is cut at percentile {show(params.percentile)}: more sensitive cells get too little noise.")
    if params.winsorise is Winsorise.ESTIMATES:
        notes.append(
            f"Estimates are cut off at percentiles {show(100 - params.percentile)} and {show(params.percentile)} of "
            "their pool, which biases them and tells where the percentiles lie."
        )
    return tuple(notes)


__all__ = ["SPEC", "MosParams", "noise_scales"]  # what audit, measures and tests of the method start from
SPEC = Mos()
