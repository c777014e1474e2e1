"""No product reads rows past the door: what it needs of the microdata it asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PRODUCTS = Path(__file__).parents[2] / "workbench" / "products"
READS_ROWS = re.compile(r"\.codes\.reveal\(\)|\.numbers\.reveal\(\)|\bnumbers_of\(")
PUBLIC_COMPANIONS = {  # files that anybody may read, line by line
    "area_estimates/dollars.py": "dollars by rank",
    "area_estimates/places.py": "the list of areas",
    "commuting_flows/flows/columns.py": "codes of geography and prior",
    "commuting_flows/flows/geography.py": "the geography",
    "commuting_flows/flows/prior.py": "published flows",
    "commuting_flows/listing.py": "the public register of workplaces",
    "commuting_flows/own_prior.py": "published flows held against the answer about the data",
    "employment_tables/tabulation/register.py": "the public register",
    "outcome_reports/planning.py": "public planning sizes",
}


def reading(path: Path) -> bool:
    return bool(READS_ROWS.search(path.read_text(encoding="utf-8")))


def test_that_no_product_reads_rows_but_those_of_public_companions() -> None:
    found = {path.relative_to(PRODUCTS).as_posix() for path in PRODUCTS.rglob("*.py") if reading(path)}
    assert found == set(PUBLIC_COMPANIONS)


@pytest.mark.parametrize("line", ["column.codes.reveal()[rows]", "x = numbers_of(table.columns[name])"])
def test_that_a_product_that_reads_rows_would_be_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "input.py").write_text(line)
    assert reading(tmp_path / "input.py")
