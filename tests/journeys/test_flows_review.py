"""The review of commuting flows as its story tells it, and a search through what leaves the agency."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.docs.pages import commands, text_of
from workbench.review.publish.samples import SAMPLES

STORY = SAMPLES["commuting_flows"] / "README.md"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Every command of the story in a folder of its own, with the change of the plan that it tells of."""
    folder = tmp_path_factory.mktemp("story")
    said = []
    for line in commands(STORY):
        words = [str(folder / word) if word.startswith("flows") else word for word in shlex.split(line)[1:]]
        found = dwb(*words)
        assert found.code == 0, (line, found.err)
        said.append(found.out)
        if words[0] == "sample":  # the black box has tests of its own
            with (folder / "flows" / "plan.toml").open("a", encoding="utf-8") as plan_file:
                plan_file.write("\n[audit.black-box]\ndraws = 4000\nrelease_draws = 1000\n")
        if "--request-changes" in line:
            plan = folder / "flows" / "plan.toml"
            text = plan.read_text(encoding="utf-8").replace("epsilon = 4.0\n", "epsilon = 3.0\n")
            plan.write_text(text, encoding="utf-8")
    return folder / "flows", "\n".join(said)


def test_that_the_story_happens_as_told(told: tuple[Path, str]) -> None:
    story = " ".join(text_of(STORY).split())
    for number in (
        "54.6",
        "ε 6.4",
        "ε 4.5",
        "402 populations",
        "295 populations",
        "58 a single one",
        "65.2 %",
        "8.326",
    ):
        assert number in told[1]
        assert number in story
    assert "approved by Ben" in told[1]


def test_that_the_table_holds_codes_as_text_of_listed_workplaces_alone(told: tuple[Path, str]) -> None:
    with (told[0] / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["w_geocode", "industry", "h_geocode", "jobs"]
    assert all(re.fullmatch(r"0\d{14}|\d{15}", row[name]) for row in rows for name in ("w_geocode", "h_geocode"))
    with (told[0] / "workplaces.csv").open(encoding="utf-8", newline="") as file:
        register = {row["w_geocode"] for row in csv.DictReader(file)}
    assert {row["w_geocode"] for row in rows} <= register
    assert abs(sum(int(row["jobs"]) for row in rows) - 8_000) < 600


def test_that_no_worker_and_no_left_out_count_is_in_what_leaves_the_house(told: tuple[Path, str]) -> None:
    public = (told[0] / "public.html").read_text(encoding="utf-8") + (told[0] / "table.csv").read_text(encoding="utf-8")
    assert not re.search(r"W\d{8}", public)
    assert "of eliminated points" not in public
    assert "Support points of the work tracts" in public
    assert "Sizes are protected" in public
