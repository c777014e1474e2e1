"""What is published and how it is laid out: records with their design or their noisy tables beside them.

The design has a row for each variable: method, ε, number of answers and the chances that estimates need. The noisy
tables have a row for the total, for every category, for every pair of categories and for every mean, all listed by the
plan; where respondents have weights, cells are sums of weights, and a last row says how many respondents of equal
weight the sample is worth. Texts are added by the product; a method knows codes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.errors import Defect
from workbench.core.published import MISSING, NO_CODE, Coded, Column, ColumnRole, Columns, Published, Units
from workbench.mechanisms.contract import Release
from workbench.products.survey_microdata.survey_data import SurveyData, Variable

if TYPE_CHECKING:
    from workbench.products.survey_microdata.local.design import LocalDesign

STATISTICS = ("respondents", "mean", "weighted respondents", "effective respondents")
_COUNT, _MEAN, _WEIGHTED, _EFFECTIVE = range(4)
CHANCE_DECIMALS = 15
EPSILON_DECIMALS = 9
SCALE_DECIMALS = 9
CELL_DECIMALS = 2
_METHOD, _NOISE = "method", "noise_sd"


def design_table(designs: Sequence[LocalDesign]) -> Columns:
    """How every column was protected: everything that an unbiased estimate needs, and nothing of the data."""
    from workbench.products.survey_microdata.local.design import Method

    chances = [None if each.method is Method.LAPLACE else each.chances() for each in designs]
    return Columns(
        columns=(
            _codes("variable", list(range(len(designs)))),
            _codes(_METHOD, [int(each.method) for each in designs], ColumnRole.VALUE),
            _gapped("epsilon", [float(each.epsilon) for each in designs], EPSILON_DECIMALS),
            _gapped("answers", [None if each.method is Method.LAPLACE else float(each.answers) for each in designs], 0),
            _gapped("kept", [None if pair is None else pair[0] for pair in chances], CHANCE_DECIMALS),
            _gapped("each_other", [None if pair is None else pair[1] for pair in chances], CHANCE_DECIMALS),
            _gapped("scale", [each.scale if each.method is Method.LAPLACE else None for each in designs],
                    SCALE_DECIMALS),
            *(
                _gapped(bound, [float(getattr(each.variable, bound)) if each.variable.number else None
                                for each in designs], 0)
                for bound in ("lower", "upper")
            ),
        )
    )  # fmt: skip


def _codes(name: str, codes: list[int], role: ColumnRole = ColumnRole.KEY) -> Coded:
    return Coded(name=name, codes=np.array(codes, dtype=np.int32), role=role)


def _gapped(name: str, values: Sequence[float | None], decimals: int) -> Units:
    units = [MISSING if value is None else round(value * 10**decimals) for value in values]
    integers = np.array(units, dtype=np.int64)
    return Units(name=name, integers=integers, decimals=decimals, additive=False, gaps=True)


def cell_rows(categories: Integers, means: Sequence[int], *, weighted: bool = False) -> Integers:
    """Rows × (statistic, first, its category, second, its category), codes of categories counted over all variables.

    The total, every variable's table, every pair's table, and the means of these variables: from the plan alone.
    """
    ends = np.concatenate([[0], np.cumsum(categories)])
    counts = _WEIGHTED if weighted else _COUNT
    rows: list[Integers] = [np.array([[counts, NO_CODE, NO_CODE, NO_CODE, NO_CODE]], dtype=np.int64)]
    variables = len(categories)
    for i in range(variables):
        own = np.arange(ends[i], ends[i + 1])
        rows.append(_block(counts, np.full(len(own), i), own, None, None))
    for i in range(variables):
        for j in range(i + 1, variables):
            first = np.repeat(np.arange(ends[i], ends[i + 1]), categories[j])
            second = np.tile(np.arange(ends[j], ends[j + 1]), categories[i])
            rows.append(_block(counts, np.full(len(first), i), first, np.full(len(first), j), second))
    if len(means):
        rows.append(_block(_MEAN, np.array(means, dtype=np.int64), None, None, None))
    if weighted:
        rows.append(_block(_EFFECTIVE, np.array([NO_CODE], dtype=np.int64), None, None, None))
    return np.concatenate(rows)


def _block(
    statistic: int, first: Integers, category: Integers | None, second: Integers | None, other: Integers | None
) -> Integers:
    none = np.full(len(first), NO_CODE, dtype=np.int64)
    columns = [np.full(len(first), statistic), first, *(none if each is None else each for each in
               (category, second, other))]  # fmt: skip
    return np.stack(columns, axis=1).astype(np.int64)


def cell_table(keys: Integers, estimate: Floats, margin: Floats, noise: Floats) -> Columns:
    """The noisy tables as columns: keys, the estimate, its margin of error, the standard deviation of its noise."""
    names = ("statistic", "first", "first_answer", "second", "second_answer")
    coded = tuple(
        Coded(name=name, codes=keys[:, place].astype(np.int32), role=ColumnRole.KEY) for place, name in enumerate(names)
    )
    return Columns(
        columns=(
            *coded,
            _cell_units("estimate", estimate),
            _cell_units("margin_of_error", margin),
            _cell_units(_NOISE, noise),
        )
    )


def _cell_units(name: str, values: Floats) -> Units:
    units: Integers = np.rint(values * 10**CELL_DECIMALS).astype(np.int64)
    return Units(name=name, integers=units, decimals=CELL_DECIMALS, unit="respondents", additive=False)


def has_tables(drawn: Columns | None) -> bool:
    """Whether these columns are noisy tables."""
    return drawn is not None and _NOISE in drawn.names


def has_weights(tables: Columns) -> bool:
    """Whether cells of these tables are sums of weights."""
    return int(tables.coded("statistic").codes[0]) == _WEIGHTED


def first_mean(variables: Sequence[Variable], tables: Columns) -> int:
    """Where the means of these tables begin: behind the total, the one-way and the two-way cells."""
    return tables.rows - len(number_places(variables)) - has_weights(tables)


def effective(tables: Columns) -> float:
    """How many respondents of equal weight these tables are from, as published: what sampling errors divide by."""
    values = tables.units("estimate").numbers()
    return float(values[-1] if has_weights(tables) else values[0])


def has_design(drawn: Columns | None) -> bool:
    """Whether these columns say how others were protected."""
    return drawn is not None and _METHOD in drawn.names


def expected_rows(prepared: SurveyData, release: Release) -> tuple[int, str]:
    """How many rows there must be, and what that is, as half a sentence."""
    if has_tables(release):
        places, weighted = number_places(prepared.variables), prepared.weighing.weighted
        keys = cell_rows(prepared.categories, places, weighted=weighted)
        return len(keys), "every total, category and pair that the plan lists has one row"
    if has_tables(release.beside):
        assert release.beside is not None
        return max(1, round(effective(release.beside))), "the file has as many records as the published total says"
    return prepared.respondents.reveal(), "there is one record for each respondent"


def number_places(variables: Sequence[Variable]) -> list[int]:
    return [place for place, variable in enumerate(variables) if variable.number]


def published(variables: Sequence[Variable], drawn: Columns) -> Published:
    """The draw with its texts, and with what stands beside it."""
    if has_tables(drawn):
        return _tables_with_texts(variables, drawn)
    beside = None
    if has_tables(drawn.beside):
        assert drawn.beside is not None
        beside = _tables_with_texts(variables, drawn.beside)
    elif has_design(drawn.beside):
        assert drawn.beside is not None
        beside = _design_with_texts(variables, drawn.beside)
    by_name = {variable.name: variable for variable in variables}
    columns = tuple(_with_texts(by_name[column.name], column) for column in drawn.columns)
    return Published(columns=columns, records=True, beside=beside)


def _with_texts(variable: Variable, column: Column) -> Column:
    if isinstance(column, Units):
        return replace(column, title=variable.title)
    return replace(column, values=variable.values, labels=variable.labels, title=variable.title)


def _design_with_texts(variables: Sequence[Variable], design: Columns) -> Published:
    from workbench.products.survey_microdata.local.design import METHOD_TEXTS

    texts = {"variable": tuple(variable.name for variable in variables), _METHOD: METHOD_TEXTS}
    columns = tuple(
        replace(column, values=texts[column.name]) if isinstance(column, Coded) else column for column in design.columns
    )
    return Published(columns=columns)


def _tables_with_texts(variables: Sequence[Variable], tables: Columns) -> Published:
    names = tuple(variable.name for variable in variables)
    every = [text for variable in variables for text in variable.texts]
    unique = tuple(dict.fromkeys(every))
    place = {text: code for code, text in enumerate(unique)}
    statistics = STATISTICS if has_weights(tables) else STATISTICS[:_WEIGHTED]
    of_category = np.array([*(place[text] for text in every), NO_CODE], dtype=np.int32)
    columns: list[Column] = []
    for column in tables.columns:
        if not isinstance(column, Coded):
            columns.append(column)
        elif column.name.endswith("_answer"):
            columns.append(replace(column, codes=of_category[column.codes], values=unique))
        else:
            columns.append(replace(column, values=statistics if column.name == "statistic" else names))
    return Published(columns=tuple(columns))


def variable_column(table: Columns, variable: Variable) -> Floats:
    """A column of a file as numbers: places of categories, or the numbers themselves."""
    column = table.column(variable.name)
    if isinstance(column, Units):
        return column.numbers()
    if len(column.values) and tuple(column.values) != variable.values:
        raise Defect("a file lists other categories than the plan")
    codes: Floats = column.codes.astype(np.float64)
    return codes
