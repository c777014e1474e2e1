"""Counts and weights that cannot be: negative or broken counts, weights of nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import agreeing, counted
from workbench.core.value_words import ValueName, declare
from workbench.microdata.counting import odd
from workbench.microdata.roles import Role, Roles, columns_with
from workbench.microdata.suggest import parts_of
from workbench.microdata.table import Microdata

declare(
    {
        "negative": ValueName("Negative numbers"),
        "fractional": ValueName("Numbers that are not whole"),
        "zero": ValueName("Zeros"),
        "missing": ValueName("Missing"),
    }
)

COUNT_WORDS = ("count", "counts", "headcount")


def check_counts(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether columns of counts hold whole numbers from zero up."""
    yield from counts_of(microdata, counting_columns(microdata, roles, COUNT_WORDS), context)


def counting_columns(microdata: Microdata, roles: Roles, words: Sequence[str]) -> tuple[str, ...]:
    """Columns of counts, and outcomes whose name says that they count."""
    counts = columns_with(roles, Role.COUNT)
    named = (name for name in columns_with(roles, Role.OUTCOME) if set(parts_of(name)) & set(words))
    return tuple(name for name in (*counts, *named) if name in microdata.columns)


def counts_of(microdata: Microdata, names: Sequence[str], context: Context) -> Iterator[Finding]:
    """Whether these columns hold whole numbers from zero up."""
    if not names:
        return
    negative, broken = {}, {}
    for position, name in enumerate(names):
        found = odd(microdata, name, context)
        negative[name], broken[name] = found.negative, found.fractional
        context.step((position + 1) / len(names), f"Checking the counts of “{name}”")
    bad = [name for name in names if negative[name] or broken[name]]
    listed = ", ".join(f"“{name}”" for name in bad)
    rows = tuple((name, negative[name], broken[name]) for name in bad)
    yield Finding(
        id="data.impossible-counts", title="Counts are whole and not negative",
        status=Status.FAIL if bad else Status.PASS,
        sentence=f"Negative or fractional counts in {listed}." if bad
        else f"{counted(len(names), 'column')} {agreeing(len(names), 'holds', 'hold')} proper counts.",
        values={"columns": len(names), "negative": sum(negative.values()), "fractional": sum(broken.values())},
        tables=(Table(title="Impossible", columns=("column", "negative", "fractional"), rows=rows),) if bad else (),
        does_not_prove="That the counts are true, or that another column is not a count too.",
    )  # fmt: skip


def check_weights(microdata: Microdata, roles: Roles, context: Context) -> Iterator[Finding]:
    """Whether every weight is above zero. What is not contributes nothing, by the rule of every product: a warning.

    A failure would let one respondent's weight decide whether a release can be approved as others are.
    """
    for name in columns_with(roles, Role.WEIGHT):
        if name not in microdata.columns:
            continue
        found = odd(microdata, name, context)
        negative, zero = found.negative, found.zero
        missing = microdata.columns[name].missing
        gone = ((negative, "negative"), (zero, "zero"), (missing, "missing"))
        told = ", ".join(f"{count:,} {word}" for count, word in gone if count)
        status = Status.WARN if told else Status.PASS
        yield Finding(
            id="data.weight-not-positive", title="Weights are above zero", status=status,
            sentence=f"Weights of “{name}”: {told}. These rows contribute nothing." if told
            else f"Every weight is above zero, {microdata.rows:,} in all.",
            values={"negative": negative, "zero": zero, "missing": missing},
            does_not_prove="That the weights are the right ones, or that they add up to the population.",
        )  # fmt: skip
