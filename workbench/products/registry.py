"""The products the program knows, and by kind what they offer."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from workbench.core.specs import Spec
from workbench.products.commuting_flows import product as commuting_flows
from workbench.products.contract import AnyProduct
from workbench.products.employment_tables import product as employment_tables

PRODUCTS: tuple[AnyProduct, ...] = (employment_tables.SPEC, commuting_flows.SPEC)


def offered(kind: str) -> tuple[Spec, ...]:
    """Everything of one kind (mechanisms, checks, measures …) that any product offers, each once."""
    found: Iterable[Spec] = chain.from_iterable(getattr(product, kind) for product in PRODUCTS)
    return tuple({(spec.id, spec.version): spec for spec in found}.values())
