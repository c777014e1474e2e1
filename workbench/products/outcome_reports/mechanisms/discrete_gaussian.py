"""Gaussian noise on levels and changes over years, where a δ is wanted or years are many.

Formula: of every cell's counts each year is measured with precision v and every difference of two years with precision
w, by discrete Gaussian noise of σ² = M/(2ρ₁v) and M/(2ρ₁w); least squares gives the published counts. M is the largest
squared sensitivity vk + wk(T − k), added over the sectors a person moves through; where movers make that dearer, levels
alone are measured. Sums Σ(2y − B) get discrete Gaussian noise of σ² = T·B²/(2ρ₂); the mean is B/2 + sum/(2·count).
Guarantee: ρ-zCDP for a whole history, ρ = ρ₁ + ρ₂, read as (ε, δ); δ comes from ρ (Canonne, Kamath and Steinke 2020),
never from the formula for continuous noise.
Rounding: everything measured is an integer; values are rounded to whole people and dollars.
Source: own derivation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np

from workbench.accounting import zcdp
from workbench.core.arrays import Floats, Integers
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.quantities import Delta, Epsilon, show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Calibration, ExactLoss, NeighbourPair, Release
from workbench.mechanisms.traits import Traits
from workbench.noise import discrete_gaussian
from workbench.noise.declared.contract import Declared
from workbench.noise.declared.discrete import DiscreteGaussian as Gaussian
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.outcome_reports.levels_and_changes import LevelsAndChanges, best
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
from workbench.products.outcome_reports.mechanisms.neighbours import one_history
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.published_outcomes import Estimates, published

_LEVELS, _CHANGES, _SUMS = "counts of years", "changes between years", "sums of earnings"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussianParams:
    epsilon: Epsilon = param(
        Epsilon("4"), "Privacy loss ε", "Counts and means of all years together.", gt=0, le=MOST_EPSILON, effect="dial"
    )
    delta: Delta = param(Delta("0.000001"), "Added probability δ",
                         "Beyond the factor of ε. Far below one in the number of people.", gt=0, lt="0.01")  # fmt: skip
    counts: Decimal = param(
        Decimal("0.5"), "Part of counts", "The share of ρ that counts get; sums of earnings get the rest.", gt=0, lt=1
    )

    def check(self) -> tuple[Problem, ...]:
        return too_small(self.epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class Precisions:
    """What is measured of a cell's years, the largest squared sensitivity over all movers, and the σ of each."""

    plan: LevelsAndChanges
    most: Fraction
    level: float
    change: float | None
    total: float
    rho: Fraction

    def count_sd(self) -> float:
        """Of a level after least squares, in people."""
        return math.sqrt(self.plan.variances()[0] * float(self.plan.levels)) * self.level


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """See the module's docstring for formula, guarantee and rounding."""

    id: str = "discrete-gaussian"
    version: int = 1
    title: str = "Gaussian levels and changes"
    summary: str = "Discrete Gaussian noise on counts of years and their differences, and on sums; needs a δ."
    params: type[DiscreteGaussianParams] = DiscreteGaussianParams
    case: type[HistoryCase] = HistoryCase
    traits: Traits = Traits(no_closed_form=True, bound=True)

    def problems(self, prepared: Outcomes, params: DiscreteGaussianParams) -> tuple[Problem, ...]:  # noqa: ARG002 - any ε will do
        return ()

    def claim(self, prepared: Outcomes | None, params: DiscreteGaussianParams) -> Claim:
        epsilon, delta, many = Decimal(params.epsilon), Decimal(params.delta), reports(prepared)
        budget = _budget(params)
        whole = epsilon if many == 1 else Decimal(repr(zcdp.epsilon_of(float(budget) * many, float(delta))))
        return Claim(
            definition=Definition.HISTORY,
            unit=UNIT,
            epsilon=whole,
            delta=delta,
            sentence=said(prepared, epsilon, delta),
            assumptions=ENFORCED,
            parts=by_institution(prepared, epsilon, delta),
            coverage=witness(prepared),
            workings=(
                f"ρ = {float(budget):.4g} for {for_each(prepared)}, read as ε = {show(epsilon)} at δ = {show(delta)}."
            ),
            rho=Decimal(repr(float(budget) * many)),
        )

    def release(
        self, prepared: Outcomes, params: DiscreteGaussianParams, rng: ReleaseRandom, context: Context
    ) -> Release:
        asked: list[Answer] = []
        return Release.of(_drawn(prepared, params, rng, context, asked), self, rng, tuple(asked))

    def laws(self, prepared: Outcomes, params: DiscreteGaussianParams) -> Mapping[str, Declared]:
        """Around the exact counts, their changes and the sums."""
        found = precisions(prepared.layout.years, prepared.layout.places, prepared.cap, params)

        def around(exact: Integers, sigma: float) -> Declared:
            return Declared(exact=Confidential(exact), law=lambda each: Gaussian(each, np.full(len(each), sigma)))

        count, total = prepared.count.reveal(), prepared.total.reveal()
        laws = {
            _LEVELS: around(count, found.level),
            _SUMS: around(2 * total - prepared.cap * count, found.total),
        }
        if found.change is not None:
            of_year = count.reshape(-1, prepared.layout.years).T
            changes = [of_year[t] - of_year[u] for t, u in combinations(range(len(of_year)), 2)]
            laws[_CHANGES] = around(np.concatenate(changes), found.change)
        return laws

    def study(
        self, prepared: Outcomes, params: DiscreteGaussianParams, rng: StudyRandom, context: Context
    ) -> Confidential[Columns]:
        return Confidential(_drawn(prepared, params, rng, context))

    def expected_error(self, prepared: Outcomes, params: DiscreteGaussianParams) -> None:
        """None: published counts are rounded sums of many discrete Gaussians."""

    def exact_loss(self, prepared: Outcomes, params: DiscreteGaussianParams, context: Context) -> ExactLoss:
        context.step(0.0, "δ of the ρ that is spent")
        spent = precisions(prepared.layout.years, prepared.layout.places, prepared.cap, params).rho
        many = reports(prepared)
        claim = self.claim(prepared, params)
        return ExactLoss(
            epsilon=float(claim.epsilon),
            delta=zcdp.delta_of(float(spent) * many, float(claim.epsilon)),
            worst_cell=None,
            worst_pair="one person with a row in every year, present or absent",
            data_free=True,
            bound=True,
        )

    def neighbours(self, prepared: Outcomes, params: DiscreteGaussianParams, copies: int) -> tuple[NeighbourPair, ...]:  # noqa: ARG002 - any ε will do
        return one_history(prepared, copies)

    def calibrate(self, params: DiscreteGaussianParams, case: HistoryCase) -> Calibration:
        found = precisions(case.years, case.sectors, case.cap, params)
        sd = found.count_sd()
        return Calibration(
            scale=sd,
            expected_absolute_error=math.sqrt(2.0 / math.pi) * sd,
            spent_epsilon=float(params.epsilon),
            spent_delta=zcdp.delta_of(float(found.rho), float(params.epsilon)),
            notes=("δ follows from ρ of the integer noise.",),
        )


