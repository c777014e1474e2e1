"""The numbers of a finding in words: a name and a unit for every key that a person reads.

    declare({"gap": ValueName("Largest gap", "people")})     beside the code that makes the finding
    only_for_scripts("seed", "ratio_*")                      said elsewhere in the finding, so never shown as a number
    readable(finding.values)                                 (("Claimed ε", "1"), …), in the order of the finding

`Finding.values` is for scripts: its keys never change and its numbers are not rounded. A window shows them only where
somebody declared words for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase

from workbench.core.errors import Defect
from workbench.core.findings import Value
from workbench.core.quantities import show


@dataclass(frozen=True, slots=True)
class ValueName:
    """A name, and a unit after the number. A share is shown as a percentage."""

    name: str
    unit: str = ""
    share: bool = False


def share_of(name: str) -> ValueName:
    return ValueName(name, share=True)


# what more than one kind of check speaks of
_WORDS: dict[str, ValueName] = {
    "rows": ValueName("Rows"),
    "columns": ValueName("Columns found"),
    "cells": ValueName("Cells"),
    "values": ValueName("Values published"),
    "codes": ValueName("Codes outside the dictionary"),
    "draws": ValueName("Draws"),
    "epsilon": ValueName("ε"),
    "alpha": ValueName("Size window α"),
    "claimed_epsilon": ValueName("Claimed ε"),
    "claimed_delta": ValueName("Claimed δ"),
}
_ONLY_FOR_SCRIPTS = {"headline"}  # the rail shows it as the summary of a stage


def declare(words: Mapping[str, ValueName]) -> None:
    """Words for keys of one's own, beside the code that makes them. One key has one meaning everywhere."""
    for key, name in words.items():
        if _WORDS.setdefault(key, name) != name or left_out(key):
            raise Defect(f"the value {key} has another meaning already")


def only_for_scripts(*patterns: str) -> None:
    """Keys that people are not shown: a sentence or a table of the finding says the same. `*` stands for any end."""
    if any(fnmatchcase(key, pattern) for key in _WORDS for pattern in patterns):
        raise Defect(f"a value that has words is among {', '.join(patterns)}")
    _ONLY_FOR_SCRIPTS.update(patterns)


def left_out(key: str) -> bool:
    """Whether a key is deliberately not shown."""
    return any(fnmatchcase(key, pattern) for pattern in _ONLY_FOR_SCRIPTS)


def words_of(key: str) -> ValueName | None:
    """What a person calls a value; None where it is not for people."""
    return _WORDS.get(key)


def known_words() -> Mapping[str, ValueName]:
    """Everything that was declared so far."""
    return dict(_WORDS)


def readable(values: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
    """The values that a person reads, by name, each with its unit."""
    named = ((words_of(key), value) for key, value in values.items())
    return tuple((words.name, _text(words, value)) for words, value in named if words is not None)


def _text(words: ValueName, value: Value) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float | Decimal):
        return str(value) or "none"
    if value != value:
        return "not defined"
    if words.share:
        return f"{show(float(value) * 100, 3)} %"
    unit = words.unit.removesuffix("s") if value == 1 else words.unit  # units are plurals: workers, miles
    return f"{show(value)} {unit}".strip()
