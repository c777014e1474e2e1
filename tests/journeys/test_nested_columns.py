"""States by sector, then counties by sector, by plans that each know one of the two columns: one pattern for both.

A county that is withheld must not follow from its state less the other counties. Seen by subtraction, from the
patterns that the project keeps.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.cli.small import PLAN
from workbench.project.store import open_project
from workbench.review.run.suppression_history import stored_pattern

STATE = '\n[data.shaping.recode.state]\nof = "county"\nprefix = 1\n'
BOTH = 'county = "geography"\nstate = "geography"'


def jobs() -> list[tuple[str, str, str]]:
    """Establishment, county and sector; one county of state A is small."""
    made = random.Random(6)
    rows = []
    for number in range(40):
        county, sector = made.choices(["A1", "A2", "A3", "B1", "B2"], (6, 1, 5, 4, 4))[0], made.choice("xy")
        rows += [(f"E{number:03d}", county, sector)] * made.choice((2, 3, 5, 9))
    return rows


@pytest.mark.parametrize("roles", [('state = "geography"', 'county = "geography"'), (BOTH, BOTH)])
def test_that_a_county_does_not_follow_from_its_state(tmp_path: Path, roles: tuple[str, str]) -> None:
    lines = [f"W{place:05d},{who},{county},{sector},f" for place, (who, county, sector) in enumerate(jobs())]
    (tmp_path / "jobs.csv").write_text("\n".join(["worker,establishment,county,sector,sex", *lines]) + "\n")
    project = tmp_path / "review.dwb"
    for number, (name, own) in enumerate(zip(("state", "county"), roles, strict=True), start=1):
        text = PLAN.replace('place = "geography"', own).replace('"place"', f'"{name}"').replace("1.5", "1.0")
        plan, release = tmp_path / f"plan{number}.toml", f"R-{number:04d}"
        plan.write_text(text + (STATE if "state" in own else "") + '\n[baseline]\nid = "cell-suppression"\n')
        ran = dwb("run", plan, "--project", project, "--preparer", "Ana")
        assert ran.code == 0, ran.err
        agreed = dwb("decide", project, release, "--approve", "--reviewer", "Ben", "--comment", "Agreed", "--json")
        assert agreed.code == 0, agreed.err
    told = dwb("difference", project, "R-0002", "--json").json["findings"]
    (found,) = [each for each in told if each["id"] == "differencing.suppression"]
    assert found["status"] == "pass" and "R-0001" in found["sentence"]
    with open_project(project, read_only=True) as opened:
        runs = [opened.latest_run(release) for release in ("R-0001", "R-0002")]
        withheld = [
            {frozenset(cell) for cell in stored_pattern(opened.pattern_of(run)[0]) or ()} for run in runs if run
        ]
    counts = Counter((county, sector) for _, county, sector in jobs())
    hidden = [cell for cell in counts if frozenset({("county", cell[0]), ("sector", cell[1])}) in withheld[1]]
    assert hidden
    for county, sector in hidden:
        if frozenset({("state", county[0]), ("sector", sector)}) not in withheld[0]:
            assert sum(other[0] == county[0] and own == sector for other, own in hidden) > 1
