"""Whoever saw more of a project than a file holds is told, loudly; whoever saw less is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.said import dwb, one_sentence
from tests.project.samples import draft, ready, reviewed
from tests.project.signers import opened_as, signed_project, signed_vote, signer, tampered
from workbench.project.history.merge import merge
from workbench.project.history.verify import verify
from workbench.project.signing.keys import fingerprint
from workbench.project.store import open_project

TOLD = "You have seen more of this project than this file holds"


@pytest.fixture(autouse=True)
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DWB_SEEN", str(tmp_path / "own" / "seen.json"))
    return tmp_path / "own" / "seen.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return reviewed(tmp_path / "review.dwb")


def test_that_an_older_copy_put_in_its_place_is_told(project: Path, tmp_path: Path, seen: Path) -> None:
    older = Path(shutil.copy(project, tmp_path / "older.dwb"))
    last = verify(older).entries
    assert dwb("releases", project).err == ""
    with open_project(project) as opened:
        draft(opened)
    assert dwb("releases", project).err == ""
    shutil.copy(older, project)
    assert verify(project).ok, "nothing inside the file shows it"
    for _ in range(2):
        said = dwb("releases", project)
        assert (said.code, TOLD in said.err, f"it ends with entry {last}." in said.err) == (0, True, True), said.err
    checked = dwb("verify", project, "--json")
    assert (checked.code, checked.json["ok"]) == (1, False)
    assert TOLD in checked.json["problems"][0]
    if seen.stat().st_mode & 0o777 != 0o600:
        pytest.fail("others can read what this person works on")


def test_that_a_rewritten_history_is_told_though_it_verifies(project: Path) -> None:
    assert dwb("releases", project).err == ""
    tampered(project, lambda connection: connection.execute("UPDATE vote SET comment = 'never said'"))
    assert verify(project).ok
    assert f"its entry {verify(project).entries} is another one" in dwb("releases", project).err
    assert dwb("verify", project, "--accept").code == 0, "a person may say that this is the one"
    assert dwb("releases", project).err == ""


def test_that_votes_of_a_copy_that_came_back_by_a_merge_are_known(project: Path, tmp_path: Path) -> None:
    mine = Path(shutil.copy(project, tmp_path / "mine.dwb"))
    assert dwb("vote", mine, "R-0002", "--vote", "reject", "--reviewer", "Vera", "--comment", "no").code == 0
    assert TOLD in dwb("releases", project).err, "the other copy does not have this vote yet"
    merge(project, mine)
    assert dwb("releases", project).err == ""


@pytest.mark.parametrize("content", ["", "[]", '{"projects": 3}', '{"projects": {"a": [1]}}', "[" * 100_000])
def test_that_a_broken_memory_is_none(project: Path, seen: Path, content: str) -> None:
    seen.parent.mkdir()
    seen.write_text(content, encoding="utf-8")
    assert dwb("releases", project).err == ""
    assert len(json.loads(seen.read_text(encoding="utf-8"))["projects"]) == 1


def test_that_an_exchanged_key_counts_against_the_file_until_its_owner_was_asked(tmp_path: Path) -> None:
    """Two people with signed history can exchange a third one's key: only asking that person shows whether it is so."""
    vera, rita, otto, new = signer("Vera"), signer("Rita"), signer("Otto"), signer("Vera")
    path = signed_project(tmp_path / "signed.dwb", vera, rita)
    with opened_as(path, otto) as project:
        signed_vote(project, otto, ready(project))
        project.enrol("Vera", new.public)
        for voucher in (rita, otto):
            assert dwb("verify", path).code == 0
            project.endorse(fingerprint(new.public), voucher)
    told, asked = fingerprint(new.public), dwb("verify", path)
    assert asked.code == 1
    assert "is as it was written, but 1 key replaced another's" in asked.out
    assert "ask Vera whether that is right" in asked.out
    assert f"--confirm {told}" in asked.out
    assert dwb("verify", path, "--json").json["problems"] == [f"the key {told} is not confirmed by its owner"]
    one_sentence(dwb("verify", path, "--confirm", fingerprint(vera.public)), "No key with this fingerprint")
    assert dwb("verify", path, "--accept").code == 1, "the history is not the question"
    assert dwb("verify", path, "--confirm", told).code == 0
    assert dwb("verify", path).code == 0, "asked once"
    assert dwb("releases", path).code == 0
    with open_project(path) as project:
        draft(project)
    assert dwb("releases", path).err == ""
    assert dwb("verify", path).code == 0, "what was confirmed is kept while more is seen"
