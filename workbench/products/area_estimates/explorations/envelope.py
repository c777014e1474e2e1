"""The envelope of the published method: local sensitivity of all cells of a pool, and the cell that sets χ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.quantities import show
from workbench.explorations.contract import Scene
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.audit.observed_sensitivity import profile
from workbench.products.area_estimates.columns import at_words
from workbench.products.area_estimates.explorations.chosen import rank_called
from workbench.products.area_estimates.removals import removals

_FEW_PEOPLE = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvelopeParams:
    pool: str = param("", "Pool", "The pool with the most cells where none is chosen.")
    rank: str = param("", "Rank", "The first where none is chosen.")
    minimum: int = param(20, "Minimum people", "Cells with fewer people set no noise.", ge=3)


@dataclass(frozen=True, slots=True)
class Envelope:
    """Sensitivity against size on log axes."""

    id: str = "envelope"
    version: int = 1
    title: str = "Envelope of observed sensitivity"
    summary: str = "Which cell sets the noise of the published method for its whole pool."
    params: type[EnvelopeParams] = EnvelopeParams
    stage: str = "audit"
    needs_release: bool = False

    def choices(self, scene: Scene) -> Mapping[str, tuple[str, ...]]:
        return {"pool": scene.prepared.places.pool_names, "rank": scene.prepared.rank_names()}

    def show(self, scene: Scene, params: EnvelopeParams, context: Context) -> tuple[Finding, ...]:
        prepared: AreaData = scene.prepared
        context.step(0.0, "looking for the most sensitive cell")
        names = prepared.places.pool_names
        largest = int(np.argmax(np.bincount(prepared.places.pool, minlength=prepared.places.pools)))
        pool = names.index(params.pool) if params.pool in names else largest
        place = rank_called(prepared, params.rank)
        rank, name = prepared.inner_rank(place), prepared.rank_names()[place]
        found = removals(prepared, rank, pool, params.minimum, _FEW_PEOPLE)
        context.step(1.0, "most sensitive cell found")
        if found is None:
            said = f"No cell of this pool has {params.minimum} people and a line of its own."
            return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said),)
        cell, chi = prepared.places.cell_names()[found.setting_cell], found.chi * prepared.outcomes[0].width
        return (
            Finding(
                id=self.id,
                title=self.title,
                status=Status.INFO,
                sentence=f"The cell “{cell}” sets χ = {show(chi, 4)} for {show(found.cells)} cells {at_words(name)}.",
                values={"chi": chi, "setting_cell": cell},
                figures=(profile(prepared, rank, found, params.minimum, name),),
            ),
        )


SPEC = Envelope()
