"""What local methods claim: the values of one record, never its presence; ε of the record is the sum over variables."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from workbench.core.claims import Claim, ClaimPart, Definition
from workbench.core.quantities import exact, odds_factor
from workbench.products.survey_microdata.survey_data import SurveyData

UNIT = "all answers of one respondent"
_MEANINGFUL = Decimal(20)  # e^20 is 500 million: odds of a stranger become certainty
PRESENCE = "Only the values of a record are protected. That a respondent took part, and how many did, are public."


def local_claim(
    prepared: SurveyData | None, *, epsilon: Decimal, parts: Mapping[str, Decimal], more: tuple[str, ...] = ()
) -> Claim:
    """`parts` is what each variable spends; the record spends their sum."""
    one_row = (
        "One row of each respondent is used."
        if prepared is not None and prepared.bounded
        else "No column identifies respondents, so that every respondent has one row is assumed, not enforced."
    )
    bounded = prepared is not None and prepared.bounded
    return Claim(
        definition=Definition.LOCAL,
        unit=UNIT,
        epsilon=epsilon,
        sentence=f"{_headline(epsilon, parts)} {PRESENCE}",
        provided=() if bounded else ("every respondent has one row",),
        assumptions=(
            one_row,
            "Variables and their domains are declared in the plan, not read from the data.",
            "Records are published in a random order, and no other column is published.",
            "Protecting the same answers again, in another file or another draw, adds up.",
            *more,
        ),
        parts=tuple(ClaimPart(name=name, epsilon=each) for name, each in parts.items()),
        workings="ε adds up over the variables of a record." if parts else "",
    )


def _headline(epsilon: Decimal, parts: Mapping[str, Decimal]) -> str:
    largest = max(parts.values(), default=epsilon)
    many = len(parts)
    if not many:
        first = f"A whole record spends ε {exact(epsilon)}."
    elif all(each == largest for each in parts.values()):
        first = f"{exact(largest)} for each of {many} variables: a record spends ε {exact(epsilon)} in all."
    else:
        first = f"Up to {exact(largest)} for each of {many} variables: a record spends ε {exact(epsilon)} in all."
    if epsilon <= _MEANINGFUL:
        return f"{first} An attacker's odds on a whole record can change by a factor of at most {odds_factor(epsilon)}."
    return f"{first} That sets no limit of any practical meaning on what an attacker learns about a record."
