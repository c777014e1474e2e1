"""A table of all jobs, then tables of some by a rule about rows or by a selection: what they leave out stays protected.

Every plan is drawn, reviewed and approved on the command line. Seen from the patterns that the project keeps, by a
linear programme over place × sector × sex that is written here.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize

from tests.cli.said import dwb
from tests.cli.small import PLAN
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
    lines = [f"W{place:05d},{','.join(row)}" for place, row in enumerate(rows)]
    (folder / "jobs.csv").write_text("\n".join(["worker,establishment,place,sector,sex", *lines]) + "\n")
    project, lost = folder / "review.dwb", []
    for number, rule in enumerate(rules, start=1):
        plan, release = folder / f"plan{number}.toml", f"R-{number:04d}"
        text = PLAN.replace("epsilon = 1.5", "epsilon = 1.0").replace("[product]", f"{rule}\n[product]", 1)
        if "product.select" in rule:
            text = text.replace(f"{rule}\n[product]", "[product]").replace("[mechanism]", f"{rule}\n[mechanism]", 1)
        plan.write_text(text + '\n[baseline]\nid = "cell-suppression"\n')
        ran = dwb("run", plan, "--project", project, "--preparer", "Ana")
        assert ran.code in (0, 1), ran.err
        told = dwb("difference", project, release, "--json").json["findings"]
        values = [each["values"] for each in told if each["id"] == "differencing.suppression"]
        lost += [each["levels_lost_to_earlier_tables"] + each["primary_cells_printed_before"] for each in values]
        agreed = dwb("decide", project, release, "--approve", "--reviewer", "Ben", "--comment", "Agreed", "--json")
        assert agreed.code == 0, agreed.out + agreed.err
    with open_project(project, read_only=True) as opened:
        found = []
        for number, rule in enumerate(rules, start=1):
            run = opened.latest_run(f"R-{number:04d}")
            assert run is not None
            sex = next((each for each in "fm" if f'"{each}"' in rule), "")
            kept = stored_pattern(opened.pattern_of(run)[0]) or frozenset()
            found.append({(dict(cell).get("place", ""), dict(cell).get("sector", ""), sex) for cell in kept})
    return found, lost


def told_apart(rows: Sequence[Row], withheld: Sequence[set[Cell]], sexes: Sequence[str]) -> list[Cell]:
    """Primary cells of anybody's table, or of women or men by difference, that readers can tell too well."""
    behind: dict[Cell, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for who, *codes in rows:
        for wanted in product((True, False), repeat=3):
            place, sector, sex = (code if keep else "" for code, keep in zip(codes, wanted, strict=True))
            behind[place, sector, sex][who] += 1
    finest = sorted(cell for cell in behind if all(cell))
    printed = [
        {cell for cell in behind if cell[2] == sex} - hidden for sex, hidden in zip(sexes, withheld, strict=True)
    ]
    known = set().union(*printed)
    equal = np.array([[float(_inside(part, cell)) for part in finest] for cell in sorted(known)])
    right = [float(sum(behind[cell].values())) for cell in sorted(known)]
    found = []
    for cell, shares in behind.items():
        largest, second, *_ = [*sorted(shares.values(), reverse=True), 0]
        rest = sum(shares.values()) - largest - second
        if len(shares) >= 3 and rest >= 0.1 * largest:
            continue
        goal = -np.array([float(_inside(part, cell)) for part in finest])
        end = optimize.linprog(goal, A_eq=equal, b_eq=right)
        level = max(1, math.ceil(0.1 * largest - rest - 1e-9))
        if end.status == 0 and -end.fun < sum(shares.values()) + level - 1e-6:
            found.append(cell)
    return found


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
