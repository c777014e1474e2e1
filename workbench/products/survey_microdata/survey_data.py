"""What the methods start from: respondents × variables as integers, with domains that the plan declares.

A category is its place in the declared list; a number is itself, cut off at its bounds. Missing and undeclared values
are settled by the plan's rule when rows are read, so that no row stops a run or changes its shape. Weights are whole
hundredths, cut off at a declared largest weight. Everything but answers and weights is public.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.mechanisms.contract import Release, RowRule
from workbench.microdata.elsewhere import WithheldRows
from workbench.products.survey_microdata.params import Kind
from workbench.tabulation.pairs import counted_pairs

if TYPE_CHECKING:
    from workbench.baselines.suppression.tabulated import Tabulated
    from workbench.products.survey_microdata.counted import Counted, Weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable as declared. `starts` are the first numbers of the classes in which a number is tabulated."""

    name: str
    kind: Kind
    title: str = ""
    values: tuple[str, ...] = ()  # of a category
    labels: tuple[str, ...] = ()
    lower: int = 0
    upper: int = 0
    starts: tuple[int, ...] = ()

    @property
    def number(self) -> bool:
        return self.kind is Kind.NUMBER

    @property
    def categories(self) -> int:
        """In tables."""
        return len(self.starts) if self.number else len(self.values)

    @property
    def domain(self) -> int:
        """How many different answers there are."""
        return self.upper - self.lower + 1 if self.number else len(self.values)

    @property
    def width(self) -> int:
        return self.upper - self.lower

    @property
    def ends(self) -> tuple[int, ...]:
        """The last number of each class."""
        return (*(start - 1 for start in self.starts[1:]), self.upper)

    @property
    def texts(self) -> tuple[str, ...]:
        """Of the categories in tables."""
        if not self.number:
            return self.values
        return tuple(f"{start}-{end}" for start, end in zip(self.starts, self.ends, strict=True))

    def classed(self, answers: Integers) -> Integers:
        """The category in tables of each answer. Answers beyond the bounds count in the outer classes."""
        if not self.number:
            return answers
        places: Integers = np.clip(np.searchsorted(np.array(self.starts), answers, side="right") - 1, 0, None)
        return places.astype(np.int64)


def class_starts(lower: int, upper: int, classes: int) -> tuple[int, ...]:
    """Classes of equal width; what is left over goes to the last, so that 0 … 100 in five has 20, 20, 20, 20, 21."""
    width = (upper - lower + 1) // classes
    return tuple(lower + width * place for place in range(classes))


WEIGHT_DECIMALS = 2


@dataclass(frozen=True, slots=True)
class Weighing:
    """How much one respondent can count, by the plan: `unit` integers are a weight of 1, `most` the largest weight."""

    unit: int = 1
    most: int = 1

    @property
    def weighted(self) -> bool:
        return self.unit > 1

    @property
    def largest(self) -> float:
        """w_max: how many respondents of weight 1 the largest weight is."""
        return self.most / self.unit


