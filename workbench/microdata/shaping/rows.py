"""Which rows stay: rules about columns, and what becomes of missing values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.core.arrays import Bools, Floats
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.findings import Finding, Status, Table
from workbench.core.nearest import did_you_mean
from workbench.core.quantities import agreeing, counted
from workbench.microdata.selection import leave_rows, recoded
from workbench.microdata.shaping.columns import no_numbers, not_numbers, texts_of
from workbench.microdata.shaping.params import ORDERED, Comparison, Gap, MissingRule, RowRule
from workbench.microdata.table import CodedColumn, Column, Microdata, NumericColumn, numbers_of

_ORDER: Mapping[Comparison, Callable[[Floats, float], Any]] = {
    Comparison.BELOW: operator.lt,
    Comparison.AT_MOST: operator.le,
    Comparison.ABOVE: operator.gt,
    Comparison.AT_LEAST: operator.ge,
}
_SIZES = "Sizes, of employers for example, count only the rows that stay."


def keep_rows(microdata: Microdata, rules: Mapping[str, RowRule]) -> tuple[Microdata, list[Finding]]:
    """The rows for which every rule holds, and how many each rule alone leaves out."""
    raise_if(_rule_problems(microdata, rules))
    kept = np.ones(microdata.rows, dtype=bool)
    gone = {}
    for name, rule in rules.items():
        holds = where_holds(microdata.columns[rule.column], rule)
        gone[name] = int(np.count_nonzero(~holds))
        kept &= holds
    return _left(microdata, kept, gone, what="rule", id_="data.rows-kept", title="Rows kept by rules")


def _rule_problems(microdata: Microdata, rules: Mapping[str, RowRule]) -> list[Problem]:
    found = []
    for name, rule in rules.items():
        where = f"[data.shaping.keep.{name}]"
        found += [problem.at(where) for problem in rule.check()]
        if rule.column and rule.column not in microdata.columns:
            near = did_you_mean(rule.column, list(microdata.columns)) or f"Columns: {', '.join(microdata.columns)}"
            found.append(Problem(f"There is no column “{rule.column}”", where, near))
        elif rule.comparison in ORDERED and no_numbers(microdata.columns[rule.column]):
            found.append(not_numbers(rule.column, where))
    return found


def where_holds(column: Column, rule: RowRule) -> Bools:
    """For every row, whether the rule holds."""
    missing = column.codes.reveal() < 0 if isinstance(column, CodedColumn) else np.isnan(column.numbers.reveal())
    if rule.comparison is Comparison.MISSING:
        return missing
    if rule.comparison is Comparison.PRESENT:
        return ~missing
    if rule.comparison in _ORDER:
        holds: Bools = _ORDER[rule.comparison](numbers_of(column), float(rule.values[0]))
        return holds & ~missing
    listed = _among(column, rule.values)
    turned = rule.comparison in (Comparison.NOT_EQUAL, Comparison.NOT_IN)
    return (~listed if turned else listed) & ~missing


def _among(column: Column, values: tuple[str, ...]) -> Bools:
    if isinstance(column, NumericColumn):
        return np.isin(column.numbers.reveal(), compared_numbers(column.name, values))
    fits = np.array([text in values for text in texts_of(column.values)] + [False])
    return np.take(fits, column.codes.reveal(), mode="wrap")


def compared_numbers(name: str, values: tuple[str, ...]) -> list[float]:
    """The values of a rule about a column of numbers."""
    try:
        return [float(value) for value in values]
    except ValueError:
        do = "Write digits, with a point for decimals"
        what = f"“{name}” is compared with what is no number"
        raise UserProblem(what, "[data.shaping.keep]", do) from None


def fill_gaps(microdata: Microdata, rules: Mapping[str, MissingRule]) -> tuple[Microdata, list[Finding]]:
    """Missing values as their column's rule says, and how many there are of each."""
    raise_if(_gap_problems(microdata, rules))
    columns = dict(microdata.columns)
    kept = np.ones(microdata.rows, dtype=bool)
    own, gone = dict[str, int](), dict[str, int]()
    for name, rule in rules.items():
        column = columns[name]
        if rule.rows is Gap.OWN and isinstance(column, CodedColumn):
            own[name] = int(np.count_nonzero(column.codes.reveal() < 0))
            columns[name] = _own_category(column, rule.code)
        elif rule.rows is Gap.LEAVE_OUT:
            present = where_holds(column, RowRule(column=name, comparison=Comparison.PRESENT))
            gone[name] = int(np.count_nonzero(~present))
            kept &= present
    made = replace(microdata, columns=columns)
    found = [own_category_found(microdata.rows, own)] if own else []
    if not gone:
        return made, found
    made, left = _left(made, kept, gone, what="column", id_="data.gaps-left-out", title="Rows without a value left out")
    return made, [*found, *left]


