"""The approval report, made from what the project holds of a release."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.accounting.composition import sequential
from workbench.accounting.entries import counted_under, entries_of
from workbench.accounting.ledger import balances, counted_for, together, together_words, total_under
from workbench.accounting.limits import Limits
from workbench.accounting.programme import Programme
from workbench.accounting.totals import Spending
from workbench.core.claims import Claim, ClaimPart, Definition, answer_of
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience, Finding, Status
from workbench.core.params import set_aside
from workbench.core.published import Published
from workbench.core.quantities import exact
from workbench.core.specs import find
from workbench.core.states import Verdict
from workbench.policy.judge import is_confirmation
from workbench.products.registry import references
from workbench.project.records import (
    DatasetRecord,
    DecisionRecord,
    JournalRecord,
    LedgerRecord,
    ReleaseRecord,
    RunRecord,
)
from workbench.report import model
from workbench.report.wording import day
from workbench.review.decide.gates import gates
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_stored
from workbench.review.publish.declared_effects import invariants, post_processing
from workbench.review.publish.for_users import first_rows, notes
from workbench.review.publish.outputs import files_for
from workbench.review.run.differencing import latest_differencing
from workbench.review.run.prepare import product_of
from workbench.review.run.protect import mechanism_of
from workbench.review.session import Evidence
from workbench.review.views import OpenedReview

if TYPE_CHECKING:
    from workbench.project.store import Project

_EXCEPTED = "A rule of the policy was set aside for this release, by a person whom the policy names."
_VOTED = {Verdict.APPROVE: "For approval", Verdict.CHANGES: "Changes wanted", Verdict.REJECT: "Against"}
_UNSIGNED = "Not signed: the name was typed without a key"
_DECIDED = {Verdict.APPROVE: "Approved", Verdict.CHANGES: "Changes requested", Verdict.REJECT: "Rejected"}


def report_of(
    project: Project, review: OpenedReview, *, journal_entry: int | None = None
) -> model.ApprovalReport:  # fmt: skip
    """Everything stored of a release as one report. Refused before the first run: there is nothing to report.

    What is described is the plan that was run, whatever it was changed to afterwards: claim, findings and parameters
    must be those of the same draw. `journal_entry` names an earlier point of the project's history to be cited, for
    comparing with a report that was written then.
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
    risk = latest_differencing(project, run.id, record.id, evidence.of_stage("audit"))
    cited = _cited(project, journal_entry)
    return model.ApprovalReport(
        identification=_identification(review, run),
        state=review.state,
        release_type=_release_type(plan),
        data=_data(plan, run, dataset, evidence.claim),
        rules=_rules(plan, run, evidence, drawn=evidence.draws + project.drawn_elsewhere(run)),
        outputs=_outputs(review.release_id, plan, table) if table is not None else (),
        gates=_told(gates(review.session(), review.budget)),
        references=references(plan.product.id),
        data_findings=_told((*evidence.of_stage("data"), *evidence.of_stage("release"))),
        risk_findings=_told(risk),
        utility_findings=_told(evidence.of_stage("compare")),
        ledger=_ledger(project, run, evidence.claim),
        comparison=_comparison(plan),
        comparison_tables=tuple(
            table
            for choice in (*plan.baselines, *plan.rivals)
            for table in model.parameter_tables_of(choice.params, Audience.INTERNAL)
        ),
        exceptions=(
            *_exceptions(record, (*evidence.findings, *risk), review.decisions),
            *_granted(project, run),
        ),
        decisions=_decisions(project, review),
        votes=_votes(project, review),
        signatures=_signatures(project, review),
        public_statement=plan.release.statement.strip() or evidence.claim.sentence,
        hashes=_hashes(run, cited),
        compared=_compared(project, run),
        journal_entry=cited.seq,
    )


