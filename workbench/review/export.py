"""Export: the approval report made from what the project holds, and files written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.accounting.composition import sequential
from workbench.accounting.ledger import total_under
from workbench.core.claims import Claim
from workbench.core.errors import Problem, UserProblem, raise_if
from workbench.core.files import write_bytes
from workbench.core.findings import Audience
from workbench.core.params import fields_of
from workbench.core.progress import Context
from workbench.core.specs import find
from workbench.products.contract import PublicTable
from workbench.project.files import check as check_project
from workbench.project.records import Choice, DatasetRecord, DecisionRecord, LedgerRecord, ReleaseRecord, RunRecord
from workbench.project.store import Project
from workbench.report import model
from workbench.report.table_csv import table_bytes
from workbench.review.opening import resolved
from workbench.review.plan import Plan
from workbench.review.plan_text import from_stored
from workbench.review.prepare import product_of
from workbench.review.protect import mechanism_of
from workbench.review.session import Evidence
from workbench.review.views import OpenedReview

if TYPE_CHECKING:
    from workbench.review.workspace import Workspace

_DECIDED = {Choice.APPROVE: "Approved", Choice.CHANGES: "Changes requested", Choice.REJECT: "Rejected"}


def report_of(project: Project, review: OpenedReview) -> model.ApprovalReport:
    """Everything stored of a release as one report. Refused before the first run: there is nothing to report.

    What is described is the plan that was run, whatever it was changed to afterwards: claim, findings and parameters
    must be those of the same draw.
    """
    run = project.latest_run(review.release_id)
    if run is None or review.evidence is None:
        raise UserProblem(
            f"{review.release_id} has not been run, so there is nothing to report", "report", "Run it first"
        )
    evidence = review.evidence
    record = project.release(review.release_id)
    plan = from_stored(project.plan_text(record.id, run.plan_digest), record.context, record.id)
    dataset = project.dataset(run.dataset_id)
    table = project.published(run.id)
    return model.ApprovalReport(
        identification=_identification(review, run),
        state=model.State(review.state),
        release_type=_release_type(plan),
        data=_data(plan, dataset, evidence.claim),
        rules=_rules(plan, run, evidence, drawn=evidence.draws + project.drawn_elsewhere(run)),
        outputs=(_output(review.release_id, table),) if table is not None else (),
        data_findings=(*evidence.of_stage("data"), *evidence.of_stage("release")),
        risk_findings=evidence.of_stage("audit"),
        utility_findings=evidence.of_stage("compare"),
        ledger=_ledger(project, run, evidence.claim),
        comparison=_comparison(plan),
        exceptions=_exceptions(record),
        decisions=tuple(_decision(record) for record in review.decisions),
        public_statement=plan.release.statement.strip() or evidence.claim.sentence,
        hashes=_hashes(project, run, dataset),
    )


def _identification(review: OpenedReview, run: RunRecord) -> model.Identification:
    context = review.plan.release
    date = review.decisions[-1].decided_at if review.decisions else run.run_at
    return model.Identification(
        release_id=review.release_id,
        title=context.title,
        date=date,
        purpose=context.purpose,
        authority=context.authority,
        contact=context.contact,
        requester=context.requester,
        preparer=review.preparer,
    )


def _release_type(plan: Plan) -> model.ReleaseType:
    product = product_of(plan)
    return model.ReleaseType(product=product.title, version=plan.product.version, summary=product.summary)


def _data(plan: Plan, dataset: DatasetRecord, claim: Claim) -> model.DataSource:
    overlapping = tuple(part.strip() for part in plan.release.overlapping.split(";") if part.strip())
    return model.DataSource(
        title=product_of(plan).title,
        period=plan.release.period,
        unit_of_protection=claim.unit,
        smallest_geography=plan.release.smallest_geography,
        overlapping_files=overlapping,
        file_name=dataset.name,
        file_sha256=dataset.file,
        content_sha256=dataset.content,
        records=dataset.rows,
        establishments=dataset.establishments,
    )


def _rules(plan: Plan, run: RunRecord, evidence: Evidence, *, drawn: int) -> model.Rules:
    mechanism = mechanism_of(plan)
    described = (
        *model.parameters_of(plan.product.params, Audience.PUBLIC),
        *model.parameters_of(plan.mechanism.params, Audience.PUBLIC),
    )
    return model.Rules(
        claim=evidence.claim,
        mechanism_title=mechanism.title,
        mechanism_id=mechanism.id,
        mechanism_version=plan.mechanism.version,
        neighbours=f"Two data sets that differ in {evidence.claim.unit}.",
        parameters=described,
        allocation=f"ε = {evidence.claim.epsilon} for the whole table.",
        post_processing=_post_processing(plan.mechanism.params),
        tool_versions=tuple(run.tools.items()),
        draws=drawn,
    )


def _post_processing(params: object) -> tuple[str, ...]:
    """What is done to the values after the noise: the switches that are on and whose help calls them that."""
    return tuple(
        field.label
        for field in fields_of(type(params))
        if field.help.startswith("Post-processing") and getattr(params, field.name) is True
    )


def _output(release_id: str, table: PublicTable) -> model.Output:
    content = released_bytes(table)
    return model.Output(
        name=f"{release_id}-table.csv",
        columns=(*table.columns, table.value_name),
        rows=table.rows,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def released_bytes(table: PublicTable) -> bytes:
    """The released table exactly as it is published."""
    return table_bytes(columns=table.columns, keys=table.keys, value_name=table.value_name, values=table.values)


def _ledger(project: Project, run: RunRecord, claim: Claim) -> model.Ledger:
    """The budget as this release found it and left it; what was approved later belongs to later reports."""
    entries = project.ledger(run.dataset_id)
    own = next((place for place, entry in enumerate(entries) if entry.run_id == run.id), len(entries))
    total = total_under(claim.definition, entries[:own])
    titles = {record.id: record.title for record in project.releases()}
    return model.Ledger(
        epsilon_before=total.epsilon,
        epsilon_after=sequential((total.epsilon, claim.epsilon)),
        delta_before=total.delta,
        delta_after=min(sequential((total.delta, claim.delta)), Decimal(1)),
        epsilon_limit=project.cap(run.dataset_id),
        entries=tuple(_entry(entry, titles) for entry in entries[: own + 1] if entry.definition is claim.definition),
    )


def _entry(entry: LedgerRecord, titles: Mapping[str, str]) -> model.LedgerEntry:
    return model.LedgerEntry(
        release_id=entry.release_id,
        title=titles.get(entry.release_id, ""),
        epsilon=entry.epsilon,
        delta=entry.delta,
        when=entry.entered_at,
    )


def _comparison(plan: Plan) -> tuple[model.Parameter, ...]:
    baseline = find(product_of(plan).baselines, plan.baseline.id, "baseline")
    head = model.Parameter(label="Today's disclosure limitation", value=baseline.title)
    return (head, *model.parameters_of(plan.baseline.params, Audience.INTERNAL))


def _decision(record: DecisionRecord) -> model.Decision:
    word = _DECIDED[record.decision] + (" (superseded: the plan changed since)" if record.stale else "")
    return model.Decision(
        reviewer=record.reviewer,
        decision=word,
        when=record.decided_at,
        role="Reviewer",
        comment=record.comment,
        public_name="Disclosure reviewer",
        public_comment=record.public_comment,
    )


def _exceptions(record: ReleaseRecord) -> tuple[model.ExceptionMade, ...]:
    said = "The plan was changed after these values were drawn. This report describes the draw, not the changed plan."
    return (model.ExceptionMade(text=said),) if record.stale else ()


def _hashes(project: Project, run: RunRecord, dataset: DatasetRecord) -> tuple[model.NamedHash, ...]:
    journal = project.journal()
    return (
        model.NamedHash(name="plan", sha256=run.plan_digest),
        model.NamedHash(name="data file", sha256=dataset.file),
        model.NamedHash(name="data content", sha256=dataset.content),
        *_dictionary_hash(run),
        model.NamedHash(name=f"journal, entry {journal[-1].seq}", sha256=journal[-1].hash),
    )


def _dictionary_hash(run: RunRecord) -> tuple[model.NamedHash, ...]:
    """The dictionary decides which cells there are; files of an earlier version of the program do not name it."""
    words = run.inputs.get("dictionary_sha256", "")
    return (model.NamedHash(name="data dictionary", sha256=words),) if words else ()


def export_files(
    workspace: Workspace,
    release_id: str,
    paths: Mapping[tuple[Audience, str], Path],
    *,
    table: Path | None,
    actor: str,
    context: Context,
) -> int:
    """Make every file in memory, then write them, then record it in the journal. Returns how many were written."""
    targets = [*paths.values(), *([] if table is None else [table])]
    _spare_the_sources(workspace.project, workspace.open_release(release_id), targets)
    made: dict[Path, bytes] = {}
    total = len(targets)
    for i, ((audience, kind), path) in enumerate(paths.items()):
        context.step(i / (total + 1), f"Setting the {audience.value} report as {kind.upper()}")
        made[path] = workspace.report_bytes(release_id, audience, kind)
    if table is not None:
        made[table] = _released(workspace.project, release_id)
    context.step(total / (total + 1), "Writing the files")
    for path, content in made.items():
        write_bytes(path, content)
    if not workspace.project.read_only:
        hashes = {path.name: hashlib.sha256(content).hexdigest() for path, content in made.items()}
        workspace.project.record_export(release_id, hashes, actor=actor)
    return len(made)


def _spare_the_sources(project: Project, review: OpenedReview, targets: Sequence[Path]) -> None:
    """A slip of the pen must not replace a project, the microdata or another output of the same export."""
    data = review.plan.data
    named = {"data file": data.path, "data dictionary": data.dictionary}
    sources = {what: resolved(review.base, name) for what, name in named.items() if name}
    sources["project file"] = project.path
    problems = [
        Problem(f"This is the {what} of the review itself", str(path), "Choose another name")
        for path in targets
        for what, source in sources.items()
        if _same_file(path, source)
    ]
    problems += [
        Problem("This is a project file, and an export would erase it", str(path), "Choose another name")
        for path in targets
        if not problems and _is_project(path)
    ]
    problems += [
        Problem("Two files of this export have the same name", str(path), "Give each its own name")
        for place, path in enumerate(targets)
        if any(_same_file(path, earlier) for earlier in targets[:place])
    ]
    raise_if(problems)


def _same_file(one: Path, other: Path) -> bool:
    """Also where links, or another spelling on a system that does not mind case, lead to the same file."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, RuntimeError):  # not there yet, or links that lead in a circle
        return False


def _is_project(path: Path) -> bool:
    """Somebody's project, by what is in it: the name may be anything."""
    try:
        check_project(path)
    except UserProblem:
        return False
    return True


def _released(project: Project, release_id: str) -> bytes:
    run = project.latest_run(release_id)
    table = project.published(run.id) if run is not None else None
    if table is None:
        raise UserProblem(f"{release_id} has no released table", "export", "Run it first")
    return released_bytes(table)