def _budget(params: DiscreteGaussianParams) -> Fraction:
    return _rho(float(params.epsilon), float(params.delta))


@lru_cache(maxsize=256)
def _rho(epsilon: float, delta: float) -> Fraction:
    return Fraction(zcdp.rho_of(epsilon, delta))


def movers_sensitivity(plan: LevelsAndChanges, places: int) -> Fraction:
    """The largest squared sensitivity of a person whose years lie in up to so many cells."""
    most = [Fraction(0)] * (plan.years + 1)
    for _ in range(min(places, plan.years)):
        most = [
            max(most[years - own] + plan.squared_sensitivity([own]) for own in range(years + 1))
            for years in range(plan.years + 1)
        ]
    return max(most)


@lru_cache(maxsize=64)
def chosen(years: int, places: int) -> tuple[LevelsAndChanges, Fraction]:
    """Levels and changes, or levels alone where movers make changes dearer."""
    levels = LevelsAndChanges(years=years, levels=Fraction(1, years), changes=Fraction(0))
    found = [(plan, movers_sensitivity(plan, places)) for plan in (best(years), levels)]
    return min(found, key=lambda each: each[0].variances()[0] * float(each[1]))


def precisions(years: int, places: int, cap: int, params: DiscreteGaussianParams) -> Precisions:
    """σ of everything that is measured, and the ρ that it spends, recomputed from the σ that are used."""
    plan, most = chosen(years, places)
    rho = _budget(params)
    counts, sums = rho * Fraction(params.counts), rho * (1 - Fraction(params.counts))
    level = discrete_gaussian.sigma_for(Fraction(1), counts * plan.levels / most)
    change = discrete_gaussian.sigma_for(Fraction(1), counts * plan.changes / most) if plan.changes else None
    total = discrete_gaussian.sigma_for(Fraction(years * cap * cap), sums)
    own = LevelsAndChanges(
        years=years,
        levels=discrete_gaussian.rho(Fraction(1), level),
        changes=Fraction(0) if change is None else discrete_gaussian.rho(Fraction(1), change),
    )
    spent = movers_sensitivity(own, places) + discrete_gaussian.rho(Fraction(years * cap * cap), total)
    return Precisions(plan=plan, most=most, level=level, change=change, total=total, rho=spent)


