"""What a field of a params class is: label, help, bounds, choices, and what it does to a release."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

from workbench.core.errors import Defect
from workbench.core.params.table import Rows

# dial: turned to spend more or less. post-processing: changes values after the draw; off is false, nothing, or a choice
# called “none”. invariant: published as it is, or taken as public.
Effect = Literal["", "dial", "post-processing", "invariant"]
ParamsClass = type[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a params class, described for whoever shows, parses or documents it."""

    name: str
    label: str
    help: str
    type: type
    default: Any
    unit: str = ""
    gt: Decimal | None = None
    ge: Decimal | None = None
    lt: Decimal | None = None
    le: Decimal | None = None
    choices: tuple[str, ...] = ()
    choice_labels: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()  # the value, or the name of a row, names columns that have one of these roles
    source: str = ""
    advanced: bool = False
    internal: bool = False  # the value is never released, not even in a table of settings
    file: bool = False  # the value is the path of a file that is read
    effect: Effect = ""
    reported: str = ""  # what a report calls it where that is not the label
    group: ParamsClass | None = None  # a params class nested under this name
    rows: ParamsClass | None = None  # the params class of every row
    by: str = ""  # what names a row: column, year
    optional: bool = False  # a number that need not be given: None
    named: tuple[tuple[Decimal, str], ...] = ()  # numbers that stand for something else, in words: 0, “by the rule”
    later: bool = False  # came after plans were stored: not written while it has its default, so digests stay

    @property
    def minimum(self) -> Decimal | None:
        return self.ge if self.ge is not None else self.gt

    @property
    def maximum(self) -> Decimal | None:
        return self.le if self.le is not None else self.lt

    @property
    def many(self) -> bool:
        """True where the value is a tuple of names."""
        return self.type is tuple

    @property
    def number(self) -> bool:
        return issubclass(self.type, int | float | Decimal) and self.type is not bool

    def range_words(self) -> str:
        """The bounds in words: 'above 0, below 1'."""
        words = (
            ("above", self.gt), ("at least", self.ge), ("below", self.lt), ("at most", self.le),
        )  # fmt: skip
        return ", ".join(f"{word} {bound}" for word, bound in words if bound is not None)


def param(
    default: Any,
    label: str,
    help: str,  # noqa: A002 - the word every reader of a form expects
    *,
    unit: str = "",
    gt: float | str | None = None,
    ge: float | str | None = None,
    lt: float | str | None = None,
    le: float | str | None = None,
    labels: Mapping[str, str] | None = None,
    named: Mapping[int, str] | None = None,
    roles: Iterable[str] = (),
    source: str = "",
    advanced: bool = False,
    internal: bool = False,
    effect: Effect = "",
    reported: str = "",
    file: bool = False,
    later: bool = False,
) -> Any:
    """Declare a field. `labels` names a StrEnum's choices for a person, and `named` numbers that stand for words;
    `roles` makes it a choice of columns; `internal` keeps its value out of public reports; `effect` says what it does
    to a release, and `reported` what the report calls that; `file` says that it names a file to be read; `later` that
    plans were stored before it came."""
    bounds = {key: None if bound is None else Decimal(str(bound)) for key, bound in
              {"gt": gt, "ge": ge, "lt": lt, "le": le}.items()}  # fmt: skip
    metadata = {
        "label": label, "help": help, "unit": unit, "labels": dict(labels or {}), "roles": tuple(str(r) for r in roles),
        "source": source, "advanced": advanced, "internal": internal, "effect": effect, "reported": reported,
        "file": file, "later": later, **bounds,
        "named": tuple((Decimal(number), words) for number, words in (named or {}).items()),
    }  # fmt: skip
    return dataclasses.field(default=default, metadata=metadata)


def group(
    params: type[Any],
    label: str,
    help: str,  # noqa: A002
    *,
    advanced: bool = False,
    internal: bool = False,
    later: bool = False,
) -> Any:
    """Declare a nested params class: a section of its own in the plan, a heading in the form."""
    metadata = {
        "label": label, "help": help, "group": params, "advanced": advanced, "internal": internal, "later": later,
    }  # fmt: skip
    return dataclasses.field(default=params(), metadata=metadata)


