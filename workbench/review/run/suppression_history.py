"""The suppressed rivals of everything approved from the same people, tabulated again from their data.

The project knows no true count, so that what was approved is tabulated once more from the file that its plan names. A
table of the same file adds its equations, whatever columns it uses and whichever rows it counts. A table of another
file is another version: what it withheld stays withheld, and both are attacked together. Which cells it withheld stands
in the project since its draw, so that a file that is gone or was overwritten loses no pattern; a table that cannot be
made again is named.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.baselines.suppression.across import Approved, approved, old_vintage, suppress_next
from workbench.baselines.suppression.lattice import spanned
from workbench.baselines.suppression.meaning import Meaning, meaning
from workbench.baselines.suppression.params import AsksForSuppression, SuppressionParams
from workbench.baselines.suppression.row_sets import Counted
from workbench.baselines.suppression.tabulated import Tabulated
from workbench.core.errors import UserProblem
from workbench.core.progress import Context, Part
from workbench.microdata.shaping.params import Recoding
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.prepare import prepare
from workbench.review.run.suppression_groupings import grouped, told_apart
from workbench.review.run.suppression_rows import Source, source_of, with_rows

if TYPE_CHECKING:
    from workbench.project.store import Project

_MOST_SECONDS = 10  # for each earlier table


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Before:
    """An approved release with suppression in its plan. `table` is None where it could not be made again.

    `withheld` are the cells that its draw withheld; None where the draw is of a version that did not keep them.
    """

    name: str
    content: str = ""  # the fingerprint of its data
    rows: str = ""  # of which file it is (`suppression_together`); none where it could not be read again
    table: Tabulated | None = None
    params: SuppressionParams | None = None
    withheld: frozenset[Meaning] | None = None
    hidden: bool = False  # the parts of a release's cells, which no table lists
    other: bool = False  # of another product, so that its cells are not compared
    source: Source | None = None
    counted: Counted | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """The data under review: the fingerprint of what the plan makes of them, and of which file they are."""

    content: str = ""
    rows: str = ""

    def holds(self, before: Before) -> bool:
        """Whether an approved release is of the same file, or of the same rows in another one."""
        return before.content == self.content or bool(self.rows and before.rows == self.rows)


def suppression_of(plan: Plan) -> SuppressionParams | None:
    """The settings of suppression, where a plan compares with suppressed tables: of any baseline that has such."""
    return next((each.params.asked() for each in plan.baselines if isinstance(each.params, AsksForSuppression)), None)


def approved_before(
    project: Project, plan: Plan, loaded: LoadedData, *, same: Sequence[int], context: Context
) -> tuple[Before, ...]:
    """Approved releases of the same people in the order of their approval; of another product, their names alone."""
    from workbench.review.plan.plan_text import from_text

    if suppression_of(plan) is None:
        return ()
    found, known = [], _recodings(plan)
    entries = {entry.run_id: entry for entry in project.ledger() if entry.dataset_id in same}
    for place, entry in enumerate(entries.values()):
        run = project.run(entry.run_id)
        earlier = from_text(project.plan_text(entry.release_id, run.plan_digest), entry.release_id, draft=True)
        if suppression_of(earlier) is None:
            continue
        if earlier.product.id != plan.product.id:
            found.append(Before(name=entry.release_id, other=True))
            continue
        part = Part(context, place / len(entries), (place + 1) / len(entries))
        content = run.content(entry.content)
        again = _again(entry.release_id, earlier, loaded, content, base=project.path.parent, context=part)
        withheld = stored_pattern(project.pattern_of(run)[0])
        found.append(_told_apart(replace(again, withheld=withheld), earlier, known))
    return tuple(found)


def _recodings(plan: Plan) -> dict[str, Recoding | None]:
    """What the names of this plan's columns mean."""
    return dict.fromkeys(plan.data.roles, None) | dict(plan.data.shaping.recode)


def _told_apart(before: Before, plan: Plan, known: dict[str, Recoding | None]) -> Before:
    """The same with other names for columns that this plan recodes in another way."""
    recode = plan.data.shaping.recode
    counts = before.counted
    if counts is not None:
        table = counts.table
        dimensions = (replace(e, name=told_apart(e.name, recode.get(e.name), known)) for e in table.dimensions)
        counts = replace(counts, table=replace(table, dimensions=tuple(dimensions)))
    withheld = before.withheld
    if withheld is not None:
        withheld = frozenset(
            frozenset((told_apart(name, recode.get(name), known), code) for name, code in cell) for cell in withheld
        )
    return replace(before, counted=counts, table=counts.table if counts else None, withheld=withheld)


