"""The numbers of a finding as a person reads them; what is only for scripts stays with the scripts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from workbench.core.errors import Defect
from workbench.core.value_words import WORDS, ValueName, declare, left_out, readable


def test_that_numbers_have_names_and_units() -> None:
    values = {
        "ratio": 0.2153,
        "expected_error": 159.12168998,
        "mean_true": 11.2232,
        "empty_share": 0.125,
        "confidence": Decimal("0.999"),
        "complete": True,
        "worst_cell": None,
        "missing_worker": 3,
        "claimed_delta": Decimal("0.000001"),
    }
    assert readable(values) == (
        ("Expected error, against today's", "0.2153 times"),
        ("Expected error, summed", "159.1"),
        ("Mean distance, true", "11.22 miles"),
        ("Share of empty cells", "12.5 %"),
        ("Confidence", "99.9 %"),
        ("Every cell has a value", "yes"),
        ("Cell that spends most", "not known"),
        ("Rows without worker", "3"),
        ("Claimed δ", "1e-6"),
    )


def test_that_what_is_for_scripts_or_unknown_is_not_shown_to_people() -> None:
    assert readable({"closed_form": True, "ratio_0_100": 1.2, "headline": "0.2", "never_heard_of": 1}) == ()


def test_that_nothing_is_both_named_and_left_out() -> None:
    assert [key for key in WORDS if left_out(key)] == []
    assert all(words.name[0].isupper() or words.name[0] in "εδ" for words in WORDS.values())


def test_that_a_product_names_its_own_values_beside_its_own_code() -> None:
    declare({"gap_in_a_test": ValueName("Largest gap", "people")})
    declare({"gap_in_a_test": ValueName("Largest gap", "people")})
    assert readable({"gap_in_a_test": 3}) == (("Largest gap", "3 people"),)
    for key in ("gap_in_a_test", "rows", "headline"):
        with pytest.raises(Defect):
            declare({key: ValueName("Something else")})
