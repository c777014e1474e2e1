"""The baselines the program knows: what agencies do today."""

from __future__ import annotations

from workbench.baselines import flow_suppression, noise_infusion
from workbench.baselines.contract import AnyBaseline

BASELINES: tuple[AnyBaseline, ...] = (noise_infusion.SPEC, flow_suppression.SPEC)
