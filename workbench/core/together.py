"""Work on several cores at once, by plain threads: numpy, Arrow and hashing release the interpreter lock.

The threads are made by the thread that asks, so on Linux they inherit its niceness and give way to the window like it.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from workbench.core.progress import Context

T = TypeVar("T")
_MOST_THREADS = 4  # more would only wait for memory


def together(tasks: Sequence[Callable[[], T]], context: Context, sentence: str) -> list[T]:
    """Run tasks that do not depend on each other; their results in the same order.

    Progress counts finished tasks, so they should be many and short: a cancel waits for those that have begun.
    """
    results: list[T] = []
    with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as pool:
        begun = [pool.submit(task) for task in tasks]
        try:
            for number, task in enumerate(begun, 1):
                results.append(task.result())
                context.step(number / len(begun), sentence)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


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
