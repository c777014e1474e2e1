"""Is the noise there, and is the file made from it? The drawn tables against the exact ones, and the file against both.

*Size*: over all cells of pairs, (drawn − exact)²/variance is 1 on average, and so among cells that are truly empty.
Noise of the wrong scale, or kept off empty cells, is seen here. *Source of the file*: a file made from the drawn tables
errs where they err. The slope of (file − exact) on (drawn − exact) is near 1 for one-way tables. For pairs the drawn
tables are first made model-based, as the file's were, from what is published of them; the slope is near 1 again. A file
fitted or swapped towards the exact tables has a slope of 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats
from workbench.core.findings import Finding, Status
from workbench.core.progress import Context, Part
from workbench.core.published import Columns
from workbench.core.value_words import ValueName, declare
from workbench.products.survey_microdata import layout
from workbench.products.survey_microdata.central.params import measurement
from workbench.products.survey_microdata.central.tables import model_cells
from workbench.products.survey_microdata.estimation.crosstabs import as_counted, record_weight, true_tables
from workbench.products.survey_microdata.survey_data import SurveyData, Variable

declare(
    {
        "noise_ratio": ValueName("Variance of the noise, drawn over declared"),
        "empty_cells_ratio": ValueName("The same among empty cells"),
        "one_way_slope": ValueName("One-way tables of the file: slope on the noise"),
        "two_way_slope": ValueName("Two-way tables of the file: slope on the model-based"),
    }
)
_ERRORS = 5.0
_SLOPE_ERRORS = 3.0
_HALF = 0.5
_FEW = 30
_VERY_FEW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TableNoiseParams:
    """Nothing to set."""


@dataclass(frozen=True, slots=True)
class TableNoise:
    """See the module's docstring."""

    id: str = "table-noise"
    version: int = 2
    title: str = "Noise of the tables"
    summary: str = "Whether drawn tables have the declared noise, and whether the file was made from them."
    params: type[TableNoiseParams] = TableNoiseParams
    of_loss: bool = False

    def run(self, subject: Subject, params: TableNoiseParams, context: Context) -> tuple[Finding, ...]:  # noqa: ARG002 - there are none
        context.step(0.0, "comparing drawn tables with exact ones")
        prepared: SurveyData = subject.prepared
        drawn = subject.release
        tables = drawn if layout.has_tables(drawn) else drawn.beside if drawn is not None else None
        if drawn is None or tables is None or not layout.has_tables(tables):
            context.step(1.0, "no tables to compare")
            return (_finding(Status.INFO, "No tables were drawn: there is nothing to compare.", {}),)
        noise = _Noise.of(prepared, tables)
        context.step(0.6, "comparing the file with its tables")
        values, broken = _size(noise)
        if drawn.records:
            made = model_cells(tables, measurement(prepared, subject.params), Part(context, 0.6, 0.9))
            more, wrong = _followed(prepared, drawn, noise, made)
            values, broken = values | more, broken + wrong
        context.step(1.0, "tables compared")
        if broken:
            return (_finding(Status.FAIL, " ".join(broken), values),)
        said = f"The noise of two-way cells has {values['noise_ratio']:.2f} of its declared variance."
        if "one_way_slope" in values:
            said += " The file errs where its tables err: it was made from them."
        return (_finding(Status.PASS, said, values),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Noise:
    """Exact cells and what was added to them, one-way and two-way."""

    one_way: Floats
    one_way_noise: Floats
    two_way: Floats
    two_way_noise: Floats
    deviation: Floats  # declared, of two-way cells
    freedom: int

    @classmethod
    def of(cls, prepared: SurveyData, tables: Columns) -> _Noise:
        categories = prepared.categories
        first, last = 1 + int(categories.sum()), layout.first_mean(prepared.variables, tables)
        value, declared = tables.units("estimate").numbers(), tables.units("noise_sd").numbers()
        if prepared.weighed is not None:
            one = np.concatenate(prepared.weighed.reveal().single) / prepared.weighing.unit
        elif prepared.counts is not None:
            one = np.concatenate(prepared.margins()).astype(np.float64)
        else:
            one = one_way(prepared.variables, prepared.classed.reveal().T, prepared.mass.reveal())
        two = true_tables(prepared)
        free = np.outer(categories - 1, categories - 1)
        return cls(
            one_way=one,
            one_way_noise=value[1:first] - one,
            two_way=two,
            two_way_noise=value[first:last] - two,
            deviation=declared[first:last],
            freedom=int(np.triu(free, 1).sum()),
        )


def one_way(variables: tuple[Variable, ...], classed: NDArray[np.integer], mass: Floats) -> Floats:
    """Weight of every category in turn; `classed` has a row for each variable."""
    found: Floats = np.concatenate(
        [
            np.bincount(row, weights=mass, minlength=variable.categories)
            for variable, row in zip(variables, classed, strict=True)
        ]
    )
    return found


def _size(noise: _Noise) -> tuple[dict[str, float], list[str]]:
    squared = (noise.two_way_noise / noise.deviation) ** 2
    ratio, slack = float(squared.mean()), _ERRORS * np.sqrt(2.0 / max(noise.freedom, 1))
    values, broken = {"noise_ratio": ratio}, []
    if abs(ratio - 1.0) > slack:
        broken.append(f"The noise of two-way cells has {ratio:.2f} of its declared variance.")
    empty = squared[noise.two_way == 0]
    if len(empty) >= _VERY_FEW and float((empty == 0.0).mean()) > _HALF:
        broken.append("Most empty cells have no noise at all.")
    if len(empty) >= _FEW:
        values["empty_cells_ratio"] = float(empty.mean())
        if abs(float(empty.mean()) - 1.0) > _ERRORS * np.sqrt(4.0 / len(empty)):
            broken.append("Empty cells do not have the noise of all others.")
    return values, broken


def _followed(prepared: SurveyData, file: Columns, noise: _Noise, made: Floats) -> tuple[dict[str, float], list[str]]:
    """Slopes of the file's errors on those of what it is made from; broken where it must have seen the exact tables."""
    texts = layout.published(prepared.variables, file)
    columns = [
        variable.classed(np.rint(layout.variable_column(texts, variable)).astype(np.int64))
        for variable in prepared.variables
    ]
    mass = np.full(file.rows, record_weight(file))
    one = one_way(prepared.variables, np.stack(columns), mass) - noise.one_way
    two = as_counted(prepared.variables, texts) - noise.two_way
    values, broken = {}, []
    for words, error, foreseen in (
        ("one-way", one, noise.one_way_noise),
        ("two-way", two, made - noise.two_way),
    ):
        slope, doubt = _slope(error, foreseen)
        values[f"{words.replace('-', '_')}_slope"] = slope
        if slope + _SLOPE_ERRORS * doubt < 1.0 and slope < _HALF and len(error) >= _FEW:
            broken.append(f"The file's {words} tables do not follow the noise: it was not made from the drawn tables.")
    return values, broken


def _slope(error: Floats, noise: Floats) -> tuple[float, float]:
    squares = max(float(noise @ noise), 1e-12)
    slope = float(error @ noise) / squares
    rest = error - slope * noise
    return slope, float(np.sqrt(float(rest @ rest) / max(len(rest) - 1, 1) / squares))


def _finding(status: Status, sentence: str, values: dict[str, float]) -> Finding:
    return Finding(
        id="table-noise",
        title="Noise of the tables",
        status=status,
        sentence=sentence,
        values={**values},
        does_not_prove="That the declared noise is enough: see the privacy loss. One draw is looked at, no other.",
    )


SPEC = TableNoise()
