"""A stored time is UTC; the window shows it as the clock on the wall does, and says how far that is from UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from workbench.core.local_time import local_minute

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system has one time zone per user")


@pytest.fixture
def zone(request: pytest.FixtureRequest) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


@pytest.mark.parametrize(
    ("zone", "winter", "summer"),
    [
        ("Europe/Berlin", "2026-11-16 00:30 (UTC+01:00)", "2026-07-16 01:30 (UTC+02:00)"),
        ("America/St_Johns", "2026-11-15 20:00 (UTC-03:30)", "2026-07-15 21:00 (UTC-02:30)"),
        ("UTC", "2026-11-15 23:30 (UTC)", "2026-07-15 23:30 (UTC)"),
    ],
    indirect=["zone"],
)
def test_that_a_stored_time_is_shown_in_local_time_with_its_distance(zone: str, winter: str, summer: str) -> None:
    assert local_minute("2026-11-15T23:30:12.000000Z") == winter
    assert local_minute(datetime(2026, 7, 15, 23, 30, tzinfo=UTC)) == summer


def test_that_what_is_no_time_stays_as_it_stands() -> None:
    assert local_minute("never") == "never"
