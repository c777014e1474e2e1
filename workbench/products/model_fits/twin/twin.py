"""The twin of the sample of model fits at any size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.products.model_fits.twin.people import FEWEST, MOST, write_people


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFitsTwinParams:
    rows: int = param(5000, "Rows", "How many people, one row each.", ge=FEWEST, le=MOST)


@dataclass(frozen=True, slots=True)
class ModelFitsTwin:
    params: type[ModelFitsTwinParams] = ModelFitsTwinParams

    def write(self, folder: Path, params: ModelFitsTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        return write_people(folder, params.rows, seed, context)


TWIN = ModelFitsTwin()
