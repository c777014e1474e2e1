"""The ledger says in words what is too short to be drawn as a course in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from workbench.review.budget.ledger_words import course_words, lasted


def entry(age: timedelta) -> Any:
    return SimpleNamespace(entered_at=(datetime.now(UTC) - age).isoformat())


def test_that_a_course_lasts_from_the_first_entry_to_now() -> None:
    assert lasted(()) == timedelta(0)
    assert timedelta(days=3) <= lasted((entry(timedelta(hours=1)), entry(timedelta(days=3)))) < timedelta(days=4)


def test_that_a_short_course_is_said_in_words() -> None:
    assert course_words(()) == ""
    assert course_words((entry(timedelta(seconds=5)),)).startswith("1 release counted, all within the last day.")
