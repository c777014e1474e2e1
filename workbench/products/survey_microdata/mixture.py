"""A model of whole records fitted to tables from noise only: a mixture of products, stopped below the noise level.

P(x) = (1/M)·Σ_m Π_j θ_mj(x_j). With Θ (components × all categories) the model's two-way tables are the blocks of ΘᵀΘ/M,
so one matrix product gives them all. The loss is Σ‖centred model − r_ij/n‖²·n²/σ_ij² over pairs, plus the same over
one-way tables. The r_ij are the model-based residuals (`model_tables.py`), which have most of the noise taken out; Adam
starts next to independence and stops once what is left is .2 of the noise for each degree of freedom. Swaps bring the
records closer afterwards. Post-processing only: n is the published noisy total, never the true one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context

COMPONENTS = 100
_STEPS = 600
_RATE, _FIRST, _SECOND = 0.05, 0.9, 0.99
_START = 0.05
_STOP = 0.2
_LEAST = 0.5  # respondents in a category, where the noisy share is below


Short = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyTables:
    """What was drawn, as centred residuals in respondents, and the variances of its noise.

    Categories of all variables stand one after the other: `single` has one entry for each, `pair` is a square over all
    of them whose blocks are the residuals of two variables; the blocks of a variable with itself are zero.
    """

    categories: Integers
    total: float
    single: Floats
    pair: Floats
    single_variance: Floats  # of each variable
    pair_variance: Floats  # variables × variables

    @property
    def offsets(self) -> Integers:
        """Where each variable's categories begin, and the end."""
        places: Integers = np.concatenate([[0], np.cumsum(self.categories)])
        return places

    @property
    def variable(self) -> Integers:
        """The variable of every category."""
        return np.repeat(np.arange(len(self.categories)), self.categories)

    def size(self) -> int:
        """N* = max(1, round(ñ)), the only number of records that may be used."""
        return max(1, round(self.total))

    def margins(self) -> Floats:
        """Noisy one-way tables in respondents."""
        margins: Floats = self.single + self.size() / self.categories[self.variable]
        return margins

    def positive_margins(self) -> Floats:
        """The same, at least .1 respondents each, and adding up to the number of records."""
        margins = np.maximum(self.margins(), 0.1)
        sums = np.bincount(self.variable, weights=margins)[self.variable]
        positive: Floats = margins * (self.size() / sums)
        return positive


def fit(tables: NoisyTables, rng: np.random.Generator, context: Context, components: int = COMPONENTS) -> Floats:
    """Θ: for each component the chances of every category, adding up to one over each variable."""
    problem = _Problem.of(tables, components)
    logits = problem.start(rng)
    momentum, square = np.zeros_like(logits), np.zeros_like(logits)
    for step in range(1, _STEPS + 1):
        context.step(step / _STEPS, "fitting the model of records")
        chances = problem.softmax(logits)
        loss, slope = problem.loss_and_slope(chances)
        if loss <= _STOP:
            break
        momentum += (1.0 - _FIRST) * (slope - momentum)
        square += (1.0 - _SECOND) * (slope * slope - square)
        rate = _RATE * (0.05 + 1.0 - step / _STEPS) / (1.0 - _FIRST**step)
        logits -= rate * momentum / (np.sqrt(square * (1.0 / (1.0 - _SECOND**step))) + 1e-8)
    context.step(1.0, "model fitted")
    return _with_margins(problem.softmax(logits).astype(np.float64), tables)


@dataclass(frozen=True, slots=True)
class _Problem:
    """The loss, with everything that stays the same during the fit: seven digits are plenty beside the noise."""

    components: int
    members: Short  # categories × variables: which belongs to which
    even: Short  # of each category, the share it has where all are alike
    log_share: Short
    single: Short
    target: Short
    pair_weight: Short
    single_weight: Short
    freedom: float

    @classmethod
    def of(cls, tables: NoisyTables, components: int) -> _Problem:
        variable, n = tables.variable, float(tables.size())
        members = np.zeros((len(variable), len(tables.categories)))
        members[np.arange(len(variable)), variable] = 1.0
        inverse = np.zeros_like(tables.pair_variance)  # a variable with itself counts nothing
        np.divide(n * n, tables.pair_variance, out=inverse, where=tables.pair_variance > 0.0)
        free = np.outer(tables.categories - 1, tables.categories - 1).astype(np.float64)
        return cls(
            components=components,
            members=members.astype(np.float32),
            even=(1.0 / tables.categories[variable]).astype(np.float32),
            log_share=np.log(np.maximum(tables.margins(), _LEAST)).astype(np.float32),
            single=(tables.single / n).astype(np.float32),
            target=(tables.pair / n).astype(np.float32),
            pair_weight=inverse[np.ix_(variable, variable)].astype(np.float32),
            single_weight=(n * n / tables.single_variance)[variable].astype(np.float32),
            freedom=float(np.triu(free, 1).sum()),
        )

    def start(self, rng: np.random.Generator) -> Short:
        near = rng.normal(0.0, _START, (self.components, len(self.log_share)))
        logits: Short = self.log_share + near.astype(np.float32)
        return logits

    def summed(self, values: Short) -> Short:
        """Sums over the categories of each variable, for each of its categories."""
        each: Short = values @ self.members
        summed: Short = each @ self.members.T
        return summed

    def softmax(self, logits: Short) -> Short:
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances: Short = raised / self.summed(raised)
        return chances

    def loss_and_slope(self, chances: Short) -> tuple[float, Short]:
        """χ² of the pairs per degree of freedom, and the slope of the whole loss with respect to the logits.

        Chances of a variable add up to one, so the blocks of ΘᵀΘ without their row and column means are those of
        CᵀC, C = Θ − 1/k.
        """
        apart = chances - self.even
        away = apart.T @ apart / self.components - self.target
        weighted = away * self.pair_weight
        alone = (apart.mean(axis=0) - self.single) * self.single_weight
        slope = chances * ((2.0 / self.components) * (apart @ weighted + alone))
        slope -= chances * self.summed(slope)
        return float(0.5 * np.vdot(away, weighted) / self.freedom), slope


def _with_margins(chances: Floats, tables: NoisyTables, rounds: int = 20) -> Floats:
    """One factor for each category, so that the model's one-way tables are the noisy ones (at least .1 respondents)."""
    wanted = tables.positive_margins() / tables.size()
    scaled = chances
    for _ in range(rounds):
        scaled = scaled * (wanted / np.maximum(scaled.mean(axis=0), 1e-12))
        sums = np.add.reduceat(scaled, tables.offsets[:-1], axis=1)
        scaled = scaled / np.repeat(sums, tables.categories, axis=1)
    return scaled


def two_way(chances: Floats, total: float) -> Floats:
    """All two-way tables of the model in respondents, as one square over all categories."""
    tables: Floats = total * chances.T @ chances / len(chances)
    return tables
