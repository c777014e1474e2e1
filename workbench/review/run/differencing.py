"""Difference: the table under review against every table of the project that left the house, and those from outside.

Runs for every product with every draw, and again whenever a reviewer adds tables. The project knows no true count, so
only a fresh draw can tell how many contributors a derived group has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.audit.differencing.difference import FEW, difference
from workbench.audit.differencing.group_sizes import Contributors, nobody_knows
from workbench.audit.differencing.tables import Hierarchy, Protection, PublishedTable, comparable
from workbench.core.claims import Claim
from workbench.core.errors import UserProblem
from workbench.core.findings import DIFFERENCING, Finding, Status, found_by
from workbench.core.progress import Context, Part
from workbench.core.published import Published, Units
from workbench.core.quantities import agreeing
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_text
from workbench.review.run.exact_beside import exact_findings, exact_tables
from workbench.review.run.external_tables import ExternalTable
from workbench.review.run.keep import dataset_record
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.prepare import PreparedTable, prepare
from workbench.review.run.run import Outcome
from workbench.review.run.suppression_beside import SUPPRESSION, Beside, not_known_to, suppression_beside
from workbench.review.run.suppression_history import approved_before

if TYPE_CHECKING:
    from workbench.project.records import RunRecord
    from workbench.project.store import Project

SMALL_GROUP = FEW  # contributors below which a derived group is small, where nobody says otherwise


def published_tables(
    project: Project, *, except_run: int = 0, same: Sequence[int] = (), population: str = ""
) -> tuple[PublishedTable, ...]:
    """Every table of the project that was ever approved, as readers hold it; the run that is looked at is left out.

    Those from the data sets in `same` are of one population: they share most of their people.
    """
    found: list[PublishedTable] = []
    for entry in {entry.run_id: entry for entry in project.ledger()}.values():  # a draw may have several entries
        table = project.published(entry.run_id) if entry.run_id != except_run else None
        run = project.run(entry.run_id)
        claim = run.claim
        if table is not None and claim is not None:
            people = population if entry.dataset_id in same else entry.content
            found.extend(as_published(table, claim, name=entry.release_id, population=people))
            told = replace(claim, exact=entry.exact)  # of earlier versions the entry knows what the claim does not say
            content = run.content(entry.content)
            found.extend(exact_tables(table, told, name=entry.release_id, population=people, content=content))
    return tuple(found)


def _claims_beside(project: Project, same: Sequence[int], *, except_run: int = 0) -> list[tuple[str, Claim]]:
    """The claims of approved releases from the same people."""
    runs = {entry.run_id: entry for entry in project.ledger() if entry.dataset_id in same}
    claims = ((entry, project.run(run).claim) for run, entry in runs.items() if run != except_run)
    return [(entry.release_id, replace(claim, exact=entry.exact)) for entry, claim in claims if claim is not None]


def as_published(table: Published, claim: Claim, *, name: str, population: str) -> tuple[PublishedTable, ...]:
    """A drawn table as differencing sees it: noise with a proved guarantee, or noise without one.

    One for each column that adds up. Records, and tables none of whose columns adds up, are one table from which
    nothing can be subtracted: it is there, and what it tells adds to the rest.
    """
    numbers = [column for column in table.value_columns if isinstance(column, Units)]
    adding = [] if table.records else [column for column in numbers if column.additive]
    keys = tuple(tuple(key.texts()) for key in table.keys) if adding else ()
    return tuple(
        PublishedTable(
            name=name,
            columns=tuple(key.name for key in table.keys) if adding else (),
            keys=keys,
            value_name=column.name,
            values=column.integers,
            decimals=column.decimals,
            suppressed=None if column.given().all() else ~column.given(),
            protection=Protection.FORMAL if claim.formal else Protection.NOISY,
            epsilon=claim.epsilon,
            definition=claim.definition,
            population=population,
            additive=bool(adding),
        )
        for column in adding or numbers[:1] or [_no_number(table)]
    )


def _no_number(table: Published) -> Units:
    """Stands for records that are categories alone: there is nothing to subtract, but they are there."""
    return Units(name=table.names[0], integers=np.zeros(table.rows, np.int64), additive=False)


def with_differencing(
    outcome: Outcome,
    project: Project,
    *,
    release_id: str,
    loaded: LoadedData,
    prepared: PreparedTable,
    plan: Plan,
    context: Context,
) -> Outcome:
    """The outcome of a draw with what the project's other tables add to it, before it is stored and shown.

    Paths of the plan start from the project's folder, as in the plans of those tables.
    """
    drawn = outcome.protected
    population = loaded.microdata.fingerprint.content
    name = release_id or "this release"
    own = as_published(drawn.table, drawn.claim, name=name, population=population)
    known = prepared.product.groups_behind(prepared.value)
    same = project.same_people(dataset_record(loaded, project, context))
    others = published_tables(project, same=same, population=population)
    found = _of_each(own, others, contributors=known, context=context)
    told = exact_tables(drawn.table, drawn.claim, name=name, population=population, content=population)
    found += _of_exact(told, others, drawn.claim, _claims_beside(project, same), context)
    alike = comparable(own[0], (*told, *others))
    beside = _suppressed(project, plan, loaded, prepared, alike=alike, same=same, context=context)
    return replace(outcome, audit=(*outcome.audit, *found, *beside.findings), withheld=beside.withheld)


def _suppressed(
    project: Project,
    plan: Plan,
    loaded: LoadedData,
    prepared: PreparedTable,
    *,
    alike: Sequence[PublishedTable],
    same: Sequence[int],
    context: Context,
) -> Beside:
    """The suppressed rival beside everything approved from the same people; `alike` are the tables of these data."""
    before = approved_before(project, plan, loaded, same=same, context=context)
    base = project.path.parent
    beside = suppression_beside(prepared.value, plan, alike, context, loaded=loaded, base=base, before=before)
    return replace(beside, findings=found_by(DIFFERENCING, beside.findings, stage="audit"))


def _of_exact(
    told: Sequence[PublishedTable],
    others: Sequence[PublishedTable],
    claim: Claim,
    claims: Sequence[tuple[str, Claim]],
    context: Context,
) -> tuple[Finding, ...]:
    """What follows from what a release tells exactly: cells, where other tables are there, and claims that end."""
    found: list[Finding] = []
    for place, table in enumerate(told if any(other.algebraic for other in others) else ()):
        made = difference(table, others, context=context)
        found.extend(
            replace(each, id=f"{each.id}.exact-{place + 1}", title=f"{each.title}: true values") for each in made
        )  # fmt: skip
    return found_by(DIFFERENCING, (*found, *exact_findings(claim, claims)), stage="audit")


def _of_each(
    columns: Sequence[PublishedTable],
    others: Sequence[PublishedTable],
    *,
    hierarchies: Sequence[Hierarchy] = (),
    few: int = SMALL_GROUP,
    contributors: Contributors = nobody_knows,
    context: Context,
) -> tuple[Finding, ...]:
    """What is found of every column; where there are several, each finding names its own."""
    found: list[Finding] = []
    for place, own in enumerate(columns):
        part = Part(context, place / len(columns), (place + 1) / len(columns))
        made = difference(
            own, others, hierarchies=hierarchies, few=few, contributors=contributors, context=part
        )  # fmt: skip
        behind = f".column-{place + 1}" if place else ""
        named = f": {own.value_name}" if len(columns) > 1 else ""
        found.extend(replace(each, id=f"{each.id}{behind}", title=f"{each.title}{named}") for each in made)
    return found_by(DIFFERENCING, found, stage="audit")


def difference_release(
    project: Project,
    release_id: str,
    external: Sequence[ExternalTable],
    *,
    hierarchies: Sequence[Hierarchy] = (),
    few: int = SMALL_GROUP,
    actor: str,
    context: Context,
) -> tuple[Finding, ...]:
    """Compare a stored draw with all approved tables and these from outside; note it in the journal where possible."""
    run = project.latest_run(release_id)
    table = project.published(run.id) if run is not None else None
    if run is None or run.claim is None or table is None:
        raise UserProblem(f"{release_id} has no released table to compare", "difference", "Run it first")
    population = run.content(project.dataset(run.dataset_id).content)
    own = as_published(table, run.claim, name=run.release_id, population=population)
    same = project.together_with(run.dataset_id)
    stored = published_tables(project, except_run=run.id, same=same, population=population)
    others = (*stored, *(each.table for each in external))
    found = _of_each(own, others, hierarchies=hierarchies, few=few, context=context)
    told = exact_tables(table, run.claim, name=run.release_id, population=population, content=population)
    found += _of_exact(told, others, run.claim, _claims_beside(project, same, except_run=run.id), context)
    alike = comparable(own[0], (*told, *others))
    beside = _suppressed_again(project, run, alike=alike, same=same, context=context)
    found += beside.findings
    found += found_by(DIFFERENCING, _left_out(project, run, {each.sha256 for each in external}), stage="audit")
    if not project.read_only:
        files = {each.table.name: each.sha256 for each in external}
        project.record_comparison(run, files=files, findings=found, withheld=beside.withheld, actor=actor)
    return found


def _suppressed_again(
    project: Project, run: RunRecord, *, alike: Sequence[PublishedTable], same: Sequence[int], context: Context
) -> Beside:
    """The suppressed rival of a stored draw, made again from its data where more was approved since.

    Where nothing was, what was said last holds. Where the data are gone, the pattern stays and the finding says so.
    """
    since = project.patterns_since(run)
    if not since:
        last = latest_differencing(project, run.id, run.release_id, project.findings(run.id))
        return Beside(findings=tuple(each for each in last if each.id == SUPPRESSION))
    gone = Beside(findings=found_by(DIFFERENCING, (not_known_to(since),), stage="audit"))
    plan = from_text(project.plan_text(run.release_id, run.plan_digest), run.release_id, draft=True)
    try:
        loaded = load_data(plan, base=project.path.parent, context=context)
        prepared = prepare(loaded, plan, context)
    except UserProblem:
        return gone
    if loaded.microdata.fingerprint.content != run.content(project.dataset(run.dataset_id).content):
        return gone
    return _suppressed(project, plan, loaded, prepared, alike=alike, same=same, context=context)


def _left_out(project: Project, run: RunRecord, now: set[str]) -> tuple[Finding, ...]:
    """Tables from outside that this draw was compared with before and is not now: what they revealed still holds."""
    earlier = [
        each
        for each in project.comparisons(run.release_id)
        if each.run_id == run.id and not set(each.files.values()) <= now
    ]  # fmt: skip
    if not earlier:
        return ()
    names = dict.fromkeys(name for each in earlier for name, sha256 in each.files.items() if sha256 not in now)
    failed = any(finding.status is Status.FAIL for each in earlier for finding in each.findings)
    return (
        Finding(
            id="differencing.left-out",
            title="Tables from outside left out",
            status=Status.FAIL if failed else Status.WARN,
            sentence=(
                f"Not compared this time: {', '.join(names)}. An earlier comparison of this draw included "
                f"{agreeing(len(names), 'it', 'them')}{' and failed' if failed else ''}. Add all tables at once."
            ),
            does_not_prove="It does not say what the tables that were left out reveal.",
        ),
    )


def latest_differencing(
    project: Project, run_id: int, release_id: str, drawn: Sequence[Finding]
) -> tuple[Finding, ...]:
    """The findings of a draw with its differencing as it was last examined: at the draw, or later by a reviewer."""
    examined = [each for each in project.comparisons(release_id) if each.run_id == run_id]
    if not examined:
        return tuple(drawn)
    kept = tuple(finding for finding in drawn if finding.source != DIFFERENCING)
    return (*kept, *examined[-1].findings)
