"""Invariants and post-processing of a release, as the settings of its plan declare them, in the words of the report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from workbench.core.params import Effect, Line, idle, lines_of, set_aside, tables_of
from workbench.review.plan.plan import Plan

_LONG = 8  # rows of a table of settings


def invariants(plan: Plan) -> tuple[str, ...]:
    """What is published as it is, or taken as public, each with its value. Long tables stand under Parameters."""
    return tuple(f"{_name(line)}: {_lower(line.value)}{which}" for line, which in _declared(plan, "invariant", _LONG))


def post_processing(plan: Plan) -> tuple[str, ...]:
    """What is done to the values after the noise, where it is switched on."""
    return tuple(f"{_done(line)}{which}" for line, which in _declared(plan, "post-processing") if not _off(line))


def _declared(plan: Plan, effect: Effect, most: float = math.inf) -> Iterator[tuple[Line, str]]:
    """The public settings with this effect. One of a table comes once for each value, with the rows that have it.

    A table of more than `most` rows is only named.
    """
    for params, aside in ((plan.product.params, set_aside(plan.mechanism.params)), (plan.mechanism.params, ())):
        unused = idle(params).union(aside)
        for line in lines_of(params):
            if line.field.effect == effect and not line.internal and line.field.name not in unused:
                yield line, ""
        for table in tables_of(params):
            for cells in table.columns:
                if cells[0].field.effect != effect or table.internal or cells[0].internal:
                    continue
                if len(table.names) > most:
                    yield replace(cells[0], value=f"as listed under {table.title}"), ""
                else:
                    yield from _by_value(cells, table.names)


def _by_value(cells: tuple[Line, ...], names: tuple[str, ...]) -> Iterator[tuple[Line, str]]:
    for first in {cell.value: cell for cell in reversed(cells)}.values():
        those = [name for name, cell in zip(names, cells, strict=True) if cell.value == first.value]
        yield first, f" ({', '.join(those)})"


def _off(line: Line) -> bool:
    """Nothing is done: false, zero, empty, or a choice called “none”."""
    return line.raw in (False, "", (), "none")


def _done(line: Line) -> str:
    """“Set negative values to zero”, “Consistent: not negative”, “Largest value: 3 people”."""
    if line.raw is True:
        return _name(line)
    return line.value if line.field.choices else f"{_name(line)}: {line.value}"


def _name(line: Line) -> str:
    return line.field.reported or line.label


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]
