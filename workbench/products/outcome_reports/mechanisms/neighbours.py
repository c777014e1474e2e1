"""Neighbours of a report: a block with one person's whole history, and the same block without.

Each copy is a block of its own, as if there were so many institutions. The noise of formal methods does not depend on
who else is there, so that the other cells can be empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.outcome_reports.layout import Layout, Listed
from workbench.products.outcome_reports.outcomes import COLUMNS, Outcomes


def blocks_of(prepared: Outcomes, copies: int) -> Layout:
    """So many blocks with the sectors and years of the plan."""
    names = tuple(f"copy {number}" for number in range(copies))
    return replace(prepared.layout, institution=Listed(name="copy", values=names), titles=())


def with_rows(prepared: Outcomes, copies: int, place_of_year: Sequence[int], pay: Sequence[int]) -> Outcomes:
    """Every copy holds one person: in each year in one place of the block, with this pay. −1: no row in the year."""
    layout = blocks_of(prepared, copies)
    count = np.zeros((layout.places, layout.years), dtype=np.int64)
    earned = np.zeros((layout.places, layout.years), dtype=np.int64)
    for year, (place, amount) in enumerate(zip(place_of_year, pay, strict=True)):
        if place >= 0:
            count[place, year] += 1
            earned[place, year] = amount
    filled: Integers = earned.reshape(-1)[count.reshape(-1) > 0]
    return replace(
        prepared,
        layout=layout,
        count=Confidential(np.tile(count.reshape(-1), copies)),
        pay=Confidential(np.tile(filled, copies)),
        bounding=None,
        planned=None,
        held=None,
    )


def one_history(prepared: Outcomes, copies: int) -> tuple[NeighbourPair, ...]:
    """Somebody in all years at the cap, and one who moves every year between sectors, cap and no pay; or nobody."""
    years, places, cap = prepared.layout.years, prepared.layout.places, prepared.cap
    nobody = with_rows(prepared, copies, [-1] * years, [0] * years)
    moving = [year % places for year in range(years)]
    histories = (
        ("at the cap in every year", [0] * years, [cap] * years),
        ("in another sector every year, pay at the cap and at nothing in turn", moving, [cap, 0] * years),
    )
    return tuple(
        NeighbourPair(
            description=f"one person {words}, present or absent",
            first=Confidential(with_rows(prepared, copies, cells, pay[:years])),
            second=Confidential(nobody),
            copies=copies,
            outputs=nobody.layout.places * years * COLUMNS,
        )
        for words, cells, pay in histories
    )


def one_row(prepared: Outcomes, copies: int) -> tuple[NeighbourPair, ...]:
    """One row of the first year at the cap, against nobody."""
    years = prepared.layout.years
    nobody = with_rows(prepared, copies, [-1] * years, [0] * years)
    there = with_rows(prepared, copies, [0, *[-1] * (years - 1)], [prepared.cap] * years)
    return (
        NeighbourPair(
            description="one row of one year at the cap, present or absent",
            first=Confidential(there),
            second=Confidential(nobody),
            copies=copies,
            outputs=nobody.layout.places * years * COLUMNS,
        ),
    )


def one_joiner(prepared: Outcomes, copies: int) -> tuple[NeighbourPair, ...]:
    """Twenty people in every year of one sector at a quarter of the cap, and one more at the cap.

    Both take χ and N from the first twenty: what a promise that holds them fixed is about. Cells have noise of their
    own here, so that other sectors tell nothing.
    """
    layout = replace(blocks_of(prepared, copies), sectors=())
    low, others = prepared.cap // 4, 20
    base = replace(
        prepared,
        layout=layout,
        count=Confidential(np.full(layout.rows, others, dtype=np.int64)),
        pay=Confidential(np.full(layout.rows * others, low, dtype=np.int64)),
        bounding=None,
        planned=None,
        held=None,
    )
    there = np.zeros((copies, layout.places, layout.years), dtype=np.int64)
    there[:, 0, :] = 1
    count = others + there.reshape(-1)
    pay = np.full(int(count.sum()), low, dtype=np.int64)
    pay[np.cumsum(count)[there.reshape(-1) > 0] - 1] = prepared.cap
    joined = replace(base, count=Confidential(count), pay=Confidential(pay))
    held = Confidential(base)
    return (
        NeighbourPair(
            description="one person at the cap in every year of one sector joins twenty at a quarter of it",
            first=Confidential(replace(joined, held=held)),
            second=Confidential(replace(base, held=held)),
            copies=copies,
            outputs=layout.places * layout.years * COLUMNS,
        ),
    )
