"""The source's method: Laplace noise on counts, and on means by the largest sensitivity observed.

Formula: for each cell and year a discrete Laplace count of scale 1/ε_emp,t and a mean with Laplace noise of scale
χ/(ε_earn,t·N), rounded to whole dollars. χ of a title and sector is the largest N·LS among its cells over institutions
and years, LS = max(ȳ, B − ȳ)/(N + 1); or the upper bound χ = B.
Guarantee: none for the observed χ and none for χ = B as it stands, because the scale holds the exact N. With χ = B, the
published value clipped to 0 … B and a floor of n₀ phantom people at B/2, each mean loses exactly its ε, and a history
the sum over years of (ε_emp,t + ε_earn,t). An empty cell counts as one person at B/2 where there is no floor.
Rounding: means are drawn as the nearest dollar to the unrounded mean plus noise. No margin of a mean is published: its
scale holds N.
Source: Schmutte (2020) for UMETRICS after Chetty and Friedman (2019); the repair is our own derivation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.observed_sensitivity import losses
from workbench.mechanisms.observed_sensitivity.noise import largest_by_pool
from workbench.mechanisms.traits import Traits
from workbench.noise import discrete_laplace
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.noise.exact_cdf import draw_placed
from workbench.noise.geometric import discrete_laplace as laplace_noise
from workbench.noise.real_placement import at_fractions
from workbench.noise.tail_laws import LaplaceTail
from workbench.products.outcome_reports import clipped_mean
from workbench.products.outcome_reports.mechanisms.case import HistoryCase
from workbench.products.outcome_reports.mechanisms.claims import (
    ENFORCED,
    UNIT,
    by_institution,
    for_each,
    reports,
    said,
    witness,
)
from workbench.products.outcome_reports.mechanisms.neighbours import one_history, one_joiner
from workbench.products.outcome_reports.mechanisms.year_budget import (
    Division,
    YearBudget,
    YearParts,
    divided,
    parts_by_profile,
    year_problems,
)
from workbench.products.outcome_reports.outcomes import COLUMNS, Outcomes
from workbench.products.outcome_reports.published_outcomes import Estimates, published

CONDITION = "χ of each title and sector, and the number of people of each cell"
_PAIR = 2  # people of the smallest cell in which somebody has company
_CAREFUL = 1.0 - 1e-12  # of ε₀, more than its few float operations lose


class Sensitivity(StrEnum):
    OBSERVED = "observed"
    CAP = "cap"
    CLIPPED = "cap, clipped and floored"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedMeanParams:
    epsilon: Epsilon = param(
        Epsilon("4"), "Privacy loss ε", "The sum over years and both statistics.", gt=0, le=MOST_EPSILON, effect="dial"
    )
    years: Rows[YearParts] = rows(
        YearParts, "ε by year", "How ε is divided over years and statistics; equal without a row.", by="year"
    )
    division: Division = param(
        Division.TABLE,
        "Division over years",
        "By the table above, or by the profile over years of the plan: ε ∝ 1/√n for the smallest mean percentage "
        "error, ε ∝ 1/n for equal ones.",
        labels={"table": "by the table", "mean": "smallest mean error", "equal": "equal errors"},
        later=True,
    )
    sensitivity: Sensitivity = param(
        Sensitivity.OBSERVED,
        "Sensitivity χ of means",
        "The largest observed by title and sector (not formal), the cap (not formal as it stands), or the cap with "
        "published means clipped and small cells filled up (proved).",
    )
    floor: int = param(
        10, "Floor", "People a cell is filled up to, at half the cap; only where means are clipped and floored.",
        ge=1, le=10_000, unit="people", advanced=True,
    )  # fmt: skip

    def check(self) -> tuple[Problem, ...]:
        if self.years and self.division is not Division.TABLE:
            do = "Leave the table of years empty, or divide by the table"
            return (*too_small(self.epsilon), Problem("ε is divided over years in two ways", "division", do))
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True)
class ObservedMean:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "observed-mean"
    version: int = 1
    title: str = "Laplace counts, means by observed sensitivity"
    summary: str = "The source's method: noise for each cell and year, means by the largest observed sensitivity."
    params: type[ObservedMeanParams] = ObservedMeanParams
    case: type[HistoryCase] = HistoryCase
    traits: Traits = Traits(of_the_source=True)

    def problems(self, prepared: Outcomes, params: ObservedMeanParams) -> tuple[Problem, ...]:
        found = year_problems(params.years, prepared.layout.year.values)
        if params.division is not Division.TABLE and not prepared.profile:
            do = "Give the product a profile over years, or divide by the table"
            found = (*found, Problem("There is no profile to divide ε by", "division", do))
        if found or params.sensitivity is not Sensitivity.CLIPPED:
            return found
        least = min(map(float, _budget(prepared, params).earnings))
        if clipped_mean.inner_epsilon(least, params.floor) is not None:
            return ()
        return (
            Problem(
                f"With a floor of {params.floor} a mean cannot lose as little as ε {least:.2g}",
                "floor",
                f"Use a floor of at least {math.ceil(1 / math.expm1(least)) + 1}, or a larger ε",
            ),
        )

    def claim(self, prepared: Outcomes | None, params: ObservedMeanParams) -> Claim:
        epsilon = Decimal(params.epsilon)
        formal = params.sensitivity is Sensitivity.CLIPPED
        shared = {
            "unit": UNIT,
            "epsilon": epsilon * reports(prepared),
            "parts": by_institution(prepared, epsilon),
            "coverage": witness(prepared),
            "workings": "" if prepared is None else f"For {for_each(prepared)}: {_budget(prepared, params).formula()}",
        }
        if formal:
            return Claim(
                definition=Definition.HISTORY, sentence=said(prepared, epsilon), assumptions=ENFORCED,
                **shared,  # type: ignore[arg-type]
            )  # fmt: skip
        return Claim(
            definition=Definition.CONDITIONAL,
            formal=False,
            condition=CONDITION,
            sentence=_not_formal(prepared, params),
            assumptions=ENFORCED,
            remedy="take the cap as χ, clip published means and fill small cells up; or choose history noise.",
            **shared,  # type: ignore[arg-type]
        )

    def release(self, prepared: Outcomes, params: ObservedMeanParams, rng: ReleaseRandom, context: Context) -> Release:
        return Release.of(_drawn(prepared, params, rng, context), self, rng)

    def study(
        self, prepared: Outcomes, params: ObservedMeanParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Outcomes, params: ObservedMeanParams) -> Confidential[Floats]:
        """Of the count, in closed form; of a mean it is that of rounded noise around a value between dollars."""
        by_year = [discrete_laplace.mean_absolute(scale) for scale in _count_scales(_budget(prepared, params))]
        errors = np.full((prepared.rows, COLUMNS), np.nan)
        errors[:, 0] = np.array(by_year)[prepared.layout.year_of_row()]
        return Confidential(errors)

    def exact_loss(self, prepared: Outcomes, params: ObservedMeanParams, context: Context) -> ExactLoss:
        context.step(0.0, "loss of independent noise over years")
        budget, year = _budget(prepared, params), prepared.layout.year_of_row()
        counts = sum(float(discrete_laplace.spent(1, scale)) for scale in _count_scales(budget))
        if params.sensitivity is Sensitivity.CLIPPED:
            means = sum(clipped_mean.exact_loss(inner, params.floor) for inner in _inner(budget, params))
        else:
            reached = _reached(prepared, params)
            most = [float(reached[year == place].max(initial=0.0)) for place in range(prepared.layout.years)]
            means = sum(float(part) * share for part, share in zip(budget.earnings, most, strict=True))
        formal = params.sensitivity is Sensitivity.CLIPPED
        return ExactLoss(
            epsilon=(counts + means) * reports(prepared),
            delta=0.0,
            worst_cell=None,
            worst_pair="one person with a row in every year, present or absent",
            data_free=formal,
            condition="" if formal else CONDITION,
        )

    def neighbours(self, prepared: Outcomes, params: ObservedMeanParams, copies: int) -> tuple[NeighbourPair, ...]:
        formal = params.sensitivity is Sensitivity.CLIPPED
        return one_history(prepared, copies) if formal else one_joiner(prepared, copies)

    def calibrate(self, params: ObservedMeanParams, case: HistoryCase) -> Calibration:
        names = tuple(params.years) or tuple(str(year) for year in range(1, case.years + 1))
        budget = divided(params.epsilon, params.years, names)
        scale = _count_scales(budget)[0]
        return Calibration(
            scale=scale,
            expected_absolute_error=discrete_laplace.mean_absolute(scale),
            spent_epsilon=float(budget.total),
            notes=(
                f"A mean of {show(case.count)} people has noise of scale "
                f"{show(case.cap / (float(budget.earnings[0]) * max(case.count, 1)), 3)} dollars at χ = cap.",
            ),
        )


def _not_formal(prepared: Outcomes | None, params: ObservedMeanParams) -> str:
    """What is not promised. Held fixed, χ and N leave other values of one person only, which move a mean by cap/N."""
    dearest = params.epsilon if prepared is None else max(_budget(prepared, params).earnings)
    least, most = losses.least_delta(_PAIR), losses.joining_delta(_PAIR, float(dearest))
    return (
        "Not differentially private: noise of means follows χ and the number of people, so that nobody's presence is "
        f"protected. Even with χ fixed, δ at the ε of a mean is at least {show(least, 2)} and up to {show(most, 2)} "
        f"for one of {_PAIR} people of a cell, in every year. "
        f"ε = {show(Decimal(params.epsilon))} only adds up what all counts and means are planned to spend."
    )


def _budget(prepared: Outcomes, params: ObservedMeanParams) -> YearBudget:
    return divided(params.epsilon, parts_of(prepared, params), prepared.layout.year.values)


def parts_of(prepared: Outcomes, params: ObservedMeanParams) -> Mapping[str, YearParts]:
    """Of every year, from the plan alone; without a profile those of the table, and the plan is refused."""
    if params.division is Division.TABLE or not prepared.profile:
        return params.years
    return parts_by_profile(prepared.profile, params.division, prepared.layout.year.values)


def _count_scales(budget: YearBudget) -> list[float]:
    return [discrete_laplace.scale_for(1, part) for part in budget.employment]


def _inner(budget: YearBudget, params: ObservedMeanParams) -> list[float]:
    return [
        _CAREFUL * (clipped_mean.inner_epsilon(float(part), params.floor) or 0.0) for part in budget.earnings
    ]  # fmt: skip


def local_products(prepared: Outcomes) -> Floats:
    """N·LS of every cell, LS = max(ȳ, B − ȳ)/(N + 1); 0 where it is empty."""
    count = prepared.count.reveal().astype(np.float64)
    mean = prepared.total.reveal() / np.maximum(count, 1.0)
    products: Floats = count * np.maximum(mean, prepared.cap - mean) / (count + 1.0)
    return products


def observed_chi(prepared: Outcomes) -> Floats:
    """χ of every title and sector."""
    layout = prepared.layout
    ones = np.ones(layout.rows, dtype=np.int64)
    return largest_by_pool(ones, local_products(prepared), layout.pool_of_row(), layout.pools)


def _held(prepared: Outcomes) -> Outcomes:
    return prepared if prepared.held is None else prepared.held.reveal()


def _chi_of_row(prepared: Outcomes, params: ObservedMeanParams) -> Floats:
    if params.sensitivity is not Sensitivity.OBSERVED:
        return np.full(prepared.rows, float(prepared.cap))
    chi = observed_chi(_held(prepared))
    return np.where(chi > 0.0, chi, float(prepared.cap))[prepared.layout.pool_of_row()]


def _reached(prepared: Outcomes, params: ObservedMeanParams) -> Floats:
    """N·LS over χ: the share of its ε that a cell's mean loses while χ and N are held."""
    share: Floats = local_products(prepared) / _chi_of_row(prepared, params)
    return share


