"""The seven stages of a review and the state each is in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
