"""dwb [PROJECT.dwb]"""

from __future__ import annotations

import argparse
import os
import sys

from workbench.cli.kinds import file_path
from workbench.core.errors import UserProblem

HELP = "Open the window, on a project file where one is named."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, nargs="?", metavar="PROJECT.dwb")
    parser.add_argument("--as", dest="identity", default="", metavar="NAME", help="your name")


def run(args: argparse.Namespace) -> int:
    if not has_display():
        raise UserProblem(
            "There is no display to open a window on", "dwb", "Use the commands (`dwb --help`) or start it on a desktop"
        )
    from workbench.background.warm import uncollected

    try:
        with uncollected():  # or the first paint waits while the collector walks through Qt
            from workbench.ui.app import run_window
    except ImportError as missing:
        raise UserProblem(
            f"Qt cannot be loaded: {missing}", "dwb", "On Debian, `make setup` installs the libraries Qt needs"
        ) from None
    return run_window(args.project, args.identity)


def has_display() -> bool:
    """Windows and macOS always have one; elsewhere somebody must have said so."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
