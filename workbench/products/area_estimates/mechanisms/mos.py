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
from enum import StrEnum
from fractions import Fraction

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, counted, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.observed_sensitivity import losses, noise
from workbench.mechanisms.traits import Traits
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.rounded_error import rounded_laplace
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.cell_noise import expected_errors, with_noise
from workbench.products.area_estimates.cell_statistics import Statistic, Wanted, statistics_of
from workbench.products.area_estimates.claims import UNIT, coverage_of, row_rule
from workbench.products.area_estimates.columns import DECIMALS
from workbench.products.area_estimates.effects import estimated_cells
from workbench.products.area_estimates.held_neighbours import held_pair
from workbench.products.area_estimates.mechanisms.case import AreaCase

HELD = "the observed sensitivity χ and which cells are published"
_DELTA_DIGITS = Decimal("0.0001")


class Search(StrEnum):
    """Where the worst added row is looked for."""

    EXACT = "exact"
    CORNERS = "corners"


class Winsorise(StrEnum):
    """What is cut off at a percentile."""

    NOTHING = "none"
    SENSITIVITY = "sensitivity"


@dataclass(frozen=True, slots=True, kw_only=True)
class MosParams:
    epsilon: Epsilon = param(
        Epsilon("8"), "ε of each statistic", "Every rank, slope, mean, standard error and the count spends this.",
        gt=0, le=MOST_EPSILON, effect="dial",
    )  # fmt: skip
    minimum: int = param(20, "Least people", "Smaller cells get no estimate, which reveals that they are small.", ge=3)
    search: Search = param(
        Search.EXACT, "Worst added row", "The original looks at the corners of the bounds alone and can miss it.",
        labels={"exact": "Everywhere within the bounds", "corners": "At the corners, as in the original"},
        advanced=True,
    )  # fmt: skip
    winsorise: Winsorise = param(
        Winsorise.NOTHING, "Cut off", "What is cut off at the percentile before χ is taken.",
        labels={"none": "Nothing", "sensitivity": "N times local sensitivity, cell by cell"}, advanced=True,
    )  # fmt: skip
    percentile: Decimal = param(
        Decimal(99), "Percentile", "At which N times local sensitivity is cut off in each pool.", gt=50, lt=100,
        advanced=True,
    )  # fmt: skip
    slope: bool = param(False, "Slope", "Publish the slope too; it spends ε again.")
    mean: bool = param(False, "Mean", "Publish the mean too; it spends ε again.")
    errors: bool = param(False, "Standard errors", "Publish margins of error too; each spends ε again.")

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)

    @property
    def wanted(self) -> Wanted:
        return Wanted(slope=self.slope, mean=self.mean, errors=self.errors)


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
        return (*cell_method_problems(prepared), *_effect_problems(prepared, params))

    def claim(self, prepared: AreaData | None, params: MosParams) -> Claim:
        outcomes, ranks = (1, 2) if prepared is None else (len(prepared.outcomes), len(prepared.rank_names()))
        statistics = outcomes * params.wanted.each(ranks)
        each, delta = Decimal(params.epsilon), _rounded_up(_delta(params.minimum + 1, params, 1))
        least = losses.least_delta(params.minimum)
        return Claim(
            definition=Definition.CONDITIONAL,
            unit=UNIT,
            epsilon=each * (statistics + 1),
            delta=_rounded_up(_delta(params.minimum + 1, params, statistics)),
            formal=False,
            condition=HELD,
            sentence=(
                f"Not differentially private: noise follows χ and the number of people. Even with χ fixed, one of "
                f"{params.minimum} people is betrayed beyond ε = {show(each)} with a probability of at least "
                f"{show(least, 2)} and up to {show(float(delta), 2)}, for each of "
                f"{counted(statistics, 'statistic')}. With the count they spend ε {statistics + 1} times."
            ),
            remedy="choose the fractional table, which protects all of it together",
            coverage=coverage_of(prepared),
            assumptions=(
                row_rule(prepared is not None and prepared.bounded),
                "A person who changes χ rescales the noise of every other cell of the pool; that is not counted.",
                f"Cells with fewer than {params.minimum} people are left out, which reveals that they are small.",
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
        return Confidential(expected_errors(prepared, statistics, scales, Fraction(params.epsilon)))

    def exact_loss(self, prepared: AreaData, params: MosParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss with the observed sensitivity held fixed")
        statistics = len(prepared.outcomes) * params.wanted.each(len(prepared.rank_names()))
        shown = published_cells(prepared, 0, params)
        smallest = int(prepared.lines.reveal()[0].size[shown].min(initial=10**9))
        return ExactLoss(
            epsilon=float(params.epsilon) * (statistics + 1),
            delta=_delta(smallest + 1, params, statistics),
            worst_cell=None,
            worst_pair="one person joins the smallest published cell and moves every estimate by as much as χ allows",
            condition=HELD,
            bound=True,
        )

    def neighbours(self, prepared: AreaData, params: MosParams, copies: int) -> tuple[NeighbourPair, ...]:
        statistics = statistics_of(prepared, params.wanted, corners=params.search is Search.CORNERS)
        shown = published_cells(prepared, 0, params)
        if not shown.any():
            return ()
        return (held_pair(prepared, int(np.flatnonzero(shown)[0]), _chi(prepared, statistics, params), copies),)

    def calibrate(self, params: MosParams, case: AreaCase) -> Calibration:
        scale = float(case.chi) / (float(params.epsilon) * case.people)
        statistics = params.wanted.each(2)
        unit = 10.0**DECIMALS
        return Calibration(
            scale=scale,
            expected_absolute_error=scale,
            rounded_absolute_error=float(rounded_laplace(np.array([scale * unit]))[0]) / unit,
            spent_epsilon=float(params.epsilon) * (statistics + 1),
            spent_delta=_delta(case.people, params, statistics),
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
                "Choose a larger area as the pool, or the fractional table",
            )
        )
    return tuple(found)


def _effect_problems(prepared: AreaData, params: MosParams) -> tuple[Problem, ...]:
    if prepared.estimator is None:
        return ()
    return tuple(
        Problem(f"“{place}” belongs to a line, not to an effect", place, "Leave it out")
        for place in ("slope", "mean", "errors")
        if getattr(params, place)
    )


def published_cells(prepared: AreaData, outcome: int, params: MosParams) -> Bools:
    """Cells with an estimate of their own and enough people."""
    shown: Bools = estimated_cells(prepared, outcome) & (prepared.lines.reveal()[outcome].size >= params.minimum)
    return shown


def noise_scales(prepared: AreaData, params: MosParams) -> tuple[tuple[Statistic, ...], tuple[Floats, ...]]:
    """The statistics and χ/(εN) for every cell; not-a-number where a cell is not published."""
    statistics = statistics_of(prepared, params.wanted, corners=params.search is Search.CORNERS)
    chi = prepared.held.reveal() if prepared.held is not None else _chi(prepared, statistics, params)
    scales = []
    for statistic, largest in zip(statistics, chi, strict=True):
        size = prepared.lines.reveal()[statistic.outcome].size
        shown = published_cells(prepared, statistic.outcome, params)
        own = noise.scales(np.maximum(size, 1), largest[prepared.places.pool], float(params.epsilon))
        scales.append(np.where(shown, own, np.nan))
    return statistics, tuple(scales)


def _chi(prepared: AreaData, statistics: tuple[Statistic, ...], params: MosParams) -> tuple[Floats, ...]:
    """χ of every pool, statistic by statistic, over the published cells."""
    places, found = prepared.places, []
    for statistic in statistics:
        shown = published_cells(prepared, statistic.outcome, params)
        size, local = prepared.lines.reveal()[statistic.outcome].size[shown], statistic.local[shown]
        pool = places.pool[shown]
        if params.winsorise is Winsorise.SENSITIVITY:
            found.append(_percentiles(size * local, pool, places.pools, float(params.percentile)))
        else:
            found.append(noise.largest_by_pool(size, local, pool, places.pools))
    return tuple(found)


def _percentiles(values: Floats, pool: np.ndarray, pools: int, percentile: float) -> Floats:
    cut = np.zeros(pools)
    for place in np.unique(pool).tolist():
        cut[place] = np.percentile(values[pool == place], percentile)
    return cut


def _drawn(prepared: AreaData, params: MosParams, rng: UniformWords, context: Context) -> Columns:
    context.step(0.0, "searching the most sensitive cell of every pool")
    statistics, scales = noise_scales(prepared, params)
    return with_noise(prepared, statistics, scales, Fraction(params.epsilon), rng, context)


def _delta(size: int, params: MosParams, statistics: int) -> float:
    """δ at the nominal ε of all statistics together, when the last of `size` people joins, χ held fixed."""
    one = losses.joining_delta(size, float(params.epsilon))
    return -math.expm1(statistics * math.log1p(-one))


def _rounded_up(value: float) -> Decimal:
    return Decimal(value).quantize(_DELTA_DIGITS, rounding=ROUND_CEILING)


def _search_note(params: MosParams) -> tuple[str, ...]:
    notes = []
    if params.search is Search.CORNERS:
        notes.append("The corner search can miss the worst added row; then χ is too small for what is said here.")
    if params.winsorise is Winsorise.SENSITIVITY:
        notes.append(
            f"χ is cut at the {show(params.percentile)}th percentile: more sensitive cells get too little noise."
        )
    return tuple(notes)


SPEC = Mos()
