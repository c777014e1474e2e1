"""One call: the table under review against every other, and findings in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.audit.differencing import findings as words
from workbench.audit.differencing.cells import MOST_CELLS, TooManyCells, span
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.audit.differencing.overlaps import overlaps
from workbench.audit.differencing.ranges import differences
from workbench.audit.differencing.search import Derived, Result, search
from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable, comparable, of_other_values
from workbench.audit.differencing.withheld_elsewhere import withheld_elsewhere
from workbench.core.findings import Finding, Status
from workbench.core.progress import Context, Part
from workbench.core.quantities import show

FEW = 10  # a group of fewer is small, whatever the unit
FEW_CONTRIBUTORS = 3
_RANDOM = (Protection.FORMAL, Protection.NOISY)


def difference(
    under_review: PublishedTable,
    published: Sequence[PublishedTable],
    *,
    hierarchies: Sequence[Hierarchy] = (),
    contributors: Contributors = nobody_knows,
    few: int = FEW,
    context: Context,
) -> tuple[Finding, ...]:
    """Everything that the published tables and the one under review give away together.

    Exact where sums determine a cell (integer algebra), bounded by linear programmes otherwise; formally private tables
    take no part in either, because their differences are noisy: for them the privacy loss is added up.
    """
    aside = of_other_values(under_review, tuple(published))
    if not under_review.additive:
        return (words.nothing_adds_up((*comparable(under_review, tuple(published)), *aside)),)
    others = comparable(under_review, tuple(published))
    tables = (under_review, *others)
    try:
        found = search(tables, hierarchies, Part(context, 0.0, 0.7))
        before = _before(under_review, others, hierarchies, Part(context, 0.7, 0.9))
    except TooManyCells:
        return (_too_large(tables),)
    found = _with_ranges(found, tables, hierarchies, context)
    small = _small(found, contributors, few)
    without = None if before is None else _exact(before) + len(_small(before, contributors, few))
    random = [table for table in others if table.protection in _RANDOM]
    exact = [table for table in others if table.protection is Protection.EXACT]
    met = overlaps(under_review, (*random, *exact), hierarchies, Part(context, 0.9, 1.0))
    made = (
        words.derivation(found, small=small, tables=tables, without=without, aside=aside),
        words.narrow_bounds(found),
        words.contradictions(found),
        words.again(under_review, met[: len(random)]) if under_review.protection in _RANDOM else None,
        words.already_public(under_review, met[len(random) :]),
        withheld_elsewhere(under_review, published, hierarchies),
    )
    context.step(1.0, "other tables looked at")
    return tuple(finding for finding in made if finding is not None)


def _before(
    under_review: PublishedTable, others: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], context: Context
) -> Result | None:
    """What follows without the release; None where the release takes no part in the algebra at all."""
    return search(others, hierarchies, context) if under_review.algebraic else None


def _with_ranges(
    found: Result, tables: Sequence[PublishedTable], hierarchies: Sequence[Hierarchy], context: Context
) -> Result:
    """What is left between groupings of different tables is a group that nobody listed, too."""
    used = [table for table in tables if table.algebraic]
    if len(used) < 2:
        return found
    known = {each.group for each in found.unlisted}
    fresh = (each for each in differences(span(used, hierarchies, Part(context, 0.9, 0.9))) if each.group not in known)
    return replace(found, unlisted=(*found.unlisted, *fresh))


def _exact(found: Result) -> int:
    return sum(each.exact for each in found.withheld)


def _small(found: Result, contributors: Contributors, few: int) -> tuple[Derived, ...]:
    """Groups that nobody listed and that hold somebody, but few units or contributors."""
    return tuple(
        each for each in found.unlisted if each.low > 0 and (each.low < few or _held_by_few(each, contributors))
    )


def _held_by_few(each: Derived, contributors: Contributors) -> bool:
    counted = contributors(each.group)
    return counted is not None and 0 < counted.reveal() < FEW_CONTRIBUTORS


def _too_large(tables: Sequence[PublishedTable]) -> Finding:
    return Finding(
        id="differencing",
        title="Differencing against other tables",
        status=Status.WARN,
        sentence=(
            f"{len(tables)} tables together span more than {show(MOST_CELLS)} cells, too many to be combined here; "
            "differencing was not examined."
        ),
        values={"tables": len(tables), "examined": False},
        does_not_prove=words.LIMITS,
    )
