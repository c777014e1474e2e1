"""What every method of area estimates claims in the same words: one person added or removed, one row and cell each."""

from __future__ import annotations

from decimal import Decimal

from workbench.accounting.coverage import PERSON
from workbench.core.claims import Claim, ClaimPart, Coverage, Definition
from workbench.core.quantities import show
from workbench.products.area_estimates.area_data import AreaData

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
    failure = f", except with a probability of {show(delta)}" if delta else ""
    twice = "2ε, δ(1 + e^ε)" if delta else "2ε"
    return Claim(
        definition=Definition.CENTRAL,
        unit=UNIT,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        parts=parts,
        sentence=(
            f"One person's presence changes the odds of any published table by a factor of at most e^{show(epsilon)}"
            f"{failure}. All areas, ranks, counts and margins of error are covered together."
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


def coverage_of(prepared: AreaData | None, larger: tuple[str, ...] = ()) -> Coverage | None:
    """The witness that parts of a draw for other areas touch other people: each person has one area in it, enforced.

    For all listed areas, or for those of some larger ones.
    """
    if prepared is None or not prepared.bounded or len(prepared.places.areas) > _MOST_WITNESSED:
        return None
    places = prepared.places
    areas = tuple(
        area
        for area, of in zip(places.areas, places.larger_of.tolist(), strict=True)
        if not larger or places.larger[of] in larger
    )
    return Coverage(attribute=places.area_column, values=areas, fixed_for=(PERSON,))
