"""Two small samples with other keys: graduates by programme and cohort (PSEO), veterans by education and cohort (VEO).

Nothing comes from anybody's records; sizes and pay are round numbers of the kind that is published. Years since leaving
are 1, 5 and 10. Some people have two jobs in a year, some years without work.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.core.files import read_text, write_text
from workbench.core.resources import sample_folder
from workbench.microdata.twins.columns import identifiers

YEARS = ("1", "5", "10")
_RAISE = np.array([0.0, 0.22, 0.4])  # of the logarithm of pay, by year
_OUT, _SECOND_JOB = 0.12, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherKeys:
    """Key columns in order, with public labels and the shares of people; pay differs by the last column but one."""

    plan: str
    data: str
    letter: str
    labels: Mapping[str, Mapping[str, str]]
    shares: Mapping[str, Sequence[float]]
    log_pay: Mapping[str, Sequence[float]]
    planning: str = ""  # a file of planning sizes by all keys


GRADUATES = OtherKeys(
    plan="pseo_plan.toml",
    data="graduates",
    letter="G",
    labels={
        "institution": {"00134500": "Front Range State", "00136200": "High Plains", "00137100": "Canyon College"},
        "degree_level": {"05": "Baccalaureate"},
        "cipcode": {
            "11.07": "Computer Science",
            "26.01": "Biology, General",
            "52.02": "Business Administration",
            "52.03": "Accounting",
        },
        "grad_cohort": {"2007": "2007-2009", "2010": "2010-2012"},
    },
    shares={
        "institution": (0.6, 0.3, 0.1),
        "degree_level": (1.0,),
        "cipcode": (0.2, 0.3, 0.35, 0.15),
        "grad_cohort": (0.45, 0.55),
    },
    log_pay={"institution": (0.05, 0.0, -0.1), "cipcode": (10.95, 10.4, 10.55, 10.7)},
    planning="pseo_planning.csv",
)
VETERANS = OtherKeys(
    plan="veo_plan.toml",
    data="veterans",
    letter="V",
    labels={
        "cohort": {"2000": "2000-2001", "2002": "2002-2003", "2004": "2004-2005"},
        "education": {
            "F1": "General Educational Development (GED) Test",
            "F2": "High School Diploma",
            "F3": "Some College or Higher",
        },
    },
    shares={"cohort": (0.35, 0.35, 0.3), "education": (0.12, 0.68, 0.2)},
    log_pay={"education": (10.3, 10.4, 10.6)},
)


def write_other_keys(folder: Path, keys: OtherKeys, persons: int, seed: int) -> tuple[Path, ...]:
    """Data, data dictionary, planning sizes where there are any, and the plan that uses them."""
    random = np.random.Generator(np.random.PCG64(seed))
    codes = {name: random.choice(len(keys.shares[name]), persons, p=keys.shares[name]) for name in keys.labels}
    listed = {name: list(labels) for name, labels in keys.labels.items()}
    base = np.sum([np.array(effect)[codes[name]] for name, effect in keys.log_pay.items()], axis=0)
    pay = base[:, None] + _RAISE + random.normal(0.0, 0.4, (persons, 1)) + random.normal(0.0, 0.15, (persons, 3))
    rows = _rows(np.rint(np.exp(pay)).astype(np.int64), random)
    people = identifiers(keys.letter, persons, 6)
    data, dictionary = folder / f"{keys.data}.csv", folder / f"{keys.data}_dictionary.csv"
    _written(
        data,
        ("person", *listed, "year", "earnings"),
        ((people[who], *(listed[name][codes[name][who]] for name in listed), YEARS[year], paid)
         for who, year, paid in rows),
    )  # fmt: skip
    _written(
        dictionary,
        ("column", "value", "label"),
        ((name, code, label) for name, labels in keys.labels.items() for code, label in labels.items()),
    )
    made = [data, dictionary]
    if keys.planning:
        made.append(_planning(folder / keys.planning, keys, persons))
    text = read_text(sample_folder("outcome_reports", keys.plan), "the sample's plan")
    write_text(folder / keys.plan, text)
    return (*made, folder / keys.plan)


def _rows(pay: np.ndarray, random: np.random.Generator) -> list[tuple[int, int, int]]:
    """Person, year and pay in no order that tells anything; a second job is a further row."""
    working = random.random(pay.shape) >= _OUT
    second = working & (random.random(pay.shape) < _SECOND_JOB)
    rows = [(int(who), int(year), int(pay[who, year])) for who, year in zip(*np.nonzero(working), strict=True)]
    rows += [(int(who), int(year), int(pay[who, year] // 5)) for who, year in zip(*np.nonzero(second), strict=True)]
    return [rows[place] for place in random.permutation(len(rows)).tolist()]


def _planning(path: Path, keys: OtherKeys, persons: int) -> Path:
    """Round numbers that a public file of degrees could have, from the planned shares and not from the rows."""
    names = list(keys.labels)
    listed = [list(keys.labels[name]) for name in names]
    rows = []
    for at in np.ndindex(*(len(codes) for codes in listed)):
        share = float(np.prod([keys.shares[name][place] for name, place in zip(names, at, strict=True)]))
        size = max(5, 5 * round(persons * share / 5))
        rows.append((*(codes[place] for codes, place in zip(listed, at, strict=True)), size))
    return _written(path, (*names, "people"), rows)


def _written(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path