def _again(name: str, plan: Plan, loaded: LoadedData, content: str, *, base: Path, context: Context) -> Before:
    gone = Before(name=name, content=content, params=suppression_of(plan))
    try:
        same = plan.data_digest() == loaded.digest
        data = loaded if same else load_data(plan, base=base, context=Part(context, 0.0, 0.7))
        if data.microdata.fingerprint.content != content:
            return gone
        made: Tabulated | None = prepare(data, plan, Part(context, 0.7, 1.0)).value.suppressible()
        if made is None:
            return gone
        table = grouped(made, plan, data, base=base)
        source = source_of(plan, data, base=base)
    except UserProblem:  # the file is gone, or another version of the program made the plan
        return gone
    return replace(gone, counted=with_rows(table, plan, data), source=source)


def patterns_before(
    before: Sequence[Before], new: Tabulated, *, now: Now, first: Sequence[Approved], context: Context
) -> list[Approved]:
    """What readers would hold if all of it had been suppressed, one after another; `first` was printed anyway.

    `now` are the data whose tables `first` are of.
    """
    made: list[tuple[Before, Approved]] = []
    for place, each in enumerate(before):
        if each.table is not None and not _alike(each.table, new):
            continue
        own = Now(content=each.content, rows=each.rows)
        chain = [*(first if now.holds(each) else ()), *_as_seen_from(own, made)]
        part = Part(context, place / len(before), (place + 1) / len(before))
        if (pattern := _pattern(each, chain, part)) is not None:
            made.append((each, pattern))
    return _as_seen_from(now, made)


def _as_seen_from(now: Now, made: Sequence[tuple[Before, Approved]]) -> list[Approved]:
    """Tables of another file are those of another version, which is known by its first release.

    Rows of the same content in another file have the same people in another order.
    """
    names: dict[str, str] = {}
    for each, _ in made:
        names.setdefault(each.rows or each.content, each.name)
    return [
        replace(pattern, apart=each.rows != now.rows)
        if now.holds(each)
        else old_vintage(pattern, names[each.rows or each.content])
        for each, pattern in made
    ]


def _pattern(each: Before, chain: Sequence[Approved], context: Context) -> Approved | None:
    """As it was kept by the draw; where it was not, suppressed again. Nobody was given the parts of its cells."""
    if each.hidden:
        return Approved(table=each.table, printed={})
    if each.table is None:
        return None if each.withheld is None else Approved(printed=dict.fromkeys(each.withheld, False))
    assert each.params is not None
    if each.withheld is not None:
        return Approved(table=each.table, printed=_marks(each.table, each.params, each.withheld))
    quick = replace(each.params, seconds=min(each.params.seconds, _MOST_SECONDS))
    joint, found = suppress_next(each.table, chain, quick, context)
    return approved(each.table, joint, found)


def _marks(table: Tabulated, params: SuppressionParams, withheld: frozenset[Meaning]) -> dict[Meaning, bool]:
    names = tuple(dimension.name for dimension in table.dimensions)
    keys = spanned(table.dimensions, table.keys, margins=params.margins).keys
    return {name: name not in withheld for name in (meaning(names, key) for key in keys)}


def pattern_text(pattern: Approved, *, without: Meaning = frozenset()) -> str:
    """The withheld cells of a pattern, to be kept with the draw: which ones, and nothing about why or how many.

    Without what their names have in common: by which words rows are told apart depends on the tables beside it.
    """
    cells = sorted(sorted(name - without) for name, printed in pattern.printed.items() if not printed)
    return json.dumps(cells, ensure_ascii=False, separators=(",", ":"))


def stored_pattern(text: str) -> frozenset[Meaning] | None:
    """The cells of `pattern_text`; None where a draw has kept none."""
    if not text:
        return None
    return frozenset(frozenset((name, code) for name, code in cell) for cell in json.loads(text))


def _alike(one: Tabulated, other: Tabulated) -> bool:
    """Whether two tables count the same thing."""
    return (one.unit, one.holder, one.counts) == (other.unit, other.holder, other.counts)
