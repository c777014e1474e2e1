"""Noisy counts on two public partitions, estimated and rounded: the better mechanism of commuting flows."""

from workbench.products.commuting_flows.noisy_flows.mechanism import SPEC
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams

__all__ = ["SPEC", "NoisyFlowsParams"]
