"""The products the program knows."""

from __future__ import annotations

from workbench.products.commuting_flows import product as commuting_flows
from workbench.products.contract import AnyProduct
from workbench.products.employment_tables import product as employment_tables

PRODUCTS: tuple[AnyProduct, ...] = (employment_tables.SPEC, commuting_flows.SPEC)
