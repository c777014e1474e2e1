"""The seven stages of a review and the state each is in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.core.errors import Place


class Stage(StrEnum):
    DATA = "data"
    RELEASE = "release"
    MECHANISM = "mechanism"
    AUDIT = "audit"
    COMPARE = "compare"
    DECIDE = "decide"
    REPORT = "report"


TITLES = {
    Stage.DATA: "Data",
    Stage.RELEASE: "Release",
    Stage.MECHANISM: "Mechanism & budget",
    Stage.AUDIT: "Audit",
    Stage.COMPARE: "Compare",
    Stage.DECIDE: "Decide",
    Stage.REPORT: "Report",
}


# the stage at which the settings of a section of the plan are made
_OF_SECTION = {
    "data": Stage.DATA,
    "product": Stage.RELEASE,
    "release": Stage.RELEASE,
    "mechanism": Stage.MECHANISM,
    "baseline": Stage.MECHANISM,
    "rivals": Stage.MECHANISM,
    "study": Stage.MECHANISM,
    "policy": Stage.MECHANISM,
    "audit": Stage.AUDIT,
}


def stage_of(place: Place | None) -> Stage | None:
    """The stage at which a problem can be put right; None where it is none of the plan's."""
    return None if place is None else _OF_SECTION.get(place.section)


class StageState(StrEnum):
    NOT_STARTED = "not started"
    ATTENTION = "needs attention"
    DONE = "done"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageInfo:
    stage: Stage
    state: StageState
    summary: str

    @property
    def title(self) -> str:
        return TITLES[self.stage]
