"""The contract's own eye for secrets sees a count wherever it stands as a number, and no accident of digits."""

from __future__ import annotations

import pytest

from tests.contract.findings_contract import tells


@pytest.mark.parametrize(
    "text", ["98765", "has 98765 jobs", "(98765, 7)", "98765.0", "n=98765;", "−98765", "[1, 98765]"]
)
def test_that_a_count_is_seen(text: str) -> None:
    assert tells(text, "98765")


@pytest.mark.parametrize("text", ["0.5398765121", "0.98765", "1987651", "298765", "987654"])
def test_that_digits_inside_another_number_are_no_secret(text: str) -> None:
    assert not tells(text, "98765")


def test_that_a_name_is_seen_inside_any_text() -> None:
    assert tells("XSECRET-EMPLOYERX", "SECRET-EMPLOYER")
