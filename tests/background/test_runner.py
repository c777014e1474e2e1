"""Long work runs aside, tells how far it is, and stops when asked."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import pytest

from workbench.background.events import Event, Failed, Finished, Progress, Stopped
from workbench.background.runner import Runner
from workbench.core.errors import UserProblem
from workbench.core.progress import Context


@pytest.fixture
def runner() -> Iterator[Runner]:
    made = Runner()
    yield made
    assert made.close(), "a worker thread was left dangling"


def last_event(runner: Runner) -> Event:
    while isinstance(event := runner.events.get(timeout=10), Progress):
        pass
    return event


def test_that_a_result_arrives_after_its_progress(runner: Runner) -> None:
    def work(context: Context) -> int:
        context.step(0.5, "half way")
        return 42

    number = runner.start(work)
    assert runner.events.get(timeout=10) == Progress(job=number, fraction=0.5, sentence="half way")
    assert last_event(runner) == Finished(job=number, result=42)


def test_that_cancel_ends_the_job_at_its_next_step(runner: Runner) -> None:
    started = threading.Event()

    def work(context: Context) -> None:
        while True:
            context.step(0.1, "working")
            started.set()

    number = runner.start(work)
    assert started.wait(10)
    runner.cancel(number)
    assert last_event(runner) == Stopped(job=number)


def test_that_a_job_cancelled_while_it_waits_never_begins(runner: Runner) -> None:
    release, ran = threading.Event(), threading.Event()
    runner.start(lambda _context: release.wait(10))
    second = runner.start(lambda _context: ran.set())
    runner.cancel(second)
    release.set()
    assert isinstance(last_event(runner), Finished)
    assert last_event(runner) == Stopped(job=second)
    assert not ran.is_set()


def test_that_a_users_problem_arrives_as_such(runner: Runner) -> None:
    def work(_context: Context) -> None:
        raise UserProblem("no such column", "jobs.csv")

    runner.start(work)
    event = last_event(runner)
    assert isinstance(event, Failed)
    assert event.problem is not None


def test_that_a_defect_is_described_without_its_data(runner: Runner) -> None:
    def work(_context: Context) -> None:
        raise KeyError("8675309")

    runner.start(work)
    event = last_event(runner)
    assert isinstance(event, Failed)
    assert event.problem is None
    assert "KeyError" in event.details
    assert "test_runner.py" in event.details
    assert "8675309" not in event.details


def test_that_frequent_steps_do_not_flood_the_queue(runner: Runner) -> None:
    def work(context: Context) -> None:
        for i in range(20_000):
            context.step(i / 20_000, "working")

    runner.start(work)
    count = 0
    while isinstance(runner.events.get(timeout=10), Progress):
        count += 1
    assert count < 2_000
    with pytest.raises(queue.Empty):
        runner.events.get(timeout=0.05)
