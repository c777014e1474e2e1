"""Measuring all one- and two-way tables in the residual basis with exact integer noise, and what that costs.

u_A = ⊗(k_i·I − J)·m_A for every set A of at most two variables, and for each number the sums inside its classes of
x − (first number of the class). Discrete Gaussian noise of γ_A = σ_A·Πk_i, and γ_c = σ·(last − first number) for class
sums: each class by its own width. ρ is recomputed from the γ that are used. Everything beyond `measure` is a function
of the plan and of what was drawn.

With weights, m_A is the sum of weights W in whole hundredths, at most W_max: a record moves u_A by W times its column,
so every γ is W_max times as large. The total weight is measured under any claim, and so are, for sampling errors, the
sums of W²/W_max (rounded, at most W_max) in the categories of every variable. Two records of weights W and W′ move u_A
by W·a − W′·b; the square of that is convex in (W, W′), so the dearest replacement is one of equal largest weights, or
of one against none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET, Context, Part
from workbench.core.randomness import UniformWords
from workbench.mechanisms.contract import Answer
from workbench.noise import discrete_gaussian
from workbench.noise.declared.contract import DRAWN, Declared
from workbench.noise.declared.discrete import DiscreteGaussian
from workbench.products.survey_microdata import residuals
from workbench.products.survey_microdata.mixture import NoisyTables
from workbench.products.survey_microdata.residual_plan import ResidualPlan, best_plan
from workbench.products.survey_microdata.survey_data import ONCE, SurveyData, Variable, Weighing
from workbench.products.survey_microdata.weighted_pairs import pair_tables
from workbench.tabulation.sums import sums as summed

ONE_WAY_WEIGHT = 10.0
NUMBERS_SHARE = 0.05  # of ρ, for the sums inside classes
SQUARES_SHARE = 0.03  # of ρ, for the sums of squared weights
_CAREFUL = 1.0 + 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The γ of every integer that is drawn. `total` is None where the number of respondents is public.

    `planned`: the public planning size, which bounds what a weighted sample is worth.
    """

    variables: tuple[Variable, ...]
    total: float | None
    single: Floats
    pair: Floats  # variables × variables, symmetric, zero on the diagonal
    number: float  # σ of the class sums, before the width of the class and the largest weight
    weighing: Weighing = ONCE
    squares: float | None = None  # γ of the sums of squared weights, where there are weights
    planned: int = 0

    @property
    def categories(self) -> Integers:
        return np.array([variable.categories for variable in self.variables], dtype=np.int64)

    @property
    def numbers(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.number)

    def plan(self) -> ResidualPlan:
        """The variances in respondents that the γ amount to."""
        k, unit = self.categories, self.weighing.unit
        product = np.outer(k, k).astype(np.float64) * unit
        return ResidualPlan(
            categories=k,
            total=(self.total / unit) ** 2 if self.total is not None else np.inf,
            single=(self.single / (k * unit)) ** 2,
            pair=(self.pair / product) ** 2,
        )

    @property
    def number_deviation(self) -> float:
        """σ of the class sums in respondents, before the width of the class."""
        return self.number * self.weighing.largest

    def rho_added(self) -> Fraction:
        """Exact, of one record added or removed: Σ W²·Πk(k − 1)/(2γ²), and 1/(2σ²) for each number."""
        return self.rho_of_tables() + self._numbers(Fraction(1, 2)) + self._squares(Fraction(1, 2))

    def rho_of_tables(self) -> Fraction:
        """The same of the total and of all tables."""
        k = self.categories.tolist()
        spent = Fraction(0) if self.total is None else 1 / (2 * Fraction(self.total) ** 2)
        spent += sum((residuals.rho(float(self.single[i]), k[i]) for i in range(len(k))), Fraction(0))
        for i, j in combinations(range(len(k)), 2):
            spent += residuals.rho(float(self.pair[i, j]), k[i], k[j])
        return spent * self.weighing.most**2

    def rho_replaced(self) -> float:
        """Of one record replaced by any other, rounded up: the set formula, and twice the price of each number.

        With weights, one of the two can have none: what it then costs is the price of one record added.
        """
        tables = self.plan().rho_replaced() * self.weighing.largest**2 * _CAREFUL
        if self.weighing.weighted:
            tables = max(tables, float(self.rho_of_tables()) * _CAREFUL)
        return tables + float(self._numbers(Fraction(1)) + self._squares(Fraction(1)))

    def _numbers(self, each: Fraction) -> Fraction:
        return len(self.numbers) * each / Fraction(self.number) ** 2 if self.numbers else Fraction(0)

    def _squares(self, each: Fraction) -> Fraction:
        """A record moves one sum of each variable, by at most the largest weight; a replaced one moves two."""
        if self.squares is None:
            return Fraction(0)
        return len(self.variables) * each * self.weighing.most**2 / Fraction(self.squares) ** 2


