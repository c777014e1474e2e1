"""The table of what is proved is the same in methods and guide, names every mechanism, and agrees with its claim."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.contract.samples import sample_of
from tests.docs.pages import GUIDE, ROOT, text_of
from workbench.core.claims import Standing
from workbench.products.registry import PRODUCTS

METHODS = ROOT / "docs" / "methods.md"
COLUMNS = {Standing.PROVED: 1, Standing.PROVED_IF: 2, Standing.NOT_FORMAL: 3}
EVERY = [(product, mechanism) for product in PRODUCTS for mechanism in product.mechanisms]


def table_of(text: str) -> list[list[str]]:
    """The rows of the table that begins with these columns."""
    head = "| mechanism | proved | proved if | not formal | only tested |"
    (found,) = re.findall(rf"{re.escape(head)}\n\|[-|]+\|\n((?:\|.*\n)+)", text)
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in found.splitlines()]


def test_that_methods_and_guide_have_one_table() -> None:
    assert table_of(text_of(METHODS)) == table_of(text_of(GUIDE))


@pytest.mark.parametrize(("product", "mechanism"), EVERY, ids=lambda one: str(one.id))
def test_that_every_mechanism_is_in_it_as_its_claim_stands(product: Any, mechanism: Any) -> None:
    rows = [row for row in table_of(text_of(METHODS)) if f"`{mechanism.id}`" in row[0]]
    assert rows, mechanism.id
    sample = sample_of(product)
    stands = mechanism.claim(sample.prepared(), sample.settings(mechanism)).standing
    assert any(row[COLUMNS[stands]] != "–" for row in rows), (mechanism.id, stands)
