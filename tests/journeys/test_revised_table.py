"""A suppressed table and its revision, both approved: the old pattern stays, and both together tell no primary cell.

Plans are drawn, reviewed and approved on the command line. The patterns are those that the project keeps. The attack is
written here: one linear programme over the cells of both versions, in which cells that were not revised are equal.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from tests.cli.said import dwb
from tests.journeys.test_linked_tables import Cell, jobs, plan_of
from workbench.project.store import open_project

COLUMNS = ("place", "sector")


@dataclass(frozen=True)
class Version:
    values: dict[Cell, float]
    levels: dict[Cell, int]  # of primary cells, above the value
    withheld: set[Cell]


def revised(text: str) -> str:
    """Two establishments move to the smallest cell, which is then large enough to be printed; one shrinks."""
    head, *lines = text.splitlines()
    rows = [line.split(",") for line in lines]
    moved = {"E001", "E002", "E003"}
    for row in rows:
        if row[1] in moved:
            row[2], row[3] = "C", "z"
    kept = [row for place, row in enumerate(rows) if row[1] != "E005" or place % 2]
    return "\n".join([head, *(",".join(row) for row in kept)]) + "\n"


def draw(folder: Path, number: int, file: str) -> dict[str, Any]:
    plan, project, release = folder / f"plan{number}.toml", folder / "review.dwb", f"R-{number:04d}"
    plan.write_text(plan_of(COLUMNS).replace("jobs.csv", file), encoding="utf-8")
    ran = dwb("run", plan, "--project", project, "--preparer", "Ana")
    assert ran.code in (0, 1), ran.err
    told = dwb("difference", project, release, "--json").json["findings"]
    return next((each for each in told if each["id"] == "differencing.suppression"), {})


def approve(folder: Path, number: int) -> None:
    words = (
        "decide",
        folder / "review.dwb",
        f"R-{number:04d}",
        "--approve",
        "--reviewer",
        "Ben",
        "--comment",
        "Agreed",
    )
    said = dwb(*words, "--json")
    assert said.code == 0, said.out + said.err


def kept_pattern(folder: Path, number: int) -> set[Cell]:
    with open_project(folder / "review.dwb", read_only=True) as project:
        run = project.latest_run(f"R-{number:04d}")
        assert run is not None
        return {frozenset((name, code) for name, code in cell) for cell in json.loads(run.inputs["withheld_cells"])}


def version(text: str, withheld: set[Cell]) -> Version:
    """Every cell with margins, counted from the rows; primary: fewer than 3 establishments, or p of 10 %."""
    behind: dict[Cell, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in text.splitlines()[1:]:
        _, who, place, sector, _ = line.split(",")
        for one, other in product((True, False), repeat=2):
            cell = frozenset(pair for pair, wanted in ((("place", place), one), (("sector", sector), other)) if wanted)
            behind[cell][who] += 1
    levels = {}
    for cell, shares in behind.items():
        largest, second, *_ = [*sorted(shares.values(), reverse=True), 0]
        rest = sum(shares.values()) - largest - second
        if len(shares) < 3 or rest < 0.1 * largest:
            levels[cell] = max(1, math.ceil(0.1 * largest - rest - 1e-9))
    return Version({cell: float(sum(shares.values())) for cell, shares in behind.items()}, levels, withheld)


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Version, Version, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("revised")
    first, second = jobs(), revised(jobs())
    (folder / "jobs.csv").write_text(first, encoding="utf-8")
    (folder / "revised.csv").write_text(second, encoding="utf-8")
    assert draw(folder, 1, "jobs.csv") == {}
    approve(folder, 1)
    found = draw(folder, 2, "revised.csv")
    return folder, version(first, kept_pattern(folder, 1)), version(second, kept_pattern(folder, 2)), found


def test_that_the_revision_keeps_the_pattern_and_says_beside_what(
    versions: tuple[Path, Version, Version, dict[str, Any]],
) -> None:
    _, old, new, found = versions
    assert old.withheld and old.withheld <= new.withheld
    freed = {cell for cell in old.levels if cell not in new.levels}
    assert freed  # the revised table alone could print cells that fail no rule any more
    assert "R-0001" in found["sentence"]


def test_that_both_versions_together_tell_no_primary_cell(
    versions: tuple[Path, Version, Version, dict[str, Any]],
) -> None:
    _, old, new, found = versions
    place = {(number, cell): at for at, (number, cell) in enumerate(
        (number, cell) for number, one in enumerate((old, new)) for cell in one.values)}  # fmt: skip
    rows, right = [], []
    for number, one in enumerate((old, new)):
        for whole, name in {(cell - {part}, part[0]) for cell in one.values for part in cell}:
            row = np.zeros(len(place))
            row[place[number, whole]] = 1.0
            for cell in one.values:
                if len(cell) == len(whole) + 1 and whole < cell and name in dict(cell):
                    row[place[number, cell]] = -1.0
            rows.append(row)
            right.append(0.0)
    for cell in old.values:
        if old.values[cell] == new.values.get(cell):
            row = np.zeros(len(place))
            row[place[0, cell]], row[place[1, cell]] = 1.0, -1.0
            rows.append(row)
            right.append(0.0)
    bounds = [
        (1, None) if cell in one.withheld else (one.values[cell], one.values[cell])
        for one in (old, new)
        for cell in one.values
    ]
    missed = 0
    for number, one in enumerate((old, new)):
        for cell, level in one.levels.items():
            assert cell in one.withheld
            goal = np.zeros(len(place))
            goal[place[number, cell]] = -1.0
            end = optimize.linprog(goal, A_eq=np.array(rows), b_eq=right, bounds=bounds)
            assert end.status in (0, 3)
            missed += bool(end.status == 0 and -end.fun < one.values[cell] + level - 1e-6)
    named = found["values"]["levels_lost_to_earlier_tables"]
    assert missed <= named
    assert named == 0  # in these data every level can be kept


def test_that_a_file_that_was_overwritten_loses_no_pattern(
    versions: tuple[Path, Version, Version, dict[str, Any]],
) -> None:
    folder, old, _, _ = versions
    (folder / "jobs.csv").write_text(revised(jobs()), encoding="utf-8")
    found = draw(folder, 3, "jobs.csv")
    assert "R-0001 could not be tabulated again: what it withheld stays withheld" in found["sentence"]
    assert found["status"] == "warn"
    assert old.withheld <= kept_pattern(folder, 3)
