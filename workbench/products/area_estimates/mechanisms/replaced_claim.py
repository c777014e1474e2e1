"""What rivals claim that protect values only: predictor and outcomes of one person replaced, counts public.

A row with a missing value does not count, nor one with a value outside its bounds where the plan leaves such rows out.
Counts are published as they are and tell of that, so that values are protected within their bounds only.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np

from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.errors import Problem
from workbench.core.quantities import odds_factor
from workbench.mechanisms.contract import NeighbourPair
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.claims import row_rule
from workbench.products.area_estimates.columns import names_of
from workbench.products.area_estimates.held_neighbours import copied
from workbench.products.area_estimates.neighbours import with_people
from workbench.products.area_estimates.people import FINE


def replaced_claim(prepared: AreaData | None, epsilon: Decimal) -> Claim:
    bounded = prepared is not None and prepared.bounded
    one_row = () if bounded else ("every person has one row",)
    return Claim(
        definition=Definition.REPLACED,
        unit="one person's predictor and outcomes, replaced within their bounds",
        epsilon=epsilon,
        sentence=(
            f"Other values of one person, within their bounds, change the odds of any published table by a factor of "
            f"at most {odds_factor(epsilon)}. Who counts in which area, and how many, is public."
        ),
        provided=("who counts in every area is public, and so whose values are missing or left out", *one_row),
        assumptions=(
            row_rule(bounded),
            "Counts are published as they are. Nobody's presence in an area is protected.",
            "A row with a missing value does not count, nor one that the plan leaves out for its values.",
            "Areas, groups and bounds come from the plan and public files.",
        ),
    )


def replaced_pair(prepared: AreaData) -> tuple[NeighbourPair, ...]:
    """The first person with all values at their upper, or all at their lower bounds."""
    people = prepared.people.reveal()
    if not len(people):
        return ()

    def at(value: int) -> Confidential[AreaData]:
        x, outcomes = people.x.copy(), [outcome.copy() for outcome in people.y]
        for values in (x, *outcomes):
            values[0] = value
        return Confidential(with_people(prepared, replace(people, x=x, y=tuple(outcomes))))

    return (
        NeighbourPair(
            description="one person with all values at their upper or at their lower bounds",
            first=at(FINE),
            second=at(0),
            copies=1,
            outputs=len(names_of(prepared)) * prepared.rows,
        ),
    )


def replaced_copies(prepared: AreaData, copies: int) -> tuple[NeighbourPair, ...]:
    """The same of the first person's cell alone, many times over: for methods that take every cell by itself."""
    return tuple(
        replace(
            pair,
            first=Confidential(_own_cell(pair.first.reveal(), copies)),
            second=Confidential(_own_cell(pair.second.reveal(), copies)),
            copies=copies,
            outputs=len(names_of(prepared)),
        )
        for pair in replaced_pair(prepared)
    )


def _own_cell(data: AreaData, copies: int) -> AreaData:
    cell = int(data.people.reveal().cell[0])
    return copied(data, cell, data.lines.reveal()[0].chosen(np.array([cell])), None, (), copies)


def weight_problems(prepared: AreaData) -> tuple[Problem, ...]:
    if prepared.most_weight == 1:
        return ()
    return (Problem("This method takes no weights", "weight", "Choose the fractional table"),)
