"""Which coarser tables a plan asks for, by the names of their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from workbench.core.errors import Problem
from workbench.core.nearest import did_you_mean

ALL, TOTAL = "all", "total"
SIGN = "*"
Margin = tuple[str, ...]


def margins_of(asked: Sequence[str], attributes: Sequence[str]) -> tuple[Margin, ...]:
    """The margins that a plan asks for, their attributes in the table's order, finer ones first."""
    if tuple(asked) == (ALL,):
        sizes = range(len(attributes) - 1, -1, -1)
        return tuple(margin for size in sizes for margin in combinations(tuple(attributes), size))
    wanted = [_read(text) for text in asked]
    return tuple(tuple(name for name in attributes if name in margin) for margin in wanted)


def margin_problems(asked: Sequence[str], attributes: Sequence[str]) -> Iterator[Problem]:
    """What is wrong with a list of margins, whatever the data."""
    if ALL in asked and len(asked) > 1:
        yield Problem(
            "“all” margins are asked for, and others beside them", "marginals", f"Keep “{ALL}” alone, or a list"
        )
        return
    seen: dict[frozenset[str], str] = {}
    for text in () if tuple(asked) == (ALL,) else asked:
        names = _read(text)
        for name in dict.fromkeys(name for name in names if name not in attributes):
            do = did_you_mean(name, attributes) or f"Use attributes of the table joined by {SIGN}, or “{TOTAL}”"
            yield Problem(f"The margin “{text}” names “{name}”, which is no attribute of the table", "marginals", do)
        key = frozenset(names)
        if len(names) > len(key):
            yield Problem(f"The margin “{text}” names an attribute twice", "marginals", "Name each attribute once")
        if key == frozenset(attributes):
            yield Problem(f"The margin “{text}” is the table itself", "marginals", "Leave it out")
        if key in seen:
            yield Problem(f"The margins “{seen[key]}” and “{text}” are the same", "marginals", "Keep one of them")
        seen[key] = text


def _read(text: str) -> Margin:
    return () if text.strip() == TOTAL else tuple(part.strip() for part in text.split(SIGN))


def title_of(margin: Margin) -> str:
    return " × ".join(margin) if margin else TOTAL
