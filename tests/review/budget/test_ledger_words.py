"""The ledger says in words what is too short to be drawn as a course in time."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.review.budget.ledger_words import course_words, granted_words, lasted


def entry(age: timedelta) -> Any:
    return SimpleNamespace(entered_at=(datetime.now(UTC) - age).isoformat())


def test_that_a_course_lasts_from_the_first_entry_to_now() -> None:
    assert lasted(()) == timedelta(0)
    assert timedelta(days=3) <= lasted((entry(timedelta(hours=1)), entry(timedelta(days=3)))) < timedelta(days=4)


def test_that_a_short_course_is_said_in_words() -> None:
    assert course_words(()) == ""
    assert course_words((entry(timedelta(seconds=5)),)).startswith("1 release counted, all within the last day.")


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system has one time zone per user")
def test_that_exceptions_are_told_by_the_clock_of_those_who_read_them() -> None:
    made: Any = SimpleNamespace(
        granted_at="2026-11-15T23:30:12.000000Z", release_id="R-0001", granted_by="Head", overspend="", reason=""
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        said = granted_words(made)
    time.tzset()
    assert said.startswith("2026-11-16 00:30 (UTC+01:00) R-0001")
