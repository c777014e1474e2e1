"""The twin of the sample of survey microdata at any size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.products.survey_microdata.twin.attitudes import FEWEST, MOST, write_respondents


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyTwinParams:
    respondents: int = param(15_000, "Respondents", "How many people answered, one row each.", ge=FEWEST, le=MOST)


@dataclass(frozen=True, slots=True)
class SurveyTwin:
    params: type[SurveyTwinParams] = SurveyTwinParams

    def write(self, folder: Path, params: SurveyTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        return write_respondents(folder, params.respondents, seed, context)


TWIN = SurveyTwin()
