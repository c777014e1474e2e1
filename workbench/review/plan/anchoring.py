"""Paths inside a plan start from a folder: the plan file's, or the project file's. Here they move from one to other."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from workbench.review.plan.plan import Plan
from workbench.review.run.paths import resolved


def anchored(plan: Plan, *, old: Path, new: Path) -> Plan:
    """The same plan for another starting folder. Relative where that is possible, absolute on another drive."""
    if old.absolute() == new.absolute():
        return plan
    moved = plan.data.with_paths(lambda name: _moved(name, old, new))
    return replace(plan, data=replace(moved, path=plan.data.path) if plan.engine.on_server else moved)


def _moved(name: str, old: Path, new: Path) -> str:
    target = resolved(old, name).absolute()
    try:
        return Path(os.path.relpath(target, new.absolute())).as_posix()
    except ValueError:  # another drive on Windows
        return target.as_posix()
