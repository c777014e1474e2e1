"""Synthetic residences: workers' homes drawn anew from public prior and confidential flows, as OnTheMap does it."""

from workbench.products.commuting_flows.synthetic_residences.mechanism import SPEC
from workbench.products.commuting_flows.synthetic_residences.params import MinimumPrior, SyntheticResidencesParams

__all__ = ["SPEC", "MinimumPrior", "SyntheticResidencesParams"]
