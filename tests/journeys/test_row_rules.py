"""A table of all jobs, then tables of some by a rule about rows or by a selection: what they leave out stays protected.

Every plan is drawn, reviewed and approved on the command line. Seen from the patterns that the project keeps, by a
linear programme over place × sector × sex that is written here.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from tests.cli.said import Said, dwb
from tests.cli.small import PLAN
from workbench.baselines.suppression.meaning import Meaning
from workbench.project.store import open_project
from workbench.review.run.suppression_history import stored_pattern

Row = tuple[str, str, str, str]  # establishment, place, sector, sex
Cell = tuple[str, str, str]  # place, sector and sex, each “” for all
KEEP = '[data.shaping.keep.some]\ncolumn = "sex"\ncomparison = "="\nvalues = ["{sex}"]\n'
SELECT = '[product.select.sex]\nvalues = ["{sex}"]\n'


def jobs(seed: int) -> list[Row]:
    """Most jobs of most establishments are held by women, so that what is left of a cell is often small."""
    made = random.Random(seed)
    rows = []
    for number in range(30):
        place, sector = made.choices("ABC", (6, 4, 1))[0], made.choices("xyz", (6, 3, 1))[0]
        for _ in range(made.choice((1, 2, 3, 5, 9, 20))):
            rows.append((f"E{number:03d}", place, sector, made.choices("fm", (9, 1))[0]))
    return rows


def review(folder: Path, rows: Sequence[Row], rules: Sequence[str]) -> tuple[list[set[Cell]], list[int]]:
    """What each release withholds of its table, and how many levels its audit says are lost. Rules are of one sex."""
    kept, lost = reviewed(folder, rows, [plan_of(rule) for rule in rules])
    return [of_sex(cells, rule) for cells, rule in zip(kept, rules, strict=True)], lost


def plan_of(rule: str) -> str:
    text = PLAN.replace("epsilon = 1.5", "epsilon = 1.0").replace("[product]", f"{rule}\n[product]", 1)
    if "product.select" in rule:
        text = text.replace(f"{rule}\n[product]", "[product]").replace("[mechanism]", f"{rule}\n[mechanism]", 1)
    return text + '\n[baseline]\nid = "cell-suppression"\n'


def of_sex(cells: frozenset[Meaning], rule: str) -> set[Cell]:
    sex = next((each for each in "fm" if f'"{each}"' in rule), "")
    return {(dict(cell).get("place", ""), dict(cell).get("sector", ""), sex) for cell in cells}


def reviewed(folder: Path, rows: Sequence[Row], plans: Sequence[str]) -> tuple[list[frozenset[Meaning]], list[int]]:
    """The pattern of each release, approved one after another, and how many levels its audit says are lost."""
    write_jobs(folder, rows)
    lost = []
    for number, text in enumerate(plans, start=1):
        draw(folder, number, text)
        told = dwb("difference", folder / "review.dwb", f"R-{number:04d}", "--json").json["findings"]
        values = [each["values"] for each in told if each["id"] == "differencing.suppression"]
        lost += [each["levels_lost_to_earlier_tables"] + each["primary_cells_printed_before"] for each in values]
        agreed = approve(folder, number)
        assert agreed.code == 0, agreed.out + agreed.err
    return patterns(folder, len(plans)), lost


def write_jobs(folder: Path, rows: Sequence[Row]) -> None:
    lines = [f"W{place:05d},{','.join(row)}" for place, row in enumerate(rows)]
    (folder / "jobs.csv").write_text("\n".join(["worker,establishment,place,sector,sex", *lines]) + "\n")


def draw(folder: Path, number: int, text: str) -> None:
    plan = folder / f"plan{number}.toml"
    plan.write_text(text)
    ran = dwb("run", plan, "--project", folder / "review.dwb", "--preparer", "Ana")
    assert ran.code in (0, 1), ran.err


def approve(folder: Path, number: int) -> Said:
    words = ("--approve", "--reviewer", "Ben", "--comment", "Agreed", "--json")
    return dwb("decide", folder / "review.dwb", f"R-{number:04d}", *words)


def patterns(folder: Path, many: int) -> list[frozenset[Meaning]]:
    with open_project(folder / "review.dwb", read_only=True) as opened:
        runs = [opened.latest_run(f"R-{number:04d}") for number in range(1, many + 1)]
        return [stored_pattern(opened.pattern_of(run)[0]) or frozenset() for run in runs if run is not None]


def told_apart(rows: Sequence[Row], withheld: Sequence[set[Cell]], sexes: Sequence[str]) -> list[Cell]:
    """Primary cells of anybody's table, or of women or men by difference, that readers can tell too well."""
    cells = {cell for row in rows for cell in _around(row)}
    known = [
        [(cell,) for cell in cells if cell[2] == sex and cell not in hidden]
        for sex, hidden in zip(sexes, withheld, strict=True)
    ]
    return [
        cell
        for (cell,) in told_of(rows, [(cell,) for cell in sorted(cells)], [group for own in known for group in own])
    ]


