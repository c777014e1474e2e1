"""What is said of area estimates before anything of them is loaded."""

from __future__ import annotations

from workbench.products.area_estimates.params import AreaEstimatesParams
from workbench.products.card import Card

CARD = Card(
    id="area_estimates",
    version=1,
    title="Area estimates",
    summary="Outcomes of children by parents' rank in every small area, with margins of error and counts.",
    params=AreaEstimatesParams,
    references=(
        "Chetty, R., and Friedman, J. N. (2019). A practical method to reduce privacy loss when disclosing "
        "statistics based on small samples. AEA Papers and Proceedings 109, 414–420.",
    ),
)
