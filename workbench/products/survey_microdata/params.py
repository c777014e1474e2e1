"""Settings of survey microdata: the variables with their declared domains, who a respondent is, and the weight."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import Rows, param, rows
from workbench.microdata.roles import Role

MOST_CATEGORIES = 500
MOST_WEIGHT = 100_000
_MOST_WIDTH = 1_000_000


class Kind(StrEnum):
    """How a variable is answered."""

    CATEGORY = "category"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableParams:
    """One line for each variable. The domain is declared: nothing of it is read from the data."""

    kind: Kind = param(
        Kind.CATEGORY,
        "Type",
        "One of a list of categories, or a whole number such as a percentage.",
        labels={"category": "Category", "number": "Whole number"},
    )
    values: tuple[str, ...] = param(
        (), "Categories", "The declared list; none: the codes that the data dictionary lists.", effect="invariant"
    )
    otherwise: str = param(
        "",
        "Missing counts as",
        "Category or number for missing and undeclared values; none: a category of their own, or the middle.",
        effect="invariant",
    )
    lower: int = param(0, "Lower bound", "Of a number, declared. Smaller values count as this.", effect="invariant")
    upper: int = param(100, "Upper bound", "Of a number, declared. Larger values count as this.", effect="invariant")
    classes: int = param(
        5, "Classes in tables", "Of a number: classes of equal width for tables.", ge=2, le=50, effect="invariant"
    )

    def check(self) -> tuple[Problem, ...]:
        return self._number_problems() if self.kind is Kind.NUMBER else self._list_problems()

    def _number_problems(self) -> tuple[Problem, ...]:
        found = []
        if self.values:
            found.append(Problem("A number has no list of categories", "values", "Leave the list empty"))
        if self.lower >= self.upper:
            found.append(Problem("The lower bound is not below the upper bound", "lower", "Declare a wider range"))
        elif self.upper - self.lower + 1 < 2 * self.classes:
            found.append(Problem("A class would hold fewer than two numbers", "classes", "Declare fewer classes"))
        elif self.upper - self.lower > _MOST_WIDTH:
            found.append(Problem(f"The bounds are more than {_MOST_WIDTH:,} apart", "upper", "Use another unit"))
        if self.otherwise and not _whole_between(self.otherwise, self.lower, self.upper):
            found.append(
                Problem("Missing values count as no number between the bounds", "otherwise", "Write a whole number")
            )
        return tuple(found)

    def _list_problems(self) -> tuple[Problem, ...]:
        found = []
        if len(set(self.values)) < len(self.values):
            found.append(Problem("A category is listed twice", "values", "List each category once"))
        if self.values and self.otherwise and self.otherwise not in self.values:
            found.append(
                Problem("Missing values count as a category that is not declared", "otherwise", "Name one of the list")
            )
        return tuple(found)


def _whole_between(text: str, lower: int, upper: int) -> bool:
    try:
        return lower <= int(text) <= upper
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyMicrodataParams:
    variables: Rows[VariableParams] = rows(
        VariableParams,
        "Variables",
        "One row for each variable of the file, with its type and declared domain. No other column is published.",
        by="column",
        roles=(Role.ANSWER,),
    )
    respondent: str = param(
        "",
        "Respondent",
        "Identifies respondents, is never published. One row of each is used. Without it, every respondent must "
        "have one row.",
        roles=(Role.RESPONDENT,),
    )
    planned: int = param(
        0,
        "Planned respondents",
        "The sample size of the survey plan, which is public. Refuses tables that would be mostly noise; 0: not given.",
        ge=0,
        named={0: "not given"},
        effect="invariant",
    )
    weight: str = param(
        "",
        "Weight",
        "Survey weight, for tables of the central methods; never published. Empty: every respondent counts once.",
        roles=(Role.WEIGHT,),
    )
    most_weight: int = param(
        0,
        "Largest weight",
        "Declared, from the survey plan. Larger weights count as this; noise grows with it.",
        ge=0,
        le=MOST_WEIGHT,
        effect="invariant",
    )

    def check(self) -> tuple[Problem, ...]:
        if not self.variables:
            return (Problem("There is no variable", "variables", "Add a row for each variable to publish"),)
        return self._weight_problems() if self.weight else ()

    def idle(self) -> tuple[str, ...]:
        return () if self.weight else ("most_weight",)

    def _weight_problems(self) -> tuple[Problem, ...]:
        found = []
        if self.weight in self.variables:
            said = f"“{self.weight}” is the weight and a variable"
            found.append(Problem(said, "weight", "Recode it to classes under another name"))
        if not self.most_weight:
            found.append(Problem("The largest weight is not declared", "most_weight", "Write the survey plan's"))
        if not self.planned:
            said = "A weighted file needs the planned number of respondents, which bounds its length"
            found.append(Problem(said, "planned", "Write the sample size of the survey plan"))
        return tuple(found)