def _drawn(
    prepared: Outcomes,
    params: DiscreteGaussianParams,
    rng: UniformWords,
    context: Context,
    asked: list[Answer] | None = None,
) -> Columns:
    asked = [] if asked is None else asked
    layout, cap = prepared.layout, prepared.cap
    found = precisions(layout.years, layout.places, cap, params)
    count, total = prepared.count.reveal(), prepared.total.reveal()
    estimate = _least_squares(count.reshape(-1, layout.years), found, rng, Part(context, 0.0, 0.6), asked).reshape(-1)
    sums = 2 * total - cap * count
    noisy = sums + discrete_gaussian.draw(np.full(len(sums), found.total), rng, Part(context, 0.6, 1.0))
    asked.append(Answer(name=_SUMS, exact=Confidential(sums), drawn=noisy))
    people = np.maximum(estimate, 1.0)
    mean = np.where(estimate >= 0.5, np.clip(cap / 2.0 + noisy / (2.0 * people), 0.0, cap), np.nan)
    sd = np.hypot(found.total / (2.0 * people), (mean - cap / 2.0) * found.count_sd() / people)
    return published(prepared, Estimates(count=estimate, mean=mean, count_sd=found.count_sd(), mean_sd=sd))


def _least_squares(
    count: Integers, found: Precisions, rng: UniformWords, context: Context, asked: list[Answer]
) -> Floats:
    """Cells × years. The matrix (v + Tw)I − w11ᵀ has the inverse (I + (w/v)·11ᵀ)/(v + Tw)."""
    cells, years = count.shape
    v, w = float(found.plan.levels), float(found.plan.changes)
    levels = count + discrete_gaussian.draw(np.full(count.size, found.level), rng, Part(context, 0.0, 0.4)).reshape(
        count.shape
    )
    asked.append(Answer(name=_LEVELS, exact=Confidential(count.ravel()), drawn=levels.ravel()))
    exact, drawn = [], []
    right = v * levels.astype(np.float64)
    pairs = [(t, u) for t in range(years) for u in range(t + 1, years)] if found.change is not None else []
    for place, (t, u) in enumerate(pairs):
        within = Part(context, 0.4 + 0.6 * place / len(pairs), 0.4 + 0.6 * (place + 1) / len(pairs))
        noise = discrete_gaussian.draw(np.full(cells, found.change), rng, within)
        exact.append(count[:, t] - count[:, u])
        difference = exact[-1] + noise
        drawn.append(difference)
        right[:, t] += w * difference
        right[:, u] -= w * difference
    if pairs:
        asked.append(Answer(name=_CHANGES, exact=Confidential(np.concatenate(exact)), drawn=np.concatenate(drawn)))
    estimate: Floats = (right + (w / v) * right.sum(axis=1, keepdims=True)) / (v + years * w)
    return estimate


SPEC = DiscreteGaussian()
