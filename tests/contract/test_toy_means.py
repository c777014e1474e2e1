"""Two columns, decimals, a condition and parts of ε: what the toy of area means shows in reports and files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract import toy_means
from tests.contract.toys import registered


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with registered():
        yield toy_means.TOY.review(tmp_path_factory.mktemp("means"))


def test_that_its_run_claims_what_holds_while_something_is_fixed(reviewed: Path) -> None:
    said = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))
    assert said["claim"]["epsilon"] == 1.5
    assert said["claim"]["formal"] is False
    status = {each["id"]: each["status"] for each in said["findings"]}
    assert (status["exact-loss"], status["integers"], status["differencing"]) == ("warn", "pass", "info")


def test_that_its_report_says_what_is_held_fixed_and_how_epsilon_is_divided(reviewed: Path) -> None:
    twin = json.loads((reviewed / "public.json").read_text(encoding="utf-8"))
    assert twin["rules"]["allocation"] == "ε = 1.5 in all: people ε = 0.75; mean pay ε = 0.75."
    assert twin["rules"]["claim"]["condition"] == toy_means.HELD
    assert twin["outputs"][0]["columns"] == ["area", "people", "mean pay"]
    page = (reviewed / "public.html").read_text(encoding="utf-8")
    assert toy_means.HELD in page
    assert "not a formal guarantee" in page


def test_that_its_table_is_published_with_every_decimal(reviewed: Path) -> None:
    with zipfile.ZipFile(reviewed / "bundle.zip") as bundle:
        lines = bundle.read("R-0001-table.csv").decode("utf-8").splitlines()
    assert lines[0] == "area,people,mean pay"
    assert [line.split(",")[0] for line in lines[1:]] == ["A", "B", "C"]
    for line in lines[1:]:
        _, people, pay = line.split(",")
        assert people.lstrip("-").isdigit()
        assert len(pay.partition(".")[2]) == 2
