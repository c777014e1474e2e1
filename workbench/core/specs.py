"""What every plug-in declares about itself, and how one is found by name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from workbench.core.errors import UserProblem
from workbench.core.params import Field, fields_of
from workbench.core.plain import plain


class Spec(Protocol):
    """The common part of a mechanism, baseline, check, measure and product.

    A new meaning is a new version, never a changed one: a project file that names (id, version) must always be read
    the way it was written.
    """

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def params(self) -> type: ...


S = TypeVar("S", bound=Spec)


def find(specs: Sequence[S], name: str, what: str) -> S:
    """The spec with that id. Otherwise a problem that names the nearest."""
    for spec in specs:
        if spec.id == name:
            return spec
    names = [spec.id for spec in specs]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    do = f"Did you mean “{near[0]}”?" if near else f"Known: {', '.join(names)}"
    raise UserProblem(f"There is no {what} called “{name}”", do=do)


def described(spec: Spec) -> dict[str, Any]:
    """The spec as plain data: what `dwb list --json` prints."""
    return {
        "id": spec.id,
        "version": spec.version,
        "title": spec.title,
        "summary": spec.summary,
        "params": [_param(field) for field in fields_of(spec.params)],
    }


def _param(field: Field) -> dict[str, Any]:
    described: dict[str, Any] = plain(
        {
            "name": field.name,
            "label": field.label,
            "default": field.default,
            "minimum": field.minimum,
            "maximum": field.maximum,
            "choices": list(field.choices),
            "unit": field.unit,
            "help": field.help,
        }
    )
    return described
