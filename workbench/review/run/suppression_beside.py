"""Suppression beside everything approved: what true values printed before make derivable in the suppressed rival.

Cells that an approved table tells exactly stay printed. Named before approval: cells that fail a primary rule and are
printed already, and cells whose level no pattern keeps any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from workbench.audit.differencing.cells import is_total
from workbench.audit.differencing.tables import Protection, PublishedTable
from workbench.baselines.suppression import baseline as cell_suppression
from workbench.baselines.suppression.across import Approved, fixed_before, suppress_next
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.rules import flagged
from workbench.baselines.suppression.suppress import Suppressed
from workbench.baselines.suppression.tabulated import Suppressible
from workbench.core.arrays import Integers
from workbench.core.findings import Finding, Status, Table
from workbench.core.progress import Context
from workbench.core.quantities import counted
from workbench.core.value_words import ValueName, declare
from workbench.review.plan.plan import Plan

declare(
    {
        "primary_cells_printed_before": ValueName("Primary cells printed before"),
        "levels_lost_to_earlier_tables": ValueName("Levels that earlier tables undercut"),
    }
)
SUPPRESSION = "differencing.suppression"  # of the finding
_MOST_ROWS = 25


def suppression_beside(
    value: Suppressible, plan: Plan, others: Sequence[PublishedTable], context: Context
) -> tuple[Finding, ...]:
    """Of `others` of the same data; nothing where the plan has no suppression, or no table tells true values."""
    exact = [table for table in others if table.protection is Protection.EXACT and table.additive]
    chosen = [each.params for each in plan.baselines if each.id == cell_suppression.SPEC.id]
    if not exact or not chosen:
        return ()
    return (finding_of(value, chosen[0], exact, context),)


def finding_of(
    value: Suppressible, params: SuppressionParams, exact: Sequence[PublishedTable], context: Context
) -> Finding:
    earlier = [Approved(printed=printed_by(table)) for table in exact]
    _, found = suppress_next(value.suppressible(), earlier, params, context)
    printed = _primary_and_printed(found, params, earlier)
    undercut = sorted({breach.cell for breach in found.unreachable if breach.insider is None})
    names = ", ".join(dict.fromkeys(table.name for table in exact))
    rows = tuple(_rows(found, printed, undercut))
    return Finding(
        id=SUPPRESSION,
        title="Suppression beside what was approved",
        status=Status.WARN if rows else Status.PASS,
        sentence=(
            f"Beside {names}, suppression of this table leaves {counted(len(printed), 'primary cell')} printed already "
            f"and {counted(len(undercut), 'primary cell')} below the level, whatever else is withheld."
            if rows
            else f"Beside {names}, suppression of this table keeps every level."
        ),
        values={"primary_cells_printed_before": len(printed), "levels_lost_to_earlier_tables": len(undercut)},
        tables=(Table(title="Cells that earlier tables give away", columns=("Cell", "Why"), rows=rows),)
        if rows
        else (),
        does_not_prove="Suppression is the rival of this release; what the release itself tells is counted by its ε.",
    )


def printed_by(table: PublishedTable) -> dict[frozenset[tuple[str, str]], bool]:
    """Each cell of a table by its codes, totals left out, and whether it has a value."""
    return {
        frozenset((name, code) for name, code in zip(table.columns, codes, strict=True) if not is_total(code)): (
            not table.is_suppressed(row)
        )
        for row, codes in enumerate(zip(*table.keys, strict=True))
    }


def _primary_and_printed(found: Suppressed, params: SuppressionParams, earlier: Sequence[Approved]) -> Integers:
    system = found.task.system
    shown, _ = fixed_before(system, earlier)
    if system.behind is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(flagged(params.rules(), system.behind, counts=system.counts).primary & shown)


def _rows(found: Suppressed, printed: Integers, undercut: Sequence[int]) -> Iterator[tuple[str, str]]:
    words = found.task.system.lattice.words
    told = [
        *((cell, "fails a primary rule and is printed") for cell in printed.tolist()),
        *((cell, "its level is undercut") for cell in undercut),
    ]
    for cell, why in told[:_MOST_ROWS]:
        yield words(cell), why
