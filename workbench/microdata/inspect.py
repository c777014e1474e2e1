"""A first look at a file: its columns, their types, distinct and missing values, and suggested roles.

No data value appears in the result, only names, titles and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.core.progress import Context, Part
from workbench.microdata.dependence import MOST_ROWS, constant_within
from workbench.microdata.dictionary import ColumnWords
from workbench.microdata.encode import ColumnEncoder, TooLong, is_measurement
from workbench.microdata.load import plain_columns, read
from workbench.microdata.missing_codes import proposed
from workbench.microdata.numbers import Notation, all_numbers, as_plain
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers import open_data
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts, Suggest


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnInfo:
    """One column in words and numbers, without any of its values."""

    name: str
    type: str
    distinct: int
    missing: int
    leading_zeros: bool
    title: str
    labelled: int  # how many codes have a label in the file itself
    suggested_role: Role
    reason: str
    counted: bool = True  # false where the cells hold no plain values, so that nothing could be counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """The whole file: rows, columns, and what was found out about how to read it."""

    name: str
    rows: int
    columns: tuple[ColumnInfo, ...]
    found: tuple[str, ...]
    guessed: Mapping[str, str] = field(default_factory=dict)  # options that the rows suggest and a plan should say
    missing_codes: tuple[str, ...] = ()  # texts that may stand for missing values: words of a fixed list only

    @property
    def suggested_roles(self) -> dict[str, Role]:
        return {column.name: column.suggested_role for column in self.columns}


@dataclass(frozen=True, slots=True)
class _Look:
    """What the distinct texts of a column tell."""

    type: str
    leading_zeros: bool
    facts: Facts


def inspect(path: Path, options: ReadOptions, context: Context, *, suggest: Suggest) -> Inspection:
    """Read the file once and describe it. As fast as loading, since it is the same reading."""
    file = open_data(path, options, Part(context, 0.0, 0.1))
    too_long: dict[str, TooLong] = {}
    encoders = read(
        path, file, names=plain_columns(path, file), numbers=frozenset(), context=Part(context, 0.1, 0.7),
        too_long=too_long,
    )  # fmt: skip
    names = [encoder.name for encoder in encoders]
    codes = proposed((encoder.distinct.texts for encoder in encoders), options.missing)
    looks = []
    for position, encoder in enumerate(encoders):
        looks.append(_look(encoder, file.notation, codes, context))
        context.step(0.7 + 0.3 * (position + 1) / len(encoders), f"Looking at “{encoder.name}”")
    within = constant_within({encoder.name: encoder.first_codes(MOST_ROWS) for encoder in encoders})
    looks = [replace(look, facts=replace(look.facts, within=within[look.facts.name])) for look in looks]
    known = {info.name: info for info in _columns(looks, [file.dictionary.of(name) for name in names], suggest)}
    holds = {name: each.holds for name, each in file.unreadable.items()}
    holds |= {name: each.holds for name, each in too_long.items()}
    columns = tuple(known.get(name) or _without_values(name, holds[name]) for name in file.columns)
    return Inspection(
        name=path.name, rows=encoders[0].rows, columns=columns, found=file.found, missing_codes=codes,
        guessed=file.guessed,
    )  # fmt: skip


def _without_values(name: str, holds: str) -> ColumnInfo:
    """A column that has no plain values to be counted."""
    return ColumnInfo(
        name=name, type=holds, distinct=0, missing=0, leading_zeros=False, title="", labelled=0,
        suggested_role=Role.IGNORE, reason="it cannot be read cell by cell", counted=False,
    )  # fmt: skip


def _columns(looks: Sequence[_Look], words: Sequence[ColumnWords], suggest: Suggest) -> tuple[ColumnInfo, ...]:
    suggested = suggest([look.facts for look in looks])
    return tuple(
        ColumnInfo(
            name=look.facts.name, type=look.type, distinct=look.facts.distinct, missing=look.facts.missing,
            leading_zeros=look.leading_zeros, title=said.title, labelled=len(said.labels),
            suggested_role=suggested[look.facts.name].role, reason=suggested[look.facts.name].reason,
        )
        for look, said in zip(looks, words, strict=True)
    )  # fmt: skip


def _look(encoder: ColumnEncoder, notation: Notation, codes: tuple[str, ...], context: Context) -> _Look:
    """`codes` may stand for missing values: amounts with a few of them among them are amounts all the same."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.utf8_trim_whitespace(encoder.distinct.texts)  # blanks around a value do not change what it is
    zeros = _any(texts, r"^0\d")
    rest = texts.filter(pc.invert(pc.is_in(texts, pa.array(codes, texts.type)))) if codes else texts
    facts = Facts(
        name=encoder.name, rows=encoder.rows, distinct=len(texts), missing=encoder.missing(context),
        fractions=encoder.already_numbers or is_measurement(rest, notation), numbers=all_numbers(texts, notation),
    )  # fmt: skip
    return _Look(_type(texts, notation, zeros=zeros), zeros, facts)


def _type(texts: Any, notation: Notation, *, zeros: bool) -> str:
    if not len(texts):
        return "empty"
    if _all(texts, r"^[+-]?\d+$"):
        return "codes with leading zeros" if zeros else "whole numbers"
    if _all(texts, r"^\d{4}-\d{2}-\d{2}([ T].*)?$"):
        return "dates"
    if all_numbers(texts, notation):
        return "whole numbers" if _all(as_plain(texts, notation), r"^[+-]?\d+$") else "numbers with fractions"
    return "text with leading zeros" if zeros else "text"


def _all(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(texts, pattern), min_count=0).as_py())


def _any(texts: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, pattern), min_count=0).as_py())
