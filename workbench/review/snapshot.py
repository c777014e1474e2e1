"""Verbs that only read see one state of the project file, whatever somebody else writes meanwhile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from workbench.review.workspace import Workspace

Given = ParamSpec("Given")
Result = TypeVar("Result")


def one_snapshot(
    verb: Callable[Concatenate[Workspace, Given], Result],
) -> Callable[Concatenate[Workspace, Given], Result]:
    """For verbs that put what they show together from several reads."""

    @functools.wraps(verb)
    def reading(workspace: Workspace, /, *given: Given.args, **named: Given.kwargs) -> Result:
        with workspace.project.snapshot():
            return verb(workspace, *given, **named)

    return reading
