"""dwb explore: what the window offers to look at closer, for scripts and terminals."""

from __future__ import annotations

from pathlib import Path

from tests.cli.said import dwb
from tests.cli.small import write_small


def test_that_an_exploration_answers_with_figures_and_says_it_is_internal(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    said = dwb("explore", plan, "prior-to-posterior", "--set", "size=50", "--json")
    assert said.code == 0, said.err
    assert said.json["audience"] == "internal"
    (finding,) = said.json["findings"]
    assert finding["figures"][0]["marks"][0]["value"] == 50
    assert "Internal" in dwb("explore", plan, "prior-to-posterior").out


def test_that_explorations_are_listed_and_unknown_ones_are_a_problem(tmp_path: Path) -> None:
    assert "prior-to-posterior" in {one["id"] for one in dwb("list", "explorations", "--json").json}
    said = dwb("explore", write_small(tmp_path), "prior-to-posteriro")
    assert said.code == 2
    assert "prior-to-posterior" in said.err
