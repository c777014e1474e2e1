"""What every method of area estimates claims in the same words: one person added or removed, one row and cell each."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from workbench.accounting.coverage import PERSON
from workbench.core.claims import Claim, ClaimPart, Coverage, Definition
from workbench.core.quantities import change
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.own_epsilon import Share
from workbench.products.area_estimates.places import Places

UNIT = "one person, added or removed"
_MOST_WITNESSED = 5000  # areas that a ledger entry names; beyond, the sum counts, which is never less


def area_claim(
    prepared: AreaData | None,
    *,
    epsilon: Decimal,
    delta: Decimal = Decimal(0),
    rho: Decimal | None = None,
    parts: tuple[ClaimPart, ...] = (),
    more: tuple[str, ...] = (),
) -> Claim:
    """A formal claim. `more` are the assumptions of the mechanism itself."""
    bounded = prepared is not None and prepared.bounded
    twice = "2ε, δ(1 + e^ε)" if delta else "2ε"
    return Claim(
        definition=Definition.CENTRAL,
        unit=UNIT,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        parts=parts,
        sentence=(
            f"One person's presence changes {change('any published table', epsilon, delta)}. "
            "All areas, ranks, counts and margins of error are covered together."
        ),
        provided=() if bounded else ("every person has one row",),
        coverage=coverage_of(prepared),
        assumptions=(
            row_rule(bounded),
            "Areas, groups, pools and bounds come from the plan and public files. Empty cells get noise like others.",
            "A row with a missing or unlisted value contributes nothing.",
            f"Replacing one person's row by another counts as two such steps ({twice}).",
            "Siblings who share a parent's record are separate persons.",
            *more,
        ),
    )


def row_rule(bounded: bool) -> str:
    if bounded:
        return "One row of each person is used, the one with the first area in the order of names."
    return "No column identifies people, so that every person has one row is assumed, not enforced."


def coverage_of(prepared: AreaData | None) -> Coverage | None:
    """The witness that parts of a draw for other areas touch other people: each person has one area in it, enforced."""
    if prepared is None or not prepared.bounded or len(prepared.places.areas) > _MOST_WITNESSED:
        return None
    return Coverage(attribute=prepared.places.area_column, values=prepared.places.areas, fixed_for=(PERSON,))


def parts_of(prepared: AreaData, divided: tuple[Share, ...]) -> tuple[ClaimPart, ...]:
    """One for every ε, with the witness that nobody is in two of them; none where all have the same.

    Where an ε belongs to a group of an area, the witness names area and group: the row of a person that is used is
    chosen by both, in the order of names, so that each person has one of them.
    """
    if len(divided) < 2:
        return ()
    places = prepared.places
    whole = all(len(share.cells) == len(places.groups) * len(_areas(places, share)) for share in divided)
    names = places.larger if whole else places.pool_names
    return tuple(
        ClaimPart(
            name=", ".join(names[pool] for pool in share.pools.tolist() if pool < len(names)),
            epsilon=Decimal(share.epsilon),
            coverage=_coverage_of_share(prepared, share, by_area=whole),
        )
        for share in divided
    )


def _areas(places: Places, share: Share) -> tuple[str, ...]:
    return tuple(places.areas[area] for area in np.unique(share.cells % len(places.areas)).tolist())


def _coverage_of_share(prepared: AreaData, share: Share, *, by_area: bool) -> Coverage | None:
    places = prepared.places
    if not prepared.bounded or places.cells > _MOST_WITNESSED:
        return None
    if by_area:
        return Coverage(attribute=places.area_column, values=_areas(places, share), fixed_for=(PERSON,))
    names = places.cell_names()
    return Coverage(
        attribute=" × ".join((places.area_column, *places.group_columns)),
        values=tuple(names[cell] for cell in share.cells.tolist()),
        fixed_for=(PERSON,),
    )
