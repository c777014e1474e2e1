"""Suppression beside everything approved: what true values printed before make derivable in the suppressed rival.

Cells that an approved table tells exactly stay printed. Releases approved before with suppression in their plan are
suppressed first, in their order. Named before approval: cells that fail a primary rule and are printed already, and
cells whose level no pattern keeps any more, cells among them that no table lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.audit.differencing.cells import is_total
from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.baselines.suppression.across import Approved, approved, suppress_next
from workbench.baselines.suppression.check import lost_to_others
from workbench.baselines.suppression.findings import SAME_ROWS, known_themselves
from workbench.baselines.suppression.joining import Joined
from workbench.baselines.suppression.meaning import Meaning, meaning
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.rules import flagged
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import SometimesSuppressible, Tabulated
from workbench.core.arrays import Bools, Integers
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context, Part
from workbench.core.quantities import agreeing, counted, show
from workbench.core.value_words import ValueName, declare
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData
from workbench.review.run.suppression_groupings import grouped
from workbench.review.run.suppression_history import Before, Now, pattern_text, patterns_before, suppression_of
from workbench.review.run.suppression_rows import source_of, with_rows
from workbench.review.run.suppression_together import Together, together

declare(
    {
        "withheld_alone": ValueName("Cells withheld if the table stood alone"),
        "withheld_beside_earlier_tables": ValueName("Cells withheld beside earlier tables"),
        "unlisted_primary_cells": ValueName("Primary cells that no table lists"),
        "primary_cells_printed_before": ValueName("Primary cells printed before"),
        "levels_lost_to_earlier_tables": ValueName("Levels that earlier tables undercut"),
    }
)
SUPPRESSION = "differencing.suppression"  # of the finding
_MOST_ROWS = 25


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Beside:
    """What is said of the suppressed rival, and its pattern as the project keeps it."""

    findings: tuple[Finding, ...] = ()
    withheld: str = ""


def suppression_beside(
    value: SometimesSuppressible,
    plan: Plan,
    others: Sequence[PublishedTable],
    context: Context,
    *,
    loaded: LoadedData,
    base: Path,
    before: Sequence[Before] = (),
) -> Beside:
    """Of `others` of the same data; files of the plan are found from `base` on.

    Nothing without suppression in the plan; no finding where nothing was approved.
    """
    exact = [table for table in others if table.protection is Protection.EXACT and table.additive]
    params = suppression_of(plan)
    if params is None:
        return Beside()
    table = value.suppressible()
    if table is None:
        return Beside(findings=(_not_tabulated(),) if before else ())
    new = with_rows(grouped(table, plan, loaded, base=base), plan, loaded)
    content = loaded.microdata.fingerprint.content
    source = source_of(plan, loaded, base=base)
    all_of_it = together(new, source, before, content=content, context=Part(context, 0.0, 0.0))
    return beside_of(new.table, params, exact, context, beside=all_of_it)


def beside_of(
    new: Tabulated,
    params: SuppressionParams,
    exact: Sequence[PublishedTable],
    context: Context,
    *,
    beside: Together | None = None,
) -> Beside:
    at_hand = beside or Together(table=new, now=Now(), before=(), of_rows={})
    before = at_hand.before
    earlier = [Approved(printed=printed_by(table, at_hand.of_rows_in(table))) for table in exact]
    known = patterns_before(before, at_hand.table, now=at_hand.now, first=earlier, context=Part(context, 0.0, 0.5))
    joint, found = suppress_next(at_hand.table, [*earlier, *known], params, Part(context, 0.5, 0.8))
    withheld = pattern_text(approved(at_hand.table, joint, found), without=at_hand.of_rows.get("", frozenset()))
    if not (exact or before or at_hand.others):
        return Beside(withheld=withheld)
    _, alone = suppress_next(new, [], params, Part(context, 0.8, 1.0))
    counts = int(alone.suppressed.sum()), _of_new(at_hand.table, joint, found)
    return Beside(findings=(_finding(found, joint, params, counts, exact, at_hand),), withheld=withheld)


def _not_tabulated() -> Finding:
    """Said where nobody can tell who is behind the cells of a suppressed table, so that it is compared with nothing."""
    return Finding(
        id=SUPPRESSION,
        title="Suppression beside what was approved",
        status=Status.WARN,
        sentence=(
            "The suppressed tables were not compared with those of approved releases: the rows stay with their "
            "engine, or the tables have too many cells."
        ),
        does_not_prove="Suppression is the rival of this release; what the release itself tells is counted by its ε.",
    )


def not_known_to(since: Sequence[str]) -> Finding:
    """Said where the data of a draw are gone, so that its pattern cannot be made beside what was approved since."""
    return Finding(
        id=SUPPRESSION,
        title="Suppression beside what was approved",
        status=Status.FAIL,
        sentence=(
            f"The suppressed table was not compared with {', '.join(since)}: the data of this draw are not where its "
            "plan says, or have changed. Put the file back and compare again, or draw again."
        ),
        does_not_prove="Suppression is the rival of this release; what the release itself tells is counted by its ε.",
    )


def _finding(
    found: Suppressed,
    joint: Joined,
    params: SuppressionParams,
    counts: tuple[int, int],
    exact: Sequence[PublishedTable],
    beside: Together,
) -> Finding:
    before = beside.before
    printed = _primary_and_printed(found, params)
    lost = [breach for breach in found.unreachable if lost_to_others(found.task, breach)]
    undercut = sorted({breach.cell for breach in lost})
    known = len(found.unreachable) - len(lost)
    missing = [each for each in before if each.table is None]
    names = ", ".join(
        dict.fromkeys([*(table.name for table in exact), *(e.name for e in before if e.table and not e.hidden)])
    )
    rows = tuple(_rows(found, joint, printed, undercut))
    return Finding(
        id=SUPPRESSION,
        title="Suppression beside what was approved",
        status=Status.WARN if rows or missing or beside.apart or beside.others else Status.PASS,
        sentence=(
            " ".join(_said(names, counts, len(printed), len(undercut), missing))
            + known_themselves(known)
            + _not_compared(beside)
        ).strip(),
        values={
            "primary_cells_printed_before": len(printed),
            "levels_lost_to_earlier_tables": len(undercut),
            "withheld_alone": counts[0],
            "withheld_beside_earlier_tables": counts[1],
            "unlisted_primary_cells": int(found.task.primary[_nobody_lists(joint, found)].sum()),
        },
        tables=(Table(title="Cells that earlier tables reveal", columns=("Cell", "Why"), rows=rows),) if rows else (),
        does_not_prove=(
            f"{SAME_ROWS} Suppression is the rival of this release; what the release itself tells is counted by its ε."
        ),
    )


def _said(
    names: str, counts: tuple[int, int], printed: int, undercut: int, missing: Sequence[Before]
) -> Iterator[str]:  # fmt: skip
    if names and (printed or undercut):
        yield (
            f"Beside {names}, suppression of this table leaves {counted(printed, 'primary cell')} printed already "
            f"and {counted(undercut, 'primary cell')} below the level, whatever else is withheld."
        )
    elif names:
        yield f"Beside {names}, suppression of this table keeps every level."
    if names:
        yield f"It withholds {counted(counts[1], 'cell')} with margins, and {show(counts[0])} if it stood alone."
    lost = [each.name for each in missing if each.withheld is None]
    kept = [each.name for each in missing if each.withheld is not None]
    if lost:
        yield f"{', '.join(lost)} could not be tabulated again and {agreeing(len(lost), 'is', 'are')} left out."
    if kept:
        yield (
            f"{', '.join(kept)} could not be tabulated again: what {agreeing(len(kept), 'it', 'they')} withheld stays "
            "withheld, but sums are not compared."
        )


def _not_compared(beside: Together) -> str:
    said = ""
    if beside.apart:
        names = ", ".join(beside.apart)
        said += f" What {names} and this table leave out of each other was not looked at: their rows cannot be told."
    if beside.others:
        names, are = ", ".join(dict.fromkeys(beside.others)), agreeing(len(set(beside.others)), "is", "are")
        said += (
            f" {names} {are} of another product: nothing is subtracted between their suppressed tables and this one."
        )
    return said


def _of_new(new: Tabulated, joint: Joined, found: Suppressed) -> int:
    """Withheld cells of the new table, its margins included."""
    hidden = np.flatnonzero(found.suppressed & ~_nobody_lists(joint, found))
    keys = found.task.system.lattice.keys
    return sum(new.has(meaning(joint.names, keys[cell])) for cell in hidden.tolist())


def _nobody_lists(joint: Joined, found: Suppressed) -> Bools:
    system = found.task.system
    unlisted = np.array([joint.nobody_lists(key) for key in system.lattice.keys], dtype=bool)
    unlisted[system.listed :] = True
    return unlisted


def printed_by(table: PublishedTable, of_rows: Meaning = frozenset()) -> dict[Meaning, bool]:
    """Each cell of a table by its codes and by the rows that it is of, totals left out, and whether it has a value."""
    return {
        of_rows.union((name, code) for name, code in zip(table.columns, codes, strict=True) if not is_total(code)): (
            not table.is_suppressed(row)
        )
        for row, codes in enumerate(zip(*table.keys, strict=True))
    }


def _primary_and_printed(found: Suppressed, params: SuppressionParams) -> Integers:
    system = found.task.system
    if system.behind is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(flagged(params.rules(), system.behind, counts=system.counts).primary & found.task.published)


def _rows(
    found: Suppressed, joint: Joined, printed: Integers, undercut: Sequence[int]
) -> Iterator[tuple[str, str]]:  # fmt: skip
    words, lines, sums = _words(found, joint), found.task.system.lines, found.telling
    told = [
        *((cell, "fails a primary rule and is printed") for cell in printed.tolist()),
        *((cell, "its level is undercut") for cell in undercut),
        *((lines[line].whole, "its suppressed cells add up to a sum that fails a primary rule") for line in sums),
    ]
    for cell, why in told[:_MOST_ROWS]:
        yield words(cell), why


def _words(found: Suppressed, joint: Joined) -> Callable[[int], str]:
    """The codes that name a cell. A code that several columns have is said with its column."""
    keys = found.task.system.lattice.keys
    known = {(column, code) for key in keys for column, code in zip(joint.columns, key, strict=True) if code}
    many = Counter(code for _, code in known)

    def words(cell: int) -> str:
        named = zip(joint.columns, keys[cell], strict=True)
        said = [f"{column}: {code}" if many[code] > 1 else code for column, code in named if code is not None]
        return " · ".join(said) or "the total"

    return words
