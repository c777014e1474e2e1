"""The settings of the synthesiser, as on the slides of 2008, each with the value of their benchmark case."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from workbench.core.params import param
from workbench.core.quantities import Delta, Epsilon
from workbench.products.commuting_flows.flows.replicates import replicates_param


class MinimumPrior(StrEnum):
    """How the least prior of a support point is found."""

    SEARCH = "search"
    PURE = "pure"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticResidencesParams:
    epsilon: Epsilon = param(
        Epsilon("4.6"),
        "Nominal privacy loss ε*",
        "What one worker's residence may change about the odds of the synthetic residences, before pruning: at most "
        "e^ε* times. Pruning adds to it; the claim shows the total.",
        ge="0.01",
        le=50,
        effect="dial",
        source="OnTheMap (2008), benchmark case",
    )
    delta: Delta = param(
        Delta("0.000001"),
        "Failure probability δ",
        "How likely a population's synthetic residences may tell more than ε of one worker. Used by the search only.",
        gt=0,
        lt=1,
        source="OnTheMap (2008), benchmark case",
    )
    min_p: Decimal = param(
        Decimal("0.025"),
        "Minimum chance of keeping a prior, min_p",
        "Pruning keeps the prior of a support point with the chance max(prior, min_p). Smaller prunes more and costs "
        "more privacy; 1 prunes nothing.",
        gt=0,
        le=1,
        source="OnTheMap (2008), pruning the prior",
    )
    pruning: bool = param(
        True,
        "Prune the prior",
        "Without pruning every support point keeps its prior: no extra loss, and more residences in unlikely places.",
    )
    minimum_prior: MinimumPrior = param(
        MinimumPrior.SEARCH,
        "Minimum prior",
        "How much prior every support point has at least.",
        labels={
            MinimumPrior.SEARCH: "smallest that keeps ε* except with probability δ",
            MinimumPrior.PURE: "m/(e^ε* − 1), which keeps ε* always",
            MinimumPrior.FIXED: "the same value everywhere, set below",
        },
    )
    fixed_prior: Decimal = param(
        Decimal("0.1"),
        "Fixed least prior",
        "Workers' worth of prior at every support point, where the least prior is fixed. 0 leaves places without a "
        "prior, and the loss is infinite there.",
        unit="workers",
        ge=0,
        le=1_000_000,
        advanced=True,
    )
    prior_weight: Decimal = param(
        Decimal(1),
        "Weight of the public prior",
        "Workers' worth of public prior in each population, divided among its support points by their share of the "
        "prior; a point has at least the least prior.",
        unit="workers",
        ge=0,
        le=1_000_000,
    )
    prior_cap: Decimal = param(
        Decimal(1),
        "Maximum public prior at one point",
        "A point's share of the public prior counts no more than this, unless the least prior is larger.",
        unit="workers",
        ge=0,
        le=1_000_000,
        advanced=True,
    )

    replicates: int = replicates_param(
        "How many files are drawn apart from the same data. Each costs ε and δ again: three cost three times as much."
    )

    @property
    def prunes(self) -> bool:
        return self.pruning and self.min_p < 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationCase:
    """The population that a calibration is asked about: as many workers drawn as it has, nowhere a public prior."""

    count: Decimal = param(Decimal(100), "Workers", "How many the population has.", ge=0, le=10**12)
    largest: Decimal = param(
        Decimal(200), "Support points", "How many places they could live in, as far as is public.", ge=0, le=10**12
    )
