"""The one door to a project file for window and command line: open, list, save, run, decide, report, export."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from workbench.accounting.entries import counted_under
from workbench.core.errors import Defect, Problem, Refused, UserProblem
from workbench.core.findings import Audience, Finding, Status
from workbench.core.params import fields_of
from workbench.core.people import could_be_one
from workbench.core.progress import QUIET, Context
from workbench.core.quantities import show
from workbench.core.states import ReleaseState, Verdict
from workbench.policy.validity import refuse_unknown_names
from workbench.project.file.encryption import is_encrypted
from workbench.review.decide.gates import gates
from workbench.review.memory import remember, unlike_before
from workbench.review.plan.plan_text import context_of, from_stored, run_text
from workbench.review.plan.sections import ReleaseContext
from workbench.review.session import Evidence
from workbench.review.sharing import shared_words
from workbench.review.snapshot import one_snapshot
from workbench.review.views import Budget, BudgetAhead, OpenedReview, ProjectView, ReleaseRow, StoredDraw, ago, moment

if TYPE_CHECKING:
    from workbench.core.claims import Claim, Definition
    from workbench.core.passphrase import Passphrase
    from workbench.core.published import Published
    from workbench.microdata.table import Microdata
    from workbench.policy.profile import PolicyProfile
    from workbench.project.records import (
        DatasetRecord,
        DecisionRecord,
        PolicyRecord,
        ReleaseRecord,
        RunRecord,
    )
    from workbench.project.store import Project
    from workbench.report.model import ApprovalReport
    from workbench.report.preview import PageImage
    from workbench.review.plan.plan import Plan
    from workbench.review.publish.printing import Printer
    from workbench.review.run.opening import LoadedData
    from workbench.review.run.prepare import PreparedTable
    from workbench.review.run.run import Outcome

T = TypeVar("T")

_EXPLAIN = "Explain in a comment why it can be approved"
_ONLY_WITH_A_POLICY = ("gate.checks", "gate.threshold")
_UNDECIDED = (ReleaseState.DRAFT, ReleaseState.CHANGES, ReleaseState.REJECTED)
_NEARLY = 0.05  # share of rows by which two files may differ and still look like the same data
_REMEDY = {"gate.budget": "Lower ε, or raise the cap with a reason", "gate.fresh": "Run it again, then decide"}


def _counted(claim: Claim) -> Definition:
    return counted_under(claim.definition, formal=claim.formal)


class Workspace:
    """At most one open project. Not thread-safe: whoever opens it also uses it, on one thread."""

    def __init__(self, project: Project | None = None, *, make_printer: Callable[[], Printer] | None = None) -> None:
        self._project = project
        self._make_printer = make_printer
        self._told: tuple[str, ...] = ()  # what whoever opened the project must know

    @property
    def project(self) -> Project:
        if self._project is None:
            raise Defect("no project is open")
        return self._project

    def open(
        self, path: Path, *, create: bool = False, person: str = "", passphrase: Passphrase | None = None
    ) -> ProjectView:
        """Open a project, or make a new one. The one that was open is closed only once the new one is."""
        from workbench.project import store  # late: a window without a project shows sooner

        opened = (store.create if create else store.open_project)(path, person=person, passphrase=passphrase)
        self.close()
        self._project = opened
        strange = unlike_before(opened)
        removed = (f"An interrupted program had left {each.name}; it was removed" for each in opened.removed)
        self._told = (*((strange,) if strange else ()), *removed)
        remember(opened)
        return self.view()

    def set_aside(
        self, work: Callable[[Path], T], *, person: str, known: Passphrase | None, after: Passphrase | None
    ) -> T:
        """Do something for which nobody may have the file open, and open it again whatever comes of it.

        `known` opens the file as it is, `after` as it is once the work is done.
        """
        path = self.project.path
        self.close()
        opens_with = known
        try:
            result = work(path)
            opens_with = after
        finally:
            self.open(path, person=person, passphrase=opens_with)
        return result

    def close(self) -> None:
        if self._project is not None:
            with contextlib.suppress(UserProblem):  # a file that was damaged meanwhile is closed all the same
                remember(self._project)
            self._project.close()
            self._project = None

    @one_snapshot
    def view(self) -> ProjectView:
        project = self.project
        shown = [r for r in project.releases() if r.state is not ReleaseState.WITHDRAWN]
        rows = tuple(self._row(record) for record in sorted(shown, key=lambda r: r.changed_at, reverse=True))
        policy = project.policy()
        return ProjectView(
            path=project.path,
            releases=rows,
            why_read_only=project.read_only_reason,
            encrypted=is_encrypted(project.path),
            policy=policy.profile if policy is not None else None,
            told=self._told,
        )

    def _row(self, record: ReleaseRecord) -> ReleaseRow:
        run = self.project.latest_run(record.id)
        claim = run.claim if run is not None else None
        return ReleaseRow(
            id=record.id,
            title=record.title,
            state=record.standing,
            epsilon=f"ε {show(claim.epsilon)}" if claim is not None else "",
            age=ago(moment(record.changed_at)),
            product=record.product,
            preparer=record.preparer,
            draws=record.draws,
        )

    # Releases
    def new_release(self, plan: Plan, preparer: str) -> OpenedReview:
        record = self.project.save_release(
            title=plan.release.title,
            product=plan.product.id,
            plan_text=run_text(plan),
            preparer=preparer,
            context=context_of(plan),
        )
        return self.open_release(record.id)

    def save_plan(self, release_id: str, plan: Plan, actor: str) -> None:
        """Store the plan. Where it asks for the same as before its text stays: a program with more settings writes them
        all, and a longer text for the same draw must not make votes and audits stale.
        """
        stored = self.project.release(release_id)
        before = from_stored(stored.plan_text, stored.context, stored.id)
        self.project.update_release_plan(
            release_id,
            stored.plan_text if before.run_digest() == plan.run_digest() else run_text(plan),
            actor=actor,
            title=plan.release.title or None,
            context=context_of(plan),
        )

    @one_snapshot
    def open_release(self, release_id: str) -> OpenedReview:
        project = self.project
        record = project.release(release_id)
        run = project.latest_run(release_id)
        return OpenedReview(
            release_id=record.id,
            state=record.standing,
            preparer=record.preparer,
            plan=from_stored(record.plan_text, record.context, record.id),
            base=project.path.parent,
            evidence=self._evidence(record, run),
            decisions=project.decisions(release_id),
            budget=self.budget(release_id),
            exported=bool(project.exports(release_id)),
        )

    def plan_text(self, release_id: str, target: Path | None = None) -> str:
        """The plan of a release as a plan file holds it, its paths starting where the file will lie."""
        from workbench.review.plan.anchoring import anchored
        from workbench.review.plan.plan_text import to_text

        review = self.open_release(release_id)
        if target is not None:
            from workbench.review.publish.export import spare_the_data

            spare_the_data(review.plan, review.base, target)
        folder = target.absolute().parent if target is not None else Path.cwd()
        return to_text(anchored(review.plan, old=review.base, new=folder))

    def _evidence(self, record: ReleaseRecord, run: RunRecord | None) -> Evidence | None:
        if run is None or run.claim is None:
            return None
        table = self.project.published(run.id)
        plan = from_stored(record.plan_text, record.context, record.id)
        from workbench.review.publish.outputs import files_for
        from workbench.review.run.differencing import latest_differencing

        return Evidence(
            digest=run.inputs.get("run_digest", "") if record.stale else plan.run_digest(),
            claim=run.claim,
            findings=latest_differencing(self.project, run.id, record.id, self.project.findings(run.id)),
            rows=table.rows if table is not None else 0,
            draws=record.draws,
            content=run.inputs.get("content_sha256", ""),
            words=run.inputs.get("dictionary_sha256", ""),
            drawn_at=moment(run.run_at),
            files=tuple(file.name for file in files_for(plan, table)) if table is not None else (),
        )

    def compare_outside(
        self, release_id: str, paths: Sequence[Path], *, actor: str, context: Context
    ) -> tuple[Finding, ...]:
        """The stored draw against every approved table and these; returns all findings of the draw, up to date."""
        from workbench.review.run.differencing import difference_release
        from workbench.review.run.external_tables import read_external

        external = tuple(read_external(path) for path in paths)
        difference_release(self.project, release_id, external, actor=actor, context=context)
        review = self.open_release(release_id)
        return review.evidence.findings if review.evidence is not None else ()

    # Runs and decisions
    def store_run(
        self,
        release_id: str,
        plan: Plan,
        *,
        loaded: LoadedData,
        prepared: PreparedTable,
        outcome: Outcome,
        actor: str,
    ) -> StoredDraw:
        """Store the plan as it was run, then the run."""
        from workbench.review.run.keep import keep_run  # late: the window shows sooner

        project = self.project
        with project.together():
            self.save_plan(release_id, plan, actor)
            run = keep_run(project, release_id, plan, loaded=loaded, prepared=prepared, outcome=outcome, actor=actor)
        budget = self.budget(release_id)
        if budget is None:
            raise Defect("a stored run has no budget")
        draws = self.project.release(release_id).draws
        return StoredDraw(run_id=run.id, draws=draws, drawn_at=moment(run.run_at), budget=budget)

    @one_snapshot
    def budget(self, release_id: str) -> Budget | None:
        """The ledger of the data behind the latest run; None before the first."""
        run = self.project.latest_run(release_id)
        if run is None:
            return None
        project = self.project
        answer = project.outlook(run)
        same = project.together_with(run.dataset_id)
        elsewhere = [entry.dataset_id for entry in project.ledger() if entry.dataset_id not in same]
        own = project.dataset(run.dataset_id)
        similar = {each.id for each in project.datasets() if _similar(each, own)}
        return Budget(
            entries=project.ledger(run.dataset_id),
            cap=own.cap if run.claim is None else project.limits(own.id).of(_counted(run.claim)).epsilon,
            what_if=answer,
            other_names=_other_names(own),
            shared_with=shared_words(project, run.dataset_id),
            profile=project.profile(),
            judged=self._judged(release_id),
            exception=project.standing_exception(run),
            exceptable=tuple(
                each.finding.id for each in project.judgements(release_id) if each.refuses and each.exceptable
            ),
            declarations=project.to_declare(run),
            confirmations=project.to_confirm(run),
            voting=project.voting(release_id),
            drawn_elsewhere=project.drawn_elsewhere(run),
            spent_elsewhere=len(elsewhere),
            spent_on_similar=sum(dataset in similar for dataset in elsewhere),
        )

    @one_snapshot
    def budget_ahead(self, loaded: LoadedData, context: Context = QUIET) -> BudgetAhead:
        """What is known of the budget of loaded data and of their people, before anything is drawn from them here."""
        from workbench.review.run.keep import dataset_record  # late: the window shows sooner

        project = self.project
        same = project.same_people(dataset_record(loaded, project, context))
        policy = project.policy()
        known = same[0] if same else None
        return BudgetAhead(
            content=loaded.microdata.fingerprint.content,
            entries=tuple(entry for entry in project.ledger() if entry.dataset_id in same),
            known=known is not None,
            cap=project.cap(known) if known is not None else None,
            policy=policy.profile if policy is not None else None,
        )

    def _judged(self, release_id: str) -> tuple[Finding, ...]:
        """What the policy says of a release; without a policy only what every release should be asked."""
        found = tuple(each.finding for each in self.project.judgements(release_id))
        asked = self.project.policy() is not None
        return tuple(finding for finding in found if asked or finding.id not in _ONLY_WITH_A_POLICY)

    # Policy and decisions
    def set_policy(self, profile: PolicyProfile, *, actor: str, reason: str) -> PolicyRecord:
        """Put a policy in force for the whole project. Names it uses must be known: a slip would block everything."""
        refuse_unknown_names(profile, context=_names(ReleaseContext), checks=_known_checks())
        return self.project.set_policy(profile, actor=actor, reason=reason)

    def decide(
        self,
        release_id: str,
        *,
        decision: str,
        reviewer: str,
        comment: str,
        public_comment: str = "",
        declares: bool = False,
    ) -> DecisionRecord:
        """Record a decision. Approving against a failing gate needs a comment that says why."""
        review = self.open_release(release_id)
        failing = [gate for gate in gates(review.session(), review.budget) if gate.status is Status.FAIL]
        if decision == Verdict.APPROVE.value and review.evidence is not None and failing and not comment.strip():
            remedies = {each.finding.id: each.do for each in self.project.judgements(release_id) if each.refuses}
            remedies = {**_REMEDY, **remedies}  # where the policy refuses, no comment helps
            raise Refused.of(
                Problem(f"{gate.title}: {gate.sentence}", release_id, remedies.get(gate.id, _EXPLAIN))
                for gate in failing
            )
        return self.project.decide(
            release_id,
            decision=decision,
            reviewer=reviewer,
            comment=comment,
            public_comment=public_comment,
            declares=declares,
        )

    def set_cap(self, release_id: str, cap: Decimal, *, actor: str, reason: str) -> Budget | None:
        """Change how much may be spent on the data behind a release. Who, when and why stay in the journal."""
        run = self.project.latest_run(release_id)
        if run is None:
            raise UserProblem(f"{release_id} has not been run, so its data are not known yet", do="Run it first")
        for code in self._sharing_budget(release_id, run.dataset_id):
            if could_be_one(actor, self.project.release(code).preparer):
                raise Refused(f"{actor} prepared {code} and cannot change what it may spend", code, "Ask somebody else")
        if not reason.strip():
            raise UserProblem("Changing a budget needs a reason", "reason", "Say who decided it and why")
        self.project.set_cap(run.dataset_id, cap, actor=actor, reason=reason)
        return self.budget(release_id)

    def _sharing_budget(self, release_id: str, dataset_id: int) -> Iterator[str]:
        """The release itself, and all that wait for a decision on the same data, or on data not known yet."""
        yield release_id
        for record in self.project.releases():
            if record.state in _UNDECIDED:
                run = self.project.latest_run(record.id)
                if run is None or run.dataset_id == dataset_id:
                    yield record.id

    def published_table(self, release_id: str) -> Published | None:
        """The values of the latest draw."""
        run = self.project.latest_run(release_id)
        return self.project.published(run.id) if run is not None else None

    def released(self, name: str) -> Microdata:
        """An approved release that a plan names in the place of a public file."""
        from workbench.review.run.released import released_by

        return released_by(self.project)(name)

    # Reports and exports
    @one_snapshot
    def report(self, release_id: str) -> ApprovalReport:
        from workbench.review.publish.export import report_of

        return report_of(self.project, self.open_release(release_id))

    @property
    def printer(self) -> Printer:
        """Who sets the reports."""
        from workbench.review.publish.printing import Printer

        return self._make_printer() if self._make_printer is not None else Printer()

    def report_bytes(self, release_id: str, audience: Audience, kind: str, context: Context = QUIET) -> bytes:
        from workbench.report.render import Format

        return self.printer.set(self._report_for(release_id, audience), audience, Format(kind), context)

    def report_pages(
        self, release_id: str, audience: Audience, *, width: int, context: Context
    ) -> tuple[PageImage, ...]:
        """The pages of the report as pictures of that many pixels across."""
        return self.printer.pages(self._report_for(release_id, audience), audience, width, context)

    def _report_for(self, release_id: str, audience: Audience) -> ApprovalReport:
        if audience is Audience.PUBLIC:
            self.refuse_unless_approved(release_id, "The public report")
        return self.report(release_id)

    def export(
        self,
        release_id: str,
        paths: Mapping[tuple[Audience, str], Path],
        *,
        files: Mapping[str, Path] = MappingProxyType({}),
        actor: str,
        context: Context,
    ) -> int:
        """Write reports and released files, each where it is asked for, by name or kind (csv, parquet, stata).

        Every file is made before the first is put in place.
        """
        from workbench.review.publish.export import export_files

        if files:
            self.refuse_unless_approved(release_id, "The released table")
        if any(audience is Audience.PUBLIC for audience, _kind in paths):
            self.refuse_unless_approved(release_id, "The public report")
        return export_files(self, release_id, paths, files=files, actor=actor, context=context)

    def export_targets(self, release_id: str, output: Path, name: str = "") -> dict[str, Path]:
        """Where `export` would put which file: the one named, the one of that ending, or all of them in a folder."""
        from workbench.review.publish.outputs import files_of, targets

        return targets(files_of(self.project, release_id), release_id, output, name)

    def refuse_unless_approved(self, release_id: str, what: str) -> None:
        """Nothing leaves the agency before a decision says so, or after the plan moved away from it.

        Nor from a file that is not what was written: a decision put in by hand is none.
        """
        self.project.refuse_unless_intact()
        decisions = self.project.decisions(release_id)
        last = decisions[-1] if decisions else None
        if last is None or last.decision is not Verdict.APPROVE or last.stale:
            raise Refused(f"{what} of {release_id} can be exported only after approval", do="Record a decision first")


def _other_names(own: DatasetRecord) -> tuple[str, ...]:
    """Names under which the same content was loaded, where there is more than one."""
    names = dict.fromkeys((own.name, *(alias.name for alias in own.aliases)))
    return tuple(names) if len(names) > 1 else ()


def _names(params: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields_of(params))


def _known_checks() -> tuple[str, ...]:
    from workbench.products.registry import offered

    return tuple(dict.fromkeys(check.id for check in offered("checks")))


def _similar(one: DatasetRecord, other: DatasetRecord) -> bool:
    """Perhaps the same people: one row more or less is another fingerprint, and would open a budget of its own."""
    names = {column.name for column in one.columns} & {column.name for column in other.columns}
    return len(names) > 1 and abs(one.rows - other.rows) <= _NEARLY * max(one.rows, other.rows)
