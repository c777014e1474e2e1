"""Whether a fresh draw uses the noise of an earlier release, from published tables and the data at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.audit.law_loss import law_of
from workbench.audit.noise_reuse import FEW_CELLS, LEVEL, Overlaps, overlaps
from workbench.core.arrays import Integers
from workbench.core.findings import Finding, Status, found_by
from workbench.core.params import parse
from workbench.core.progress import Context
from workbench.core.published import Published
from workbench.core.quantities import counted, show
from workbench.core.specs import find
from workbench.core.value_words import ValueName, declare
from workbench.noise.declared.contract import PUBLISHED, DeclaresLaws, Law
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData
from workbench.review.run.prepare import PreparedTable
from workbench.review.run.protect import mechanism_of
from workbench.review.run.run import Outcome

if TYPE_CHECKING:
    from workbench.project.records import RunRecord
    from workbench.project.store import Project

SOURCE = "noise-reuse"
declare(
    {
        "common_cells": ValueName("Common cells"),
        "overlaps": ValueName("Cells in which the draws may be the same"),
        "overlap_probability": ValueName("How likely so many are by chance"),
    }
)


def with_reuse(
    outcome: Outcome, project: Project, plan: Plan, *, loaded: LoadedData, prepared: PreparedTable, context: Context
) -> Outcome:
    """The outcome with a finding for every earlier release of the same data whose noise can be compared with it."""
    own = _law(mechanism_of(plan), prepared.value, plan.mechanism.params)
    if own is None:
        return outcome
    found = []
    for run_id in dict.fromkeys(entry.run_id for entry in project.ledger()):
        context.step(0.0, "Checking for reused noise")
        run, table = project.run(run_id), project.published(run_id)
        if table is None or run.inputs.get("content_sha256") != loaded.microdata.fingerprint.content:
            continue
        made = _beside((own, outcome.protected.table), run, table, prepared)
        if made:
            found.append(_finding(run.release_id, min(made, key=lambda each: each.probability), len(made)))
    return replace(outcome, audit=(*outcome.audit, *found_by(SOURCE, tuple(found), stage="audit")))


def _law(mechanism: Any, prepared: Any, params: Any) -> Law | None:
    """The law of the published values themselves; None where they were changed after the draw."""
    if not isinstance(mechanism, DeclaresLaws) or PUBLISHED not in mechanism.laws(prepared, params):
        return None
    return law_of(mechanism, prepared, params)


def _beside(
    own: tuple[Law, Published], run: RunRecord, table: Published, prepared: PreparedTable
) -> tuple[Overlaps, ...]:  # fmt: skip
    """Cells that both tables have, in whatever order: the data say what the law of the earlier release was there.

    They are held beside each other by their keys, and where rows stand otherwise once more by their numbers: noise that
    is drawn again from the same words follows the rows, not the cells.
    """
    used = next((spec for spec in run.specs if spec.kind == "mechanism"), None)
    common = _common_cells(own[1], table)
    if used is None or common is None or not len(common[0]):
        return ()
    mechanism = find(prepared.product.mechanisms, used.id, "mechanism")
    if mechanism.version != used.version:
        return ()
    law = _law(mechanism, prepared.value, parse(mechanism.params, used.params))
    if law is None or len(law) != len(own[0]) or len(law) != len(own[1].values.ravel()):
        return ()
    here, there = common
    earlier = np.zeros(len(law), dtype=np.int64)
    earlier[here] = _values(table)[there]
    pairings = [(here, here)]
    if not np.array_equal(here, there):
        of_row = np.full(len(_values(table)), -1)
        of_row[there] = here
        same_number = np.arange(min(len(of_row), len(law)))
        same_number = same_number[of_row[same_number] >= 0]
        pairings.append((same_number, of_row[same_number]))
    made = [overlaps((own[0], _values(own[1])), (law, earlier), rows) for rows in pairings]
    return tuple(each for each in made if each is not None)


def _common_cells(one: Published, other: Published) -> tuple[Integers, Integers] | None:
    """Rows of either table with the same key, in the order of the first; None where they have other key columns."""
    names = sorted(key.name for key in one.keys)
    if not names or names != sorted(key.name for key in other.keys):
        return None
    sides = [
        list(zip(*(next(key for key in table.keys if key.name == name).texts() for name in names), strict=True))
        for table in (one, other)
    ]
    places = {cell: place for place, cell in enumerate(sides[1])}
    if len(places) != len(sides[1]) or len(set(sides[0])) != len(sides[0]):
        return None
    pairs = [(row, places[cell]) for row, cell in enumerate(sides[0]) if cell in places]
    here, there = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    return here, there


def _values(table: Published) -> Integers:
    return np.asarray(table.values).ravel().astype(np.int64)


def _finding(release_id: str, seen: Overlaps, looks: int) -> Finding:
    """Of the most telling of so many looks, whose probabilities are multiplied by their number."""
    probability = min(1.0, seen.probability * looks)
    reused = probability < LEVEL
    weak = f" With fewer than {FEW_CELLS} common cells this test is weak." if seen.cells < FEW_CELLS else ""
    numbers = f"{show(seen.same)} of {counted(seen.cells, 'common cell')} where {show(seen.expected, 2)} are expected"
    sentence = (
        f"The noise seems to be that of {release_id}: draws may be the same in {numbers}. Anyone who has both "
        "tables can subtract the noise."
        if reused
        else f"The noise is not that of {release_id}: draws may be the same in {numbers}."
    )
    return Finding(
        id=f"{SOURCE}.{release_id}",
        title=f"Noise reused from {release_id}",
        status=Status.FAIL if reused else Status.PASS,
        sentence=sentence + weak,
        values={"common_cells": seen.cells, "overlaps": seen.same, "overlap_probability": probability},
        does_not_prove="That noise was not taken from a release outside this project, or bent before it was reused.",
    )
