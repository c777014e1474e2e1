"""One rule for all estimates from locally protected answers: decode every record, then average.

With M the matrix of chances of one variable, P(published y | true x), a function f of the true answer is decoded as
f̂(y) = fᵀM⁻¹e_y, so that E[f̂(y) | x] = f(x). Answers of different variables are protected independently, so products of
decoded values of different variables are unbiased for products; squares must be decoded as squares. Means of decoded
values have the standard error sd/√n, which holds sampling and privacy noise at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Problem, UserProblem
from workbench.core.published import Published
from workbench.noise import discrete_laplace
from workbench.products.survey_microdata.layout import has_design, variable_column
from workbench.products.survey_microdata.local.design import METHOD_TEXTS, Method
from workbench.products.survey_microdata.survey_data import Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedDesign:
    """What the published design says of one variable."""

    variable: Variable
    method: Method
    answers: int
    kept: float
    each_other: float
    scale: float

    @property
    def slope(self) -> float:
        """p − q: how much of a difference between two answers comes through."""
        return self.kept - self.each_other

    def inverse(self) -> Floats:
        """M⁻¹ = (I − q·J)/(p − q)."""
        size = self.answers
        inverse: Floats = (np.eye(size) - self.each_other) / self.slope
        return inverse

    def decoded(self, values: Floats) -> Floats:
        """The number itself, record by record: unbiased for the true number."""
        if self.method is Method.LAPLACE:
            return values
        middle = (self.variable.lower + self.variable.upper) / 2.0
        decoded: Floats = (values - (1.0 - self.slope) * middle) / self.slope
        return decoded

    def decoded_square(self, values: Floats) -> Floats:
        """The number's square: a square of decoded values would count the noise."""
        if self.method is Method.LAPLACE:
            squares: Floats = values**2 - discrete_laplace.variance(self.scale)
            return squares
        levels = np.linspace(self.variable.lower, self.variable.upper, self.answers)
        rounded = (values**2 - (1.0 - self.slope) * float((levels**2).mean())) / self.slope
        if self.method is not Method.GRID:
            return rounded
        step = self.variable.width / (self.answers - 1)
        return rounded - step**2 / 6.0  # random rounding adds r·(step − r), step²/6 on average over the step


def designs_of(variables: tuple[Variable, ...], published: Published) -> tuple[PublishedDesign, ...] | None:
    """The published design; None where the file has none."""
    table = published.published_beside
    if table is None or not has_design(table):
        return None
    methods = table.coded("method")
    numbers = {name: table.units(name).numbers() for name in ("answers", "kept", "each_other", "scale")}
    return tuple(
        PublishedDesign(
            variable=variable,
            method=Method(METHOD_TEXTS.index(methods.texts()[place])),
            answers=int(np.nan_to_num(numbers["answers"][place])),
            kept=float(numbers["kept"][place]),
            each_other=float(numbers["each_other"][place]),
            scale=float(numbers["scale"][place]),
        )
        for place, variable in enumerate(variables)
    )


def indicators(design: PublishedDesign, published: Published) -> Floats:
    """Records × categories of tables: the decoded indicator of each category. Refused for Laplace numbers."""
    variable = design.variable
    values = variable_column(published, variable)
    if design.method is Method.LAPLACE:
        raise UserProblem(
            f"Classes of “{variable.name}” cannot be counted from Laplace noise without an error beyond use",
            variable.name,
            "Estimate its mean, or choose a method with levels",
        )
    inverse = design.inverse()
    if variable.number:
        level = _levels(design, values)
        return (class_shares(design) @ inverse)[:, level].T
    return np.ascontiguousarray(inverse[:, values.astype(np.int64)].T)


def _levels(design: PublishedDesign, values: Floats) -> Integers:
    variable = design.variable
    levels: Integers = np.rint((values - variable.lower) / variable.width * (design.answers - 1)).astype(np.int64)
    return levels


def class_shares(design: PublishedDesign) -> Floats:
    """Classes × levels: which class a level is counted in. Rounding across a class limit is an error of its own."""
    variable = design.variable
    levels = np.linspace(variable.lower, variable.upper, design.answers)
    placed = variable.classed(np.floor(levels + 1e-9).astype(np.int64))
    shares = np.zeros((variable.categories, design.answers))
    shares[placed, np.arange(design.answers)] = 1.0
    return shares


def mean_and_error(decoded: Floats) -> tuple[Floats, Floats]:
    """The mean over records, and its standard error: sampling and privacy noise at once."""
    count = max(len(decoded), 2)
    return decoded.mean(axis=0), decoded.std(axis=0, ddof=1) / np.sqrt(count)


def no_design() -> Problem:
    return Problem("The file has no design beside it", do="Use a file that was protected variable by variable")
