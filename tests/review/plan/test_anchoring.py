"""Wherever a plan moves to, its paths still lead to the same files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.small_review import SMALL_PLAN
from workbench.review.plan.anchoring import anchored
from workbench.review.run.opening import resolved

parts = st.sampled_from(["a", "b c", "é", "..", "d"])
folders = st.lists(parts, max_size=4).map(lambda names: Path("/base/one/two/three/four", *names))
relative = st.lists(parts, min_size=0, max_size=3).map(lambda names: Path(*names, "jobs.csv").as_posix())


def _real(path: Path) -> str:
    """Without looking at the disk: what the path names once `..` is worked out."""
    return os.path.normpath(path)


@settings(deadline=None)
@given(relative, folders, folders)
def test_that_a_moved_path_names_the_same_file(name: str, old: Path, new: Path) -> None:
    plan = replace(SMALL_PLAN, data=replace(SMALL_PLAN.data, path=name, dictionary=name))
    moved = anchored(plan, old=old, new=new)
    assert _real(resolved(new, moved.data.path)) == _real(resolved(old, name))
    assert moved.data.dictionary == moved.data.path
    back = anchored(moved, old=new, new=old)
    assert _real(resolved(old, back.data.path)) == _real(resolved(old, name))


def test_that_nothing_but_paths_changes_and_no_path_stays_none() -> None:
    plan = replace(SMALL_PLAN, data=replace(SMALL_PLAN.data, dictionary=""))
    moved = anchored(plan, old=Path("/x/plans"), new=Path("/x/projects"))
    assert moved.data.path == "../plans/jobs.csv"
    assert moved.data.dictionary == ""
    assert replace(moved, data=plan.data) == plan


def test_that_a_plan_that_does_not_move_stays_as_it_is() -> None:
    assert anchored(SMALL_PLAN, old=Path("/x"), new=Path("/x")) == SMALL_PLAN


def test_that_a_path_from_the_home_folder_is_found() -> None:
    assert resolved(Path("/x"), "~/jobs.csv") == Path.home() / "jobs.csv"
