"""kill -9 at random instants of a scripted review; `python -m benchmarks stress` does the same two hundred times."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import stress


@pytest.mark.heavy
def test_that_killing_a_review_loses_nothing_and_leaves_a_file_that_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stress, "ROUNDS", 1)
    monkeypatch.setattr(stress, "PER_PROJECT", 4)
    tally = stress.stress(8, tmp_path)
    assert tally.losses == []
    assert tally.kills == 8
    assert tally.actions > 8, "the kills came before anything was done"
