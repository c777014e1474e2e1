"""The twin of the sample of model fits at any size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.files import read_text, write_text
from workbench.core.params import param
from workbench.core.progress import Context
from workbench.core.resources import sample_folder
from workbench.products.model_fits.twin.people import FEWEST, MOST, write_people

TEN = "ten_predictors.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFitsTwinParams:
    rows: int = param(5000, "Rows", "How many people, one row each.", ge=FEWEST, le=MOST)


@dataclass(frozen=True, slots=True)
class ModelFitsTwin:
    params: type[ModelFitsTwinParams] = ModelFitsTwinParams

    def write(self, folder: Path, params: ModelFitsTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        """The people, and the plan with ten predictors beside the sample's own."""
        files = write_people(folder, params.rows, seed, context)
        plan = read_text(sample_folder("model_fits", TEN), "the sample's plan")
        write_text(folder / TEN, plan.replace('"people.csv"', f'"{files[0].name}"'))
        return (*files, folder / TEN)


TWIN = ModelFitsTwin()
