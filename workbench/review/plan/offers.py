"""What the program offers: products to choose from, a plan to begin with, and all of a kind with its settings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.core.specs import Spec
from workbench.products import registry
from workbench.review.plan.plan import Plan, blank


def products() -> tuple[Spec, ...]:
    """Enough of every product to choose one; none is loaded for it."""
    return registry.cards()


def all_of(kind: str) -> tuple[Spec, ...]:
    """Every product, or everything of one kind (mechanisms, checks, measures …) that any product offers, each once."""
    return products() if kind == "products" else registry.offered(kind)


def title_of(name: str) -> str:
    """The title of the product of that id; its id in words where an older or a newer program knows it."""
    return next((product.title for product in products() if product.id == name), name.replace("_", " "))


def new_plan(product_id: str, *, title: str = "") -> Plan:
    """A plan for a product with every default, and no data yet."""
    return blank(registry.product(product_id), title=title)


def copy_title(title: str, taken: Sequence[str]) -> str:
    """A title for a copy that no release has: “Jobs (copy)”, then “Jobs (copy 2)”."""
    stem = re.sub(r" \(copy(?: \d+)?\)$", "", title)
    names = (f"{stem} (copy)", *(f"{stem} (copy {number})" for number in range(2, 10_000)))
    return next(name for name in names if name not in taken)
