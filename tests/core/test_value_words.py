"""The numbers of a finding as a person reads them; what is only for scripts stays with the scripts."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import pytest

from workbench.core.errors import Defect
from workbench.core.value_words import ValueName, declare, known_words, left_out, only_for_scripts, readable
from workbench.products.registry import PRODUCTS

assert tuple(PRODUCTS)  # whoever is imported has declared its words


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
        ("Expected error, against current SDL", "0.2153 times"),
        ("Expected error, summed", "159.1"),
        ("Mean distance, true", "11.22 miles"),
        ("Share of empty cells", "12.5 %"),
        ("Confidence", "99.9 %"),
        ("Every cell has a value", "yes"),
        ("Cell that spends most", "not known"),
        ("Rows without worker", "3"),
        ("Claimed δ", "10⁻⁶"),
    )


def test_that_what_is_for_scripts_or_unknown_is_not_shown_to_people() -> None:
    assert readable({"closed_form": True, "ratio_0_100": 1.2, "headline": "0.2", "never_heard_of": 1}) == ()


def test_that_nothing_is_both_named_and_left_out() -> None:
    assert [key for key in known_words() if left_out(key)] == []
    assert all(words.name[0].isupper() or words.name[0] in "εδρ" for words in known_words().values())


def test_that_a_product_names_its_own_values_beside_its_own_code() -> None:
    declare({"gap_in_a_test": ValueName("Largest gap", "people")})
    declare({"gap_in_a_test": ValueName("Largest gap", "people")})
    assert readable({"gap_in_a_test": 3}) == (("Largest gap", "3 people"),)
    for key in ("gap_in_a_test", "rows", "headline"):
        with pytest.raises(Defect):
            declare({key: ValueName("Something else")})
    with pytest.raises(Defect):
        only_for_scripts("gap_in_*")
    only_for_scripts("scripts_in_a_test_*")
    assert left_out("scripts_in_a_test_1")
    assert readable({"scripts_in_a_test_1": 3}) == ()


def test_that_every_product_declares_its_words_without_the_others() -> None:
    """One key has one meaning over all products, whichever is imported first."""
    for order in (range(len(PRODUCTS)), reversed(range(len(PRODUCTS)))):
        asked = "; ".join(f"PRODUCTS[{place}]" for place in order)
        code = f"from workbench.products.registry import PRODUCTS; {asked}"
        subprocess.run([sys.executable, "-c", code], check=True)
