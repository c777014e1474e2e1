"""Which predictor an exploration shows: a choice among the declared ones, the first where none is chosen."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.explorations.contract import Scene
from workbench.products.model_fits.fit_data import FitData


def predictor_names(scene: Scene) -> Mapping[str, tuple[str, ...]]:
    prepared: FitData = scene.prepared
    return {"predictor": tuple(predictor.name for predictor in prepared.predictors)}


def chosen_place(prepared: FitData, name: str) -> int:
    names = [predictor.name for predictor in prepared.predictors]
    return names.index(name) if name in names else 0
