"""A pipe, a device or a path that no system knows is told in a sentence, at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from tests.cli.small import PLAN, write_small

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")


@pytest.fixture(params=["pipe", "zero"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Nobody ever writes to the one; the other never ends."""
    path = tmp_path / f"endless {request.param}"
    if request.param == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("releases", "IT"), ("verify", "IT"), ("run", "IT", "--project", "P"),
        ("policy", "P", "set", "IT", "--reason", "x"),
        ("verify-report", "IT", "--project", "P"), ("bundle", "--check", "IT"), ("merge", "P", "IT"), ("inspect", "IT"),
        ("difference", "P", "R-0001", "--external", "IT"),
    ],
)  # fmt: skip
def test_that_what_never_ends_is_not_read(waiting: Path, endless: Path, words: tuple[str, ...]) -> None:
    said = dwb(*(endless if word == "IT" else waiting if word == "P" else word for word in words))
    one_sentence(said, "pipe or a device")


@pytest.mark.parametrize("place", ["data", "dictionary"])
def test_that_data_that_never_end_are_not_read(tmp_path: Path, endless: Path, place: str) -> None:
    text = PLAN.replace('path = "jobs.csv"', f'path = "jobs.csv"\ndictionary = {json.dumps(endless.name)}')
    if place == "data":
        text = PLAN.replace('"jobs.csv"', json.dumps(endless.name))
    said = dwb("run", write_small(tmp_path, plan=text), "--project", tmp_path / "p.dwb", "--allow-outside")
    assert (said.code, len(said.problems)) == (2, 1), said.err
    assert "pipe or a device" in said.err


@pytest.mark.parametrize("name", ["y" * 5000, "a\0b", "/" + "y" * 5000])
@pytest.mark.parametrize("place", ["data", "dictionary"])
def test_that_a_path_no_system_knows_is_one_sentence(tmp_path: Path, place: str, name: str) -> None:
    told = json.dumps(name)
    text = PLAN.replace('path = "jobs.csv"', f'path = "jobs.csv"\ndictionary = {told}')
    if place == "data":
        text = PLAN.replace('"jobs.csv"', told)
    said = dwb("run", write_small(tmp_path, plan=text), "--project", tmp_path / "p.dwb", "--allow-outside")
    assert (said.code, len(said.problems)) == (2, 1), said.err
    assert len(said.err) < 1000
