"""Settings of outcome reports: whose histories, which cells, and how a person's rows are bounded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.microdata.roles import Role

MOST_CAP = 1_000_000_000
MOST_YEARS = 60
_LEAST_SHARE, _LARGEST_SHARE = 0.001, 1000.0


class OneRow(StrEnum):
    """Which of a person's rows stands for a year."""

    HIGHEST = "highest pay"
    FIRST = "first"
    SUM = "sum"


class Institutions(StrEnum):
    """In how many institutions' reports one person is counted."""

    ONE = "one"
    ALL = "all"


class Employed(StrEnum):
    """Whether a year without pay counts as employed."""

    COUNTED = "counted"
    LEFT_OUT = "left out"


class AboveCap(StrEnum):
    """What becomes of rows above the cap."""

    CLIPPED = "clipped"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeReportsParams:
    person: str = param(
        "",
        "Person",
        "Identifies people over all years and institutions. Rows without it are left out.",
        roles=(Role.PERSON_KEY,),
    )
    institution: str = param(
        "", "Institution", "There is one report for each. Empty: one report in all.", roles=(Role.INSTITUTION,)
    )
    titles: tuple[str, ...] = param(
        (),
        "Titles",
        "What a person leaves with: job title, degree, field, cohort. Fixed over the years.",
        roles=(Role.TITLE,),
    )
    sectors: tuple[str, ...] = param(
        (), "Sectors", "Where a person works. It may change every year, at no further cost.", roles=(Role.SECTOR,)
    )
    year: str = param("", "Year since leaving", "The column that says which year a row is about.", roles=(Role.YEAR,))
    years: tuple[str, ...] = param(
        tuple(str(year) for year in range(1, 11)),
        "Years published",
        "The codes of the years, in order. Rows of other years are left out.",
        effect="invariant",
    )
    profile: tuple[str, ...] = param(
        (),
        "Profile over years",
        "Public: people in each published year beside the planned size, such as 1, 0.95, 0.9. For planning only.",
        later=True,
    )
    earnings: str = param("", "Earnings", "What a person earned in the year.", roles=(Role.EARNINGS,))
    cap: int = param(
        0,
        "Cap on earnings",
        "Declared, never read from the data. Noise grows with it; earnings above it count as the cap.",
        unit="dollars",
        ge=0,
        le=MOST_CAP,
        effect="invariant",
    )
    above_cap: AboveCap = param(
        AboveCap.CLIPPED, "Earnings above the cap", "They count as the cap, or the row is left out."
    )
    one_row: OneRow = param(
        OneRow.HIGHEST,
        "Row of a year",
        "One row for each person and year: that with the highest pay, the first, or the highest with all pay summed.",
        labels={"highest pay": "highest pay", "first": "first in the order of the columns", "sum": "pay summed"},
    )
    institutions: Institutions = param(
        Institutions.ONE,
        "Reports of one person",
        "Only in one institution's report, by the rule above; or in all, where every report costs its own ε.",
        labels={"one": "one institution, enforced", "all": "every institution"},
    )
    zero_pay: Employed = param(
        Employed.COUNTED, "Years without pay", "A row with no earnings counts as employed, or is left out."
    )
    largest_margin: Decimal = param(
        Decimal(0),
        "Largest margin of error",
        "Earnings whose margin is a larger share of the estimate are left out, judged by noisy values. 0: none.",
        named={0: "no limit"},
        ge=0,
        le=100,
        effect="post-processing",
    )

    def check(self) -> tuple[Problem, ...]:
        found = [
            Problem(what, where, do)
            for what, where, do, missing in (
                ("Nothing identifies people", "person", "Choose the column; without it no history is bounded",
                 not self.person),
                ("There is no year", "year", "Choose the column of years since leaving", not self.year),
                ("There are no earnings", "earnings", "Choose the column of yearly pay", not self.earnings),
                ("There is no cap on earnings", "cap", "Declare one, for example 250000, not looking at the data",
                 self.cap < 1),
                ("No year is published", "years", "List their codes, for example 1, 2, 3", not self.years),
            )
            if missing
        ]  # fmt: skip
        if len(set(self.years)) < len(self.years):
            found.append(Problem("A year is listed twice", "years", "List each year once"))
        if len(self.years) > MOST_YEARS:
            found.append(Problem(f"More than {MOST_YEARS} years are listed", "years", "Publish fewer years"))
        found += self._profile_problems()
        if not (self.institution or self.titles or self.sectors):
            found.append(Problem("There are no cells", "titles", "Choose an institution, a title or a sector"))
        named = [*self.titles, *self.sectors, self.institution, self.person, self.year, self.earnings]
        for name in sorted({name for name in named if name and named.count(name) > 1}):
            found.append(Problem(f"“{name}” is chosen more than once", "titles", "Choose each column once"))
        return tuple(found)

    def _profile_problems(self) -> tuple[Problem, ...]:
        if not self.profile:
            return ()
        if len(self.profile) != len(self.years):
            said = f"The profile has {len(self.profile)} shares, and {len(self.years)} years are published"
            return (Problem(said, "profile", "Give one share for each published year, in order, or none"),)
        if any(share_of(each) is None for each in self.profile):
            return (Problem("A share of the profile is no number from 0.001 to 1000", "profile", "Write 0.95, say"),)
        return ()

    @property
    def profile_shares(self) -> tuple[float, ...]:
        """One for each published year; empty where the plan gives none."""
        return tuple(share_of(each) or 0.0 for each in self.profile)


def share_of(text: str) -> float | None:
    """A share as it is written, where it can be one."""
    try:
        share = float(text)
    except ValueError:
        return None
    return share if _LEAST_SHARE <= share <= _LARGEST_SHARE else None
