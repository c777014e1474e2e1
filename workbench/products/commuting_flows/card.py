"""What is said of commuting flows before anything of them is loaded."""

from __future__ import annotations

from workbench.products.card import Card
from workbench.products.commuting_flows.params import CommutingFlowsParams

CARD = Card(
    id="commuting_flows",
    version=1,
    title="Commuting flows",
    summary="Where the workers of each workplace live, block by block.",
    params=CommutingFlowsParams,
    references=(
        "Machanavajjhala, A., Kifer, D., Abowd, J., Gehrke, J., and Vilhuber, L. (2008). Privacy: theory "
        "meets practice on the map. ICDE 2008, 277–286.",
    ),
)
