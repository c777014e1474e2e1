"""Wherever a plan moves to, its paths still lead to the same files."""

from __future__ import annotations

import os
import typing
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.small_review import SMALL_PLAN
from workbench.core.progress import QUIET
from workbench.review.plan.anchoring import anchored
from workbench.review.plan.plan import DataPlan
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES, write_sample
from workbench.review.run.paths import resolved

parts = st.sampled_from(["a", "b c", "é", "..", "d"])
folders = st.lists(parts, max_size=4).map(lambda names: Path("/base/one/two/three/four", *names))
relative = st.lists(parts, min_size=0, max_size=3).map(lambda names: Path(*names, "jobs.csv").as_posix())


def _real(path: Path) -> str:
    """Without looking at the disk: what the path names once `..` is worked out."""
    return os.path.normpath(path)


def every_path_filled_in(name: str) -> DataPlan:
    """A data plan whose every text is a path of its own, whatever fields it has or will have."""
    made: dict[str, object] = {}
    for each in fields(DataPlan):
        own = (Path(name).parent / f"{each.name}.csv").as_posix()
        if isinstance(each.default, str):
            made[each.name] = own
        elif typing.get_type_hints(DataPlan)[each.name] == Mapping[str, str]:
            made[each.name] = {"one": own, "two": f"{own}.gz", "none": ""}
    return replace(SMALL_PLAN.data, **made)  # type: ignore[arg-type]


def texts_of(data: DataPlan) -> list[str]:
    """Every text of the data plan, found by looking at all of its fields."""
    values = [getattr(data, each.name) for each in fields(data) if each.name not in ("roles", "options", "shaping")]
    texts = [text for value in values for text in ([value] if isinstance(value, str) else value.values())]
    return [text for text in texts if text]


def test_that_the_list_of_files_holds_every_text_of_the_data_plan() -> None:
    data = every_path_filled_in("a/jobs.csv")
    assert [file.path for file in data.files()] == texts_of(data)
    assert len({file.what for file in data.files()}) == len(data.files()) >= 4
    assert DataPlan().files() == ()


@settings(deadline=None)
@given(relative, folders, folders)
def test_that_every_moved_path_names_the_same_file(name: str, old: Path, new: Path) -> None:
    plan = replace(SMALL_PLAN, data=every_path_filled_in(name))
    moved = anchored(plan, old=old, new=new)
    meant = [_real(resolved(old, text)) for text in texts_of(plan.data)]
    assert [_real(resolved(new, text)) for text in texts_of(moved.data)] == meant
    back = anchored(moved, old=new, new=old)
    assert [_real(resolved(old, text)) for text in texts_of(back.data)] == meant


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


@pytest.mark.parametrize("name", SAMPLES)
def test_that_every_sample_can_be_loaded_from_a_project_elsewhere(name: str, tmp_path: Path) -> None:
    here, there = tmp_path / "plan", tmp_path / "project"
    there.mkdir()
    write_sample(name, here, context=QUIET)
    moved = anchored(read_plan(here / "plan.toml"), old=here, new=there)
    assert all(resolved(there, file.path).is_file() for file in moved.data.files())
