"""Measuring all one- and two-way tables in the residual basis with exact integer noise, and what that costs.

u_A = ⊗(k_i·I − J)·m_A for every set A of at most two variables, and for each number the sums inside its classes of
x − (first number of the class). Discrete Gaussian noise of γ_A = σ_A·Πk_i, and γ_c = σ·(last − first number) for class
sums: each class by its own width. ρ is recomputed from the γ that are used. Everything beyond `measure` is a function
of the plan and of what was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

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
from workbench.products.survey_microdata.survey_data import SurveyData, Variable
from workbench.tabulation.pairs import counted_pairs

ONE_WAY_WEIGHT = 10.0
NUMBERS_SHARE = 0.05  # of ρ, for the sums inside classes
_CAREFUL = 1.0 + 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The γ of every integer that is drawn. `total` is None where the number of respondents is public."""

    variables: tuple[Variable, ...]
    total: float | None
    single: Floats
    pair: Floats  # variables × variables, symmetric, zero on the diagonal
    number: float  # σ of the class sums, before the width of the class

    @property
    def categories(self) -> Integers:
        return np.array([variable.categories for variable in self.variables], dtype=np.int64)

    @property
    def numbers(self) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.number)

    def plan(self) -> ResidualPlan:
        """The variances in respondents that the γ amount to."""
        k = self.categories
        product = np.outer(k, k).astype(np.float64)
        return ResidualPlan(
            categories=k,
            total=self.total**2 if self.total is not None else np.inf,
            single=(self.single / k) ** 2,
            pair=(self.pair / product) ** 2,
        )

    def rho_added(self) -> Fraction:
        """Exact, of one record added or removed: Σ Πk(k − 1)/(2γ²), and 1/(2σ²) for each number."""
        k = self.categories.tolist()
        spent = Fraction(0) if self.total is None else 1 / (2 * Fraction(self.total) ** 2)
        spent += sum((residuals.rho(float(self.single[i]), k[i]) for i in range(len(k))), Fraction(0))
        for i, j in combinations(range(len(k)), 2):
            spent += residuals.rho(float(self.pair[i, j]), k[i], k[j])
        return spent + self._numbers(Fraction(1, 2))

    def rho_replaced(self) -> float:
        """Of one record replaced by any other, rounded up: the set formula, and twice the price of each number."""
        return self.plan().rho_replaced() * _CAREFUL + float(self._numbers(Fraction(1)))

    def _numbers(self, each: Fraction) -> Fraction:
        return len(self.numbers) * each / Fraction(self.number) ** 2 if self.numbers else Fraction(0)


def planned(variables: tuple[Variable, ...], rho: float, *, replaced: bool) -> Measured:
    """The γ that spend at most ρ, of one record added or removed, or of one replaced."""
    categories = np.array([variable.categories for variable in variables], dtype=np.int64)
    numbers = sum(variable.number for variable in variables)
    tables = rho * (1.0 - NUMBERS_SHARE) if numbers else rho
    unit = best_plan(categories, 1.0, ONE_WAY_WEIGHT)
    shape = best_plan(categories, tables / (unit.rho_replaced() if replaced else 1.0), ONE_WAY_WEIGHT)
    each = NUMBERS_SHARE * rho / numbers if numbers else 1.0
    product = np.outer(categories, categories).astype(np.float64)
    return Measured(
        variables=variables,
        total=None if replaced else float(np.sqrt(shape.total)) * _CAREFUL,
        single=np.sqrt(shape.single) * categories.astype(np.float64) * _CAREFUL,
        pair=np.sqrt(shape.pair) * product * _CAREFUL,
        number=float(np.sqrt((1.0 if replaced else 0.5) / each)) * _CAREFUL,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The noisy integers, and the γ they were drawn with: all that anything published is made of."""

    measured: Measured
    total: int
    single: tuple[Integers, ...]
    pair: dict[tuple[int, int], Integers]
    sums: tuple[Integers, ...]  # of each number, by class

    def tables(self) -> NoisyTables:
        """Centred residuals in respondents, as the model of records takes them."""
        plan = self.measured.plan()
        ends = np.concatenate([[0], np.cumsum(plan.categories)])
        square = np.zeros((int(ends[-1]), int(ends[-1])))
        for (i, j), noisy in self.pair.items():
            block = residuals.centred(noisy.astype(np.float64))
            square[ends[i] : ends[i + 1], ends[j] : ends[j + 1]] = block
            square[ends[j] : ends[j + 1], ends[i] : ends[i + 1]] = block.T
        return NoisyTables(
            categories=plan.categories,
            total=float(self.total),
            single=np.concatenate([residuals.centred(noisy.astype(np.float64)) for noisy in self.single]),
            pair=square,
            single_variance=plan.single,
            pair_variance=plan.pair,
        )


def exact_integers(
    prepared: SurveyData, context: Context
) -> tuple[int, list[Integers], list[Integers], list[Integers]]:
    """n, u of every variable, u of every pair, and the class sums: the code's own contribution function."""
    classed, answers = prepared.classed.reveal(), prepared.answers.reveal()
    k = prepared.categories.tolist()
    narrow = [classed[:, i].astype(np.min_scalar_type(k[i])) for i in range(len(k))]
    single = [residuals.of_margin(np.bincount(narrow[i], minlength=k[i]).astype(np.int64)) for i in range(len(k))]
    tables = counted_pairs(narrow, k, context)
    pair = [residuals.of_table(table) for table in tables]
    sums = []
    for i, variable in enumerate(prepared.variables):
        if variable.number:
            above = answers[:, i] - np.array(variable.starts, dtype=np.int64)[classed[:, i]]
            sums.append(np.bincount(narrow[i], weights=above, minlength=k[i]).astype(np.int64))
    return len(classed), single, pair, sums


def widths(variable: Variable) -> Integers:
    """Last minus first number of every class: how far one record can move its sum."""
    return np.array(variable.ends, dtype=np.int64) - np.array(variable.starts, dtype=np.int64)


def scales(measured: Measured) -> Floats:
    """γ of every integer that is drawn, in their order: variables, pairs, class sums, and the total where it is."""
    k = measured.categories.tolist()
    found = [np.full(k[i], measured.single[i]) for i in range(len(k))]
    found += [np.full(k[i] * k[j], measured.pair[i, j]) for i, j in combinations(range(len(k)), 2)]
    found += [measured.number * widths(variable) for variable in measured.numbers]
    if measured.total is not None:
        found.append(np.array([measured.total]))
    return np.concatenate(found)


def exact_answer(prepared: SurveyData, measured: Measured, context: Context) -> tuple[int, Integers]:
    """The number of respondents, and every exact integer in the order of its γ."""
    total, single, pair, sums = exact_integers(prepared, context)
    flat = [each.ravel() for each in (*single, *pair, *sums)]
    return total, np.concatenate([*flat, *([] if measured.total is None else [[total]])]).astype(np.int64)


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
    parts = iter(np.split(noisy, np.cumsum(sizes)))
    return Drawn(
        measured=measured,
        single=tuple(next(parts) for _ in k),
        pair={(i, j): next(parts).reshape(k[i], k[j]) for i, j in which},
        sums=tuple(next(parts) for _ in measured.numbers),
        total=total,
    )


def laws(prepared: SurveyData, measured: Measured) -> Mapping[str, Declared]:
    """Discrete Gaussian around every exact integer, in the order in which they are drawn."""
    _, exact = exact_answer(prepared, measured, QUIET)
    gamma = scales(measured)
    return {DRAWN: Declared(exact=Confidential(exact), law=lambda around: DiscreteGaussian(around, gamma))}
