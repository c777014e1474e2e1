"""Coarser columns: classes of a number, beginnings of codes, parents of codes; and codes keyed with a year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from workbench.core.errors import UserProblem, raise_if
from workbench.core.findings import Finding, Status
from workbench.core.nearest import did_you_mean
from workbench.core.quantities import agreeing, counted
from workbench.microdata.dictionary import ColumnWords, DataDictionary
from workbench.microdata.passes import rows_with
from workbench.microdata.shaping.columns import coded_from, labelled, no_numbers, not_numbers, texts_of
from workbench.microdata.shaping.params import Recoding
from workbench.microdata.table import CodedColumn, Microdata, NumericColumn, numbers_of

KEY_MARK = ":"  # between the year and the code that is keyed with it


def recode_column(
    microdata: Microdata, name: str, recoding: Recoding, dictionary: DataDictionary
) -> tuple[Microdata, list[Finding]]:
    """The data with one column more."""
    where = f"[data.shaping.recode.{name}]"
    raise_if(problem.at(where) for problem in recoding.check())
    for asked in (recoding.of, recoding.keyed):
        if asked and asked not in microdata.columns:
            near = did_you_mean(asked, list(microdata.columns)) or f"Columns: {', '.join(microdata.columns)}"
            raise UserProblem(f"There is no column “{asked}”", where, near)
    if name in microdata.columns:
        raise UserProblem(f"The data have a column “{name}” already", where, "Give the recoded column another name")
    words = dictionary.of(name)
    if recoding.edges:
        raise_if([not_numbers(recoding.of, where)] if no_numbers(microdata.columns[recoding.of]) else [])
        return _with(microdata, _classes(microdata, name, recoding, words)), []
    source = microdata.columns[recoding.of]
    if isinstance(source, NumericColumn):
        raise UserProblem(f"“{recoding.of}” holds numbers, not codes", where, "Give edges instead")
    if recoding.keyed:
        return _with(microdata, _keyed(microdata, name, recoding, words)), []
    if recoding.prefix:
        texts = [text[: recoding.prefix] for text in texts_of(source.values)]
        return _with(microdata, coded_from(name, source.codes.reveal(), texts, words)), []
    return _by_parents(microdata, name, source, parents=dictionary.of(recoding.of).parents, words=words)


def _with(microdata: Microdata, column: CodedColumn) -> Microdata:
    return replace(microdata, columns={**microdata.columns, column.name: column})


def _classes(microdata: Microdata, name: str, recoding: Recoding, words: ColumnWords) -> CodedColumn:
    """Class i holds numbers from edge i−1 up to, not including, edge i. All classes are listed, occupied or not."""
    numbers = numbers_of(microdata.columns[recoding.of])
    edges = [float(edge) for edge in recoding.edges]
    place = np.searchsorted(edges, numbers, side="right")
    codes = class_codes(recoding)
    labels = dict(zip(codes, class_labels(recoding.edges), strict=True))
    return coded_from(name, np.where(np.isnan(numbers), -1, place), codes, labelled(words, labels))


def _keyed(microdata: Microdata, name: str, recoding: Recoding, words: ColumnWords) -> CodedColumn:
    """The year and the code as one code; missing where either is."""
    year, unit = microdata.columns[recoding.keyed], microdata.coded(recoding.of)
    if isinstance(year, NumericColumn):
        raise keyed_with_numbers(name, recoding)
    years = texts_of(year.values)
    if any(KEY_MARK in text for text in years):
        raise marked(name, recoding)
    pair = year.codes.reveal().astype(np.int64) * max(len(unit.values), 1) + unit.codes.reveal()
    pair[(year.codes.reveal() < 0) | (unit.codes.reveal() < 0)] = -1
    held, place = np.unique(pair, return_inverse=True)
    first = int(len(held) > 0 and held[0] < 0)
    at, of = np.divmod(held[first:], max(len(unit.values), 1))
    texts = texts_of(unit.values)
    made = [f"{years[a]}{KEY_MARK}{texts[b]}" for a, b in zip(at.tolist(), of.tolist(), strict=True)]
    return coded_from(name, place - first, made, words)


def keyed_with_numbers(name: str, recoding: Recoding) -> UserProblem:
    where = f"[data.shaping.recode.{name}]"
    return UserProblem(f"“{recoding.keyed}” holds numbers, not codes", where, "Key with a column of codes")


def marked(name: str, recoding: Recoding) -> UserProblem:
    """Two pairs must never make one code: the first mark ends the year."""
    what = f"Some values of “{recoding.keyed}” contain a colon"
    return UserProblem(what, f"[data.shaping.recode.{name}]", "Key with a column whose codes have none, such as a year")


def class_codes(recoding: Recoding) -> list[str]:
    """The code of each class, the lowest first."""
    width = len(str(len(recoding.edges) + 1))
    return [f"{number:0{width}}" for number in range(1, len(recoding.edges) + 2)]


def class_labels(edges: tuple[str, ...]) -> list[str]:
    """The words for each class, from the edges as they were written."""
    between = [f"{low} to below {high}" for low, high in pairwise(edges)]
    return [f"below {edges[0]}", *between, f"{edges[-1]} and above"]


def _by_parents(
    microdata: Microdata, name: str, source: CodedColumn, *, parents: Mapping[str, str], words: ColumnWords
) -> tuple[Microdata, list[Finding]]:
    if not parents:
        raise no_parents(name, source.name)
    values = texts_of(source.values)
    texts = sorted(set(parents.values()))
    place = {text: position for position, text in enumerate(texts)}
    of_code = np.array([*(place[parents[value]] if value in parents else -1 for value in values), -1], dtype=np.int32)
    column = coded_from(name, np.take(of_code, source.codes.reveal(), mode="wrap"), texts, words)
    orphans = np.array([value not in parents for value in values], dtype=bool)
    count, rows = int(np.count_nonzero(orphans)), rows_with(source, orphans)
    return _with(microdata, column), [orphans_found(name, source.name, count, rows)]


def no_parents(name: str, of: str) -> UserProblem:
    do = "Give the data dictionary a column “parent” with the coarser code of each value"
    return UserProblem(f"The data dictionary gives no parent for the codes of “{of}”", name, do)


def orphans_found(name: str, of: str, codes: int, rows: int) -> Finding:
    """Whether every code has a parent, and how many rows have none."""
    return Finding(
        id=f"data.recode-{name}", title=f"Every code of “{of}” has a parent",
        status=Status.FAIL if codes else Status.PASS,
        sentence=(
            f"The dictionary gives no parent for {counted(codes, 'code')} of “{of}”; {counted(rows, 'row')} "
            f"{agreeing(rows, 'has', 'have')} no value of “{name}”." if codes
            else f"Every code of “{of}” has its value of “{name}”."
        ),
        values={"codes": codes, "rows": rows},
        does_not_prove="That the parents are the right ones.",
    )  # fmt: skip
