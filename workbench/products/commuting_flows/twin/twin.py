"""The twin of the commuting sample at any size."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from workbench.core.params import param
from workbench.core.progress import Context
from workbench.microdata.twins.contract import format_for
from workbench.products.commuting_flows.twin.commuting import FEWEST_JOBS, MOST_JOBS, write_commuting_twin


class Like(StrEnum):
    """Which region: that of the sample, or one of the slides' states."""

    SAMPLE = "sample"
    STATE_A = "state-a"
    STATE_B = "state-b"
    STATE_C = "state-c"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommutingTwinParams:
    like: Like = param(
        Like.SAMPLE,
        "Region",
        "The sample's region, or a twin of one of the three states of OnTheMap (2008), with a whole country around it.",
        labels={"sample": "Sample", "state-a": "State A", "state-b": "State B", "state-c": "State C"},
    )
    jobs: int = param(100_000, "Jobs", "How many jobs, which is how many rows.", ge=FEWEST_JOBS, le=MOST_JOBS)


@dataclass(frozen=True, slots=True)
class CommutingFlowsTwin:
    params: type[CommutingTwinParams] = CommutingTwinParams

    def write(self, folder: Path, params: CommutingTwinParams, *, seed: int, context: Context) -> tuple[Path, ...]:
        kind = format_for(params.jobs)
        state = "" if params.like is Like.SAMPLE else params.like.value
        return write_commuting_twin(folder, jobs=params.jobs, seed=seed, context=context, format=kind, state=state)


TWIN = CommutingFlowsTwin()
