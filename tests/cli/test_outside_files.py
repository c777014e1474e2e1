"""A plan may read what lies beside it; anything elsewhere is asked about first, once, and never touched before."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from tests.cli.small import PLAN, jobs_csv, write_small
from workbench.cli import outside as asking
from workbench.core.errors import UserProblem
from workbench.review.plan import outside
from workbench.review.plan.outside import OutsidePaths, allow, outside_paths, to_ask_about
from workbench.review.plan.plan import DataPlan
from workbench.review.plan.plan_text import read_plan


@pytest.fixture(autouse=True)
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers of these tests are not remembered for whoever runs them."""
    file = tmp_path / "config" / "allowed.json"
    monkeypatch.setenv(outside.ALLOWED, str(file))
    return file


def data(path: str, dictionary: str = "", companions: Mapping[str, str] | None = None) -> DataPlan:
    return DataPlan(path=path, dictionary=dictionary, companions=companions or {})


@pytest.mark.parametrize("name", ["jobs.csv", "sub/jobs.csv", "./a/../jobs.csv", "no such file.csv", "a..b.csv"])
def test_that_what_lies_beside_the_plan_is_inside(tmp_path: Path, name: str) -> None:
    assert outside_paths(data(name, dictionary=name), tmp_path) == ()
    assert outside_paths(data(str(tmp_path / name)), tmp_path) == ()


@pytest.mark.parametrize("name", ["../jobs.csv", "a/../../jobs.csv", "/etc/passwd", "~/jobs.csv"])
def test_that_what_lies_elsewhere_is_outside(tmp_path: Path, name: str) -> None:
    assert len(outside_paths(data(name), tmp_path)) == 1


def test_that_a_folder_with_a_similar_name_is_elsewhere(tmp_path: Path) -> None:
    base = tmp_path / "plans"
    assert outside_paths(data("../plans2/jobs.csv"), base) == (tmp_path / "plans2" / "jobs.csv",)


def test_that_every_file_a_plan_names_is_looked_at(tmp_path: Path) -> None:
    named = data("jobs.csv", dictionary="../words.csv", companions={"prior": "../prior.csv", "map": "map.csv"})
    assert [path.name for path in outside_paths(named, tmp_path)] == ["words.csv", "prior.csv"]
    refused = OutsidePaths(outside_paths(named, tmp_path), tmp_path)
    assert isinstance(refused, UserProblem)
    assert len(refused.problems) == len(refused.paths) == 2


def test_that_a_file_picked_by_a_person_is_allowed_and_one_the_project_named_is_asked_about(tmp_path: Path) -> None:
    stored = data("../theirs.csv")
    picked = data("../theirs.csv", dictionary="../picked.csv")
    assert to_ask_about(picked, stored, tmp_path) == (tmp_path.parent / "theirs.csv",)
    assert outside_paths(picked, tmp_path) == (tmp_path.parent / "theirs.csv",), "the picked one is remembered"


def test_that_a_link_that_leads_out_is_outside(tmp_path: Path) -> None:
    base = tmp_path / "plans"
    base.mkdir()
    secret = tmp_path / "secret.csv"
    secret.touch()
    try:
        (base / "jobs.csv").symlink_to(secret)
    except OSError:
        pytest.skip("links are not allowed here")
    assert outside_paths(data("jobs.csv"), base) == (secret.resolve(),)


def test_that_a_path_spelled_outside_is_not_touched_to_find_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking a share on the network whether a file is there tells it who asks."""

    def touched(*_: object, **__: object) -> None:
        raise AssertionError("the file system was asked")

    monkeypatch.setattr(Path, "resolve", touched)
    monkeypatch.setattr(os, "stat", touched)
    assert len(outside_paths(data("/somewhere/jobs.csv"), tmp_path)) == 1


def test_that_an_answer_is_remembered_for_the_file_whatever_plan_asks(tmp_path: Path, answers: Path) -> None:
    paths = outside_paths(data("../jobs.csv"), tmp_path / "a")
    allow(paths)
    allow(paths)
    assert outside_paths(data("../jobs.csv"), tmp_path / "b") == ()
    assert outside_paths(data("../other.csv"), tmp_path / "b") == (tmp_path / "other.csv",)
    assert json.loads(answers.read_text(encoding="utf-8"))["files"] == [os.path.normcase(tmp_path / "jobs.csv")]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 3}', "\x00"])
def test_that_broken_answers_are_no_answers(tmp_path: Path, answers: Path, content: str) -> None:
    answers.parent.mkdir()
    answers.write_text(content, encoding="utf-8")
    assert len(outside_paths(data("../jobs.csv"), tmp_path)) == 1


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A plan whose data lie in another folder."""
    far = tmp_path / "far" / "jobs.csv"
    far.parent.mkdir()
    far.write_text(jobs_csv(), encoding="utf-8")
    plan = write_small(tmp_path / "plans", plan=PLAN.replace('"jobs.csv"', json.dumps(str(far))))
    (plan.parent / "jobs.csv").unlink()
    return plan


def test_that_a_run_asks_once(elsewhere: Path, tmp_path: Path) -> None:
    project = tmp_path / "p.dwb"
    said = dwb("run", elsewhere, "--project", project)
    one_sentence(said, "outside its own folder", "--allow-outside", "jobs.csv")
    assert not project.exists()
    assert dwb("run", elsewhere, "--project", project, "--allow-outside").code == 0
    assert dwb("run", elsewhere, "--project", project).code == 0


def test_that_solve_asks_too(elsewhere: Path) -> None:
    one_sentence(dwb("solve", elsewhere, "--target", "half within 5%"), "outside its own folder")


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("YES\n", 0), ("n\n", 2), ("\n", 2), ("", 2)])
def test_that_a_person_at_a_terminal_is_asked_in_words(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return typed

        def write(self, text: str) -> None:
            assert "Read it" in text or "outside its own folder" in text or not text.strip()

        def flush(self) -> None:
            pass

    class System:
        stdin = stderr = Terminal()

    monkeypatch.setattr(asking, "sys", System)
    monkeypatch.setattr(asking, "print", lambda *words, **_: System.stderr.write(" ".join(words)), raising=False)
    plan = read_plan(elsewhere)
    if code:
        with pytest.raises(OutsidePaths):
            asking.ask_about_outside(plan, elsewhere.parent, allowed=False)
    else:
        asking.ask_about_outside(plan, elsewhere.parent, allowed=False)
        assert outside_paths(plan.data, elsewhere.parent) == ()


def _with_key(folder: Path, name: str) -> Path:
    settings = f'[baseline]\nid = "noise-infusion"\nkey_file = {json.dumps(name)}\n\n[study]'
    return write_small(folder / "plans", plan=PLAN.replace("[study]", settings, 1))


def test_that_a_key_file_is_asked_about_like_every_other_path(tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere" / "shadow"
    secret.parent.mkdir()
    secret.write_bytes(b"root:x:0:0:a very long line of secrets")
    plan, project = _with_key(tmp_path, str(secret)), tmp_path / "p.dwb"
    one_sentence(dwb("run", plan, "--project", project), "outside its own folder", "shadow")
    assert dwb("run", plan, "--project", project, "--allow-outside").code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "~nobody-of-that-name/x", "/x/" + "y" * 5000, "/x\0y"])
def test_that_a_key_file_that_is_none_is_one_sentence(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    named = str(tmp_path / name) if name == "pipe" else name
    said = dwb("run", _with_key(tmp_path, named), "--project", tmp_path / "p.dwb", "--allow-outside")
    assert said.code == 2
    assert len(said.problems) == 1
