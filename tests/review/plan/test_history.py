"""Undo and redo: whatever was done, every step back can be taken forward again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.small_review import SMALL_PLAN
from workbench.review.plan.history import EditHistory
from workbench.review.plan.plan import Plan


def _titled(title: str) -> Plan:
    return replace(SMALL_PLAN, release=replace(SMALL_PLAN.release, title=title))


edits = st.tuples(st.just("edit"), st.sampled_from("abcd"), st.sampled_from(["Title", "Purpose"]))
moves = st.lists(st.one_of(edits, st.sampled_from([("undo",), ("redo",), ("close",)])), max_size=40)


def _apply(history: EditHistory, move: tuple[str, ...]) -> None:
    match move:
        case ("edit", title, label):
            history.edit(_titled(title), label)
        case ("undo",):
            history.undo()
        case ("redo",):
            history.redo()
        case _:
            history.close_step()


@settings(deadline=None)
@given(moves)
def test_that_undoing_everything_gives_the_first_plan_and_redoing_the_last(done: list[tuple[str, ...]]) -> None:
    history = EditHistory(_titled("first"))
    for move in done:
        _apply(history, move)
    while history.redo():
        pass
    last, passed = history.plan, [history.plan]
    while history.undo():
        passed.append(history.plan)
    assert history.plan == _titled("first")
    assert not history.undo_label
    forward = [history.plan]
    while history.redo():
        forward.append(history.plan)
    assert forward == passed[::-1]
    assert history.plan == last
    assert not history.redo_label


@settings(deadline=None)
@given(moves)
def test_that_every_undo_is_taken_back_by_a_redo_and_changes_something(done: list[tuple[str, ...]]) -> None:
    history = EditHistory(_titled("first"))
    for move in done:
        _apply(history, move)
        before, label = history.plan, history.undo_label
        if history.undo():
            assert history.plan != before, "a step that does nothing is no step"
            assert history.redo_label == label
            assert history.redo()
        assert (history.plan, history.undo_label) == (before, label)


def test_that_typing_in_one_field_is_one_step() -> None:
    history = EditHistory(_titled(""))
    for typed in ("J", "Jo", "Job", "Jobs"):
        history.edit(_titled(typed), "Title")
    assert history.undo()
    assert history.plan == _titled("")
    assert not history.undo()


def test_that_leaving_a_field_ends_the_step() -> None:
    history = EditHistory(_titled(""))
    history.edit(_titled("one"), "Title")
    history.close_step()
    history.edit(_titled("two"), "Title")
    history.undo()
    assert history.plan == _titled("one")


def test_that_an_edit_after_an_undo_forgets_what_was_undone() -> None:
    history = EditHistory(_titled(""))
    history.edit(_titled("one"), "Title")
    history.undo()
    assert history.edit(_titled("two"), "Title")
    assert not history.redo()
    assert history.plan == _titled("two")


def test_that_an_edit_that_changes_nothing_is_none() -> None:
    history = EditHistory(_titled("same"))
    assert not history.edit(_titled("same"), "Title")
    assert not history.undo_label


def test_that_only_the_last_steps_are_kept() -> None:
    history = EditHistory(_titled("0"), limit=3)
    for i in range(1, 10):
        history.edit(_titled(str(i)), f"edit {i}")
    steps = 0
    while history.undo():
        steps += 1
    assert (steps, history.plan) == (3, _titled("6"))