def rows(
    params: type[Any],
    label: str,
    help: str,  # noqa: A002
    *,
    by: str,
    roles: Iterable[str] = (),
    default: Mapping[str, Any] | None = None,
    advanced: bool = False,
    internal: bool = False,
    later: bool = False,
) -> Any:
    """Declare a table of settings: one value of `params` for each named row, the field's type being `Rows[params]`.

    `by` says what names a row ("column", "year"); with `roles`, rows are named after columns that have one of them.
    """
    metadata = {
        "label": label, "help": help, "rows": params, "by": by, "roles": tuple(str(r) for r in roles),
        "advanced": advanced, "internal": internal, "later": later,
    }  # fmt: skip
    return dataclasses.field(default=Rows(default or {}), metadata=metadata)


_DESCRIBED: dict[type[Any], tuple[Field, ...]] = {}


def fields_of(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a params class, in the order they were declared."""
    if cls not in _DESCRIBED:
        hints = typing.get_type_hints(cls)
        _DESCRIBED[cls] = tuple(_field(item, hints[item.name]) for item in dataclasses.fields(cls))
    return _DESCRIBED[cls]


def names_of(params: object) -> tuple[str, ...]:
    """The names of the settings of a params value."""
    return tuple(field.name for field in fields_of(type(params)))


def leaves_of(cls: type[Any], within: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """(path, field) of every field, those of groups instead of the group. A table of settings is one field."""
    for field in fields_of(cls):
        if field.group is not None:
            yield from leaves_of(field.group, (*within, field.name))
        else:
            yield (*within, field.name), field


def outline_of(cls: type[Any], within: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Field]]:
    """(path, field) of everything that can be set, for documentation: a group or table, then what is in it.

    Any row of a table goes by what names it: `variables.<column>.epsilon`.
    """
    for field in fields_of(cls):
        here = (*within, field.name)
        yield here, field
        if field.group is not None:
            yield from outline_of(field.group, here)
        if field.rows is not None:
            yield from outline_of(field.rows, (*here, f"<{field.by}>"))


def _field(item: dataclasses.Field[Any], hint: Any) -> Field:
    given = [each for each in typing.get_args(hint) if each is not type(None)]
    optional = isinstance(hint, types.UnionType)
    kind = given[0] if optional else typing.get_origin(hint) or hint
    meta = item.metadata
    if "group" in meta or "rows" in meta:
        return _nested(item, kind)
    choices = tuple(str(member.value) for member in kind) if issubclass(kind, StrEnum) else ()
    return Field(
        name=item.name, label=meta["label"], help=meta["help"], type=kind, default=item.default, unit=meta["unit"],
        gt=meta["gt"], ge=meta["ge"], lt=meta["lt"], le=meta["le"], choices=choices,
        choice_labels=tuple(meta["labels"].get(choice, choice) for choice in choices),
        roles=meta["roles"], source=meta["source"], advanced=meta["advanced"],
        internal=meta["internal"], effect=meta["effect"], reported=meta["reported"], file=meta["file"],
        optional=optional, later=meta["later"], named=meta["named"],
    )  # fmt: skip


def _nested(item: dataclasses.Field[Any], kind: type) -> Field:
    meta = item.metadata
    inner: type[Any] | None = meta.get("rows")
    if inner is not None and any(each.group or each.rows for each in fields_of(inner)):
        raise Defect(f"the rows of {item.name} hold a table or a group: a row is one line of plain settings")
    if kind is not (Rows if inner is not None else meta["group"]):
        raise Defect(f"{item.name} is declared as {kind.__name__}, which is not what it holds")
    return Field(
        name=item.name, label=meta["label"], help=meta["help"], type=kind, default=item.default,
        roles=meta.get("roles", ()), advanced=meta["advanced"], internal=meta["internal"],
        group=meta.get("group"), rows=inner, by=meta.get("by", ""),
        later=meta.get("later", False),
    )  # fmt: skip
