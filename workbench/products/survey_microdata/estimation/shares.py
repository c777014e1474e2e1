"""Shares of answers and means of numbers from anything that is published: corrected, with their intervals.

A file with a design is decoded; noisy tables give their own counts; any other file is taken as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published
from workbench.products.survey_microdata.counted import Counted, Weighed
from workbench.products.survey_microdata.estimation.decoding import (
    PublishedDesign,
    designs_of,
    indicators,
    mean_and_error,
)
from workbench.products.survey_microdata.layout import first_mean, has_tables, has_weights, variable_column
from workbench.products.survey_microdata.local.design import Method
from workbench.products.survey_microdata.survey_data import SurveyData, Variable

LEVEL = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Percentages of the answers of every category variable in turn, and the mean of every number, with margins."""

    shares: Floats
    share_margins: Floats
    means: Floats
    mean_margins: Floats


def answer_names(variables: tuple[Variable, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((variable.name, label) for variable in variables if not variable.number for label in variable.labels)


def true_estimates(prepared: SurveyData) -> Estimates:
    """Of the confidential answers, weighted where they have weights; margins are those of sampling."""
    if prepared.counts is not None:
        return _from_counts(prepared.variables, prepared.counts.reveal())
    answers, mass = prepared.answers.reveal().astype(np.float64), prepared.mass.reveal()
    return _as_it_stands(prepared.variables, [answers[:, place] for place in range(answers.shape[1])], mass)


def estimates(variables: tuple[Variable, ...], published: Published) -> Estimates:
    """Of a published file or of published tables."""
    tables = _tables(published)
    if tables is not None:
        return _from_tables(variables, tables)
    designs = designs_of(variables, published)
    if designs is None:
        return as_it_stands(variables, published)
    return _decoded(designs, published)


def _tables(published: Published) -> Published | None:
    if has_tables(published):
        return published
    return published.published_beside if has_tables(published.beside) else None


def as_it_stands(variables: tuple[Variable, ...], published: Published) -> Estimates:
    """A file taken for the truth, as a user who reads no code book takes it."""
    columns = [variable_column(published, variable) for variable in variables]
    return _as_it_stands(variables, columns, np.ones(published.rows))


def _as_it_stands(variables: tuple[Variable, ...], columns: list[Floats], mass: Floats) -> Estimates:
    """Shares and means weighted by `mass`; errors by linearisation, √Σw²(x − mean)²/Σw."""
    shares, margins, means, mean_margins = [], [], [], []
    total, squared = max(float(mass.sum()), 1e-300), mass**2
    for variable, values in zip(variables, columns, strict=True):
        if variable.number:
            means.append(float(mass @ values / total))
            mean_margins.append(LEVEL * float(np.sqrt(squared @ (values - means[-1]) ** 2)) / total)
        else:
            places = values.astype(np.int64)
            share = np.bincount(places, weights=mass, minlength=variable.categories) / total
            own = np.bincount(places, weights=squared, minlength=variable.categories)
            spread = own * (1.0 - share) ** 2 + (float(squared.sum()) - own) * share**2
            shares.append(share)
            margins.append(LEVEL * np.sqrt(spread) / total)
    return _made(shares, margins, means, mean_margins)


def _from_counts(variables: tuple[Variable, ...], held: Counted) -> Estimates:
    """The same from counts, sums and sums of squares."""
    if held.weighed is not None:
        return _from_weights(variables, held.weighed)
    shares, margins, means, mean_margins = [], [], [], []
    count, numbers = max(held.total, 1), iter(zip(held.sums, held.squares, strict=True))
    for variable, single in zip(variables, held.single, strict=True):
        if variable.number:
            total, squares = (int(each.sum()) for each in next(numbers))
            spread = (count * squares - total * total) / count**2  # of integers, so nothing cancels
            means.append(total / count)
            mean_margins.append(LEVEL * float(np.sqrt(spread)) / np.sqrt(count))
        else:
            shares.append(single / count)
            margins.append(LEVEL * np.sqrt(shares[-1] * (1.0 - shares[-1]) / count))
    return _made(shares, margins, means, mean_margins)


def _from_weights(variables: tuple[Variable, ...], held: Weighed) -> Estimates:
    """The same from sums of weights. Their sampling margins would need products of squared weights and answers, and
    nobody reads margins of the truth: there are none."""
    shares, margins, means, total, sums = [], [], [], max(held.total, 1), iter(held.sums)
    for variable, single in zip(variables, held.single, strict=True):
        if variable.number:
            means.append(int(next(sums).sum()) / total)
        else:
            shares.append(single / total)
            margins.append(np.full(len(single), np.nan))
    return _made(shares, margins, means, [float("nan")] * len(means))


def _decoded(designs: tuple[PublishedDesign, ...], published: Published) -> Estimates:
    shares, margins, means, mean_margins = [], [], [], []
    for design in designs:
        if design.variable.number:
            values = design.decoded(variable_column(published, design.variable))
            mean, error = mean_and_error(values)
            means.append(float(mean))
            mean_margins.append(LEVEL * float(error))
        elif design.method is not Method.LAPLACE:
            share, error = mean_and_error(indicators(design, published))
            shares.append(share)
            margins.append(LEVEL * error)
    return _made(shares, margins, means, mean_margins)


def _from_tables(variables: tuple[Variable, ...], tables: Published) -> Estimates:
    value, margin = tables.units("estimate").numbers(), tables.units("margin_of_error").numbers()
    total = max(float(value[0]), 1.0)
    sizes = [variable.categories for variable in variables]
    ends = 1 + np.concatenate([[0], np.cumsum(sizes)])
    shares, margins = [], []
    for place, variable in enumerate(variables):
        if not variable.number:
            own = slice(int(ends[place]), int(ends[place + 1]))
            shares.append(value[own] / total)
            margins.append(margin[own] / total)
    means = slice(first_mean(variables, tables), tables.rows - has_weights(tables))
    return _made(shares, margins, list(value[means]), list(margin[means]))


def _made(shares: list[Floats], margins: list[Floats], means: list[float], mean_margins: list[float]) -> Estimates:
    return Estimates(
        shares=100.0 * np.concatenate(shares) if shares else np.zeros(0),
        share_margins=100.0 * np.concatenate(margins) if margins else np.zeros(0),
        means=np.array(means, dtype=np.float64),
        mean_margins=np.array(mean_margins, dtype=np.float64),
    )