ONCE = Weighing()


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What missing and undeclared answers count as: its text in tables, and which answers it holds, “” for none."""

    text: str
    holds: Confidential[frozenset[str]]


def weighing(most_weight: int) -> Weighing:
    """Weights up to the declared one, on a grid of hundredths."""
    return Weighing(unit=10**WEIGHT_DECIMALS, most=most_weight * 10**WEIGHT_DECIMALS)


@dataclass(frozen=True, kw_only=True)
class SurveyData:
    """`bounded`: one row of each respondent was used. `planned` is the public planning size, 0 where there is none."""

    variables: tuple[Variable, ...]
    answers: Confidential[Integers]  # respondents × variables
    bounded: bool = False
    planned: int = 0
    settled: Confidential[Integers] | None = None  # by variable: rows whose value the plan's rule settled
    weighing: Weighing = ONCE
    weights: Confidential[Integers] | None = None  # of each respondent in units of `weighing`, where there are any
    otherwise: tuple[Otherwise, ...] = ()  # by variable
    counted: Confidential[Counted] | None = None  # all that is known where the answers stay with their engine

    @property
    def rows(self) -> None:
        """None: a local method publishes a record for each respondent, a central one as many as its noisy total."""

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        return (("variables", len(self.variables)),)

    @property
    def counts(self) -> Confidential[Counted] | None:
        """The tables, where they are all there is. Answers that an audit puts in their place count instead of them."""
        return self.counted if isinstance(self.answers, WithheldRows) else None

    @property
    def weighed(self) -> Confidential[Weighed] | None:
        """The tables of weights, where they are all there is and respondents have weights."""
        held = None if self.counts is None else self.counts.reveal().weighed
        return None if held is None else Confidential(held)

    @property
    def respondents(self) -> Confidential[int]:
        if self.counts is not None:
            return Confidential(self.counts.reveal().total)
        return Confidential(len(self.answers.reveal()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @property
    def categories(self) -> Integers:
        """Of each variable in tables."""
        return np.array([variable.categories for variable in self.variables], dtype=np.int64)

    @cached_property
    def classed(self) -> Confidential[Integers]:
        """Respondents × variables, as categories of tables."""
        answers = self.answers.reveal()
        columns = [variable.classed(answers[:, place]) for place, variable in enumerate(self.variables)]
        return Confidential(np.stack(columns, axis=1))

    @cached_property
    def counts_as(self) -> Confidential[Integers]:
        """What each respondent counts, in integers: `weighing.unit` of them are a weight of 1."""
        if self.weights is None:
            return Confidential(np.ones(len(self.answers.reveal()), dtype=np.int64))
        return self.weights

    @cached_property
    def mass(self) -> Confidential[Floats]:
        """The weight of each respondent; 1 where there are no weights."""
        return Confidential(self.counts_as.reveal() / self.weighing.unit)

    @property
    def worth(self) -> float:
        """How many respondents of equal weight the sample is worth: (ΣW)²/ΣW². Confidential."""
        if self.weighed is not None:
            held = self.weighed.reveal()
            return held.total**2 / max(held.squared, 1)
        mass = self.mass.reveal()
        return float(mass.sum()) ** 2 / max(float(mass @ mass), 1e-300)

    def with_people(self, answers: Integers, units: Integers | None = None) -> SurveyData:
        """Other respondents under the same plan; each has the largest weight where none are given."""
        weights = np.full(len(answers), self.weighing.most, dtype=np.int64) if units is None else units
        return replace(
            self,
            answers=Confidential(answers),
            weights=Confidential(weights) if self.weighing.weighted else None,
            settled=None,
        )

    def margins(self) -> list[Integers]:
        """How many gave each answer, variable by variable."""
        if self.counts is not None:
            return list(self.counts.reveal().single)
        classed, sizes = self.classed.reveal(), self.categories.tolist()
        return [np.bincount(classed[:, i], minlength=sizes[i]).astype(np.int64) for i in range(len(sizes))]

    def pairs(self) -> list[Integers]:
        """The table of every two variables in turn."""
        if self.counts is not None:
            return list(self.counts.reveal().pair)
        classed, sizes = self.classed.reveal(), self.categories.tolist()
        narrow = [classed[:, i].astype(np.min_scalar_type(sizes[i])) for i in range(len(sizes))]
        return list(counted_pairs(narrow, sizes, QUIET))

    def suppressible(self) -> Tabulated | None:
        from workbench.products.survey_microdata.suppressible import suppressible

        return suppressible(self)

    def place(self, name: str) -> int:
        return self.names.index(name)

    def row_rule(self, release: Release) -> RowRule:
        from workbench.products.survey_microdata.layout import expected_rows

        expected, said = expected_rows(self, release)
        return RowRule(kept=release.rows == expected, said=said, broken=f"It is not so that {said}.")
