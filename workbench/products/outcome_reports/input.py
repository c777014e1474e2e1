"""From microdata to bounded rows by cell, through the door to the rows.

The order is always the same: one institution and one title for each person, one row for each year, then listed cells
and the rules about pay. Which row is kept depends on that person's rows alone. Nothing stops because of a row.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from workbench.core.arrays import Bools, Integers
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.progress import QUIET, Context, Part
from workbench.microdata.elsewhere import WithheldRows
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import CodedColumn
from workbench.products.outcome_reports.asked import PayElsewhere, pay_elsewhere
from workbench.products.outcome_reports.layout import Layout, Listed
from workbench.products.outcome_reports.outcomes import Bounding, Outcomes, Persons
from workbench.products.outcome_reports.params import (
    AboveCap,
    Employed,
    Institutions,
    OneRow,
    OutcomeReportsParams,
)
from workbench.products.outcome_reports.planning import planned_sizes
from workbench.tabulation.answers import Records
from workbench.tabulation.contract import First, Highest, Keep, Rows, Summed
from workbench.tabulation.door import rows_of
from workbench.tabulation.grid import packed
from workbench.tabulation.keys import Beyond, Key, Scale
from workbench.tabulation.parts import filled, over_parts

MOST_ROWS = 5_000_000
_NARROW = (1 << 32) - 1  # packed numbers up to here fit into 32 bits


def list_problems(inputs: Inputs, params: OutcomeReportsParams) -> tuple[Problem, ...]:
    """Every column that makes cells has a public list of values."""
    named = [*((params.institution,) if params.institution else ()), *params.titles, *params.sectors]
    found = [
        Problem(
            f"“{name}” has no declared list of values",
            name,
            "List its values in a data dictionary: a list taken from the data would tell who is there",
        )
        for name in named
        if isinstance(column := inputs.microdata.columns.get(name), CodedColumn) and not column.declared_values
    ]
    if not found and all(name in inputs.microdata.columns for name in named):
        rows = layout_of(inputs, params).rows
        if rows > MOST_ROWS:
            found.append(
                Problem(f"The report would have {rows:,} rows", "titles", f"At most {MOST_ROWS:,} can be reviewed")
            )
    return tuple(found)


def layout_of(inputs: Inputs, params: OutcomeReportsParams) -> Layout:
    """The cells as the data dictionary and the plan list them."""
    return Layout(
        institution=_listed(inputs, params.institution) if params.institution else None,
        titles=tuple(_listed(inputs, name) for name in params.titles),
        sectors=tuple(_listed(inputs, name) for name in params.sectors),
        year=Listed(name=params.year, values=params.years),
    )


def _listed(inputs: Inputs, name: str) -> Listed:
    column = inputs.microdata.coded(name)
    values = column.public_values
    return Listed(name=name, values=values, labels=tuple(column.labels[value] for value in values), title=column.title)


def outcomes(inputs: Inputs, params: OutcomeReportsParams, context: Context) -> Outcomes:
    context.step(0.0, "reading the rows")
    layout, rows = layout_of(inputs, params), rows_of(inputs.microdata)
    facts = rows.numbers(params.earnings, most=params.cap, context=QUIET)
    unnamed = rows.column(Key.met(params.person, Beyond.LEAVE_OUT), QUIET).missing.reveal()
    kept, counted = _bounded(rows, params, Part(context, 0.1, 0.7))
    context.step(0.7, "placing people in cells")
    scale = _scale(params, upper=params.cap + (params.above_cap is AboveCap.LEFT_OUT))
    keys = [Key.listed(key.name, key.values, Beyond.LEAVE_OUT) for key in layout.keys]
    pay: Confidential[Integers]
    elsewhere: PayElsewhere | None = None
    if kept.gives_records:
        records = kept.records(keys, (scale,), Part(context, 0.7, 0.8)).reveal()
        count, each = _sorted(records, layout, params, Part(context, 0.8, 1.0))
        pay = Confidential(each)
    else:
        least = int(params.zero_pay is Employed.LEFT_OUT)
        count, elsewhere = pay_elsewhere(kept.between(scale, least, params.cap), keys, scale, Part(context, 0.7, 0.9))
        pay = WithheldRows(inputs.microdata.elsewhere.title if inputs.microdata.elsewhere else "the engine")
    read, settled, one = counted
    context.step(1.0, "people placed")
    return Outcomes(
        layout=layout,
        cap=params.cap,
        count=Confidential(count),
        pay=pay,
        elsewhere=Confidential(elsewhere) if elsewhere is not None else None,
        one_institution=params.institutions is Institutions.ONE,
        largest_margin=params.largest_margin,
        planned=planned_sizes(inputs, layout),
        profile=params.profile_shares,
        who=partial(_who, kept, (*keys, Key.met(params.person, Beyond.LEAVE_OUT)), scale, layout, params)
        if kept.gives_records
        else None,
        bounding=Confidential(
            Bounding(
                read=read,
                unnamed=unnamed,
                elsewhere=read - unnamed - settled,
                repeated=settled - one,
                unlisted=one - int(count.sum()),
                negative=facts.negative.reveal(),
                above=facts.above.reveal(),
            )
        ),
    )


def _placed(records: Records, layout: Layout, params: OutcomeReportsParams) -> tuple[Integers, Bools]:
    """The cell of every row that counts, and which rows those are."""
    pay = records.numbers[params.earnings]
    wanted = _wanted(pay, params)
    cell = packed(
        [records.positions[key.name] for key in layout.keys], [len(key.values) for key in layout.keys], len(pay)
    )
    return cell[wanted], wanted


def _wanted(pay: Integers, params: OutcomeReportsParams) -> Bools:
    wanted: Bools = pay <= params.cap
    if params.zero_pay is Employed.LEFT_OUT:
        wanted &= pay > 0
    return wanted


def _who(kept: Rows, keys: tuple[Key, ...], scale: Scale, layout: Layout, params: OutcomeReportsParams) -> Persons:
    """The cell and the person of every row that counts."""
    records = kept.records(keys, (scale,), QUIET).reveal()
    cell, wanted = _placed(records, layout, params)
    person = records.positions[params.person][wanted].astype(np.int64)
    at = kept.places(keys, (scale,))
    rows = at.reveal()[wanted] if at is not None else None
    return Persons(cell=cell, person=person, names=records.met.get(params.person), rows=rows)


def _scale(params: OutcomeReportsParams, *, upper: int) -> Scale:
    return Scale(column=params.earnings, lower=0, upper=upper, decimals=0, beyond=Beyond.LEAVE_OUT)


def _bounded(rows: Rows, params: OutcomeReportsParams, context: Context) -> tuple[Rows, tuple[int, int, int]]:
    """One institution and title for each person, then one row a year; and how many rows there were at each step."""
    scale = _scale(params, upper=params.cap + 1)  # one dollar above the cap stands for all that is above
    choose: Keep = First(by=()) if params.one_row is OneRow.FIRST else Highest(scale)
    keep: Keep = Summed(scale) if params.one_row is OneRow.SUM else choose
    one = params.institutions is Institutions.ONE
    institution = (params.institution,) if params.institution else ()
    unit = (params.person, *(() if one else institution))
    fixed = (*(institution if one else ()), *params.titles)
    settled = rows.settled(unit, fixed, choose, Part(context, 0.0, 0.5)) if fixed else rows
    kept = settled.bounded((*unit, params.year), keep, Part(context, 0.5, 1.0))
    return kept, (rows.count.reveal(), settled.count.reveal(), kept.count.reveal())


def _sorted(
    records: Records, layout: Layout, params: OutcomeReportsParams, context: Context
) -> tuple[Integers, Integers]:
    """How many rows every cell has, and their pay by cell, the smallest first: one sort of both in one number."""
    pay, width, cells = records.numbers[params.earnings], params.cap + 1, np.arange(layout.rows + 1)
    narrow = layout.rows * width <= _NARROW  # half as wide is half the time
    both = np.empty(len(pay), dtype=np.uint32 if narrow else np.int64)
    sizes = [len(key.values) for key in layout.keys]

    def put(start: int, stop: int) -> int:
        part = pay[start:stop]
        place = packed([records.positions[key.name][start:stop] for key in layout.keys], sizes, stop - start)
        place *= width
        place += part
        wanted = _wanted(part, params)
        kept = place if wanted.all() else place[wanted]
        both[start : start + len(kept)] = kept
        return len(kept)

    (both,) = filled([both], put, Part(context, 0.0, 0.4), "placing people in cells")
    context.step(0.4, "sorting pay within cells")
    both.sort()
    count = np.diff(np.searchsorted(both, (cells * width).astype(both.dtype)))
    made = np.empty(len(both), dtype=np.int64)

    def take(start: int, stop: int) -> None:
        made[start:stop] = both[start:stop] % width

    over_parts(take, len(both), Part(context, 0.8, 1.0), "sorting pay within cells")
    return count, made
