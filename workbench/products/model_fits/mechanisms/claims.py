"""What every fit claims in the same words: one person added or removed, one row each."""

from __future__ import annotations

from decimal import Decimal

from workbench.core.claims import Claim, Definition
from workbench.core.quantities import change
from workbench.products.model_fits.fit_data import FitData

UNIT = "one person, added or removed"


def fit_claim(
    prepared: FitData | None, *, epsilon: Decimal, delta: Decimal = Decimal(0), more: tuple[str, ...] = ()
) -> Claim:
    """`more` are the assumptions of the mechanism itself."""
    bounded = prepared is not None and prepared.bounded
    twice = "2ε, δ(1 + e^ε)" if delta else "2ε"
    one_row = (
        "One row of each person is used, whichever comes first in the order of its values."
        if bounded
        else "No column identifies people, so that every person has one row is assumed, not enforced."
    )
    return Claim(
        definition=Definition.CENTRAL,
        unit=UNIT,
        epsilon=epsilon,
        delta=delta,
        sentence=(
            f"One person's presence changes {change('any published fit', epsilon, delta)}. "
            "Coefficients, margins of error and accuracy are covered together."
        ),
        provided=() if bounded else ("every person has one row",),
        assumptions=(
            one_row,
            "Predictors, their bounds and their levels are declared in the plan, not read from the data.",
            "All settings of the method follow from the plan; none was chosen by looking at the data.",
            f"Replacing one person's row by another counts as two such steps ({twice}).",
            *more,
        ),
    )
