"""Bias: by how many jobs published cells and their total are too large or too small on average.

Noise that is added and kept has none. Log-Laplace has (n + g)·(f/(1 − l²) − 1), f = 1, or 0 for its unbiased form.
Truncation leaves out the jobs of establishments above θ, which is told with their number. Values that are clipped or
smoothed have no closed form: their bias is the mean over study draws, with its standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.progress import Context, Part
from workbench.core.quantities import counted, show
from workbench.core.value_words import ValueName, declare
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.error_law import Logarithmic, Scaled
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.usefulness.noise_laws import noise_of
from workbench.products.employment_tables.usefulness.strata import ALL, strata_of_cells
from workbench.utility.contract import Comparison
from workbench.utility.streams import stream

declare(
    {
        "bias_total": ValueName("Expected bias of the total", "jobs"),
        "bias_per_cell": ValueName("Expected bias per cell", "jobs"),
        "left_out_jobs": ValueName("Jobs left out by truncation", "jobs"),
        "left_out_establishments": ValueName("Establishments left out by truncation"),
    }
)
_MOST_DRAWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Expected published minus true, cell by cell, and the standard error of their sum where it comes from draws."""

    per_cell: Floats
    standard_error: float = 0.0


@dataclass(frozen=True, slots=True)
class Bias:
    """See the module's docstring."""

    id: str = "bias"
    version: int = 1
    title: str = "Bias"
    summary: str = "By how many jobs cells and their total are too large or too small on average."
    params: type[BiasParams] = BiasParams

    def run(self, comparison: Comparison, params: BiasParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002
        context.step(0.0, "looking for a closed form of the bias")
        known = closed_form(comparison) or _drawn(comparison, context)
        context.step(1.0, "bias known")
        return (_finding(comparison, known),)


def closed_form(comparison: Comparison) -> Known | None:
    """None where values are changed after the draw."""
    mechanism, params, cells = comparison.mechanism, comparison.mechanism_params, comparison.prepared
    nothing = np.zeros(cells.domain.cells)
    if mechanism is laplace.SPEC:
        return None if params.clip_at_zero else Known(per_cell=nothing)
    if mechanism is node_truncation.SPEC:
        return Known(per_cell=-node_truncation.left_out(cells, params.theta).astype(np.float64))
    noise = noise_of(mechanism, params, cells.domain.worker_combinations)
    if isinstance(noise, Scaled):
        return Known(per_cell=nothing)
    if isinstance(noise, Logarithmic):
        if noise.spread >= 1.0:
            return Known(per_cell=np.full_like(nothing, math.inf))
        factor = noise.factor / (1.0 - noise.spread**2) - 1.0
        return Known(per_cell=(cells.count.reveal() + noise.offset) * factor)
    return None


def _drawn(comparison: Comparison, context: Context) -> Known:
    cells, rng = comparison.prepared, stream(comparison.seed, "bias")
    true, trials = cells.count.reveal(), max(min(comparison.trials, _MOST_DRAWS), 2)
    found = np.zeros(cells.domain.cells)
    totals = np.zeros(trials)
    for trial in range(trials):
        part = Part(context, trial / trials, (trial + 1) / trials)
        part.step(0.0, f"drawing for the bias, {trial + 1} of {trials}")
        draw = comparison.mechanism.study(cells, comparison.mechanism_params, rng, part).reveal()
        off = draw.units("value").integers - true
        found += off
        totals[trial] = float(off.sum())
    return Known(per_cell=found / trials, standard_error=float(totals.std(ddof=1)) / math.sqrt(trials))


def left_out(cells: Cells, theta: int) -> tuple[int, int]:
    """Establishments above θ and their jobs. Confidential: internal findings only."""
    if cells.contributions is None:
        return 0, 0
    members = cells.contributions.reveal()
    sizes = np.bincount(members.establishment, weights=members.jobs, minlength=len(members.identifiers))
    large = sizes > theta
    return int(np.count_nonzero(large)), int(sizes[large].sum())


def _finding(comparison: Comparison, known: Known) -> Finding:
    cells, bias = comparison.prepared, known.per_cell
    total, jobs = float(bias.sum()), float(cells.count.reveal().sum())
    values: dict[str, Value] = {"bias_total": total, "bias_per_cell": float(bias.mean()) if len(bias) else 0.0}
    left = ""
    if comparison.mechanism is node_truncation.SPEC:
        establishments, lost = left_out(cells, comparison.mechanism_params.theta)
        values |= {"left_out_establishments": establishments, "left_out_jobs": lost}
        left = f" Truncation leaves out {counted(establishments, 'establishment')} above θ with {counted(lost, 'job')}."
    strata = strata_of_cells(cells)
    parts = [(ALL, np.ones(len(bias), dtype=bool))]
    if len(strata.names) > 1:
        parts += [(name, strata.member == number) for number, name in enumerate(strata.names)]
    return Finding(
        id="bias",
        title="Bias",
        status=Status.INFO,
        sentence=f"{_verdict(total, jobs, known)}{left}",
        values=values,
        tables=(
            Table(
                title="Expected published count minus true one, in jobs",
                columns=("Cells", "How many", "Per cell", "In all"),
                rows=tuple(
                    (name, int(kept.sum()), float(bias[kept].mean()) if kept.any() else 0.0, float(bias[kept].sum()))
                    for name, kept in parts
                ),
                note="" if not known.standard_error else "Mean of study draws.",
            ),
        ),
        does_not_prove="How far a single cell is off in this release: bias is an average over draws.",
    )


def _verdict(total: float, jobs: float, known: Known) -> str:
    if not np.any(known.per_cell):
        return "Every cell and the total are right on average."
    if math.isinf(total):
        return "The bias has no bound: ε is too small for this α."
    share = f" ({show(100.0 * abs(total) / jobs, 2)} % of the jobs)" if jobs else ""
    unsure = f", ± {show(known.standard_error, 2)} from the draws" if known.standard_error else ""
    size = "large" if total > 0 else "small"
    return f"On average the total is {show(abs(total), 3)} jobs too {size}{share}{unsure}."


SPEC = Bias()