def told_of(
    rows: Sequence[Row], groups: Sequence[tuple[Cell, ...]], known: Sequence[tuple[Cell, ...]]
) -> list[tuple[Cell, ...]]:
    """Groups of cells that fail a primary rule and do not keep their level, where the sums of others are known."""
    finest = sorted({(place, sector, sex) for _, place, sector, sex in rows})
    equal = np.array([_holds(group, finest) for group in known])
    right = equal @ [float(sum(row[1:] == cell for row in rows)) for cell in finest]
    found = []
    for group in groups:
        behind = Counter(row[0] for row in rows if any(_inside(row[1:], cell) for cell in group))
        largest, second, *_ = [*sorted(behind.values(), reverse=True), 0, 0]
        rest = behind.total() - largest - second
        if not behind or (len(behind) >= 3 and rest >= 0.1 * largest):
            continue
        end = optimize.linprog(-_holds(group, finest), A_eq=equal, b_eq=right)
        level = max(1, math.ceil(0.1 * largest - rest - 1e-9))
        if end.status == 0 and -end.fun < behind.total() + level - 1e-6:
            found.append(group)
    return found


def _around(row: Row) -> list[Cell]:
    """Every cell that a job is in."""
    wanted = product((True, False), repeat=3)
    return [tuple(code if keep else "" for code, keep in zip(row[1:], each, strict=True)) for each in wanted]  # type: ignore[misc]


def _holds(group: Sequence[Cell], finest: Sequence[Cell]) -> np.ndarray:
    return np.array([float(any(_inside(part, cell) for cell in group)) for part in finest])


def _inside(part: Cell, cell: Cell) -> bool:
    return all(code in ("", own) for own, code in zip(part, cell, strict=True))


@pytest.mark.parametrize("rule", [KEEP, SELECT], ids=["row rule", "selection"])
def test_that_what_a_rule_leaves_out_stays_protected(tmp_path: Path, rule: str) -> None:
    rows = jobs(1)
    withheld, lost = review(tmp_path, rows, ["", rule.format(sex="f")])
    assert told_apart(rows, withheld, ["", "f"]) == []
    assert lost == [0]
    alone, _ = review_alone(tmp_path, rows, rule.format(sex="f"))
    assert told_apart(rows, [withheld[0], alone], ["", "f"])  # side by side the tables would have told


def review_alone(folder: Path, rows: Sequence[Row], rule: str) -> tuple[set[Cell], list[int]]:
    (folder / "alone").mkdir()
    withheld, lost = review(folder / "alone", rows, [rule])
    return withheld[0], lost


def test_that_two_rules_together_are_all_jobs(tmp_path: Path) -> None:
    """Women, men, then everybody: the third table is the sum of the first two."""
    rows = jobs(2)
    withheld, lost = review(tmp_path, rows, [KEEP.format(sex="f"), KEEP.format(sex="m"), ""])
    assert told_apart(rows, withheld, ["f", "m", ""]) == []
    assert not any(lost)


def test_that_a_selection_of_a_column_outside_the_table_is_tied_to_the_table_by_that_column(tmp_path: Path) -> None:
    """Jobs of x and y by place, then women by place and sector: what is left are the men in x and y of a place."""
    rows = [(*row[:3], "f" if number % 4 else row[3]) for number, row in enumerate(jobs(9))]  # few men are left
    selected = 'workplace = ["place"]\n[product.select.sector]\nvalues = ["x", "y"]\n'
    plans = [
        plan_of("").replace('workplace = ["place", "sector"]', selected),
        plan_of(KEEP.format(sex="f")),
    ]
    (first, second), lost = reviewed(tmp_path, rows, plans)
    both = {dict(cell).get("place", "") for cell in first}
    women = {(dict(cell).get("place", ""), dict(cell).get("sector", ""), "f") for cell in second}
    cells = sorted({cell for row in rows for cell in _around(row)})
    known = [(cell,) for cell in cells if cell[2] == "f" and cell not in women]
    places = [cell[0] for cell in cells if cell[1:] == ("", "")]
    known += [_of_two(place, "") for place in places if place not in both]
    assert told_of(rows, [_of_two(place, sex) for place in places for sex in ("", "f", "m")], known) == []
    assert lost == [0]


def _of_two(place: str, sex: str) -> tuple[Cell, ...]:
    return tuple((place, sector, sex) for sector in "xy")


def test_that_tables_of_different_rows_drawn_side_by_side_wait_for_each_other(tmp_path: Path) -> None:
    rows, rules = jobs(1), ("", KEEP.format(sex="f"))
    write_jobs(tmp_path, rows)
    for number, rule in enumerate(rules, start=1):
        draw(tmp_path, number, plan_of(rule))

    def told() -> list[Cell]:
        withheld = [of_sex(cells, rule) for cells, rule in zip(patterns(tmp_path, 2), rules, strict=True)]
        return told_apart(rows, withheld, ["", "f"])

    assert told()
    assert approve(tmp_path, 1).code == 0
    refused = approve(tmp_path, 2)
    assert refused.code != 0
    assert "R-0001 was approved after the suppressed table of this release was made" in refused.err
    compared = dwb("difference", tmp_path / "review.dwb", "R-0002")
    assert compared.code == 0, compared.out
    assert told() == []
    assert approve(tmp_path, 2).code == 0
