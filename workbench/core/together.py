"""Work on several cores at once, by plain threads: numpy, Arrow and hashing release the interpreter lock.

The threads are made by the thread that asks, so on Linux they inherit its niceness and give way to the window like it.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from workbench.core.errors import Cancelled
from workbench.core.progress import Context, Several

T = TypeVar("T")
_MOST_THREADS = 4  # more would only wait for memory
_PATIENCE = 0.05  # seconds after which somebody who waits asks whether to go on
_here = threading.local()


def together(tasks: Sequence[Callable[[], T]], context: Context, sentence: str) -> list[T]:
    """Run tasks that do not depend on each other; their results in the same order.

    Progress counts finished tasks, so they should be many and short: a cancel waits for those that have begun.
    """
    results: list[T] = []

    def asks_leave() -> None:
        context.step(len(results) / len(tasks), sentence)

    for result in in_order(tasks, asks_leave):
        results.append(result)
        asks_leave()
    return results


def side_by_side(tasks: Sequence[Callable[[Context], T]], context: Context) -> list[T]:
    """Run a few long tasks that tell their own progress; their results in the same order.

    A cancel reaches every one of them at its next step, and so does the problem of another.
    """
    several = Several(context, len(tasks))
    with ThreadPoolExecutor(_threads()) as pool:
        begun = [pool.submit(task, several.of(place)) for place, task in enumerate(tasks)]
        try:
            return [future.result() for future in begun]
        except BaseException:
            several.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _threads() -> int:
    return min(_MOST_THREADS, os.cpu_count() or 1)


def still_wanted() -> bool:
    """Whether somebody still waits for what this thread makes: what is made in pieces can stop where nobody does."""
    left: threading.Event | None = getattr(_here, "left", None)
    return left is None or not left.is_set()


def _wanted_until(left: threading.Event, task: Callable[[], T]) -> T:
    _here.left = left
    return task()


def _nobody_asks() -> None:
    """What is called now and then where nobody can stop the work."""


def _awaited(future: Future[T], meanwhile: Callable[[], None]) -> T:
    """The result of another thread. Waiting ends when `meanwhile` raises, or when nobody wants it any more."""
    while not wait((future,), _PATIENCE).done:
        meanwhile()
        if not still_wanted():
            raise Cancelled
    return future.result()


def in_order(tasks: Iterable[Callable[[], T]], meanwhile: Callable[[], None] = _nobody_asks) -> Iterator[T]:
    """The results of tasks in their order, each as soon as it can be had; only a few are worked on ahead.

    Whoever stops asking stops the work: what has not begun then never begins. `meanwhile` can stop it while waiting.
    """
    threads, left = _threads(), threading.Event()
    begun: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for task in tasks:
                begun.append(pool.submit(_wanted_until, left, task))
                if len(begun) > 2 * threads:
                    yield _awaited(begun.popleft(), meanwhile)
            while begun:
                yield _awaited(begun.popleft(), meanwhile)
        finally:
            left.set()
            pool.shutdown(wait=False, cancel_futures=True)


def ahead(source: Iterator[T], meanwhile: Callable[[], None] = _nobody_asks) -> Iterator[T]:
    """The same items, each made by another thread while the one before it is used.

    `meanwhile` is called now and then while the next one is not there yet: it can stop the waiting by raising.
    """
    left = threading.Event()

    def following() -> list[T]:
        return list(itertools.islice(source, 1))

    try:
        with ThreadPoolExecutor(1) as pool:
            try:
                coming = pool.submit(_wanted_until, left, following)
                while item := _awaited(coming, meanwhile):
                    coming = pool.submit(_wanted_until, left, following)
                    yield from item
            finally:
                left.set()
    finally:
        if isinstance(source, Generator):
            source.close()
