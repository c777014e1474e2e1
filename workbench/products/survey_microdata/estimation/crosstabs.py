"""All two-way tables as one long row of cells, in the order in which noisy tables are published: counted or corrected.

Corrected: Â = M₁⁻¹·O·(M₂⁻¹)ᵀ for two variables protected apart, with Var = A₂·O·B₂ᵀ − est²/n, squares elementwise; for
whole records protected together (O − (1 − t)·n·cells/D)/t.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET
from workbench.core.published import Columns, Published
from workbench.products.survey_microdata.estimation.decoding import (
    PublishedDesign,
    class_shares,
    designs_of,
    indicators,
)
from workbench.products.survey_microdata.layout import first_mean, has_tables, has_weights, variable_column
from workbench.products.survey_microdata.local.design import Method
from workbench.products.survey_microdata.survey_data import SurveyData, Variable
from workbench.products.survey_microdata.weighted_pairs import pair_tables
from workbench.tabulation.pairs import counted_pairs


def true_tables(prepared: SurveyData) -> Floats:
    """Every two-way cell of the confidential file: respondents, or their weight."""
    if prepared.weighed is not None:
        return _long(prepared.weighed.reveal().pair) / prepared.weighing.unit
    if prepared.counts is not None:
        return _long(prepared.pairs())
    tables = pair_tables(prepared, _narrow(prepared.classed.reveal(), prepared.categories), QUIET)
    return _long(tables) / prepared.weighing.unit


def _narrow(classed: Integers, categories: Integers) -> list[NDArray[np.integer]]:
    return [classed[:, place].astype(np.min_scalar_type(size)) for place, size in enumerate(categories.tolist())]


def _long(tables: Sequence[Integers]) -> Floats:
    cells: Floats = np.concatenate([table.ravel() for table in tables]) if tables else np.zeros(0)
    return cells.astype(np.float64)


def as_counted(variables: tuple[Variable, ...], file: Published) -> Floats:
    """Every two-way cell counted in a file as it stands, each record at the weight that its tables give it."""
    columns = [
        variable.classed(np.rint(variable_column(file, variable)).astype(np.int64)) for variable in variables
    ]  # fmt: skip
    sizes = np.array([variable.categories for variable in variables])
    counts = _long(counted_pairs(_narrow(np.stack(columns, axis=1), sizes), sizes.tolist(), QUIET))
    return counts * record_weight(file)


def record_weight(file: Columns) -> float:
    """What a record of a file counts: 1, or the noisy total weight over the number of records."""
    if file.beside is None or not has_tables(file.beside) or not has_weights(file.beside):
        return 1.0
    return max(float(file.beside.units("estimate").numbers()[0]), 1.0) / max(file.rows, 1)


def corrected(variables: tuple[Variable, ...], file: Published) -> Floats | None:
    """Every two-way cell as it should be estimated; not-a-number where nothing useful can be; None for a bare file."""
    tables = file if has_tables(file) else file.published_beside if has_tables(file.beside) else None
    if tables is not None:
        first = 1 + sum(variable.categories for variable in variables)
        return tables.units("estimate").numbers()[first : first_mean(variables, tables)]
    designs = designs_of(variables, file)
    if designs is None:
        return None
    blocks = [
        _corrected_pair(first, second, file)[0].ravel() for first, second in combinations(designs, 2)
    ]  # fmt: skip
    return np.concatenate(blocks) if blocks else np.zeros(0)


def corrected_alone(variables: tuple[Variable, ...], file: Published) -> Floats | None:
    """Every one-way cell in the same way."""
    tables = file if has_tables(file) else file.published_beside if has_tables(file.beside) else None
    if tables is not None:
        return tables.units("estimate").numbers()[1 : 1 + sum(variable.categories for variable in variables)]
    designs = designs_of(variables, file)
    if designs is None:
        return None
    blocks = [
        np.full(design.variable.categories, np.nan)
        if design.method is Method.LAPLACE
        else indicators(design, file).sum(axis=0)
        for design in designs
    ]
    return np.concatenate(blocks)


def _corrected_pair(first: PublishedDesign, second: PublishedDesign, file: Published) -> tuple[Floats, Floats]:
    """Estimated counts and their standard errors."""
    shape = first.variable.categories, second.variable.categories
    if Method.LAPLACE in (first.method, second.method):
        return np.full(shape, np.nan), np.full(shape, np.nan)
    observed = observed_table(first, second, file)
    if first.method is Method.JOINT:
        return _joint(first, second, observed)
    return two_way(observed, _classed(first), _classed(second))


def _classed(design: PublishedDesign) -> Floats:
    """M⁻¹, its rows added up to classes where the answers are levels of a number."""
    if design.variable.number:
        return class_shares(design) @ design.inverse()
    return design.inverse()


def observed_table(first: PublishedDesign, second: PublishedDesign, file: Published) -> Floats:
    """Counts by published answer (level of a grid) of both."""
    codes = []
    for design in (first, second):
        values = variable_column(file, design.variable)
        if design.variable.number:
            values = (values - design.variable.lower) / design.variable.width * (design.answers - 1)
        codes.append(np.rint(values).astype(np.int64))
    both = codes[0] * second.answers + codes[1]
    counts = np.bincount(both, minlength=first.answers * second.answers)
    return counts.reshape(first.answers, second.answers).astype(np.float64)


def two_way(observed: Floats, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Â·O·B̂ᵀ and the standard error of each count, sampling and privacy noise at once."""
    estimate = first @ observed @ second.T
    variance = first**2 @ observed @ (second**2).T - estimate**2 / max(float(observed.sum()), 1.0)
    return estimate, np.sqrt(np.maximum(variance, 0.0))


def _joint(first: PublishedDesign, second: PublishedDesign, observed: Floats) -> tuple[Floats, Floats]:
    """Whole records were kept or replaced together: one share of uniform records is taken out of every cell."""
    shares = [class_shares(design) if design.variable.number else np.eye(design.answers) for design in (first, second)]
    counts = shares[0] @ observed @ shares[1].T
    cells = np.outer(shares[0].sum(axis=1), shares[1].sum(axis=1)) / (first.answers * second.answers)
    total, kept = max(float(observed.sum()), 1.0), first.slope
    estimate = (counts - (1.0 - kept) * total * cells) / kept
    error = np.sqrt(np.maximum(counts * (1.0 - counts / total), 0.0)) / kept
    return estimate, error


def corrected_table(
    variables: tuple[Variable, ...], file: Published, names: tuple[str, str]
) -> tuple[Floats, Floats] | None:
    """One corrected table of two variables with its standard errors; None where the file has no design."""
    designs = designs_of(variables, file)
    if designs is None:
        return None
    by_name = {design.variable.name: design for design in designs}
    return _corrected_pair(by_name[names[0]], by_name[names[1]], file)
