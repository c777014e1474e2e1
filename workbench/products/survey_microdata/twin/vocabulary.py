"""The questions of the sample survey: demographics, items on attitudes towards a census, and percentages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A column with its title and its answers; percentages have none."""

    name: str
    title: str
    answers: tuple[str, ...] = ()


DEMOGRAPHICS = (
    Question("age", "Age", ("18-24", "25-34", "35-44", "45-54", "55-64", "65 and over")),
    Question("sex", "Sex", ("female", "male")),
    Question("race", "Race", ("White", "Black", "Asian", "American Indian", "Pacific Islander", "other or several")),
    Question(
        "region",
        "Region",
        ("New England", "Middle Atlantic", "East North Central", "West North Central", "South Atlantic",
         "East South Central", "West South Central", "Mountain", "Pacific"),
    ),
    Question("education", "Education", ("less than high school", "high school", "some college", "college", "more")),
    Question("income", "Household income", ("lowest fifth", "second", "middle", "fourth", "highest fifth")),
    Question("language", "Language at home", ("English", "Spanish", "other")),
    Question("household", "People in the household", ("1", "2", "3 or 4", "5 or more")),
)  # fmt: skip

_YES = ("yes", "no", "not sure")
_AGREE = ("strongly agree", "agree", "neither", "disagree", "strongly disagree")
_LIKELY = ("not at all likely", "not too likely", "somewhat likely", "very likely", "extremely likely")
_CONCERN = ("not at all concerned", "not too concerned", "somewhat concerned", "very concerned")
_OFTEN = ("every day", "most days", "some days", "few days", "never", "no access", "do not know")
_BOTH = ("yes", "no")
_TRUST = ("none", "little", "some", "much", "complete", "do not know")

_TITLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Is the census used to decide how much money communities get?", _YES),
    ("Is the census used to decide how many representatives a state has?", _YES),
    ("Is the census used to locate people living in the country without documentation?", _YES),
    ("Is the census used to help the police keep track of people?", _YES),
    ("Is the census used to see what changes have taken place?", _YES),
    ("Does the law require you to answer the census?", _YES),
    ("How likely are you to fill out the next census form?", _LIKELY),
    ("How likely are you to answer over the internet?", _LIKELY),
    ("How likely are you to answer on paper?", _LIKELY),
    ("How concerned are you that answers are shared with other agencies?", _CONCERN),
    ("How concerned are you that answers are used against you?", _CONCERN),
    ("How concerned are you that answers are not kept confidential?", _CONCERN),
    ("It matters that everybody is counted.", _AGREE),
    ("My answers matter.", _AGREE),
    ("The census benefits my community.", _AGREE),
    ("It takes too long to fill out the form.", _AGREE),
    ("I would rather not be counted.", _AGREE),
    ("Filling out the census is a civic duty.", _AGREE),
    ("How much do you trust the federal government?", _TRUST),
    ("How much do you trust your local government?", _TRUST),
    ("How much do you trust the statistical office?", _TRUST),
    ("How often do you use the internet?", _OFTEN),
    ("Did you fill out the last census form?", _BOTH),
    ("Do you remember an advertisement for the census?", _BOTH),
    ("Did you vote in the last election?", _BOTH),
    ("Have you heard of the census before today?", _BOTH),
)
ITEMS = tuple(Question(f"q{place + 1:02d}", title, answers) for place, (title, answers) in enumerate(_TITLES))

PERCENTAGES = tuple(
    Question(f"pct{place + 1}", title)
    for place, title in enumerate(
        (
            "What share of households answers the census, in %?",
            "What share of your neighbours do you trust, in %?",
            "How sure are you that answers stay confidential, in %?",
            "What share of federal money depends on the census, in %?",
            "What share of people shops on the internet, in %?",
            "How useful is the census to you, in %?",
        )
    )
)
QUESTIONS = (*DEMOGRAPHICS, *ITEMS, *PERCENTAGES)
