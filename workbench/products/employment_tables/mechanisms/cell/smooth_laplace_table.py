"""Table 2 of Haney et al. (2017), corrected: the smallest ε at which Smooth Laplace can run, by α and δ.

Source's rule: ε ≥ 2·ln(1/δ)·ln(1+α). Exact: the smallest ε at which the source's noise, κ = 2/ε, has an exact δ of at
most δ. Tight: no noise of this kind keeps δ at or below that ε. The column that the source heads δ = .05 is .005, and
its 2.13 (α = .20, δ = 5 × 10⁻⁴) should be 2.77; 2.12 belongs to α = .15.
"""

from __future__ import annotations

import math
from decimal import Decimal

from workbench.core.findings import Table
from workbench.core.quantities import show
from workbench.products.employment_tables.mechanisms.cell.smooth_laplace_delta import least_epsilon, least_epsilon_of

ALPHAS = tuple(Decimal(text) for text in ("0.01", "0.05", "0.1", "0.15", "0.2"))
DELTAS = tuple(Decimal(text) for text in ("0.05", "0.005", "0.0005", "0.000001"))
_PRINTED = {
    (Decimal("0.005"), Decimal("0.01")): ".105",
    (Decimal("0.005"), Decimal("0.1")): "1.01",
    (Decimal("0.005"), Decimal("0.2")): "1.932",
    (Decimal("0.0005"), Decimal("0.01")): ".15",
    (Decimal("0.0005"), Decimal("0.1")): "1.45",
    (Decimal("0.0005"), Decimal("0.2")): "2.13 (wrong)",
}


def by_rule(alpha: Decimal, delta: Decimal) -> float:
    return 2.0 * math.log(1.0 / float(delta)) * math.log1p(float(alpha))


def least_epsilons() -> Table:
    """Public: it follows from α and δ alone."""
    return Table(
        title="Smallest ε of Smooth Laplace by δ and α (Haney et al. 2017, Table 2, corrected)",
        columns=("δ", "α", "Source's rule", "Exact, source's noise", "Tight noise, above", "Printed"),
        rows=tuple(
            (
                show(delta),
                show(alpha),
                by_rule(alpha, delta),
                least_epsilon_of(2.0, float(alpha), float(delta)),
                least_epsilon(float(alpha), float(delta)),
                _PRINTED.get((delta, alpha), "–"),
            )
            for delta in DELTAS
            for alpha in ALPHAS
        ),
        note=(
            "0: any ε will do at this δ. The source prints the column of δ 0.005 as .05. With d worker cells, look up "
            "δ/d and multiply ε by d."
        ),
    )
