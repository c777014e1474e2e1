"""Sketches of loaded data, and the key they are made with: kept outside every project, in a private file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tabulation.frames import Frame, microdata, people, shuffled
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.unit_sketch import common
from workbench.microdata.roles import Role
from workbench.tabulation import sketch_key as module
from workbench.tabulation.shared_units import sketches_of
from workbench.tabulation.sketch_key import SKETCH_KEY_VARIABLE, sketch_key

ROLES = {"person": Role.PERSON_KEY, "region": Role.GROUP}
KEY = Confidential(b"k" * 32)


def test_that_only_identifiers_are_sketched_whatever_the_order_of_rows() -> None:
    frame: Frame = people(1_200, 9)
    (one,) = sketches_of(microdata(frame), ROLES, KEY, QUIET)
    (again,) = sketches_of(microdata(shuffled(frame, 2)), ROLES, KEY, QUIET)
    assert (one.unit, one) == ("person", again)
    (other,) = sketches_of(microdata(frame), ROLES, Confidential(b"j" * 32), QUIET)
    assert common(one, other) is None
    found = common(one, again)
    assert found is not None and found.share == 1
    assert sketches_of(microdata(frame), {"region": Role.GROUP}, KEY, QUIET) == ()


def test_that_a_key_of_ones_own_is_made_once_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SKETCH_KEY_VARIABLE)
    monkeypatch.setattr(module, "_user_file", lambda: tmp_path / "folder" / "sketch.key")
    first, second = sketch_key(), sketch_key()
    assert first is not None and second is not None
    assert first.reveal() == second.reveal()
    assert (tmp_path / "folder" / "sketch.key").stat().st_mode & 0o077 == 0


def test_that_a_named_key_must_be_there_and_long_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SKETCH_KEY_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(UserProblem, match="cannot be read"):
        sketch_key()
    (tmp_path / "none").write_bytes(b"short")
    with pytest.raises(UserProblem, match="shorter than 16 bytes"):
        sketch_key()
