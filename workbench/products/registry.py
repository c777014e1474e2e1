"""The products the program knows."""

from __future__ import annotations

from workbench.products import commuting_flows, employment_tables
from workbench.products.contract import AnyProduct

PRODUCTS: tuple[AnyProduct, ...] = (employment_tables.SPEC, commuting_flows.SPEC)
