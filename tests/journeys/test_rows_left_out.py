"""Two tables whose settings leave out different rows: children without a value, people above the cap.

No rule about rows is written in either plan. Every plan is drawn, reviewed and approved on the command line. Seen from
the patterns that the project keeps, by a linear programme written here, in which those that only the first table counts
are unknowns of their own.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from tests.cli.said import dwb
from workbench.project.store import open_project
from workbench.review.run.suppression_history import stored_pattern

Codes = tuple[tuple[str, str], ...]  # column and code, of one row
Cell = frozenset[tuple[str, str]]
Counts = tuple[dict[Codes, int], dict[Codes, int]]  # rows of the first table; those that the second leaves out

RELEASE = """version = 1

[release]
title = "A table"
requester = "Planning office"
purpose = "A yearly table."
authority = "Statistics Act"
period = "2026"
smallest_geography = "tract"

[study]
trials = 2

[policy]
budget = 40.0

[baseline]
id = "cell-suppression"
"""
CHILDREN = """
[data]
path = "rows.csv"
dictionary = "dictionary.csv"

[data.companions]
areas = "areas.csv"

[data.roles]
child = "person"
tract = "cell"
sex = "group"
parents = "predictor"
{setting} = "outcome"

[product]
id = "area_estimates"
cell = "tract"
groups = ["sex"]
pool = "state"
predictor = "parents"
lower = 0
upper = 1
ranks = ["0.25", "0.75"]
person = "child"

[product.outcomes.{setting}]
lower = 0
upper = 1

[mechanism]
id = "fractional-table"
epsilon = 2.0
"""
GRADUATES = """
[data]
path = "rows.csv"
dictionary = "dictionary.csv"

[data.roles]
person = "person"
institution = "institution"
title = "title"
year = "year"
earnings = "earnings"

[product]
id = "outcome_reports"
person = "person"
institution = "institution"
titles = ["title"]
year = "year"
years = ["1", "2"]
earnings = "earnings"
cap = {setting}
above_cap = "left out"

[mechanism]
id = "history"
epsilon = 4.0

[audit]
checks = ["exact-loss"]
"""
STATES = {"t1": "s1", "t2": "s1", "t3": "s2", "t4": "s2"}


def write_children(folder: Path) -> Counts:
    """Every value of `income` is there, and a few of `school` are not."""
    made, lines = random.Random(1), ["child,tract,sex,parents,income,school"]
    everybody: dict[Codes, int] = {}
    gone: dict[Codes, int] = {}
    for number in range(160):
        codes = (("tract", made.choice(list(STATES))), ("sex", made.choice("fm")))
        school = "" if made.random() < 0.03 else "0.5"
        _one_more(codes, everybody, *([] if school else [gone]))
        lines.append(f"p{number},{codes[0][1]},{codes[1][1]},{made.random():.3f},{made.random():.3f},{school}")
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    (folder / "areas.csv").write_text("tract,state\n" + "".join(f"{one},{two}\n" for one, two in STATES.items()))
    (folder / "dictionary.csv").write_text("column,value,label\nsex,f,Women\nsex,m,Men\n")
    return everybody, gone


def write_graduates(folder: Path) -> Counts:
    """A few earn more than the second cap, and nobody more than the first."""
    made, lines = random.Random(1), ["person,institution,title,year,earnings"]
    everybody: dict[Codes, int] = {}
    gone: dict[Codes, int] = {}
    for number in range(120):
        institution, title = made.choice("UV"), made.choice("ab")
        for year in "12":
            pay = 150_000 if made.random() < 0.02 else made.choice((30_000, 52_000, 90_000))
            codes = (("institution", institution), ("title", title), ("year", year))
            _one_more(codes, everybody, *([gone] if pay > 100_000 else []))
            lines.append(f"p{number},{institution},{title},{year},{pay}")
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    values = [("institution", code) for code in "UV"] + [("title", code) for code in "ab"]
    words = [f"{column},{code},{code}" for column, code in values]
    (folder / "dictionary.csv").write_text("\n".join(["column,value,label", *words]) + "\n")
    return everybody, gone


def _one_more(codes: Codes, *counts: dict[Codes, int]) -> None:
    for each in counts:
        each[codes] = each.get(codes, 0) + 1


def withheld_by(folder: Path, plans: Sequence[str]) -> list[set[Cell]]:
    """What each of the suppressed tables withholds, approved one after another."""
    project, releases = folder / "review.dwb", [f"R-{number:04d}" for number in range(1, len(plans) + 1)]
    for release, text in zip(releases, plans, strict=True):
        plan = folder / f"{release}.toml"
        plan.write_text(RELEASE + text)
        ran = dwb("run", plan, "--project", project, "--preparer", "Ana")
        assert ran.code in (0, 1), ran.err
        agreed = dwb("decide", project, release, "--approve", "--reviewer", "Ben", "--comment", "Agreed", "--json")
        assert agreed.code == 0, agreed.out + agreed.err
    with open_project(project, read_only=True) as opened:
        runs = [opened.latest_run(release) for release in releases]
        return [set(stored_pattern(opened.pattern_of(run)[0]) or ()) for run in runs if run is not None]


def told(everybody: dict[Codes, int], gone: dict[Codes, int], withheld: Sequence[set[Cell]]) -> list[Cell]:
    """Groups of one or two that the second table leaves out, and readers of both can tell to be fewer than three."""
    unknown = sorted((codes, out) for codes in everybody for out in (False, True))
    sums: dict[Cell, list[tuple[Codes, bool]]] = {}
    for codes, out in unknown:
        for wanted in product((True, False), repeat=len(codes)):
            cell = frozenset(_coarser(code) for code, keep in zip(codes, wanted, strict=True) if keep)
            for each in {cell, frozenset(code for code, keep in zip(codes, wanted, strict=True) if keep)}:
                sums.setdefault(each, []).append((codes, out))
    worth = {(codes, out): gone.get(codes, 0) if out else many - gone.get(codes, 0)
             for codes, many in everybody.items() for out in (False, True)}  # fmt: skip
    rows, right = [], []
    for place, hidden in enumerate(withheld):
        for cell, parts in sums.items():
            if cell not in hidden:
                counted = [part for part in parts if not (place and part[1])]
                rows.append([float(part in counted) for part in unknown])
                right.append(float(sum(worth[part] for part in counted)))
    found = []
    for cell, parts in sums.items():
        left = [part for part in parts if part[1]]
        if 0 < sum(worth[part] for part in left) < 3:
            goal = -np.array([float(part in left) for part in unknown])
            if -optimize.linprog(goal, A_eq=np.array(rows), b_eq=right).fun < 3 - 1e-6:
                found.append(cell)
    return found


def _coarser(code: tuple[str, str]) -> tuple[str, str]:
    return ("tract", STATES[code[1]]) if code[0] == "tract" else code


@pytest.mark.parametrize(
    ("plan", "settings", "write"),
    [(CHILDREN, ("income", "school"), write_children), (GRADUATES, ("200000", "100000"), write_graduates)],
    ids=["values missing", "pay above the cap"],
)
def test_that_those_whom_only_one_table_counts_stay_protected(
    tmp_path: Path, plan: str, settings: tuple[str, str], write: object
) -> None:
    assert callable(write)
    everybody, gone = write(tmp_path)
    withheld = withheld_by(tmp_path, [plan.replace("{setting}", setting) for setting in settings])
    assert told(everybody, gone, withheld) == []
    assert told(everybody, gone, [withheld[0], set()])  # alone, the second table has nothing to withhold
