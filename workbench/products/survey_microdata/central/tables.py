"""The noisy tables as they are published: unbiased counts that agree on their margins, each with its error.

A cell of two variables is r_ij + r_i/k_j + r_j/k_i + ñ/(k_i·k_j); its noise has a variance that follows from the plan.
The margin of error covers 95 of 100 values of the population that the sample was drawn from: noise and sampling
together, √(noise variance + c·(1 − c/ñ)) with c the noisy count where that is above 0. A mean adds the class sums to
the starts of their classes. With weights the sampling part is that of `design_effects.py`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.progress import Context
from workbench.core.published import Columns
from workbench.products.survey_microdata import model_tables, residuals
from workbench.products.survey_microdata.central.design_effects import DesignEffects, design_effects
from workbench.products.survey_microdata.central.measurement import Drawn, Measured, widths
from workbench.products.survey_microdata.layout import cell_rows, cell_table, effective, has_weights, number_places
from workbench.products.survey_microdata.mixture import NoisyTables
from workbench.products.survey_microdata.survey_data import Variable

LEVEL = 1.96


def noisy_tables(drawn: Drawn) -> Columns:
    """Every table and mean, from what was drawn."""
    measured, plan, total = drawn.measured, drawn.measured.plan(), drawn.people
    places, weighted = number_places(measured.variables), measured.weighing.weighted
    keys = cell_rows(measured.categories, places, weighted=weighted)
    extra = 0.0 if measured.total is None else plan.total
    estimates, noises, samplings = [np.array([total])], [np.array([np.sqrt(extra)])], [np.zeros(1)]
    single = [drawn.residual(place) for place in range(len(measured.variables))]
    f, k, effects = plan.shares, plan.categories.astype(np.float64), design_effects(drawn)
    for i, residual in enumerate(single):
        counts = residuals.margin_from(residual, total)
        estimates.append(counts)
        noises.append(np.full(len(counts), np.sqrt(plan.single[i] * f[i] + extra / k[i] ** 2)))
        samplings.append(effects.variance(counts, effects.category[i]))
    variances = plan.cell_variances(noisy_total=measured.total is not None)
    for i, j in drawn.pair:
        cells = residuals.table_from(drawn.pair_residual((i, j)), single[i], single[j], total).ravel()
        estimates.append(cells)
        noises.append(np.full(len(cells), np.sqrt(variances[i, j])))
        samplings.append(effects.variance(cells, effects.of_pair(i, j)))
    for value, deviation, variance in [_mean(drawn, effects, place, order) for order, place in enumerate(places)]:
        estimates.append(np.array([value]))
        noises.append(np.array([deviation]))
        samplings.append(np.array([variance]))
    if weighted:
        estimates.append(np.array([float(drawn.records())]))
        noises.append(np.array([_noise_of_records(drawn)]))
        samplings.append(np.zeros(1))
    estimate, noise, sampling = (np.concatenate(parts) for parts in (estimates, noises, samplings))
    return cell_table(keys, estimate, LEVEL * np.sqrt(noise**2 + sampling), noise)


def _noise_of_records(drawn: Drawn) -> float:
    """Of (Σw)²/Σw², by the slopes in both: 2·sd(Σw)/Σw and sd(Σw²)/Σw², relative."""
    measured, unit = drawn.measured, drawn.measured.weighing.unit
    first = 2.0 * (measured.total or 0.0) / unit / drawn.size
    each = (measured.squares or 0.0) * measured.weighing.largest / unit
    several = np.sqrt(float(measured.categories.sum())) / len(measured.variables)  # mean of sums over categories
    return float(drawn.records() * np.hypot(first, each * several / (drawn.size * drawn.weight_of_record())))


def model_cells(tables: Columns, measured: Measured, context: Context) -> Floats:
    """All two-way cells as the file's model has them, in their published order, from the published tables alone."""
    plan, values = measured.plan(), tables.units("estimate").numbers()
    each = max(float(values[0]), 1.0) / effective(tables) if has_weights(tables) else 1.0  # weight of a record
    k, ends = plan.categories, np.concatenate([[0], np.cumsum(plan.categories)])
    values = values / each
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
        single_variance=plan.single / each**2,
        pair_variance=plan.pair / each**2,
    )
    found = model_tables.counts(replace(noisy, pair=model_tables.model_based(noisy, context)))
    return each * np.concatenate([found[block].ravel() for block in blocks]) if blocks else np.zeros(0)


def class_means(drawn: Drawn, place: int, order: int) -> tuple[Floats, Floats]:
    """Noisy counts of the classes of a number, and the noisy mean of what its answers are above the class's start."""
    counts = residuals.margin_from(drawn.residual(place), drawn.people)
    above = drawn.class_sums(order) / np.maximum(counts, 1.0)
    return counts, np.clip(above, 0.0, widths(drawn.measured.variables[place]).astype(np.float64))


def _mean(drawn: Drawn, effects: DesignEffects, place: int, order: int) -> tuple[float, float, float]:
    """The mean of a number, the standard deviation of its noise, and its sampling variance."""
    measured, variable, size = drawn.measured, drawn.measured.variables[place], drawn.size
    counts, _ = class_means(drawn, place, order)
    starts = np.array(variable.starts, dtype=np.float64)
    mean = float((counts @ starts + drawn.class_sums(order).sum()) / size)
    held = np.clip(mean, variable.lower, variable.upper)
    plan, away = measured.plan(), starts - starts.mean()
    noise = plan.single[place] * float(away @ away)
    noise += measured.number_deviation**2 * float((widths(variable) ** 2).sum())
    if measured.total is not None:
        noise += plan.total * float(starts.mean() - held) ** 2
    each = np.clip(counts, 0.0, None) * effects.category[place]
    between = float(each @ (_middles(variable) - held) ** 2) / size
    spread = between + effects.whole * float((widths(variable) ** 2).mean()) / 12
    return mean, float(np.sqrt(noise)) / size, spread / size


def _middles(variable: Variable) -> Floats:
    return np.array(variable.starts, dtype=np.float64) + widths(variable) / 2.0
