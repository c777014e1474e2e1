"""The suppressed rivals of everything approved from the same people, tabulated again from their data.

The project knows no true count, so that what was approved is tabulated once more from the file that its plan names. A
table of the same file adds its equations. A table of an earlier file is an earlier vintage: what it withheld stays
withheld. A table that cannot be made again is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.baselines.suppression import baseline as cell_suppression
from workbench.baselines.suppression.across import Approved, approved, old_vintage, suppress_next
from workbench.baselines.suppression.params import SuppressionParams
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.prepare import prepare

if TYPE_CHECKING:
    from workbench.project.store import Project

_MOST_SECONDS = 10  # for each earlier table


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Before:
    """An approved release with suppression in its plan. `table` is None where it could not be made again."""

    name: str
    file: str = ""  # the fingerprint of its data file
    table: Tabulated | None = None
    params: SuppressionParams | None = None


def suppression_of(plan: Plan) -> SuppressionParams | None:
    """The settings of cell suppression, where a plan compares with it."""
    return next((each.params for each in plan.baselines if each.id == cell_suppression.SPEC.id), None)


def approved_before(
    project: Project, plan: Plan, loaded: LoadedData, *, same: Sequence[int], context: Context
) -> tuple[Before, ...]:
    """Approved releases of the same product and people, in the order of their approval."""
    from workbench.review.plan.plan_text import from_text

    if suppression_of(plan) is None:
        return ()
    found = []
    entries = {entry.run_id: entry for entry in project.ledger() if entry.dataset_id in same}
    for place, entry in enumerate(entries.values()):
        run = project.run(entry.run_id)
        earlier = from_text(project.plan_text(entry.release_id, run.plan_digest), entry.release_id, draft=True)
        if suppression_of(earlier) is None or earlier.product.id != plan.product.id:
            continue
        part = Part(context, place / len(entries), (place + 1) / len(entries))
        base = project.path.parent
        found.append(_again(entry.release_id, earlier, loaded, entry.content, base=base, context=part))
    return tuple(found)


def _again(name: str, plan: Plan, loaded: LoadedData, content: str, *, base: Path, context: Context) -> Before:
    try:
        same = plan.data_digest() == loaded.digest
        data = loaded if same else load_data(plan, base=base, context=Part(context, 0.0, 0.7))
        if data.microdata.fingerprint.content != content:
            return Before(name=name)
        table = prepare(data, plan, Part(context, 0.7, 1.0)).value.suppressible()
    except UserProblem:  # the file is gone, or another version of the program made the plan
        return Before(name=name)
    return Before(name=name, file=data.microdata.fingerprint.file, table=table, params=suppression_of(plan))


def patterns_before(
    before: Sequence[Before], new: Tabulated, *, file: str, first: Sequence[Approved], context: Context
) -> list[Approved]:
    """What readers would hold if all of it had been suppressed, one after another; `first` was printed anyway."""
    usable = [each for each in before if each.table is not None and _alike(each.table, new)]
    files = [*dict.fromkeys(each.file for each in usable if each.file != file), file]
    made: list[Approved] = []
    for own in files:
        chain: list[Approved] = [*first, *made] if own == file else []
        start = len(chain)
        for each in (one for one in usable if one.file == own):
            assert each.table is not None and each.params is not None
            quick = replace(each.params, seconds=min(each.params.seconds, _MOST_SECONDS))
            joint, found = suppress_next(each.table, chain, quick, Part(context, 0.0, 1.0))
            chain.append(approved(each.table, joint, found))
        made += chain[start:] if own == file else [old_vintage(each) for each in chain]
    return made


def _alike(one: Tabulated, other: Tabulated) -> bool:
    """Whether two tables count the same thing."""
    return (one.unit, one.holder, one.counts) == (other.unit, other.holder, other.counts)
