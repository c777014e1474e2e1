"""The measures of usefulness the program knows: of tables of counts, and of residence flows."""

from __future__ import annotations

from workbench.products.commuting_flows.usefulness import completeness as flow_completeness
from workbench.products.commuting_flows.usefulness import distance as flow_distance
from workbench.products.commuting_flows.usefulness import divergence as flow_divergence
from workbench.products.commuting_flows.usefulness import trade_off as flow_trade_off
from workbench.products.employment_tables.usefulness import contest, l1_error, ranking, relative_error
from workbench.utility.contract import AnyMeasure

TABLE_MEASURES: tuple[AnyMeasure, ...] = (l1_error.SPEC, ranking.SPEC, relative_error.SPEC, contest.SPEC)
FLOW_MEASURES: tuple[AnyMeasure, ...] = (
    flow_divergence.SPEC,
    flow_distance.SPEC,
    flow_completeness.SPEC,
    flow_trade_off.SPEC,
)
MEASURES: tuple[AnyMeasure, ...] = (*TABLE_MEASURES, *FLOW_MEASURES)
