"""The settings of noisy flows: what is protected, ε, and how it is divided."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from workbench.core.errors import Problem
from workbench.core.params import param
from workbench.core.quantities import Epsilon
from workbench.noise.epsilon_bounds import MOST_EPSILON, too_small
from workbench.products.commuting_flows.flows.replicates import replicates_param

AUTOMATIC = -1  # of the largest small population: chosen by ε
FEWEST_CELLS = 2  # that a report chooses among


class Unit(StrEnum):
    """What the guarantee is about: one job there or not, or where one worker lives while sizes are public."""

    JOB = "job"
    HOME = "home"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyFlowsParams:
    epsilon: Epsilon = param(
        Epsilon("4"),
        "Privacy loss ε",
        "How much one job (or one home) can change the odds of anything published.",
        gt=0,
        le=MOST_EPSILON,
        effect="dial",
    )
    unit: Unit = param(
        Unit.JOB,
        "What is protected",
        "One job: its presence, home and the sizes of populations. One home: sizes are published as they are.",
        labels={"job": "One job, sizes included", "home": "One home, sizes public"},
    )
    reports: bool = param(
        False,
        "Reports in small populations",
        "Each worker of a small population reports one cell instead of noisy cell counts. Homes only, from about ε 5.",
    )
    size_share: Decimal = param(
        Decimal(0),
        "Share of sizes",
        "Share of ε spent on the sizes of populations, with unit “job”. 0 chooses .2 from ε 4 on, .25 from 3, else .3.",
        ge=0,
        le="0.9",
        named={0: "by ε"},
        advanced=True,
    )
    tract_share: Decimal = param(
        Decimal(0),
        "Share of tract flows",
        "Of the rest, the share spent on flows between tracts in larger populations. 0 chooses .3 to .5 by ε.",
        ge=0,
        le="0.9",
        named={0: "by ε"},
        advanced=True,
    )
    small_limit: int = param(
        AUTOMATIC,
        "Largest small population",
        "Populations up to this size spend everything on distance and direction. −1 chooses by ε: 9 from ε 3 on.",
        unit="workers",
        ge=AUTOMATIC,
        le=1_000_000,
        named={AUTOMATIC: "by ε"},
        advanced=True,
    )

    replicates: int = replicates_param(
        "How many files are rounded apart from the same noisy counts. They cost no privacy, whatever their number."
    )

    def sets_aside(self) -> tuple[str, ...]:
        """Where one job is protected, sizes are measured with noise, and none is taken as public."""
        return ("sizes", "size_least", "size_most", "key_file") if self.unit is Unit.JOB else ()

    def check(self) -> tuple[Problem, ...]:
        found = list(too_small(self.epsilon))
        if self.reports and self.unit is Unit.JOB:
            what = "Reports would show how many workers a population has, which unit “job” protects"
            found.append(Problem(what, "reports", "Switch reports off, or protect one home"))
        elif self.reports and self.epsilon < Decimal(math.log(FEWEST_CELLS) + 1.0):
            what = f"ε = {self.epsilon} is too small for reports: a report would say next to nothing"
            found.append(Problem(what, "reports", "Use ε of at least 5, or switch reports off"))
        return tuple(found)
