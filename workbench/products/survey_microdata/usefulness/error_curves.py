"""Root mean square error of one estimate against ε, in closed form, with the sampling error beside it.

The share of an answer in all records or in one group, or the mean of a number. Local methods: the variance of the
corrected estimate by the second moments of decoded values, in which sampling is contained. Central tables: the noise of
the cell that the plan gives, and sampling. Errors are of the population that the sample was drawn from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.accounting import zcdp
from workbench.core.arrays import Floats
from workbench.products.survey_microdata.central.measurement import planned, widths
from workbench.products.survey_microdata.local.grid_levels import best_levels, decoded_variance
from workbench.products.survey_microdata.survey_data import SurveyData, Variable

DELTA = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is estimated: of which variable, which answer (of a category), in which group (variable and category)."""

    place: int
    answer: int = 0
    group: tuple[int, int] | None = None


def sampling_error(prepared: SurveyData, asked: Question) -> float:
    """Without any protection, in percentage points or in units of the number."""
    values, inside = _seen(prepared, asked)
    mass = prepared.mass.reveal() * inside
    total = max(float(mass.sum()), 1.0)
    away = values - float(mass @ values) / total
    return _scale(prepared.variables[asked.place]) * float(np.sqrt(mass**2 @ away**2)) / total


def _seen(prepared: SurveyData, asked: Question) -> tuple[Floats, np.ndarray]:
    """Indicator of the answer, or the number; and who is in the group."""
    answers, variable = prepared.answers.reveal(), prepared.variables[asked.place]
    own = answers[:, asked.place]
    values: Floats = (own if variable.number else own == asked.answer).astype(np.float64)
    inside = np.ones(len(own), dtype=np.bool_)
    if asked.group is not None:
        inside = prepared.classed.reveal()[:, asked.group[0]] == asked.group[1]
    return values, inside


def local_error(prepared: SurveyData, asked: Question, epsilon: float, *, grid: bool) -> float:
    """Of a corrected estimate where every variable spends this ε."""
    variable = prepared.variables[asked.place]
    values, inside = _seen(prepared, asked)
    group = None if asked.group is None else prepared.variables[asked.group[0]]
    total, count = len(values), max(float(inside.sum()), 1.0)
    own = _decoded_square(variable, values, epsilon, grid=grid)
    mean = float(values[inside].mean()) if inside.any() else 0.0
    if group is None:
        return _scale(variable) * float(np.sqrt(max((own.mean() - mean**2) / total, 0.0)))
    # ratio by linearisation: decoded group × (decoded value − mean), second moment over all records
    away = own - 2.0 * mean * values + mean**2
    inflated = _decoded_square_indicator(group.categories, inside, epsilon)
    return _scale(variable) * float(np.sqrt(max((inflated * away).sum(), 0.0))) / count


def _scale(variable: Variable) -> float:
    return 1.0 if variable.number else 100.0


def _decoded_square(variable: Variable, values: Floats, epsilon: float, *, grid: bool) -> Floats:
    """E[f̂²] of each record, f̂ the decoded value."""
    if not variable.number:
        return _decoded_square_indicator(variable.categories, values > 0.5, epsilon)
    if not grid:
        return values**2 + 2.0 * (variable.width / epsilon) ** 2
    levels = best_levels(epsilon, variable.lower, variable.upper)
    return values**2 + decoded_variance(epsilon, levels, float(variable.lower), float(variable.upper), values)


def _decoded_square_indicator(answers: int, true: np.ndarray, epsilon: float) -> Floats:
    """E[d²] of a decoded indicator, d = (1 − q)/(p − q) where published, −q/(p − q) where not."""
    raised = np.exp(min(epsilon, 500.0))
    p, q = raised / (raised + answers - 1), 1.0 / (raised + answers - 1)
    yes, no = ((1.0 - q) / (p - q)) ** 2, (q / (p - q)) ** 2
    chance = np.where(true, p, q)
    squares: Floats = chance * yes + (1.0 - chance) * no
    return squares


def central_error(prepared: SurveyData, asked: Question, epsilon: float) -> float:
    """From the noisy tables at this ε of the whole release."""
    variable, places = prepared.variables[asked.place], asked.place
    rho = zcdp.rho_of(epsilon, DELTA)
    measured = planned(prepared.variables, rho, replaced=False, weighing=prepared.weighing)
    plan, sampling = measured.plan(), sampling_error(prepared, asked)
    _, inside = _seen(prepared, asked)
    count = max(float((prepared.mass.reveal() * inside).sum()), 1.0)
    if variable.number:
        starts = np.array(variable.starts, dtype=np.float64)
        noise = plan.single[places] * _spread(starts)
        noise += measured.number_deviation**2 * float((widths(variable) ** 2).sum())
        return float(np.hypot(sampling, np.sqrt(noise) / count))
    f, k = plan.shares, plan.categories
    if asked.group is None:
        noise = plan.single[places] * f[places] + plan.total / k[places] ** 2
    else:
        noise = plan.cell_variance(min(places, asked.group[0]), max(places, asked.group[0]))
    return float(np.hypot(sampling, 100.0 * np.sqrt(noise) / count))


def _spread(values: Floats) -> float:
    return float(((values - values.mean()) ** 2).sum())
