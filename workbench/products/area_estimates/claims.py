"""What every method of area estimates claims in the same words: one person added or removed, one row and cell each."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from workbench.accounting.coverage import PERSON
from workbench.core.claims import Claim, ClaimPart, Coverage, Definition
from workbench.core.quantities import change, show
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.own_epsilon import Share
from workbench.products.area_estimates.places import Places

UNIT = "one person, added or removed"
_MOST_WITNESSED = 5000  # areas that a ledger entry names
_MOST_NAMED = 5  # larger areas that its words name for each ε


def area_claim(
    prepared: AreaData | None,
    *,
    epsilon: Decimal,
    delta: Decimal = Decimal(0),
    rho: Decimal | None = None,
    parts: tuple[ClaimPart, ...] = (),
    workings: str = "",
    more: tuple[str, ...] = (),
) -> Claim:
    """A formal claim. `more` are the assumptions of the mechanism itself, `workings` why ε is not the sum of parts."""
    bounded = prepared is not None and prepared.bounded
    twice = "2ε, δ(1 + e^ε)" if delta else "2ε"
    return Claim(
        definition=Definition.CENTRAL,
        unit=UNIT,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        parts=parts,
        workings=workings,
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


def remedy_of(prepared: AreaData | None) -> str:
    """What would make a claim formal that is not; the fractional table publishes lines, and no effect."""
    if prepared is not None and prepared.estimator is not None:
        return "publish lines by the fractional table; no method here publishes an effect with a guarantee"
    return "choose the fractional table, which protects all of it together"


def or_the_table(prepared: AreaData) -> str:
    """The fractional table as a way out, where it can publish what is estimated."""
    return "" if prepared.estimator is not None else ", or the fractional table"


def coverage_of(prepared: AreaData | None) -> Coverage | None:
    """The witness that parts of a draw for other areas touch other people: each person has one area in it, enforced."""
    if prepared is None or not prepared.bounded or len(prepared.places.areas) > _MOST_WITNESSED:
        return None
    return Coverage(attribute=prepared.places.area_column, values=prepared.places.areas, fixed_for=(PERSON,))


def parts_of(prepared: AreaData, divided: tuple[Share, ...]) -> tuple[ClaimPart, ...]:
    """One for every ε; none where all have the same.

    A person is in one of them, so that the whole claim is the largest, and the ledger enters that alone: see
    `largest_counts`.
    """
    if len(divided) < 2:
        return ()
    places = prepared.places
    names = _names(places, divided)
    return tuple(
        ClaimPart(
            name=", ".join(names[pool] for pool in share.pools.tolist() if pool < len(names)),
            epsilon=Decimal(share.epsilon),
        )
        for share in divided
    )


def largest_counts(prepared: AreaData, divided: tuple[Share, ...]) -> str:
    """The witness in words, for the ledger: why of several ε the largest is the whole; empty where there is one.

    The row of a person that is used is chosen by area and group, in the order of names, so that each person has one of
    them in this draw. Next year's file can have the same person in another, so that draws still add up.
    """
    if len(divided) < 2:
        return ""
    names = _names(prepared.places, divided)
    told = "; ".join(f"ε {show(share.epsilon)} for {_listed(names, share)}" for share in divided)
    one = "Each person has one of them in this draw, enforced" if prepared.bounded else "Each person has one row"
    return f"{told}. {one}, so that the largest counts."


def _names(places: Places, divided: tuple[Share, ...]) -> tuple[str, ...]:
    """Of larger areas where each has one ε, of their groups where an ε belongs to some of them."""
    whole = all(
        len(share.cells) == len(places.groups) * len(np.unique(share.cells % len(places.areas))) for share in divided
    )
    return places.larger if whole else places.pool_names


def _listed(names: tuple[str, ...], share: Share) -> str:
    own = [names[pool] for pool in share.pools.tolist() if pool < len(names)]
    more = f" and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else ""
    return ", ".join(own[:_MOST_NAMED]) + more
