"""What reports claim in the same words: a whole history added or removed, at one institution or at several."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from workbench.accounting.coverage import PERSON
from workbench.core.claims import ClaimPart, Coverage
from workbench.core.quantities import change
from workbench.products.outcome_reports.outcomes import Outcomes

UNIT = "one person with the whole history, added or removed"
ENFORCED = (
    "The bounds are enforced, not only found to hold: one row for each person, institution and year, one title, listed "
    "years, earnings between 0 and the cap. Data that happen to keep a bound prove nothing.",
    "Institutions, titles, sectors and years are public lists; empty cells get noise like all others.",
    "Cap, planning sizes and settings were chosen without looking at the data.",
    "A later year is a new release: its ε is added.",
    "Replacing one person's history by another counts as two such steps.",
)


def reports(prepared: Outcomes | None) -> int:
    """In how many institutions' reports one person can be: the bound that is enforced, or all that are listed."""
    return 1 if prepared is None or prepared.one_institution else prepared.layout.institutions


def by_institution(prepared: Outcomes | None, epsilon: Decimal, delta: Decimal = Decimal(0)) -> tuple[ClaimPart, ...]:
    """ε of each institution's report. Where each person is in one report only, the whole is less than their sum."""
    if prepared is None or prepared.layout.institution is None:
        return ()
    listed = prepared.layout.institution
    return tuple(ClaimPart(name=f"{listed.name} {value}", epsilon=epsilon, delta=delta) for value in listed.values)


def witness(prepared: Outcomes | None) -> Coverage | None:
    """Which institutions a release covers, where each person was bounded to one within it."""
    if prepared is None or prepared.layout.institution is None or not prepared.one_institution:
        return None
    listed = prepared.layout.institution
    return Coverage(attribute=listed.name, values=listed.values, fixed_for=(PERSON,))


def said(prepared: Outcomes | None, epsilon: Decimal, delta: Decimal = Decimal(0)) -> str:
    """The promise in a sentence, of what a whole history at one institution can change."""
    several = (
        " A person in several institutions' reports pays for each."
        if prepared is not None and not prepared.one_institution and prepared.layout.institutions > 1
        else ""
    )
    where = "" if one_report(prepared) else " at an institution"
    return f"One person's whole history{where} changes {change('anything published', epsilon, delta)}.{several}"


def for_each(prepared: Outcomes | None) -> str:
    """What ε is for, where the ledger shows how it comes about."""
    return "the whole report" if one_report(prepared) else "each institution"


def one_report(prepared: Outcomes | None) -> bool:
    """Whether the plan names no column of institutions."""
    return prepared is not None and prepared.layout.institution is None


def rounded_up(value: Fraction, digits: int = 12) -> Decimal:
    """A decimal of so many places, not below the fraction."""
    scaled = -((-value.numerator * 10**digits) // value.denominator)
    return Decimal(scaled).scaleb(-digits)