def _told(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings as a report tells them. Addresses are for the program: a report exported before them still verifies."""
    return tuple(replace(finding, source="", loss=None) for finding in findings)


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
        drawn_by=run.run_by,
    )


def _release_type(plan: Plan) -> model.ReleaseType:
    product = product_of(plan)
    return model.ReleaseType(product=product.title, version=plan.product.version, summary=product.summary)


def _data(plan: Plan, run: RunRecord, dataset: DatasetRecord, claim: Claim) -> model.DataSource:
    overlapping = tuple(part.strip() for part in plan.release.overlapping.split(";") if part.strip())
    return model.DataSource(
        title=plan.release.source,
        period=plan.release.period,
        unit_of_protection=claim.unit,
        smallest_geography=plan.release.smallest_geography,
        overlapping_files=overlapping,
        file_name=dataset.name,
        file_sha256=dataset.file,
        content_sha256=dataset.content,
        records=dataset.rows,
        establishments=None if run.units else dict(dataset.units).get("establishments"),
        units=run.units,
        shaping=model.parameter_tables_of(plan.data.shaping, Audience.INTERNAL),
    )


def _rules(plan: Plan, run: RunRecord, evidence: Evidence, *, drawn: int) -> model.Rules:
    mechanism = mechanism_of(plan)
    described = (
        *model.parameters_of(plan.product.params, Audience.PUBLIC, unused=set_aside(plan.mechanism.params)),
        *model.parameters_of(plan.mechanism.params, Audience.PUBLIC),
    )
    return model.Rules(
        claim=evidence.claim,
        mechanism_title=mechanism.title,
        mechanism_id=mechanism.id,
        mechanism_version=plan.mechanism.version,
        neighbours=f"Two data sets that differ in {evidence.claim.unit}.",
        parameters=described,
        invariants=invariants(plan),
        allocation=allocation(evidence.claim),
        post_processing=post_processing(plan),
        tool_versions=tuple(run.tools.items()),
        draws=drawn,
        tables=(
            *model.parameter_tables_of(plan.product.params, Audience.PUBLIC),
            *model.parameter_tables_of(plan.mechanism.params, Audience.PUBLIC),
        ),
    )


def allocation(claim: Claim) -> str:
    """How ε is divided, as the claim says it."""
    if not claim.parts:
        return f"ε = {claim.epsilon} for the whole table."
    names = {part.name for part in claim.parts}
    again = [part for part in claim.parts if answer_of(part.name) != part.name and answer_of(part.name) in names]
    added = "; ".join(_part(part, claim) for part in claim.parts if part not in again)
    read = "".join(f" {_read_again(part, claim)}" for part in again)
    own = [part for part in claim.parts if part not in again and part.definition in (None, claim.definition)]
    if claim.workings and sequential(part.epsilon for part in own) > claim.epsilon:  # the reader would add them up
        return f"ε = {exact(claim.epsilon)} in all. {claim.workings}{read}"
    return f"ε = {exact(claim.epsilon)} in all: {added}.{read}"


def _read_again(part: ClaimPart, claim: Claim) -> str:
    """An answer that is entered under a second definition: told, and not among what is added."""
    told = _part(replace(part, name=answer_of(part.name)), claim)
    return f"The same answer, not added: {told}."


def _part(part: ClaimPart, claim: Claim) -> str:
    """What a part spends, under which definition and for whom where that is not what the whole says."""
    failure = f", δ = {exact(part.delta)}" if part.delta else ""
    under = f" under {part.definition.value}" if part.definition not in (None, claim.definition) else ""
    whose = f" for {part.unit}" if part.unit and part.unit != claim.unit else ""
    seen = f", where {part.coverage.attribute} is {' or '.join(part.coverage.values)}" if part.coverage else ""
    return f"{part.name} ε = {exact(part.epsilon)}{failure}{under}{whose}{seen}"


def _outputs(release_id: str, plan: Plan, table: Published) -> tuple[model.Output, ...]:
    """The files whose bytes follow from the published values alone, each with its SHA-256."""
    return tuple(
        model.Output(
            name=file.of(release_id),
            columns=held.names,
            rows=held.rows,
            sha256=hashlib.sha256(file.write()).hexdigest(),
            first_rows=first_rows(held),
            notes=(*notes(held), *held.notes),
        )
        for file in files_for(plan, table)
        if file.lasting
        for held in (file.table or table,)
    )


def _ledger(project: Project, run: RunRecord, claim: Claim) -> model.Ledger:
    """The budget as this release found it and left it; what was approved later belongs to later reports."""
    entries = project.ledger(run.dataset_id)
    own = next((place for place, entry in enumerate(entries) if entry.run_id == run.id), len(entries))
    mine = [entry.definition for entry in entries if entry.run_id == run.id]  # rows of earlier versions stay theirs
    proper = counted_under(claim.definition, formal=claim.formal)
    under = mine[0] if mine else proper
    limits = _limits(project, run)
    total = total_under(under, counted_for(under, entries[:own], limits))
    adds = [each for each in entries_of(claim) if each.definition is proper]
    told = (*entries[:own], *(entry for entry in entries[own:] if entry.run_id == run.id))
    titles = {record.id: record.title for record in project.releases()}
    limit = limits.of(under)
    whole: tuple[Spending, ...] = (*entries[:own], *entries_of(claim))
    return model.Ledger(
        epsilon_before=total.epsilon,
        epsilon_after=sequential((total.epsilon, *(each.epsilon for each in adds))),
        delta_before=total.delta,
        delta_after=min(sequential((total.delta, *(each.delta for each in adds))), Decimal(1)),
        epsilon_limit=limit.epsilon,
        delta_limit=limit.delta if claim.delta or total.delta else None,
        definition=under.value,
        entries=tuple(_entry(entry, titles) for entry in told if entry.definition is under),
        notes=_notes(whole, under, limits),
    )


def _notes(whole: Sequence[Spending], under: Definition, limits: Limits) -> tuple[str, ...]:
    """What the totals alone do not say: the share of the budget with its promise, and where no bound is left."""
    found = [each for each in balances(whole, limits) if each.total.definition is under]
    shares = [each.share for each in found if each.share is not None]
    notes = [f"Budget used: {each.words()}. {each.promise()} {each.movers()}".strip() for each in shares]
    notes += [f"Registered programme: {each.programme.words()}" for each in found if each.programme is not None]
    ended = [each for each in together(whole) if each.total is None]
    return (*notes, *(f"All releases from these data together: {said}" for said in together_words(ended)))


def _limits(project: Project, run: RunRecord) -> Limits:
    """The budget of the data set or the policy's cap, whichever is smaller: of the policy that the draw was decided
    under, or of the one in force where nobody has decided yet.
    """
    decided = [record.policy_id for record in project.decisions(run.release_id) if record.run_id == run.id]
    known = {record.id: record for record in project.policies()}
    policy = known.get(decided[-1]) if decided else project.policy()
    cap = project.cap(run.dataset_id)
    if policy is None:
        return Limits.from_cap(cap)
    registered = tuple(
        Programme(definition=each.definition, items=each.items) for each in project.programmes(run.dataset_id)
    )
    frozen = project.limits(run.dataset_id).filtered
    limits = policy.profile.limits(cap)
    return replace(limits, programmes=registered, filtered=limits.filtered and frozen)


def _entry(entry: LedgerRecord, titles: Mapping[str, str]) -> model.LedgerEntry:
    return model.LedgerEntry(
        release_id=entry.release_id,
        title=", ".join(word for word in (titles.get(entry.release_id, ""), entry.part) if word),
        epsilon=entry.epsilon,
        delta=entry.delta,
        when=entry.entered_at,
    )


def _comparison(plan: Plan) -> tuple[model.Parameter, ...]:
    """Every baseline and every other mechanism that the release was laid beside, with its settings."""
    product = product_of(plan)
    today = [(find(product.baselines, each.id, "baseline").title, each.params) for each in plan.baselines]
    drawn = [(find(product.mechanisms, each.id, "mechanism").title, each.params) for each in plan.rivals]
    return (*_laid_beside("Current SDL", today), *_laid_beside("Drawn for study only", drawn))


def _laid_beside(label: str, used: Sequence[tuple[str, object]]) -> tuple[model.Parameter, ...]:
    return tuple(
        parameter
        for title, params in used
        for parameter in (
            model.Parameter(label=label, value=title),
            *model.parameters_of(params, Audience.INTERNAL),
        )
    )


def _decisions(project: Project, review: OpenedReview) -> tuple[model.Decision, ...]:
    unsigned = project.unsigned_decisions()
    return tuple(_decision(record, signed=record.id not in unsigned) for record in review.decisions)


def _decision(record: DecisionRecord, *, signed: bool) -> model.Decision:
    word = _DECIDED[record.decision] + (f" under the policy {record.policy}" if record.policy else "")
    word += " (superseded: the plan changed since)" if record.stale else ""
    return model.Decision(
        reviewer=record.reviewer,
        decision=word,
        when=record.decided_at,
        role="Reviewer",
        comment=record.comment,
        public_name="Disclosure reviewer",
        public_comment=record.public_comment,
        declared=record.declared,
        confirmed=tuple(said for said in record.declared if is_confirmation(said)),
        signed="" if signed else _UNSIGNED,
    )


def _votes(project: Project, review: OpenedReview) -> tuple[model.Vote, ...]:
    """Only once somebody has decided: until then a vote may be blinded from the others."""
    if not review.decisions:
        return ()
    return tuple(
        model.Vote(
            reviewer=vote.reviewer,
            vote="Not shown yet" if vote.vote is None else _VOTED[vote.vote],
            when=vote.voted_at,
            comment=vote.comment,
            stale=vote.stale,
        )
        for vote in project.votes(review.release_id)
    )


def _signatures(project: Project, review: OpenedReview) -> tuple[model.Signature, ...]:
    """Of the decisions, and of the votes that are shown. Internal: a key's fingerprint names a person."""
    if not review.decisions:
        return ()
    said = {("decision", each.id): (_DECIDED[each.decision], each.decided_at) for each in review.decisions}
    said |= {("vote", each.id): ("Vote", each.voted_at) for each in project.votes(review.release_id)}
    return tuple(
        model.Signature(
            reviewer=each.name or "unknown key",
            signed=f"{said[each.kind, each.subject][0]}, {day(said[each.kind, each.subject][1])}",
            fingerprint=each.fingerprint,
            verdict=f"The signature {each.words}.",
        )
        for each in project.signatures()
        if (each.kind, each.subject) in said
    )


def _exceptions(
    record: ReleaseRecord, findings: Sequence[Finding], decisions: Sequence[DecisionRecord]
) -> tuple[model.ExceptionMade, ...]:
    """A plan that moved on, and an approval although a check failed, with who answered for it."""
    made = []
    if record.stale:
        said = "The plan was changed after these values were drawn. This report describes the draw, not the new plan."
        made.append(model.ExceptionMade(text=said))
    failing = list(dict.fromkeys(finding.title for finding in findings if finding.status is Status.FAIL))
    last = decisions[-1] if decisions else None
    if failing and last is not None and last.decision is Verdict.APPROVE:
        text = f"Approved although these checks fail: {'; '.join(failing)}. Reason given: {last.comment or 'none'}"
        made.append(model.ExceptionMade(text=text, granted_by=last.reviewer, when=last.decided_at))
    return tuple(made)


def _granted(project: Project, run: RunRecord) -> tuple[model.ExceptionMade, ...]:
    """Leave to set a rule aside that was granted for this draw; the reason stays internal, the fact is public."""
    return tuple(
        model.ExceptionMade(
            text=f"{granted.overspend} Reason given: {granted.reason}",
            granted_by=granted.granted_by,
            when=granted.granted_at,
            public_text=_EXCEPTED,
        )
        for granted in project.exceptions(run.release_id)
        if granted.run_id == run.id
    )


def _compared(project: Project, run: RunRecord) -> tuple[model.NamedHash, ...]:
    """Tables from outside that the last comparison of this draw looked at."""
    examined = [each for each in project.comparisons(run.release_id) if each.run_id == run.id]
    files = examined[-1].files if examined else {}
    return tuple(model.NamedHash(name=name, sha256=sha256) for name, sha256 in sorted(files.items()))


def _cited(project: Project, entry: int | None) -> JournalRecord:
    """The journal's last entry, or the one asked for where there is such a one."""
    journal = project.journal()
    return next((each for each in journal if each.seq == entry), journal[-1])


def _hashes(run: RunRecord, cited: JournalRecord) -> tuple[model.NamedHash, ...]:
    """Of what was run and when; those of the data are with the data."""
    return (
        model.NamedHash(name="plan", sha256=run.plan_digest),
        *_dictionary_hash(run),
        model.NamedHash(name=f"journal, entry {cited.seq}", sha256=cited.hash),
    )


def _dictionary_hash(run: RunRecord) -> tuple[model.NamedHash, ...]:
    """The dictionary decides which cells there are; files of an earlier version of the program do not name it."""
    words = run.inputs.get("dictionary_sha256", "")
    return (model.NamedHash(name="data dictionary", sha256=words),) if words else ()
