"""The twin of the commuting sample at any size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.microdata.twins.contract import format_for
from workbench.products.commuting_flows.twin.commuting import FEWEST_JOBS, MOST_JOBS, write_commuting_twin


@dataclass(frozen=True, slots=True, kw_only=True)
class CommutingTwinParams:
    jobs: int = param(100_000, "Jobs", "How many jobs, which is how many rows.", ge=FEWEST_JOBS, le=MOST_JOBS)


@dataclass(frozen=True, slots=True)
class CommutingFlowsTwin:
    params: type[CommutingTwinParams] = CommutingTwinParams

    def write(self, folder: Path, params: CommutingTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        kind = format_for(params.jobs)
        return write_commuting_twin(folder, jobs=params.jobs, seed=seed, context=context, format=kind)


TWIN = CommutingFlowsTwin()
