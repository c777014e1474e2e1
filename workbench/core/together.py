"""Work on several cores at once, by plain threads: numpy, Arrow and hashing release the interpreter lock.

The threads are made by the thread that asks, so on Linux they inherit its niceness and give way to the window like it.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from workbench.core.progress import Context, Several

T = TypeVar("T")
_MOST_THREADS = 4  # more would only wait for memory


def together(tasks: Sequence[Callable[[], T]], context: Context, sentence: str) -> list[T]:
    """Run tasks that do not depend on each other; their results in the same order.

    Progress counts finished tasks, so they should be many and short: a cancel waits for those that have begun.
    """
    results: list[T] = []
    for result in in_order(tasks):
        results.append(result)
        context.step(len(results) / len(tasks), sentence)
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


def in_order(tasks: Iterable[Callable[[], T]]) -> Iterator[T]:
    """The results of tasks in their order, each as soon as it can be had; only a few are worked on ahead.

    Whoever stops asking stops the work: what has not begun then never begins.
    """
    threads = _threads()
    begun: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for task in tasks:
                begun.append(pool.submit(task))
                if len(begun) > 2 * threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def ahead(source: Iterator[T]) -> Iterator[T]:
    """The same items, each made by another thread while the one before it is used."""

    def following() -> list[T]:
        return list(itertools.islice(source, 1))

    try:
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(following)
            while item := coming.result():
                coming = pool.submit(following)
                yield from item
    finally:
        if isinstance(source, Generator):
            source.close()
