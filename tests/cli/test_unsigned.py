"""A report says in words whose decision no key stands for, in both editions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.said import dwb

_WORDS = "Not signed: the name was typed without a key"


@pytest.mark.parametrize("audience", ["internal", "public"])
@pytest.mark.parametrize("kind", ["html", "json"])
def test_that_an_unsigned_decision_is_called_so(approved: Path, audience: str, kind: str) -> None:
    file = approved.parent / f"r.{kind}"
    assert dwb("report", approved, "R-0001", "--audience", audience, "--format", kind, "-o", file).code == 0
    assert _WORDS in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_that_a_signed_decision_is_not(waiting: Path, audience: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DWB_KEYS", str(waiting.parent / "keys"))
    monkeypatch.setenv("DWB_KEY_PASSPHRASE", "four words are enough")
    said = dwb("decide", waiting, "R-0001", "--approve", "--reviewer", "Ben")
    assert (said.code, "signed" in said.out) == (0, True), said
    file = waiting.parent / "r.html"
    assert dwb("report", waiting, "R-0001", "--audience", audience, "--format", "html", "-o", file).code == 0
    assert _WORDS not in file.read_text(encoding="utf-8")
