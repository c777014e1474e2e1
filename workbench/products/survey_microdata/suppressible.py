"""The two-way tables of a survey as cell suppression across releases takes them: every respondent counts one.

One-way tables are their margins. What a category holds depends on the plan: answers that are missing or not listed
count in one of them. So answers that two plans settle in different ways are different groupings of one column.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from workbench.baselines.suppression.contributions import summed
from workbench.baselines.suppression.hierarchy import Dimension, Extent
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.core.plain import digest
from workbench.products.survey_microdata.survey_data import Otherwise, SurveyData, Variable

MOST_CONTRIBUTIONS = 8_000_000  # respondents × tables; some 200 bytes each
MOST_CELLS = 30_000
_TOLD_APART = 8  # letters of a digest


def suppressible(data: SurveyData) -> Tabulated | None:
    """None where the answers stay with their engine, or where the tables are too many to be looked at together."""
    many = len(data.variables)
    tables: list[tuple[int, ...]] = [*combinations(range(many), 2)] or [(0,)]
    sizes = data.categories
    cells = sum(int(np.prod(sizes[list(table)])) for table in tables)
    if data.counts is not None or cells > MOST_CELLS:
        return None
    codes = data.classed.reveal()
    if len(codes) * len(tables) > MOST_CONTRIBUTIONS:
        return None
    keys: list[Key] = []
    places: list[Integers] = []
    for table in tables:
        shape: tuple[int, ...] = tuple(sizes[list(table)].tolist())
        places.append(len(keys) + np.ravel_multi_index(tuple(codes[:, list(table)].T), shape))
        for answers in np.ndindex(shape):
            named = {place: data.variables[place].texts[at] for place, at in zip(table, answers, strict=True)}
            keys.append(tuple(named.get(place) for place in range(many)))
    cell = np.concatenate(places).astype(np.int64)
    who = np.tile(np.arange(len(codes), dtype=np.int64), len(tables))
    return Tabulated(
        dimensions=tuple(
            _dimension(variable, otherwise) for variable, otherwise in zip(data.variables, data.otherwise, strict=True)
        ),
        keys=tuple(keys),
        values=Confidential(np.bincount(cell, minlength=len(keys)).astype(np.float64)),
        contributions=Confidential(summed(cell, who, np.ones(len(cell)), cells=len(keys))),
        unit="respondents" if data.bounded else "rows of respondents",
        holder="respondent",
        of_rows=not data.bounded,
    )


def _dimension(variable: Variable, otherwise: Otherwise) -> Dimension:
    domain = (variable.kind, variable.values, variable.lower, variable.upper, variable.starts, otherwise.text)
    name = f"{variable.name} ({digest([str(each) for each in domain])[:_TOLD_APART]})"
    return Dimension(name=name, column=variable.name, extents=_extents(variable, otherwise))


def _extents(variable: Variable, otherwise: Otherwise) -> dict[str, Extent]:
    """Of the column's answers, missing ones among them."""
    if variable.number:
        ends = pairwise([-np.inf, *(float(start) for start in variable.starts[1:]), np.inf])
        return dict(zip(variable.texts, ends, strict=True))
    own: dict[str, Extent] = {value: frozenset({value}) for value in variable.values}
    return own | {otherwise.text: otherwise.holds.reveal()}
