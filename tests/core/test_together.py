"""Work on several threads gives what plain work gives, stops when asked, and leaves nothing running."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET, Context
from workbench.core.together import ahead, in_order, side_by_side, still_wanted, together


def test_that_results_come_in_the_order_of_the_tasks() -> None:
    assert together([partial(pow, number, 2) for number in range(100)], QUIET, "squaring") == [
        number**2 for number in range(100)
    ]


def test_that_no_task_begins_after_a_cancel() -> None:
    begun: list[int] = []
    gate = threading.Event()

    def task(number: int) -> None:
        begun.append(number)
        if number:  # the first ends at once, the others wait until the cancel is on its way
            gate.wait(5)

    class Cancels:
        def step(self, fraction: float, sentence: str) -> None:
            gate.set()
            raise Cancelled

    with pytest.raises(Cancelled):
        together([partial(task, number) for number in range(1000)], Cancels(), "waiting")
    assert len(begun) < 1000


def test_that_the_problem_of_a_task_is_the_problem_of_all() -> None:
    def fails() -> None:
        raise UserProblem("It is broken")

    with pytest.raises(UserProblem, match="It is broken"):
        together([fails, fails], QUIET, "failing")


def test_that_items_made_ahead_are_the_same_in_the_same_order() -> None:
    assert list(ahead(iter(range(50)))) == list(range(50))
    assert list(ahead(iter([]))) == []


def test_that_one_item_is_made_while_the_one_before_is_used() -> None:
    made = [threading.Event() for _ in range(3)]

    def source() -> Iterator[int]:
        for number in range(3):
            made[number].set()
            yield number

    items = ahead(source())
    assert next(items) == 0
    assert made[1].wait(5)
    assert list(items) == [1, 2]


def test_that_a_problem_while_making_reaches_the_user_of_the_items() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise UserProblem("The file ends in the middle")

    items = ahead(source())
    assert next(items) == 1
    with pytest.raises(UserProblem, match="ends in the middle"):
        next(items)


def test_that_a_source_left_in_the_middle_is_closed() -> None:
    closed = threading.Event()

    def source() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            closed.set()

    items = ahead(source())
    next(items)
    items.close()  # type: ignore[attr-defined]
    assert closed.is_set()


def test_that_tasks_side_by_side_share_one_bar_and_end_with_the_first_problem() -> None:
    seen: list[float] = []
    begun, ended = threading.Event(), threading.Event()

    class Watched:
        def step(self, fraction: float, sentence: str) -> None:
            seen.append(fraction)

    def steps(context: Context) -> int:
        for part in range(5):
            context.step(part / 4, "working")
        return 7

    assert side_by_side([steps, steps], Watched()) == [7, 7]
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def fails(context: Context) -> int:
        begun.wait(5)
        raise UserProblem("It is broken")

    def goes_on(context: Context) -> int:
        begun.set()
        with contextlib.suppress(Cancelled):
            for _ in range(10_000):
                context.step(0.1, "working")
                time.sleep(0.001)
            return 0  # nobody told it to stop
        ended.set()
        raise Cancelled

    with pytest.raises(UserProblem, match="It is broken"):
        side_by_side([fails, goes_on], QUIET)
    assert ended.is_set()


class Refuses:
    """A context of a job that was cancelled before."""

    def step(self, fraction: float, sentence: str) -> None:
        raise Cancelled


def test_that_a_cancel_is_heard_while_a_long_task_is_under_way() -> None:
    ended = threading.Event()

    def piecewise() -> None:
        end = time.monotonic() + 10
        while still_wanted() and time.monotonic() < end:
            time.sleep(0.001)
        if not still_wanted():
            ended.set()

    with pytest.raises(Cancelled):
        together([piecewise], Refuses(), "working")
    assert ended.is_set(), "and nothing of it runs any more"


def test_that_tasks_of_what_is_made_ahead_stop_with_the_one_who_asked() -> None:
    """Three threads deep, as a Parquet file is read: the reader, its groups of rows, and the one who waits for them."""
    ended = threading.Event()

    def group() -> int:
        end = time.monotonic() + 10
        while still_wanted() and time.monotonic() < end:
            time.sleep(0.001)
        if not still_wanted():
            ended.set()
        return 1

    def refuses() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        next(ahead(in_order([group]), refuses))
    assert ended.is_set()


def test_that_work_nobody_else_waits_for_is_wanted() -> None:
    assert still_wanted()
