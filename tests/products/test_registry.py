"""The registry names the products; what they do is imported when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain

import pytest

from workbench.core.errors import UserProblem
from workbench.products import registry

KINDS = ("mechanisms", "baselines", "checks", "measures", "explorations")
_LIST_PRODUCTS = """
import sys
from workbench.cli.main import main
assert main(["list", "products"]) == 0
print("MODULES", *sys.modules)
"""


def test_that_listing_the_products_imports_none_of_what_they_offer() -> None:
    done = subprocess.run([sys.executable, "-c", _LIST_PRODUCTS], capture_output=True, text=True, check=True)
    listed, _, imported = done.stdout.partition("MODULES ")
    modules = set(imported.split())
    assert all(card.title in listed for card in registry.cards())
    everything = chain.from_iterable(registry.offered(kind) for kind in KINDS)
    assert not modules & {type(spec).__module__ for spec in everything}
    assert not modules & {f"{folder}.product" for folder in registry.FOLDERS.values()}
    assert not modules & {"scipy", "pandas", "duckdb", "matplotlib"}


def test_that_a_card_says_the_same_as_its_product() -> None:
    for card, product in zip(registry.cards(), registry.PRODUCTS, strict=True):
        said = [(of.id, of.version, of.title, of.summary, of.params) for of in (card, product)]
        assert said[0] == said[1]
    assert [card.id for card in registry.cards()] == list(registry.FOLDERS)


def test_that_a_product_is_found_by_its_name_and_a_slip_is_pointed_out() -> None:
    assert registry.product("commuting_flows") is registry.PRODUCTS[1]
    assert registry.product_if_known("no_such") is None
    with pytest.raises(UserProblem, match="Did you mean “commuting_flows”"):
        registry.product("comuting_flows")


def test_that_one_product_can_be_used_without_another() -> None:
    code = "import sys; from workbench.products import registry; registry.product('{}'); print(*sys.modules)"
    for name in registry.FOLDERS:
        done = subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True)
        others = [f"{folder}.product" for other, folder in registry.FOLDERS.items() if other != name]
        assert not set(others) & set(done.stdout.split())
