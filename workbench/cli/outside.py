"""Asking about files that a plan names outside its own folder: at a terminal in words, elsewhere by an option."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from workbench.review.plan.outside import OutsidePaths, allow, files_in_settings, outside_paths
from workbench.review.plan.plan import Plan


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-outside", action="store_true", help="let the plan read files outside its folder; remembered per file"
    )  # fmt: skip


def ask_about_outside(plan: Plan, base: Path, *, allowed: bool) -> None:
    """Return once every file the plan names may be read; raise OutsidePaths otherwise."""
    paths = outside_paths(plan.here, base, settings=files_in_settings(plan))
    if not paths:
        return
    if allowed or _says_yes(paths):
        allow(paths)
        return
    raise OutsidePaths(paths, base.absolute())


def _says_yes(paths: tuple[Path, ...]) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    for path in paths:
        print(f"The plan reads {path}, which is outside its own folder.", file=sys.stderr)
    print("Read it, now and in future? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