def planned(
    variables: tuple[Variable, ...], rho: float, *, replaced: bool, weighing: Weighing = ONCE, planned_size: int = 0
) -> Measured:
    """The γ that spend at most ρ, of one record added or removed, or of one replaced."""
    categories = np.array([variable.categories for variable in variables], dtype=np.int64)
    numbers = sum(variable.number for variable in variables)
    squares = SQUARES_SHARE if weighing.weighted else 0.0
    tables = rho * (1.0 - (NUMBERS_SHARE if numbers else 0.0) - squares)
    price = best_plan(categories, 1.0, ONE_WAY_WEIGHT).rho_replaced() if replaced else 1.0
    shape = best_plan(categories, tables / (max(price, 1.0) if weighing.weighted else price), ONE_WAY_WEIGHT)
    each = NUMBERS_SHARE * rho / numbers if numbers else 1.0
    product, larger = np.outer(categories, categories).astype(np.float64), weighing.most * _CAREFUL
    return Measured(
        variables=variables,
        total=None if replaced and not weighing.weighted else float(np.sqrt(shape.total)) * larger,
        single=np.sqrt(shape.single) * categories.astype(np.float64) * larger,
        pair=np.sqrt(shape.pair) * product * larger,
        number=float(np.sqrt((1.0 if replaced else 0.5) / each)) * _CAREFUL,
        weighing=weighing,
        squares=float(np.sqrt(len(variables) * (1.0 if replaced else 0.5) / (squares * rho))) * larger
        if squares
        else None,
        planned=planned_size,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The noisy integers, and the γ they were drawn with: all that anything published is made of."""

    measured: Measured
    total: int
    single: tuple[Integers, ...]
    pair: dict[tuple[int, int], Integers]
    sums: tuple[Integers, ...]  # of each number, by class
    squares: tuple[Integers, ...] = ()  # sums of squared weights in every category, in units of the largest

    @property
    def people(self) -> float:
        """The noisy total: respondents, or their weight."""
        return self.total / self.measured.weighing.unit

    @property
    def size(self) -> float:
        """The same, at least 1: what shares and means divide by."""
        return max(1.0, self.people)

    def records(self) -> int:
        """How many respondents of equal weight the sample is worth, (Σw)²/Σw², at least 1: the records of a file.

        Without weights that is the noisy total. With them it is at most the public planning size, whatever was drawn.
        """
        weighing = self.measured.weighing
        if not weighing.weighted:
            return max(1, self.total)
        squared = float(np.mean([self.squared(place).sum() for place in range(len(self.squares))]))
        bounded = max(min(squared, self.size * weighing.largest), self.size**2 / max(self.measured.planned, 1))
        return max(1, round(self.size**2 / bounded))

    def weight_of_record(self) -> float:
        """What one of those respondents counts, Σw²/Σw; 1 without weights."""
        return self.size / self.records() if self.measured.weighing.weighted else 1.0

    def squared(self, place: int) -> Floats:
        """Σw² in the categories of one variable."""
        weighing = self.measured.weighing
        return self.squares[place].astype(np.float64) * (weighing.largest / weighing.unit)

    def residual(self, place: int) -> Floats:
        """Centred, of one variable, in respondents."""
        return residuals.centred(self.single[place].astype(np.float64)) / self.measured.weighing.unit

    def pair_residual(self, pair: tuple[int, int]) -> Floats:
        return residuals.centred(self.pair[pair].astype(np.float64)) / self.measured.weighing.unit

    def class_sums(self, order: int) -> Floats:
        """Of one number, by class, in respondents."""
        return self.sums[order] / self.measured.weighing.unit

    def tables(self) -> NoisyTables:
        """Centred residuals in records of the file, as the model of records takes them."""
        plan, each = self.measured.plan(), 1.0 / self.weight_of_record()
        ends = np.concatenate([[0], np.cumsum(plan.categories)])
        square = np.zeros((int(ends[-1]), int(ends[-1])))
        for i, j in self.pair:
            block = each * self.pair_residual((i, j))
            square[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] = block
            square[ends[j] : ends[j + 1], ends[i] : ends[i + 1]] = block.T
        return NoisyTables(
            categories=plan.categories,
            total=float(self.records()) if self.measured.weighing.weighted else float(self.total),
            single=each * np.concatenate([self.residual(place) for place in range(len(self.single))]),
            pair=square,
            single_variance=each**2 * plan.single,
            pair_variance=each**2 * plan.pair,
        )


def exact_integers(
    prepared: SurveyData, context: Context
) -> tuple[int, list[Integers], list[Integers], list[Integers]]:
    """n, u of every variable, u of every pair, and the class sums: the code's own contribution function."""
    if prepared.counts is not None:
        held = prepared.counts.reveal()
        own = held if held.weighed is None else held.weighed
        single = [residuals.of_margin(margin) for margin in own.single]
        pair = [residuals.of_table(table) for table in own.pair]
        return own.total, single, pair, held.above(prepared.variables)
    classed, answers, weights = prepared.classed.reveal(), prepared.answers.reveal(), prepared.counts_as.reveal()
    k, most = prepared.categories.tolist(), prepared.weighing.most
    narrow = [classed[:, i].astype(np.min_scalar_type(k[i])) for i in range(len(k))]
    margins = [summed(narrow[i], weights, k[i], most=most) for i in range(len(k))]
    single = [residuals.of_margin(margin) for margin in margins]
    pair = [residuals.of_table(table) for table in pair_tables(prepared, narrow, context)]
    sums = []
    for i, variable in enumerate(prepared.variables):
        if variable.number:
            above = answers[:, i] - np.array(variable.starts, dtype=np.int64)[classed[:, i]]
            sums.append(summed(narrow[i], weights * above, k[i], most=most * int(widths(variable).max())))
    return int(weights.sum()), single, pair, sums


def squared_sums(prepared: SurveyData) -> list[Integers]:
    """Σ W²/W_max in every category, each term rounded: at most W_max, so that one record moves the sum by no more."""
    if prepared.weighed is not None:
        return list(prepared.weighed.reveal().rounded)
    units, most, classed = prepared.counts_as.reveal(), prepared.weighing.most, prepared.classed.reveal()
    squares = (2 * units * units + most) // (2 * most)
    return [summed(classed[:, i], squares, k, most=most) for i, k in enumerate(prepared.categories.tolist())]


def widths(variable: Variable) -> Integers:
    """Last minus first number of every class: how far one record can move its sum."""
    return np.array(variable.ends, dtype=np.int64) - np.array(variable.starts, dtype=np.int64)


def scales(measured: Measured) -> Floats:
    """γ of every integer that is drawn, in their order: variables, pairs, class sums, squared weights, the total."""
    k = measured.categories.tolist()
    found = [np.full(k[i], measured.single[i]) for i in range(len(k))]
    found += [np.full(k[i] * k[j], measured.pair[i, j]) for i, j in combinations(range(len(k)), 2)]
    found += [measured.number * measured.weighing.most * widths(variable) for variable in measured.numbers]
    found += [np.full(sum(k), measured.squares)] if measured.squares is not None else []
    found += [np.array([measured.total])] if measured.total is not None else []
    return np.concatenate(found)


def exact_answer(prepared: SurveyData, measured: Measured, context: Context) -> tuple[int, Integers]:
    """The number of respondents or their weight, and every exact integer in the order of its γ."""
    total, single, pair, sums = exact_integers(prepared, context)
    flat: list[NDArray[np.int64]] = [each.ravel() for each in (*single, *pair, *sums)]
    if measured.squares is not None:
        flat += squared_sums(prepared)
    if measured.total is not None:
        flat.append(np.array([total]))
    return total, np.concatenate(flat).astype(np.int64)


def with_noise(exact: Integers, measured: Measured, rng: UniformWords, context: Context, copies: int = 1) -> Integers:
    """The exact integers plus discrete Gaussian noise, so many times one after the other."""
    return np.tile(exact, copies) + discrete_gaussian.draw(np.tile(scales(measured), copies), rng, context)


def measure(
    prepared: SurveyData, measured: Measured, rng: UniformWords, context: Context, asked: list[Answer] | None = None
) -> Drawn:
    """The only function that sees the data: exact integers plus exact noise. `asked` takes the transcript."""
    context.step(0.0, "counting all one- and two-way tables")
    total, exact = exact_answer(prepared, measured, Part(context, 0.0, 0.5))
    noisy = with_noise(exact, measured, rng, Part(context, 0.5, 1.0))
    if asked is not None:
        asked.append(Answer(name=DRAWN, exact=Confidential(exact), drawn=noisy))
    return _taken_apart(measured, noisy, total if measured.total is None else int(noisy[-1]))


def _taken_apart(measured: Measured, noisy: Integers, total: int) -> Drawn:
    """What was drawn, table by table."""
    k = measured.categories.tolist()
    which = list(combinations(range(len(k)), 2))
    sizes = [*k, *(k[i] * k[j] for i, j in which), *(variable.categories for variable in measured.numbers)]
    sizes += k if measured.squares is not None else []
    parts = iter(np.split(noisy, np.cumsum(sizes)))
    return Drawn(
        measured=measured,
        single=tuple(next(parts) for _ in k),
        pair={(i, j): next(parts).reshape(k[i], k[j]) for i, j in which},
        sums=tuple(next(parts) for _ in measured.numbers),
        squares=() if measured.squares is None else tuple(next(parts) for _ in k),
        total=total,
    )


def laws(prepared: SurveyData, measured: Measured) -> Mapping[str, Declared]:
    """Discrete Gaussian around every exact integer, in the order in which they are drawn."""
    _, exact = exact_answer(prepared, measured, QUIET)
    gamma = scales(measured)
    return {DRAWN: Declared(exact=Confidential(exact), law=lambda around: DiscreteGaussian(around, gamma))}
