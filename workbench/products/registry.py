"""The products the program knows."""

from __future__ import annotations

from workbench.products import employment_tables
from workbench.products.contract import AnyProduct

PRODUCTS: tuple[AnyProduct, ...] = (employment_tables.SPEC,)
