"""Cells as they are planned: public numbers of people and pay around a public guess, in the cells of the plan's list.

Nothing is read from the confidential file but what the plan and the data dictionary say: years, sectors and the cap.
Sizes come from the target, or from the public file of planning sizes: then blocks stand at equal steps of its sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.confidential import Confidential
from workbench.products.outcome_reports.layout import Layout, Listed
from workbench.products.outcome_reports.outcomes import Outcomes

_ROWS = 1_500  # cells whose draws are judged
_MOST_PLANNED = 20_000  # of a cell of the file: more take memory, and their errors are smaller still
_MOST_PEOPLE = 100_000  # of a cell, after its year's share


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """People of a usual cell and year, the median of their pay and the standard deviation of its logarithm."""

    people: int
    median: int
    spread: float
    sizes: tuple[int, ...] = ()  # of the blocks of the plan, by the file of planning sizes; empty: all as `people`
    profile: tuple[float, ...] = ()  # shares of the size, by year
    alike: bool = False  # years have the same people, whatever the profile: the target says how many


def planning_cells(layout: Layout, cap: int, planned: Planned) -> Outcomes:
    """Blocks of the plan's sectors and years, each cell with the planned people at the quantiles of the planned pay."""
    blocks = max(math.ceil(_ROWS / (layout.places * layout.years)), 1)
    listed = Layout(
        institution=None,
        titles=(Listed(name="block", values=tuple(map(str, range(blocks)))),),
        sectors=layout.sectors,
        year=layout.year,
    )
    sizes = _at_equal_steps(planned.sizes, blocks) if planned.sizes else (planned.people,) * blocks
    people = _people(sizes, () if planned.alike else planned.profile, layout)
    pay = {size: _quantiles(planned, size, cap) for size in np.unique(people).tolist()}
    return Outcomes(
        layout=listed,
        cap=cap,
        count=Confidential(people),
        pay=Confidential(np.concatenate([pay[size] for size in people.tolist()])),
        planned=sizes if planned.sizes else None,
        profile=planned.profile,
    )


def _at_equal_steps(sizes: Sequence[int], blocks: int) -> tuple[int, ...]:
    """So many of the sizes as there are blocks, the smallest first: at the middle of equal parts of their order."""
    ordered = sorted(sizes)
    return tuple(min(ordered[(2 * place + 1) * len(ordered) // (2 * blocks)], _MOST_PLANNED) for place in range(blocks))


def _people(sizes: Sequence[int], profile: Sequence[float], layout: Layout) -> Integers:
    """Of every row: the size of its block times the share of its year, at least one."""
    shares = np.array(profile or (1.0,) * layout.years)
    each = np.floor(np.array(sizes)[:, None, None] * np.broadcast_to(shares, (layout.places, layout.years)) + 0.5)
    people: Integers = np.clip(each, 1, _MOST_PEOPLE).astype(np.int64)
    return people.reshape(-1)


def _quantiles(planned: Planned, people: int, cap: int) -> Integers:
    """Log-normal pay at (i − ½)/n, never above the cap."""
    from scipy.special import ndtri

    at = (np.arange(people) + 0.5) / people
    pay = planned.median * np.exp(planned.spread * ndtri(at))
    whole: Integers = np.minimum(np.floor(pay + 0.5), cap).astype(np.int64)
    return whole
