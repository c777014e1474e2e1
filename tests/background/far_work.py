"""What tests have done in another process: found there by name, as all work is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from workbench.core.errors import UserProblem
from workbench.core.progress import Context


def count_up(context: Context, to: int) -> Iterator[int]:
    for number in range(to):
        context.step(number / to, f"number {number}")
        yield number


def process_number(context: Context) -> Iterator[int]:
    yield os.getpid()


def chatter(context: Context) -> Iterator[str]:
    print("a library says something")  # noqa: T201
    sys.stdout.flush()
    yield "the answer"


def sleep_long(context: Context) -> Iterator[str]:
    context.step(0.5, "asleep")
    time.sleep(60)
    yield "never"


def have_problem(context: Context) -> Iterator[str]:
    yield "half"
    raise UserProblem("The library is missing", "there", "Install it")


def have_defect(context: Context) -> Iterator[str]:
    yield "half"
    raise ValueError("secret 4711")


def end_suddenly(context: Context) -> Iterator[str]:
    yield "half"
    os._exit(3)


def answer_in_riddles(context: Context) -> Iterator[object]:
    yield Riddle()


class Riddle:
    """Can be sent, cannot be read."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _unreadable, ("nobody knows",)


def _unreadable(text: str) -> object:
    raise ValueError(text)
