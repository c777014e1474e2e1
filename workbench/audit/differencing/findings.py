"""What the search found, in words. Every finding is internal: derived values are confidential."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from workbench.audit.differencing.overlaps import Overlap, composed
from workbench.audit.differencing.search import Derived, Result, Term
from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.core.findings import Finding, Status, Table, Value
from workbench.core.quantities import show
from workbench.core.value_words import ValueName, declare, only_for_scripts

declare(
    {
        "composed_epsilon": ValueName("ε of all together"),
        "tables": ValueName("Tables"),
        "tables_with_exact_relations": ValueName("Tables related exactly"),
        "tables_with_the_same_cells": ValueName("Tables with the same cells"),
        "same_cells": ValueName("Cells in common, at most"),
        "withheld_cells": ValueName("Withheld cells"),
        "derived_exactly": ValueName("Cells derived exactly"),
        "small_groups_derived": ValueName("Small groups derived"),
        "derivable_without_this_release": ValueName("Derivable without this release"),
        "not_examined": ValueName("Cells not examined"),
        "contradictions": ValueName("Contradictions between tables"),
        "bounded": ValueName("Withheld cells with bounds"),
        "narrow": ValueName("Withheld cells with narrow bounds"),
        "smallest_half_width": ValueName("Narrowest bound", "either way"),
    }
)
only_for_scripts("examined")

_MOST_ROWS = 25
_MOST_TERMS = 8
LIMITS = (
    "Tables that nobody added are not looked at, nor what a reader knows without any table. Columns are matched by "
    "name and codes by spelling; a table from outside is taken to count the same thing as this release."
)


def nothing_adds_up(others: Sequence[PublishedTable]) -> Finding:
    """For means, slopes and protected records: no value of the release is a sum that another could be taken from."""
    beside = (
        f" What it tells beside {_names(others)} is counted by adding their privacy loss." if others else ""
    )  # fmt: skip
    return Finding(
        id="differencing",
        title="Differencing against other tables",
        status=Status.INFO,
        sentence=f"No column of this release holds values that add up, so there is nothing to subtract.{beside}",
        values={"tables": 1 + len(others), "examined": False},
        does_not_prove="Records and means can still be matched with other tables by what they have in common.",
    )


def _names(tables: Sequence[PublishedTable]) -> str:
    return ", ".join(dict.fromkeys(table.name for table in tables))


def derivation(
    found: Result,
    *,
    small: tuple[Derived, ...],
    tables: Sequence[PublishedTable],
    without: int | None,
    aside: Sequence[PublishedTable] = (),
) -> Finding:
    """The main finding: cells that follow exactly. `without` counts those that follow without this release too.

    `aside` are tables of the same data that count something else.
    """
    exact = tuple(each for each in found.withheld if each.exact)
    algebraic = [table for table in tables if table.algebraic]
    values: dict[str, Value] = {
        "tables": len(tables),
        "tables_with_exact_relations": len(algebraic),
        "withheld_cells": found.looked_at,
        "derived_exactly": len(exact),
        "small_groups_derived": len(small),
        "derivable_without_this_release": len(exact) + len(small) if without is None else without,
        "not_examined": found.skipped,
    }
    shown = (*exact, *small)
    return Finding(
        id="differencing",
        title="Differencing against other tables",
        status=_status(found, shown, algebraic),
        sentence=_sentence(found, exact, small, tables=tables, without=without, aside=aside),
        values=values,
        tables=(_combinations(shown),) if shown else (),
        does_not_prove=LIMITS,
    )


def _status(found: Result, shown: Sequence[Derived], algebraic: Sequence[PublishedTable]) -> Status:
    if shown:
        return Status.FAIL
    if found.skipped:
        return Status.WARN
    return Status.PASS if algebraic else Status.INFO


def _sentence(
    found: Result,
    exact: Sequence[Derived],
    small: Sequence[Derived],
    *,
    tables: Sequence[PublishedTable],
    without: int | None,
    aside: Sequence[PublishedTable],
) -> str:
    if len(tables) < 2 and not found.looked_at and aside:
        return (
            f"{_names(aside)} came from the same data but hold other values, so nothing can be subtracted; how much "
            "they tell together is counted by adding their privacy loss."
        )
    if len(tables) < 2 and not found.looked_at:
        return "There is no other table of the same data to combine this release with."
    if not any(table.algebraic for table in tables):
        names = ", ".join(table.name for table in tables[1:])
        return (
            f"This release and {names} carry random noise, so subtracting them gives noisy values only; how much they "
            "tell together is counted by adding their privacy loss."
        )
    parts = []
    if exact:
        parts.append(f"{_count(len(exact), 'withheld cell')} can be calculated exactly from the published ones")
    if small:
        parts.append(f"{_count(len(small), 'small group')} that no table lists can be calculated exactly")
    if parts:
        both = " and ".join(parts) + "."
        return both + _blame(len(exact) + len(small), without)
    said = f"None of {show(found.looked_at)} withheld cells can be calculated from the published ones"
    if found.skipped:
        return f"{said}, but {show(found.skipped)} of them were too many or too entangled to examine."
    return f"{said}, and no small group can." if found.looked_at else "No small group can be calculated."


def _blame(total: int, without: int | None) -> str:
    if without is None or without >= total:
        return " This release is not needed for it: the other tables give it away by themselves."
    if without:
        return f" {show(total - without)} of them only with this release."
    return " All of them only once this release is published."


def _count(number: int, noun: str) -> str:
    return f"{show(number)} {noun}{'' if number == 1 else 's'}"


def _combinations(shown: Sequence[Derived]) -> Table:
    rows = tuple(
        (each.group.words(), ", ".join(each.tables) or "no table", each.low, in_words(each.terms))
        for each in shown[:_MOST_ROWS]
    )
    left = len(shown) - len(rows)
    return Table(
        title="Cells that can be calculated, and from what",
        columns=("Cell", "Withheld in", "Value", "Combination of published cells"),
        rows=rows,
        note=f"{show(left)} more are not listed here." if left > 0 else "",
    )


def in_words(terms: Sequence[Term]) -> str:
    """“+ B (table 1) − B · men (table 1)”: each published cell with its sign and the table it stands in."""
    if not terms:
        return "the only value that fits every published total"
    shown = [f"{_factor(term.factor)} {term.group.words()} ({term.table})" for term in terms[:_MOST_TERMS]]
    left = len(terms) - len(shown)
    return " ".join(shown) + (f" and {show(left)} more" if left else "")


def _factor(factor: Fraction) -> str:
    sign = "−" if factor < 0 else "+"
    return sign if abs(factor) == 1 else f"{sign} {abs(factor)} ×"


def narrow_bounds(found: Result) -> Finding | None:
    """Withheld cells that are not exact but lie in a known interval."""
    bounded = [each for each in found.withheld if not each.exact]
    if not bounded:
        return None
    narrow = [each for each in bounded if each.half_width <= max(1.0, 0.1 * abs(each.low + each.high) / 2)]
    closest = min(bounded, key=lambda each: each.half_width)
    said = (
        f"{_count(len(bounded), 'withheld cell')} can be bounded; the closest, {closest.group.words()}, to within "
        f"±{show(closest.half_width)}."
    )
    tail = f" {_count(len(narrow), 'cell')} within ±1 or 10 % of the value." if narrow else ""
    return Finding(
        id="differencing.bounds",
        title="How closely withheld cells can be bounded",
        status=Status.WARN if narrow else Status.PASS,
        sentence=said + tail,
        values={"bounded": len(bounded), "narrow": len(narrow), "smallest_half_width": closest.half_width},
        tables=(_bounds_table(bounded),),
        does_not_prove="A reader who knows one contributor's value can do better. " + LIMITS,
    )


def _bounds_table(bounded: Sequence[Derived]) -> Table:
    ordered = sorted(bounded, key=lambda each: each.half_width)[:_MOST_ROWS]
    left = len(bounded) - len(ordered)
    return Table(
        title="Smallest and largest value that fits every published total",
        columns=("Cell", "Withheld in", "At least", "At most"),
        rows=tuple((each.group.words(), ", ".join(each.tables), each.low, each.high) for each in ordered),
        note=f"{show(left)} more are bounded less closely." if left > 0 else "",
    )


def contradictions(found: Result) -> Finding | None:
    if not found.contradictions:
        return None
    return Finding(
        id="differencing.contradictions",
        title="Tables that do not agree",
        status=Status.WARN,
        sentence=(
            f"{_count(found.contradictions, 'published total')} cannot be the sum of what is listed below, or differ "
            "from table to table; what follows from them is uncertain. Codes of several levels in one column need the "
            "list of which code belongs to which."
        ),
        values={"contradictions": found.contradictions},
        does_not_prove="Tables that agree can still be of different populations.",
    )


def again(under_review: PublishedTable, random: Sequence[Overlap]) -> Finding | None:
    """Noisy tables of the same data: ε adds up, above all where the same cells are drawn again."""
    related = [each for each in random if each.again or each.shared]
    if not related:
        return None
    same = [each for each in related if each.again]
    sums = composed([under_review, *(each.table for each in related)])
    told = (f"{'no bound' if loss is None else f'ε = {show(loss)}'} ({name})" for name, loss in sums.items())
    total = "; ".join(told) or "no formal guarantee"
    names = ", ".join(each.table.name for each in (same or related))
    said = (
        f"{names} gives {show(max(each.same_cells for each in same))} of the same cells with noise of its own: "
        f"averaging the draws brings readers closer to the true values. "
        if same
        else f"{names} has columns in common with this release; sums over the others are told twice, with noise. "
    )
    return Finding(
        id="differencing.again",
        title="The same cells in other releases",
        status=Status.WARN if same else Status.INFO,
        sentence=f"{said}What holds for all of them together is {total}.",
        values={
            "tables_with_the_same_cells": len(same),
            "same_cells": max((each.same_cells for each in same), default=0),
            "composed_epsilon": max((loss for loss in sums.values() if loss is not None), default=None),
        },
        tables=(_overlap_table(related),),
        does_not_prove="Adding up ε bounds what is told together; it may be less. The ledger counts it for the data.",
    )


def _overlap_table(related: Sequence[Overlap]) -> Table:
    return Table(
        title="Tables with random noise of the same data",
        columns=("Table", "Same cells", "Columns in common", "ε"),
        rows=tuple(
            (each.table.name, each.same_cells, ", ".join(each.shared) or "none", each.table.epsilon) for each in related
        ),
    )


def already_public(under_review: PublishedTable, exact: Sequence[Overlap]) -> Finding | None:
    """Noise protects no cell that is published without noise elsewhere."""
    told = [each for each in exact if each.again]
    if under_review.protection is not Protection.FORMAL or not told:
        return None
    cells = max(each.same_cells for each in told)
    names = ", ".join(each.table.name for each in told)
    return Finding(
        id="differencing.already-public",
        title="Cells that are public already",
        status=Status.WARN,
        sentence=(
            f"{names} publishes {show(cells)} of the {show(under_review.rows)} cells of this release without noise: "
            "for those the noise of this release protects nothing."
        ),
        values={"cells": cells},
        does_not_prove="Whether both tables count the same units at the same time.",
    )
