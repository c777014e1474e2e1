"""What a job has to say. Frozen values on a queue; whoever drains it decides what to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.core.errors import UserProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    job: int
    fraction: float
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    job: int
    result: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """`problem` is what a person can fix; otherwise `details` describes a defect without any data."""

    job: int
    problem: UserProblem | None
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The job was cancelled; nothing it did remains."""

    job: int


Event = Progress | Finished | Failed | Stopped
