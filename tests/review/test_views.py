"""How long ago, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from workbench.core.errors import UserProblem
from workbench.review.views import ago, moment

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-3600, "just now"),
        (0, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86_399, "23 h ago"),
        (86_400, "1 day ago"),
        (2 * 86_400 - 1, "1 day ago"),
        (2 * 86_400, "2 days ago"),
        (30 * 86_400 - 1, "29 days ago"),
        (30 * 86_400, "2026-10-17"),
    ],
)
def test_that_ages_are_told_in_words(seconds: int, words: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == words


def test_that_a_stored_time_is_utc() -> None:
    assert moment("2026-11-05T09:30:00.000000Z") == datetime(2026, 11, 5, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "<script>", "2026-11-05", "2026-11-05T09:30:00.0000000"])
def test_that_a_stored_time_without_its_zone_is_none(text: str) -> None:
    """Of a file that somebody edited: it could not be compared with now."""
    with pytest.raises(UserProblem, match="a time that is none"):
        moment(text)
