"""What every plug-in declares about itself, and how one is found by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from workbench.core.errors import UserProblem
from workbench.core.nearest import did_you_mean
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
    """The spec with that id, or one that goes by it as well (`also_named`). Otherwise a problem naming the nearest."""
    for spec in specs:
        if spec.id == name:
            return spec
    for spec in specs:
        if name in other_names(spec):
            return spec
    names = [spec.id for spec in specs]
    readable = [*names, *(other for spec in specs for other in other_names(spec))]
    do = did_you_mean(name, readable, likeness=0.4) or f"Known: {', '.join(names)}"
    raise UserProblem(f"There is no {what} called “{name}”", do=do)


def other_names(spec: Spec) -> tuple[str, ...]:
    """Names besides the id under which a plan or a person may ask for it; what is stored is always the id."""
    names: tuple[str, ...] = getattr(spec, "also_named", ())
    return names


def described_by_every_name(spec: Spec) -> list[dict[str, Any]]:
    """The spec as plain data, once for each name it goes by; `same_as` holds the id it is stored under."""
    own = described(spec)
    return [own, *({**own, "id": name, "same_as": spec.id} for name in other_names(spec))]


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
    inner = field.group or field.rows
    if inner is not None:
        described |= {"by": field.by} if field.rows else {}
        described["params"] = [_param(each) for each in fields_of(inner)]
    return described