def _center(prepared: Outcomes, params: ObservedMeanParams) -> tuple[Integers, Integers, Integers]:
    """Numerator and denominator of each mean, and the people in its scale."""
    count, total = prepared.count.reveal(), prepared.total.reveal()
    floor = params.floor if params.sensitivity is Sensitivity.CLIPPED else 1
    people = np.maximum(_held(prepared).count.reveal(), floor)
    own = np.maximum(count, floor)
    return 2 * total + (own - count) * prepared.cap, 2 * own, people


def _drawn(prepared: Outcomes, params: ObservedMeanParams, rng: UniformWords, context: Context) -> Columns:
    budget, year = _budget(prepared, params), prepared.layout.year_of_row()
    context.step(0.0, "counting people by cell")
    scales = np.array(_count_scales(budget))[year]
    count = prepared.count.reveal() + laplace_noise(scales, rng, Part(context, 0.0, 0.4))
    numerator, denominator, people = _center(prepared, params)
    clipped = params.sensitivity is Sensitivity.CLIPPED
    inner = np.array(_inner(budget, params) if clipped else list(map(float, budget.earnings)))[year]
    noise = np.nextafter(_chi_of_row(prepared, params) / (inner * people), np.inf)
    mean = draw_placed(at_fractions(numerator, denominator, noise, LaplaceTail()), rng, Part(context, 0.4, 1.0))
    if clipped:
        mean = np.clip(mean, 0, prepared.cap)
    sd = np.sqrt([discrete_laplace.variance(scale) for scale in _count_scales(budget)])[year]
    return published(prepared, Estimates(count=count.astype(np.float64), mean=mean.astype(np.float64), count_sd=sd))


SPEC = ObservedMean()
