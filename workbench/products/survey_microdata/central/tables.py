"""The noisy tables as they are published: unbiased counts that agree on their margins, each with its error.

A cell of two variables is r_ij + r_i/k_j + r_j/k_i + ñ/(k_i·k_j); its noise has a variance that follows from the plan.
The margin of error covers 95 of 100 values of the population that the sample was drawn from: noise and sampling
together, √(noise variance + c·(1 − c/ñ)) with c the noisy count where that is above 0. A mean adds the class sums to
the starts of their classes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.products.survey_microdata import model_tables, residuals
from workbench.products.survey_microdata.central.measurement import Drawn, Measured, widths
from workbench.products.survey_microdata.layout import cell_rows, cell_table, number_places
from workbench.products.survey_microdata.mixture import NoisyTables
from workbench.products.survey_microdata.survey_data import Variable

LEVEL = 1.96


def noisy_tables(drawn: Drawn) -> Columns:
    """Every table and mean, from what was drawn."""
    measured = drawn.measured
    keys = cell_rows(measured.categories, number_places(measured.variables))
    estimates, noises, samplings = [np.array([float(drawn.total)])], [_total_noise(measured)], [np.zeros(1)]
    plan, total, size = measured.plan(), float(drawn.total), float(max(1, drawn.total))
    single = [residuals.centred(noisy.astype(np.float64)) for noisy in drawn.single]
    extra = 0.0 if measured.total is None else measured.total**2
    f, k = plan.shares, plan.categories.astype(np.float64)
    for i, residual in enumerate(single):
        counts = residuals.margin_from(residual, total)
        estimates.append(counts)
        noises.append(np.full(len(counts), np.sqrt(plan.single[i] * f[i] + extra / k[i] ** 2)))
        samplings.append(_sampling(counts, size))
    for (i, j), noisy in drawn.pair.items():
        pair = residuals.centred(noisy.astype(np.float64))
        cells = residuals.table_from(pair, single[i], single[j], total).ravel()
        variance = (
            plan.pair[i, j] * f[i] * f[j]
            + plan.single[i] * f[i] / k[j] ** 2
            + plan.single[j] * f[j] / k[i] ** 2
            + extra / (k[i] * k[j]) ** 2
        )
        estimates.append(cells)
        noises.append(np.full(len(cells), np.sqrt(variance)))
        samplings.append(_sampling(cells, size))
    for order, place in enumerate(number_places(measured.variables)):
        value, deviation, variance = _mean(drawn, place, order)
        estimates.append(np.array([value]))
        noises.append(np.array([deviation]))
        samplings.append(np.array([variance]))
    estimate, noise, sampling = (np.concatenate(parts) for parts in (estimates, noises, samplings))
    return cell_table(keys, estimate, LEVEL * np.sqrt(noise**2 + sampling), noise)


def model_cells(tables: Columns, measured: Measured, context: Context) -> Floats:
    """All two-way cells as the file's model has them, in their published order, from the published tables alone."""
    plan, values = measured.plan(), tables.units("estimate").numbers()
    k, ends = plan.categories, np.concatenate([[0], np.cumsum(plan.categories)])
    total, single, at = float(values[0]), values[1 : 1 + ends[-1]], 1 + int(ends[-1])
    blocks = [(slice(*ends[i : i + 2]), slice(*ends[j : j + 2])) for i, j in combinations(range(len(k)), 2)]
    square = np.zeros((ends[-1], ends[-1]))
    for first, second in blocks:
        table = values[at : at + square[first, second].size].reshape(square[first, second].shape)
        at += table.size
        square[first, second] = residuals.without_means(table)
        square[second, first] = square[first, second].T
    noisy = NoisyTables(
        categories=k,
        total=total,
        single=single - total / np.repeat(k, k),
        pair=square,
        single_variance=plan.single,
        pair_variance=plan.pair,
    )
    found = model_tables.counts(replace(noisy, pair=model_tables.model_based(noisy, context)))
    return np.concatenate([found[block].ravel() for block in blocks]) if blocks else np.zeros(0)


def _total_noise(measured: Measured) -> Floats:
    return np.array([measured.total or 0.0])


def _sampling(counts: Floats, size: float) -> Floats:
    """c·(1 − c/n) of a count among n, at the noisy count."""
    held = np.clip(counts, 0.0, size)
    variance: Floats = held * (1.0 - held / size)
    return variance


def class_means(drawn: Drawn, place: int, order: int) -> tuple[Floats, Floats]:
    """Noisy counts of the classes of a number, and the noisy mean of what its answers are above the class's start."""
    variable = drawn.measured.variables[place]
    counts = residuals.margin_from(residuals.centred(drawn.single[place].astype(np.float64)), float(drawn.total))
    above = drawn.sums[order] / np.maximum(counts, 1.0)
    return counts, np.clip(above, 0.0, widths(variable).astype(np.float64))


def _mean(drawn: Drawn, place: int, order: int) -> tuple[float, float, float]:
    """The mean of a number, the standard deviation of its noise, and its sampling variance."""
    measured, variable = drawn.measured, drawn.measured.variables[place]
    counts, _ = class_means(drawn, place, order)
    starts, size = np.array(variable.starts, dtype=np.float64), float(max(1, drawn.total))
    mean = float((counts @ starts + drawn.sums[order].sum()) / size)
    held = np.clip(mean, variable.lower, variable.upper)
    plan = measured.plan()
    away = starts - starts.mean()
    noise = plan.single[place] * float(away @ away) + measured.number**2 * float((widths(variable) ** 2).sum())
    if measured.total is not None:
        noise += measured.total**2 * float(starts.mean() - held) ** 2
    between = float(np.clip(counts, 0.0, None) @ (_middles(variable) - held) ** 2) / size
    spread = between + float((widths(variable) ** 2).mean()) / 12
    return mean, float(np.sqrt(noise)) / size, spread / size


def _middles(variable: Variable) -> Floats:
    return np.array(variable.starts, dtype=np.float64) + widths(variable) / 2.0
