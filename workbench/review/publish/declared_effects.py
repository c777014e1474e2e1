"""Invariants and post-processing of a release, as the settings of its plan declare them, in the words of the report."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.params import Effect, Line, lines_of, tables_of
from workbench.review.plan.plan import Plan


def invariants(plan: Plan) -> tuple[str, ...]:
    """What is published as it is, or taken as public, each with its value."""
    return tuple(f"{_name(line)}: {_lower(line.value)}{which}." for line, which in _declared(plan, "invariant"))


def post_processing(plan: Plan) -> tuple[str, ...]:
    """What is done to the values after the noise, where it is switched on."""
    return tuple(f"{_done(line)}{which}" for line, which in _declared(plan, "post-processing") if not _off(line))


def _declared(plan: Plan, effect: Effect) -> Iterator[tuple[Line, str]]:
    """The public settings with this effect. One of a table comes once for each value, with the rows that have it."""
    for params in (plan.product.params, plan.mechanism.params):
        for line in lines_of(params):
            if line.field.effect == effect and not line.internal:
                yield line, ""
        for table in tables_of(params):
            for cells in table.columns:
                if cells[0].field.effect == effect and not (table.internal or cells[0].internal):
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
