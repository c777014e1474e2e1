"""The baselines the program knows: what agencies do today."""

from __future__ import annotations

from workbench.baselines.contract import AnyBaseline
from workbench.products.commuting_flows import flow_suppression
from workbench.products.employment_tables import noise_infusion

BASELINES: tuple[AnyBaseline, ...] = (noise_infusion.SPEC, flow_suppression.SPEC)
