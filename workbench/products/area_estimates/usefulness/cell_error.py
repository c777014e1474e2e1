"""How far published estimates are from the exact line of their cell, by size of the cell, and whether margins hold.

Root mean square error and bias of direct and model-based estimates over study draws, against current SDL where it
publishes anything. The target is the exact least-squares value: what noise and smoothing add, not sampling error.
Cells without a line of their own are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.core.arrays import Bools, Floats
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import percent, show
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare, share_of
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import at_words, truth
from workbench.products.area_estimates.exact import exact_estimates
from workbench.products.area_estimates.usefulness.sizes import NAMES, class_of
from workbench.utility.contract import Comparison

declare(
    {
        "direct_rmse": ValueName("Error of direct estimates"),
        "model_rmse": ValueName("Error of model-based estimates"),
        "cells_left_out_by_sdl": share_of("Cells that suppression leaves out"),
        "people_left_out_by_sdl": share_of("People that suppression leaves out"),
    }
)
_SLOW_TRIALS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CellErrorParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class CellError:
    """Root mean square error and bias by size of the cell."""

    id: str = "cell-error"
    version: int = 1
    title: str = "Error by size of the cell"
    summary: str = "Distance of estimates from the exact line of their cell, by size, against current SDL."
    params: type[CellErrorParams] = CellErrorParams

    def run(self, comparison: Comparison, params: CellErrorParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        prepared: AreaData = comparison.prepared
        context.step(0.0, "drawing for study")
        name = prepared.rank_names()[0]
        exact = truth(prepared).units(name).numbers()
        usable, size = _usable(prepared), _sizes(prepared)
        direct, model = drawn_errors(comparison, (name, f"{name}_model"), exact, Part(context, 0.0, 0.95))
        left_out = _left_out(comparison, size)
        values: dict[str, float] = {}
        for key, errors in (("direct_rmse", direct), ("model_rmse", model)):
            if np.isfinite(errors[:, usable]).any():
                values[key] = _rms(errors, usable)
        values |= left_out
        context.step(1.0, "errors known")
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=_sentence(name, values),
                values={**values},
                tables=(_table(name, size, usable, direct, model),),
            ),
        )


def drawn_errors(comparison: Comparison, names: tuple[str, ...], exact: Floats, context: Context) -> tuple[Floats, ...]:
    """Trials × rows of published minus exact, column by column; not-a-number where nothing is published."""
    few = comparison.mechanism.traits.few_draws
    trials = min(comparison.trials, _SLOW_TRIALS) if few else comparison.trials
    rng = StudyRandom(comparison.seed)
    found: tuple[list[Floats], ...] = tuple([] for _ in names)
    for trial in range(trials):
        within = Part(context, trial / trials, (trial + 1) / trials)
        drawn = comparison.mechanism.study(comparison.prepared, comparison.mechanism_params, rng, within).reveal()
        for place, name in enumerate(names):
            found[place].append(drawn.units(name).numbers() - exact)
    return tuple(np.array(errors) for errors in found)


def _usable(prepared: AreaData) -> Bools:
    return np.concatenate([exact_estimates(prepared, place).usable for place in range(len(prepared.outcomes))])


def _sizes(prepared: AreaData) -> np.ndarray:
    return np.concatenate([lines.size for lines in prepared.lines.reveal()])


def _rms(errors: Floats, rows: Bools) -> float:
    chosen = errors[:, rows]
    return float(np.sqrt(np.nanmean(chosen**2)))


def _left_out(comparison: Comparison, size: np.ndarray) -> dict[str, float]:
    """What suppression leaves out, of cells with anybody and of people."""
    if not any(not isinstance(rival.gives, ProtectedFile) for rival in comparison.rivals):
        return {}
    gone = np.isnan(comparison.baseline.reveal()[:, 0])
    there = size > 0
    return {
        "cells_left_out_by_sdl": float(gone[there].mean()) if there.any() else 0.0,
        "people_left_out_by_sdl": float(size[gone].sum()) / max(float(size.sum()), 1.0),
    }


def _sentence(name: str, values: dict[str, float]) -> str:
    parts = [
        f"the {word} estimate {at_words(name)} is {show(values[key], 3)} off"
        for key, word in (("direct_rmse", "direct"), ("model_rmse", "model-based"))
        if key in values
    ]
    told = " and ".join(parts) or f"nothing is published {at_words(name)}"
    gone = values.get("people_left_out_by_sdl")
    beside = "" if gone is None else f" Suppression would leave out {percent(gone)} of the people."
    return f"{told[0].upper()}{told[1:]}, root mean square over cells and draws.{beside}"


def _table(name: str, size: np.ndarray, usable: Bools, direct: Floats, model: Floats) -> Table:
    place = class_of(size)
    rows = []
    for number, words in enumerate(NAMES):
        chosen = (place == number) & usable
        if not chosen.any():
            continue
        told = [
            None if not np.isfinite(errors[:, chosen]).any() else number_of(errors[:, chosen])
            for errors in (direct, model)
            for number_of in (_root_mean_square, _mean)
        ]
        rows.append((words, int(chosen.sum()), *told))
    if not rows:
        rows.append(("no cell with a line", 0, None, None, None, None))
    return Table(
        title=f"Error {at_words(name)} by number of people",
        columns=("people", "cells", "direct: error", "direct: bias", "model-based: error", "model-based: bias"),
        rows=tuple(rows),
    )


def _root_mean_square(errors: Floats) -> float:
    return float(np.sqrt(np.nanmean(errors**2)))


def _mean(errors: Floats) -> float:
    return float(np.nanmean(errors))


SPEC = CellError()
