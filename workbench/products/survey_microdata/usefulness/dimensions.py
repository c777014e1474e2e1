"""Crosstabs by dimension two to five: how far the file's counts are off, and how many cells suppression would hide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.baselines.alternatives import ProtectedFile
from workbench.core.arrays import Floats, Integers
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, only_for_scripts
from workbench.products.survey_microdata.layout import published, variable_column
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.utility.contract import Comparison

declare({"five_way_hidden": ValueName("Five-way cells below the threshold", share=True)})
only_for_scripts("rmse_*_way")
_DIMENSIONS = (2, 3, 4, 5)
_MOST_CELLS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionsParams:
    tables: int = param(250, "Tables of each dimension", "Drawn at random from all.", ge=1, le=10_000)
    threshold: int = param(10, "Threshold", "Cells of fewer respondents would be suppressed.", ge=1, unit="respondents")


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Root mean square error over the cells that have a respondent or a record."""

    id: str = "crosstabs-by-dimension"
    version: int = 1
    title: str = "Crosstabs by dimension"
    summary: str = "Counts of two- to five-way tables in the files as they stand, and what suppression would hide."
    params: type[DimensionsParams] = DimensionsParams

    def run(self, comparison: Comparison, params: DimensionsParams, context: Context) -> tuple[Finding, ...]:
        prepared: SurveyData = comparison.prepared
        context.step(0.0, "counting tables")
        files = {
            rival.title: classed_file(prepared, rival.gives.published.reveal())
            for rival in comparison.rivals
            if isinstance(rival.gives, ProtectedFile) and rival.gives.published.reveal().records
        }
        if comparison.release.records:
            files["this release"] = classed_file(prepared, published(prepared.variables, comparison.release))
        random = np.random.Generator(np.random.PCG64(comparison.seed))
        rows: list[tuple[Value, ...]] = []
        values: dict[str, float] = {}
        hidden = 0.0
        for place, dimension in enumerate(d for d in _DIMENSIONS if d <= len(prepared.variables)):
            context.step(place / len(_DIMENSIONS), f"counting {dimension}-way tables")
            errors, hidden = _errors(prepared, files, dimension, params, random)
            rows.append((dimension, *(errors[name] for name in files), 100.0 * hidden))
            if "this release" in errors:
                values[f"rmse_{dimension}_way"] = errors["this release"]
        context.step(1.0, "tables counted")
        return (self._finding(rows, tuple(files), values, hidden, params),)

    def _finding(
        self, rows: list[tuple[Value, ...]], names: tuple[str, ...], values: dict[str, float], hidden: float,
        params: DimensionsParams,
    ) -> Finding:  # fmt: skip
        last = rows[-1][0] if rows else 0
        return Finding(
            id=self.id,
            title=self.title,
            status=Status.INFO,
            sentence=f"Suppression below {params.threshold} would hide at least {show(100 * hidden, 2)} % of the "
            f"non-empty cells of {last}-way tables; the files have a count in each.",
            values={**values, "five_way_hidden": hidden},
            tables=(
                Table(
                    title="Root mean square error of counts, in respondents",
                    columns=("dimension", *names, f"cells below {params.threshold}, %"),
                    rows=tuple(rows),
                    note="Files as they stand, cells with a respondent or a record, tables drawn at random.",
                ),
            )
            if rows
            else (),
        )


def classed_file(prepared: SurveyData, file: Published) -> Integers:
    """Records × variables as categories of tables."""
    columns = [
        variable.classed(np.rint(variable_column(file, variable)).astype(np.int64)) for variable in prepared.variables
    ]
    return np.stack(columns, axis=1)


def _errors(
    prepared: SurveyData, files: dict[str, Integers], dimension: int, params: DimensionsParams,
    random: np.random.Generator,
) -> tuple[dict[str, float], float]:  # fmt: skip
    true, sizes, mass = prepared.classed.reveal(), prepared.categories, prepared.mass.reveal()
    squares, cells = dict.fromkeys(files, 0.0), dict.fromkeys(files, 0)
    small, there = 0, 0
    for _ in range(params.tables):
        chosen = np.sort(random.permutation(len(sizes))[:dimension])
        if int(np.prod(sizes[chosen])) > _MOST_CELLS:
            continue
        people, exact = _counts(true, chosen, sizes), _counts(true, chosen, sizes, mass)
        small += int(((people > 0) & (people < params.threshold)).sum())
        there += int((people > 0).sum())
        for name, records in files.items():
            found = _counts(records, chosen, sizes) * (float(mass.sum()) / max(len(records), 1))
            known = (exact > 0) | (found > 0)
            squares[name] += float(((found - exact)[known] ** 2).sum())
            cells[name] += int(known.sum())
    errors = {name: float(np.sqrt(squares[name] / max(cells[name], 1))) for name in files}
    return errors, small / max(there, 1)


def _counts(records: Integers, chosen: Integers, sizes: Integers, mass: Floats | None = None) -> Floats:
    places = np.zeros(len(records), dtype=np.int64)
    for variable in chosen.tolist():
        places = places * int(sizes[variable]) + records[:, variable]
    return np.bincount(places, weights=mass, minlength=int(np.prod(sizes[chosen]))).astype(np.float64)


SPEC = Dimensions()
