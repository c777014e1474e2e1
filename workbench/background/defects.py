"""A defect described so that it can be copied into a message: where in the program, never with which data."""

from __future__ import annotations

import platform
import traceback

import workbench
from workbench.core.errors import Defect


class DefectElsewhere(Defect):
    """A defect in another process, with the details as they were told there."""

    def __init__(self, details: str) -> None:
        super().__init__("a defect in another process")
        self.details = details


def details_of(error: BaseException) -> str:
    """Type of the error and the program's own lines. The message is left out: it may quote a value."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames]
    if isinstance(error, DefectElsewhere):
        return "\n".join([error.details, "called from", *lines])
    head = f"Disclosure Workbench {workbench.__version__}, Python {platform.python_version()}, {platform.system()}"
    return "\n".join([head, f"{type(error).__name__} raised at", *lines])


def _short(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    for root in ("workbench", "site-packages"):
        if root in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(root) :])
    return parts[-1]
