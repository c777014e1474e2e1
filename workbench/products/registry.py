"""The products the program knows, and by kind what they offer.

A product is a folder and a line in `FOLDERS`. Its `card.py` is read to list it, its `product.py` when it is used, so
that nobody waits for a product that is not asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

from workbench.core.specs import Spec, find
from workbench.products.card import Card
from workbench.products.commands import Commands

if TYPE_CHECKING:
    from workbench.products.contract import AnyProduct

FOLDERS = {
    "employment_tables": "workbench.products.employment_tables",
    "commuting_flows": "workbench.products.commuting_flows",
    "model_fits": "workbench.products.model_fits",
    "area_estimates": "workbench.products.area_estimates",
    "survey_microdata": "workbench.products.survey_microdata",
    "outcome_reports": "workbench.products.outcome_reports",
}


class Shelf(Sequence["AnyProduct"]):
    """Products in the order of their folders; each is imported when it is taken from the shelf."""

    def __init__(self, folders: dict[str, str]) -> None:
        self._folders = tuple(folders.values())

    def __len__(self) -> int:
        return len(self._folders)

    @overload
    def __getitem__(self, place: int) -> AnyProduct: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[AnyProduct]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(len(self))))
        return importlib.import_module(f"{self._folders[place]}.product").SPEC

    @property
    def cards(self) -> tuple[Card, ...]:
        return tuple(importlib.import_module(f"{folder}.card").CARD for folder in self._folders)


PRODUCTS: Sequence[AnyProduct] = Shelf(FOLDERS)


def cards() -> tuple[Spec, ...]:
    """Id, version, title, summary and params of every product; a product that stands here itself is its own card."""
    return PRODUCTS.cards if isinstance(PRODUCTS, Shelf) else tuple(PRODUCTS)


def product(name: str) -> AnyProduct:
    """The product with that id. A problem where there is none, naming the nearest."""
    return PRODUCTS[cards().index(find(cards(), name, "product"))]


def references(name: str) -> tuple[str, ...]:
    """The works that the product's methods come from; a product that is its own card names none."""
    card = find(cards(), name, "product")
    return card.references if isinstance(card, Card) else ()


def product_if_known(name: str) -> AnyProduct | None:
    """The same for what an older or a newer program has written."""
    return product(name) if any(card.id == name for card in cards()) else None


def commands() -> dict[str, Commands]:
    """What the products offer on the command line besides reviews, by product; nothing else of them is imported."""
    return {name: _commands(folder) for name, folder in FOLDERS.items()}


def _commands(folder: str) -> Commands:
    try:
        found: Commands = importlib.import_module(f"{folder}.commands").COMMANDS
    except ModuleNotFoundError as missing:
        if missing.name != f"{folder}.commands":
            raise
        return Commands()
    return found


def offered(kind: str) -> tuple[Spec, ...]:
    """Everything of one kind (mechanisms, checks, measures …) that any product offers, each once."""
    found: Iterable[Spec] = chain.from_iterable(getattr(each, kind) for each in PRODUCTS)
    return tuple({(spec.id, spec.version): spec for spec in found}.values())
