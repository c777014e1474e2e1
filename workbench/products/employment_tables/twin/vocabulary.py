"""The words of an employment twin: codes and labels as agencies publish them, places that exist nowhere.

Sector shares and ownership shares are of establishments; women's and education shares are of jobs. They are round
figures of the size published for the United States, not estimates of anything.
"""

from __future__ import annotations

from typing import NamedTuple


class Sector(NamedTuple):
    code: str
    label: str
    share: float
    women: float
    education: tuple[float, float, float, float]
    owners: tuple[float, float, float] = (1.0, 0.0, 0.0)  # private, state or local, federal


_HANDS, _TRADE, _OFFICE, _DEGREE = (0.22, 0.36, 0.28, 0.14), (0.15, 0.32, 0.33, 0.20), (0.09, 0.24, 0.33, 0.34), (
    0.05, 0.15, 0.28, 0.52,
)  # fmt: skip

SECTORS = (
    Sector("11", "Agriculture, forestry, fishing and hunting", 0.026, 0.27, (0.41, 0.31, 0.18, 0.10)),
    Sector("21", "Mining, quarrying, and oil and gas extraction", 0.013, 0.14, _HANDS, (0.97, 0.03, 0.0)),
    Sector("22", "Utilities", 0.015, 0.24, _OFFICE, (0.70, 0.28, 0.02)),
    Sector("23", "Construction", 0.087, 0.12, _HANDS),
    Sector("31-33", "Manufacturing", 0.054, 0.29, _HANDS),
    Sector("42", "Wholesale trade", 0.059, 0.31, _TRADE),
    Sector("44-45", "Retail trade", 0.102, 0.50, _TRADE),
    Sector("48-49", "Transportation and warehousing", 0.050, 0.26, _TRADE, (0.82, 0.06, 0.12)),
    Sector("51", "Information", 0.031, 0.41, _DEGREE, (0.90, 0.10, 0.0)),
    Sector("52", "Finance and insurance", 0.054, 0.57, _OFFICE),
    Sector("53", "Real estate and rental and leasing", 0.050, 0.47, _OFFICE),
    Sector("54", "Professional, scientific, and technical services", 0.083, 0.48, _DEGREE),
    Sector("55", "Management of companies and enterprises", 0.017, 0.52, _DEGREE),
    Sector("56", "Administrative, support and waste services", 0.059, 0.41, _HANDS),
    Sector("61", "Educational services", 0.041, 0.68, _DEGREE, (0.40, 0.60, 0.0)),
    Sector("62", "Health care and social assistance", 0.091, 0.78, _OFFICE, (0.93, 0.06, 0.01)),
    Sector("71", "Arts, entertainment, and recreation", 0.031, 0.46, _TRADE, (0.85, 0.13, 0.02)),
    Sector("72", "Accommodation and food services", 0.075, 0.53, (0.24, 0.34, 0.28, 0.14)),
    Sector("81", "Other services", 0.087, 0.52, _TRADE),
    Sector("92", "Public administration", 0.041, 0.45, _OFFICE, (0.0, 0.78, 0.22)),
)

OWNERS = {"federal": "Federal government", "local": "State or local government", "private": "Private"}
OWNER_ORDER = ("private", "local", "federal")  # the order of Sector.owners

SEXES = {"F": "Women", "M": "Men"}
EDUCATIONS = {
    "E1": "Less than high school",
    "E2": "High school or equivalent, no college",
    "E3": "Some college or associate degree",
    "E4": "Bachelor's degree or advanced degree",
}
AGES = {
    "A1": "14-18", "A2": "19-21", "A3": "22-24", "A4": "25-34",
    "A5": "35-44", "A6": "45-54", "A7": "55-64", "A8": "65-99",
}  # fmt: skip
AGE_SHARES = (0.03, 0.06, 0.07, 0.23, 0.21, 0.20, 0.14, 0.06)
RACES = {
    "R1": "White alone",
    "R2": "Black or African American alone",
    "R3": "American Indian or Alaska Native alone",
    "R4": "Asian alone",
    "R5": "Native Hawaiian or other Pacific Islander alone",
    "R7": "Two or more races",
}
OTHER_RACE_SHARES = (0.52, 0.05, 0.28, 0.02, 0.13)  # of those who are not R1
ETHNICITIES = {"H1": "Not Hispanic or Latino", "H2": "Hispanic or Latino"}

STATES = ("01", "04", "08")  # two digits in front of every place, the leading zero kept

_FIRST = (
    "Alder Amber Ash Aspen Badger Bay Beacon Bear Birch Bishop Black Blue Bright Briar Brook Cedar Chalk Cherry Clear "
    "Clover Copper Coral Crane Crow Deer Dover Eagle East Elder Elk Elm Ember Fair Falcon Fern Flint Fox Frost Glen "
    "Gold Granite Green Grey Harbor Hawk Hazel Heron High Holly Iron Ivory Juniper Kings Lake Laurel Lime Linden Long "
    "Maple Marsh Meadow Mill Moss North Oak Otter Pearl Pine Quail Queens Raven Red Reed River Rose Salt Sand Silver "
    "South Spring Spruce Star Stone Summer Sun Swan Thorn Timber Trout Upper Vale West White Wild Willow Winter Wolf"
)
_SECOND = (
    "bank bend borough bridge brook burg bury cliff cove creek crest crossing dale fall field ford forest gap gate "
    "grove harbor haven heath hill hollow hurst island junction lake landing lea meadow mere mill mont moor mouth park "
    "pass peak point pond port prairie ridge rock run shore side spring station stead stone summit ton trail vale view "
    "ville ward water way well wick wood worth yard"
)


def place_name(number: int) -> str:
    """The name of the place with that number; the first six thousand or so differ, later ones get a numeral."""
    stride = 2_654_435_761  # prime to the number of names, so that neighbours in the list do not sound alike
    firsts, seconds = _FIRST.split(), _SECOND.split()
    names = len(firsts) * len(seconds)
    turn, position = divmod(number, names)
    first, second = divmod(position * stride % names, len(seconds))
    name = firsts[first] + seconds[second]
    return name if turn == 0 else f"{name} {turn + 1}"
