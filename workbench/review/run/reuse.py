"""Whether a fresh draw uses the noise of a release that left the house, from published tables and the data at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.audit.law_loss import law_of
from workbench.audit.noise_reuse import FEW_CELLS, Overlaps, overlaps
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
    """The outcome with a finding for every earlier release of the same data whose noise can be held against it."""
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
        if made is not None:
            found.append(_finding(run.release_id, made))
    return replace(outcome, audit=(*outcome.audit, *found_by(SOURCE, tuple(found), stage="audit")))


def _law(mechanism: Any, prepared: Any, params: Any) -> Law | None:
    """The law of the published values themselves; None where they were changed after the draw."""
    if not isinstance(mechanism, DeclaresLaws) or PUBLISHED not in mechanism.laws(prepared, params):
        return None
    return law_of(mechanism, prepared, params)


def _beside(own: tuple[Law, Published], run: RunRecord, table: Published, prepared: PreparedTable) -> Overlaps | None:
    """Only where the earlier release has the same cells in the same order: then the data say what its law was."""
    used = next((spec for spec in run.specs if spec.kind == "mechanism"), None)
    if used is None or not _same_cells(own[1], table):
        return None
    mechanism = find(prepared.product.mechanisms, used.id, "mechanism")
    if mechanism.version != used.version:
        return None
    law = _law(mechanism, prepared.value, parse(mechanism.params, used.params))
    if law is None or len(law) != len(own[0]):
        return None
    return overlaps((own[0], _values(own[1])), (law, _values(table)))


def _same_cells(one: Published, other: Published) -> bool:
    return [key.name for key in one.keys] == [key.name for key in other.keys] and all(
        np.array_equal(a.texts(), b.texts()) for a, b in zip(one.keys, other.keys, strict=True)
    )


def _values(table: Published) -> Integers:
    return np.asarray(table.values).ravel().astype(np.int64)


def _finding(release_id: str, seen: Overlaps) -> Finding:
    weak = f" With fewer than {FEW_CELLS} common cells this test is weak." if seen.cells < FEW_CELLS else ""
    numbers = f"{show(seen.same)} of {counted(seen.cells, 'common cell')} where {show(seen.expected, 2)} are expected"
    sentence = (
        f"The noise seems to be that of {release_id}: draws may be the same in {numbers}. Anyone who has both "
        "tables can subtract the noise."
        if seen.reused
        else f"The noise is not that of {release_id}: draws may be the same in {numbers}."
    )
    return Finding(
        id=f"{SOURCE}.{release_id}",
        title=f"Noise reused from {release_id}",
        status=Status.FAIL if seen.reused else Status.PASS,
        sentence=sentence + weak,
        values={"common_cells": seen.cells, "overlaps": seen.same, "overlap_probability": seen.probability},
        does_not_prove="That noise was not taken from a release outside this project, or bent before it was reused.",
    )
