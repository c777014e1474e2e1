"""Which files a person has to be asked about before a plan may read them; those they chose themselves are an answer."""

from __future__ import annotations

from pathlib import Path

from workbench.review.plan.outside import allow, outside_paths
from workbench.review.plan.plan import DataPlan


def to_ask_about(data: DataPlan, stored: DataPlan, base: Path) -> tuple[Path, ...]:
    """Files outside the project's folder that the stored plan names. What was chosen in the window is remembered.

    `stored` is the plan's data as the project file had it when the release was opened: it may come from anybody.
    """
    asked = outside_paths(data, base)
    theirs = set(outside_paths(stored, base))
    picked = tuple(path for path in asked if path not in theirs)
    if picked:
        allow(picked)
    return tuple(path for path in asked if path in theirs)
