"""Runs of files before version 6 count as the same table, and for as many records, as they did."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.project.file.test_migrations import _SHIPPED, kept_file
from workbench.core.claims import Definition
from workbench.core.params import to_plain
from workbench.core.plain import plain
from workbench.products.contract import same_table
from workbench.products.employment_tables.product import EmploymentTablesParams
from workbench.products.employment_tables.tabulation.engine import DomainKind
from workbench.products.registry import PRODUCTS
from workbench.project.history.verify import verify
from workbench.project.records import SpecUse
from workbench.project.store import open_project
from workbench.project.tables import old_runs


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.id)
def test_that_a_draw_from_before_counts_as_the_table_that_its_product_names(product: object) -> None:
    params = product.params()  # type: ignore[attr-defined]
    spec = SpecUse(kind="product", id=product.id, version=1, params=plain(to_plain(params)))  # type: ignore[attr-defined]
    assert old_runs.same_table((spec,)) == same_table(product, params)  # type: ignore[arg-type]


def test_that_a_title_an_order_or_more_empty_cells_make_no_other_table() -> None:
    product = next(each for each in PRODUCTS if each.id == "employment_tables")
    first = EmploymentTablesParams(workplace=("place", "sector"), worker=("sex",))
    again = EmploymentTablesParams(
        workplace=("sector",), worker=("sex", "place"), value_name="people", domain=DomainKind.ALL
    )
    other = EmploymentTablesParams(workplace=("place",), worker=("sex",))
    assert same_table(product, first) == same_table(product, again) != same_table(product, other)
    stored = SpecUse(kind="product", id=product.id, version=1, params=plain(to_plain(again)))
    assert old_runs.same_table((stored,)) == same_table(product, first)


def test_that_what_was_offered_is_what_the_products_still_offer() -> None:
    """A fossil: should a product gain a check, runs from before must not be asked for it."""
    for product in PRODUCTS:
        told = old_runs.offered((SpecUse(kind="product", id=product.id, version=1),))
        assert told is None or set(told) <= {check.id for check in product.checks}
    assert old_runs.offered((SpecUse(kind="product", id="unheard of", version=1),)) is None


@pytest.mark.parametrize("version", range(1, len(_SHIPPED) + 1))
def test_that_the_ledger_of_an_old_file_keeps_its_rows_and_their_seals(version: int, tmp_path: Path) -> None:
    path = kept_file(version, tmp_path)
    with sqlite3.connect(path) as connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(ledger)")]
        before = connection.execute("SELECT * FROM ledger").fetchall()
        (specs,) = connection.execute("SELECT specs FROM run WHERE id = (SELECT run FROM ledger)").fetchone()
    connection.close()
    with open_project(path) as project:
        (entry,) = project.ledger()
        mechanism = next((spec for spec in json.loads(specs) if spec["kind"] == "mechanism"), {"params": {}})
        assert entry.group_size == mechanism["params"].get("jobs_per_worker", 1)
        assert entry.part == ""
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"SELECT {', '.join(columns)} FROM ledger").fetchall() == before
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            connection.execute("DELETE FROM ledger")
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            connection.execute("UPDATE ledger SET epsilon = '0'")
    connection.close()
    assert verify(path).ok


def test_that_flows_of_the_first_version_told_true_sizes_too() -> None:
    """Their claims do not say so; the ledger of an earlier file must not state bounds that the sizes end."""
    flows = next(each for each in PRODUCTS if each.id == "commuting_flows")
    params = plain(to_plain(flows.params()))
    product = SpecUse(kind="product", id="commuting_flows", version=1, params=params)
    first, second = (SpecUse(kind="mechanism", id="synthetic-residences", version=version) for version in (1, 2))
    (sizes,) = old_runs.exact((product, first))
    assert (sizes.keys, sizes.value) == ((params["work"],), params["value_name"])
    assert sizes.ends(Definition.STRONG) and not sizes.ends(Definition.RESIDENCE)
    assert old_runs.exact((product, second)) == ()
    distorted = SpecUse(kind="product", id="commuting_flows", version=1, params={**params, "sizes": "noise-infused"})
    assert old_runs.exact((distorted, first)) == ()