def _gap_problems(microdata: Microdata, rules: Mapping[str, MissingRule]) -> list[Problem]:
    found = []
    for name, rule in rules.items():
        where = f"[data.shaping.missing.{name}]"
        found += [problem.at(where) for problem in rule.check()]
        column = microdata.columns.get(name)
        if column is None:
            near = did_you_mean(name, list(microdata.columns)) or f"Columns: {', '.join(microdata.columns)}"
            found.append(Problem(f"There is no column “{name}”", where, near))
        elif rule.rows is Gap.OWN and isinstance(column, NumericColumn):
            do = "Leave such rows out, or recode the column into classes first"
            found.append(Problem(f"“{name}” holds numbers and has no categories", where, do))
        elif rule.rows is Gap.OWN and isinstance(column, CodedColumn) and rule.code in (
            *column.labels, *texts_of(column.values),
        ):  # fmt: skip
            found.append(Problem(f"The code of the category is a value of “{name}” already", where, "Choose another"))
        elif rule.rows is Gap.REFUSE and column.missing:
            do = "Complete the column, or choose what becomes of such rows"
            found.append(Problem(f"Some rows have no value of “{name}”", where, do))
    return found


def _own_category(column: CodedColumn, code: str) -> CodedColumn:
    """Gaps under a code of their own, which joins the public list where there is one, used or not."""
    values = texts_of(column.values)
    place = sum(value < code for value in values)
    codes = column.codes.reveal().astype(np.int32)
    filled = np.where(codes < 0, np.int32(place), codes + (codes >= place))
    labels = {**column.labels, code: "Missing"} if column.labels else {}
    made = recoded(column, filled, (*values[:place], code, *values[place:]))
    return replace(made, labels=labels)


def _left(
    microdata: Microdata, kept: Bools, gone: Mapping[str, int], *, what: str, id_: str, title: str
) -> tuple[Microdata, list[Finding]]:
    left = int(np.count_nonzero(kept))
    finding = left_out_found(microdata.rows, left, gone, what=what, id_=id_, title=title)
    return (leave_rows(microdata, np.flatnonzero(kept)) if left < microdata.rows else microdata), [finding]


def own_category_found(rows: int, own: Mapping[str, int]) -> Finding:
    """How many rows are counted under a category for missing values, by column."""
    listed = ", ".join(f"“{name}” ({counted(count, 'row')})" for name, count in own.items())
    return Finding(
        id="data.gaps-own-category", title="Rows without a value counted as a category", status=Status.INFO,
        sentence=(
            f"Of {counted(rows, 'row')}, those without a value are a category of their own: {listed}. "
            "A workplace or person with such rows and others then has two values."
        ),
        values={"rows": rows, "without_value": sum(own.values())},
        tables=(Table(title="Rows without a value by column", columns=("column", "rows"), rows=tuple(own.items())),),
        does_not_prove="That values are missing by chance, or that rows without a value are alike.",
    )  # fmt: skip


def left_out_found(rows: int, left: int, gone: Mapping[str, int], *, what: str, id_: str, title: str) -> Finding:
    """How many rows are left out, and by what. None left is a problem."""
    if not left:
        raise UserProblem("No row is left", "[data.shaping]", f"Change the {what}s that leave rows out")
    out = rows - left
    return Finding(
        id=id_, title=title, status=Status.INFO,
        sentence=f"{counted(out, 'row')} of {rows:,} {agreeing(out, 'is', 'are')} left out. {_SIZES}",
        values={"rows": rows, "left_out": out},
        tables=(Table(title=f"Rows left out by each {what}", columns=(what, "rows"), rows=tuple(gone.items())),),
        does_not_prove=(
            "That the rows left out are like those that stay. A promise about the size of an employer covers its rows "
            "that stay; to cover whole employers, select workers in the settings of an employment table instead."
        ),
    )  # fmt: skip
