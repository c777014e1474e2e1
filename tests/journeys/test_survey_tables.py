"""Several releases of one survey, of other questions or fewer rows: their suppressed tables are judged together.

Every plan is drawn, reviewed and approved on the command line. What readers of all patterns can tell is worked out by
a linear programme over the cross of all answers, written here.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from tests.cli.said import dwb
from workbench.baselines.suppression.meaning import Meaning
from workbench.core.progress import QUIET
from workbench.project.store import open_project
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.opening import load_data
from workbench.review.run.suppression_history import stored_pattern
from workbench.review.run.suppression_rows import source_of

PLAN = """version = 1

[release]
title = "Survey"
requester = "Survey programme"
purpose = "A file of answers."
authority = "Statistics Act"
period = "2026"
smallest_geography = "region"

[data]
path = "survey.csv"

[data.roles]
respondent = "respondent"
{roles}

{rule}

[product]
id = "survey_microdata"
respondent = "respondent"
planned = 100

{variables}

[mechanism]
id = "pairs-gaussian"

[study]
trials = 2

[audit]
checks = ["exact-loss"]

[policy]
budget = 60.0

[baseline]
id = "suppressed-tables"
threshold = 3
"""
DOMAINS = {"region": "NSW", "work": "abc", "home": "xy"}
Answers = dict[str, str]
GROWN = '[data.shaping.keep.some]\ncolumn = "home"\ncomparison = "="\nvalues = ["x"]\n'


def answers(seed: int) -> list[Answers]:
    made = random.Random(seed)
    weights = {"region": (6, 3, 1), "work": (7, 4, 1), "home": (9, 1)}
    return [{name: made.choices(DOMAINS[name], weights[name])[0] for name in DOMAINS} for _ in range(60)]


def plan_of(names: Sequence[str], rule: str = "") -> str:
    variables = [f'[product.variables.{name}]\nvalues = {[*DOMAINS[name]]}\notherwise = "{DOMAINS[name][0]}"'
                 for name in names]  # fmt: skip
    asked = [*names, *(["home"] if rule and "home" not in names else [])]
    roles = "\n".join(f'{name} = "answer"' for name in asked)
    return PLAN.format(roles=roles, rule=rule, variables="\n".join(variables))


def draw(folder: Path, number: int, text: str) -> None:
    (folder / f"plan{number}.toml").write_text(text)
    ran = dwb("run", folder / f"plan{number}.toml", "--project", folder / "review.dwb", "--preparer", "Ana")
    assert ran.code in (0, 1), ran.out + ran.err


def approve(folder: Path, number: int) -> int:
    said = dwb("decide", folder / "review.dwb", f"R-{number:04d}", "--approve", "--reviewer", "Ben", "--comment", "ok")
    return said.code


def patterns(folder: Path, many: int) -> list[frozenset[Meaning]]:
    with open_project(folder / "review.dwb", read_only=True) as project:
        runs = [project.latest_run(f"R-{number:04d}") for number in range(1, many + 1)]
        return [stored_pattern(project.pattern_of(run)[0]) or frozenset() for run in runs if run is not None]


def written(folder: Path, seed: int) -> list[Answers]:
    people = answers(seed)
    lines = ["respondent,region,work,home", *(f"P{n:03d},{','.join(each.values())}" for n, each in enumerate(people))]
    (folder / "survey.csv").write_text("\n".join(lines) + "\n")
    return people


FIRST, SOME = plan_of(["region", "work"]), plan_of(["region", "work"], GROWN)
LINKED = [plan_of(names) for names in combinations(DOMAINS, 2)]
Cell = tuple[str, str, str]  # region, work and home, each “” for all


def reviewed(folder: Path, seed: int, plans: Sequence[str]) -> tuple[list[Answers], list[frozenset[Meaning]], int]:
    """The respondents, what each release withholds, and how many levels the audits say that earlier tables undercut."""
    people, lost = written(folder, seed), 0
    for number, text in enumerate(plans, start=1):
        draw(folder, number, text)
        told = dwb("difference", folder / "review.dwb", f"R-{number:04d}", "--json").json["findings"]
        values = [each["values"] for each in told if each["id"] == "differencing.suppression"]
        assert len(values) == (number > 1)
        lost += sum(each["levels_lost_to_earlier_tables"] + each["primary_cells_printed_before"] for each in values)
        assert approve(folder, number) == 0
    return people, patterns(folder, len(plans)), lost


def alone(folder: Path, seed: int, plans: Sequence[str]) -> list[frozenset[Meaning]]:
    """The patterns of the same releases where none knows of another."""
    made = []
    for number, text in enumerate(plans):
        (own := folder / f"alone{number}").mkdir()
        made += reviewed(own, seed, [text])[1]
    return made


def cells_of(text: str) -> Iterator[Cell]:
    """The cells of a release with margins; its rows are those of one home where it has a rule."""
    free = [name for name in DOMAINS if f"product.variables.{name}" in text]
    for codes in product(*[["", *DOMAINS[name]] if name in free else [""] for name in DOMAINS]):
        region, work, home = codes
        yield region, work, home or ("x" if "shaping.keep" in text else "")


def revealed(people: Sequence[Answers], plans: Sequence[str], withheld: Sequence[frozenset[Meaning]]) -> list[Cell]:
    """Groups of one or two, listed or left out by one table of another, that readers know to be below three."""
    finest = list(product(*DOMAINS.values()))
    count = Counter(tuple(each.values()) for each in people)
    true = np.array([float(count[cell]) for cell in finest])
    equal, right, least = [], [], []
    for text, hidden in zip(plans, withheld, strict=True):
        gone = {frozenset((name.split(" ")[0], code) for name, code in cell) for cell in hidden}
        for cell in cells_of(text):
            free = {name: code for name, code in zip(DOMAINS, cell, strict=True) if code}
            if "shaping.keep" in text:
                free.pop("home")
            inside = holds(cell, finest)
            if frozenset(free.items()) in gone:
                least.append(-inside)
            else:
                equal.append(inside)
                right.append(inside @ true)
    found = []
    for cell in {*(each for text in plans for each in cells_of(text)), *((*c[:2], "y") for c in cells_of(plans[0]))}:
        inside = holds(cell, finest)
        if 0 < inside @ true < 3:
            end = optimize.linprog(-inside, A_ub=np.array(least) if least else None, b_ub=-np.ones(len(least)) if least
                                   else None, A_eq=np.array(equal), b_eq=np.array(right))  # fmt: skip
            assert end.status in (0, 3)
            if end.status == 0 and -end.fun < 3 - 1e-6:
                found.append(cell)
    return found


def holds(cell: Cell, finest: Sequence[tuple[str, ...]]) -> np.ndarray:
    inside = [all(code in ("", own) for code, own in zip(cell, each, strict=True)) for each in finest]
    return np.array(inside, dtype=np.float64)


@pytest.mark.parametrize(("plans", "seed"), [([FIRST, SOME], 1), ([FIRST, SOME], 7), (LINKED, 1), (LINKED, 6)])
def test_that_two_approved_surveys_tell_no_small_cell_together(tmp_path: Path, plans: list[str], seed: int) -> None:
    """The same patterns without each other tell one, so that the attack can find it."""
    people, withheld, lost = reviewed(tmp_path, seed, plans)
    assert revealed(people, plans, alone(tmp_path, seed, plans))
    assert not lost and not revealed(people, plans, withheld)


def test_that_levels_which_an_approved_survey_undercuts_are_named(tmp_path: Path) -> None:
    people, withheld, lost = reviewed(tmp_path, 8, [FIRST, SOME])
    assert lost and revealed(people, [FIRST, SOME], withheld)
    told = dwb("difference", tmp_path / "review.dwb", "R-0002", "--json").json["findings"]
    (said,) = [each for each in told if each["id"] == "differencing.suppression"]
    assert said["status"] == "warn"
    assert any("not home = x" in row[0] for table in said["tables"] for row in table["rows"])


def test_that_a_survey_drawn_beside_another_waits_until_it_was_compared(tmp_path: Path) -> None:
    people = written(tmp_path, 1)
    for number, text in enumerate([FIRST, SOME], start=1):
        draw(tmp_path, number, text)
    assert revealed(people, [FIRST, SOME], patterns(tmp_path, 2))
    assert approve(tmp_path, 1) == 0 and approve(tmp_path, 2) != 0
    dwb("difference", tmp_path / "review.dwb", "R-0002", "--json")
    assert approve(tmp_path, 2) == 0
    assert not revealed(people, [FIRST, SOME], patterns(tmp_path, 2))


def test_that_another_category_for_missing_answers_gives_no_cell_away(tmp_path: Path) -> None:
    """Nobody's answer is missing: b is the same group whether missing answers count as a or as b."""
    other = plan_of(["region", "work"]).replace('otherwise = "a"', 'otherwise = "b"')
    people, withheld, lost = reviewed(tmp_path, 1, [FIRST, other])
    assert not lost and not revealed(people, [FIRST, other], withheld)
    one, two = ({frozenset((name.split(" ")[0], code) for name, code in cell) for cell in each} for each in withheld)
    assert one and one <= two


def test_that_other_codes_for_missing_values_make_another_version(tmp_path: Path) -> None:
    """Where c is a code for missing values, who answered c counts as a: a cell of the same name holds other people."""
    written(tmp_path, 1)
    sources = []
    for text in (FIRST, FIRST.replace('path = "survey.csv"', 'path = "survey.csv"\n[data.options]\nmissing = ["c"]')):
        (tmp_path / "plan.toml").write_text(text)
        plan = read_plan(tmp_path / "plan.toml")
        sources.append(source_of(plan, load_data(plan, base=tmp_path, context=QUIET), base=tmp_path))
    assert sources[0].alike(sources[0]) and not sources[0].alike(sources[1])
