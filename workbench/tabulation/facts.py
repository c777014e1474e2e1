"""Facts about columns and units, in memory: what checks and problems are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.microdata.passes import repeated_rows, rows_with, varies_within
from workbench.microdata.table import Microdata, numbers_of
from workbench.tabulation.answers import ColumnFacts, NumberFacts, UnitFacts
from workbench.tabulation.grid import packed
from workbench.tabulation.groups import runs
from workbench.tabulation.keys import NOWHERE, Key
from workbench.tabulation.parts import over_parts
from workbench.tabulation.positions import places_of
from workbench.tabulation.units.layout import occurrences


def column_facts(microdata: Microdata, key: Key, context: Context) -> ColumnFacts:
    """Missing cells, different values, and what the list of the key does not have."""
    context.step(0.0, f"looking at “{key.column}”")
    column = microdata.coded(key.column)
    outside = places_of(column, key).of_code == NOWHERE
    codes = int(np.count_nonzero(outside))
    return ColumnFacts(
        missing=Confidential(int(np.count_nonzero(column.codes.reveal() < 0))),
        distinct=Confidential(len(column.values)),
        codes_outside=Confidential(codes),
        rows_outside=Confidential(rows_with(column, outside) if codes else 0),
    )


def unit_facts(microdata: Microdata, unit: str, attributes: Sequence[str], context: Context) -> UnitFacts:
    """Units that have rows, the most rows of one, and how many vary in each attribute."""
    column = microdata.coded(unit)
    codes = column.codes.reveal()
    some_missing = len(codes) > 0 and int(codes.min()) < 0
    share = 1 / (1 + len(attributes))
    held = occurrences(codes[codes >= 0] if some_missing else codes, len(column.values), Part(context, 0.0, share))
    at_all = np.zeros(len(column.values), bool)
    varying = {}
    for number, name in enumerate(attributes, start=1):
        part = Part(context, number * share, (number + 1) * share)
        bad = varies_within(column, microdata.coded(name), part, f"checking that “{name}” is one per unit")[:-1]
        varying[name] = Confidential(int(np.count_nonzero(bad)))
        at_all |= bad
    return UnitFacts(
        units=Confidential(int(np.count_nonzero(held))),
        most_rows=Confidential(int(held.max(initial=0))),
        varying=varying,
        varying_at_all=Confidential(int(np.count_nonzero(at_all))),
    )


def repeated(microdata: Microdata, columns: Sequence[str], context: Context) -> Confidential[int]:
    """Rows beyond the first of each combination."""
    if not columns:
        raise UserProblem("No column says which rows are the same", microdata.name, "Name at least one")
    coded = [microdata.coded(name) for name in columns]
    sizes = [max(len(column.values), 1) for column in coded]
    sentence = "looking for rows that are there twice"
    if np.prod(sizes, dtype=np.float64) < 2.0**62:
        return Confidential(repeated_rows(coded, context, sentence))
    known = np.logical_and.reduce([column.codes.reveal() >= 0 for column in coded])
    key = packed([column.codes.reveal()[known] for column in coded], sizes, int(np.count_nonzero(known)))
    context.step(0.5, sentence)
    return Confidential(len(key) - len(runs(np.sort(key))[0]))


def number_facts(microdata: Microdata, column: str, most: int, context: Context) -> NumberFacts:
    """Rows by what is odd about a number that should be whole and between zero and `most`."""
    context.step(0.0, f"looking at the numbers of “{column}”")
    numbers = numbers_of(microdata.columns[column])

    def counted(start: int, stop: int) -> tuple[int, int, int, int]:
        part = numbers[start:stop]
        known = np.isfinite(part)
        part = part[known]
        return (
            int(np.count_nonzero(~known)),
            int(np.count_nonzero(part < 0)),
            int(np.count_nonzero(part != np.floor(part))),
            int(np.count_nonzero(part > most)),
        )

    odd = over_parts(counted, len(numbers), context, f"looking at the numbers of “{column}”")
    missing, negative, fractional, above = (Confidential(sum(part[each] for part in odd)) for each in range(4))
    return NumberFacts(missing=missing, negative=negative, fractional=fractional, above=above)
