"""The project file as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from workbench.accounting.limits import Limits
from workbench.accounting.what_if import WhatIf
from workbench.core.errors import Problem
from workbench.core.findings import Finding
from workbench.core.passphrase import Passphrase
from workbench.policy.judge import Judgement
from workbench.policy.profile import PolicyProfile
from workbench.project.file.lock import Holder
from workbench.project.file.opening import create_session, open_session
from workbench.project.file.session import Session
from workbench.project.records import (
    DatasetRecord,
    DecisionRecord,
    ExceptionRecord,
    JournalRecord,
    LedgerRecord,
    PolicyRecord,
    ReleaseRecord,
    RunRecord,
    VoteRecord,
    VotingRecord,
)
from workbench.project.signing import signing
from workbench.project.signing.keys import Signer
from workbench.project.signing.signatures import SignatureRecord, signatures
from workbench.project.signing.signing_trust import KnownKey, key_book
from workbench.project.tables import (
    comparisons,
    datasets,
    decisions,
    exports,
    policies,
    releases,
    runs,
    standing,
    voices,
    votes,
)
from workbench.project.tables import ledger_rows as entries
from workbench.project.tables import waivers as exceptions
from workbench.project.tables.comparisons import ComparisonRecord
from workbench.project.tables.exports import ExportRecord

if TYPE_CHECKING:
    from workbench.core.published import Published


def create(path: Path, *, person: str = "", passphrase: Passphrase | None = None) -> Project:
    """Make a new project file, encrypted where a passphrase is given. A file that is there is never touched."""
    return Project(create_session(Path(path), person, passphrase=passphrase))


def open_project(
    path: Path, *, read_only: bool = False, person: str = "", passphrase: Passphrase | None = None
) -> Project:
    """Open a project file, for writing where that is possible; see `Project.read_only_reason` where it is not.

    Raises PassphraseNeeded or WrongPassphrase for an encrypted one; a plain one does not look at the passphrase.
    """
    return Project(open_session(Path(path), person, read_only=read_only, passphrase=passphrase))


def open_or_create(path: Path, *, person: str = "") -> Project:
    """Open the file where there is one, otherwise make it."""
    return open_project(path, person=person) if Path(path).exists() else create(path, person=person)


class Project:
    """An open project. Every writing method is one action: it happens entirely, with its journal entry, or not."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._session.close()

    @property
    def path(self) -> Path:
        return self._session.path

    @property
    def person(self) -> str:
        """Who works in this session; the actor of actions that name nobody else."""
        return self._session.person

    @property
    def read_only(self) -> bool:
        return bool(self._session.why_read_only)

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be changed, in words; empty where it can."""
        return self._session.why_read_only

    @property
    def held_by(self) -> Holder | None:
        """Who else has the project open, where that is why it can only be read."""
        return self._session.holder

    def together(self) -> AbstractContextManager[None]:
        """Several actions that are stored together or not at all; each keeps its own journal entry."""
        return self._session.together()

    # Keys

    def sign_as(self, signer: Signer | None) -> None:
        """From now on, votes and decisions under this person's name are signed; None signs nothing."""
        self._session.signer = signer

    def known_keys(self) -> tuple[KnownKey, ...]:
        """Every public key of the project, the first enrolled first; `standing()` says what it counts for."""
        return tuple(key_book(self._session.rows).keys.values())

    def signatures(self) -> tuple[SignatureRecord, ...]:
        """Every signature, checked against its row and its key."""
        return signatures(self._session)

    def enrol(self, name: str, public: str) -> KnownKey:
        return signing.enrol(self._session, name, public)

    def endorse(self, fingerprint: str, signer: Signer) -> KnownKey:
        """Answer for an enrolled key: for somebody else's (vouch), or for one's own new one (rotate)."""
        return signing.endorse(self._session, fingerprint, signer)

    def require_signatures(self, *, actor: str = "") -> None:
        """From now on nothing is decided without a signature. Cannot be taken back."""
        signing.require_signatures(self._session, actor=actor)

    def signature_expected(self, name: str) -> bool:
        """True where a vote or decision under this name is refused without a signature."""
        return signing.expected(self._session, name)

    # Data sets

    def save_dataset(self, record: DatasetRecord) -> int:
        """Remember a data set and return its id; the same content always has the same id."""
        return datasets.save_dataset(self._session, record)

    def datasets(self) -> tuple[DatasetRecord, ...]:
        return datasets.datasets(self._session)

    def dataset(self, which: int | str) -> DatasetRecord:
        """By id or content fingerprint."""
        return datasets.dataset(self._session, which)

    def known_dataset(self, *, content: str, file: str) -> int | None:
        """The number of the data set that a loaded file would count as; None for data the project has not seen."""
        return datasets.known_dataset(self._session, content=content, file=file)

    def cap(self, dataset_id: int) -> Decimal | None:
        return datasets.cap(self._session, dataset_id)

    def set_cap(self, dataset_id: int, epsilon: Decimal | None, *, actor: str = "", reason: str = "") -> None:
        """Set (or with None lift) the largest total ε per definition that approvals may spend on a data set."""
        datasets.set_cap(self._session, dataset_id, epsilon, actor=actor, reason=reason)

    # Releases

    def save_release(
        self, *, title: str, product: str, plan_text: str, preparer: str, context: Mapping[str, str] | None = None,
        reviewers_needed: int = 1,
    ) -> ReleaseRecord:  # fmt: skip
        return releases.save_release(
            self._session, title=title, product=product, plan_text=plan_text, preparer=preparer,
            context=context or {}, reviewers_needed=reviewers_needed,
        )  # fmt: skip

    def update_release_plan(
        self, release_id: str, plan_text: str, *, actor: str = "", title: str | None = None,
        context: Mapping[str, str] | None = None,
    ) -> ReleaseRecord:  # fmt: skip
        """A new revision of the plan; votes and decisions so far become stale. Refused once approved."""
        return releases.update_release_plan(
            self._session, release_id, plan_text, actor=actor, title=title, context=context
        )

    def withdraw(self, release_id: str, *, actor: str = "", reason: str = "") -> ReleaseRecord:
        """Take a release that was never approved off the list. It stays in the file."""
        return releases.withdraw(self._session, release_id, actor=actor, reason=reason)

    def release(self, release_id: str) -> ReleaseRecord:
        return releases.release(self._session, release_id)

    def releases(self) -> tuple[ReleaseRecord, ...]:
        return releases.releases(self._session)

    def plan_text(self, release_id: str, digest: str) -> str:
        """The plan as it stood when it had this digest (a run's `plan_digest`)."""
        return releases.plan_text(self._session, release_id, digest)

    # Runs

    def add_run(
        self, release_id: str, run: RunRecord, *, findings: Sequence[Finding] = (),
        published: Published | None = None, actor: str = "",
    ) -> RunRecord:  # fmt: skip
        """Store a run with its findings and the values it drew; returns it with id and draw number."""
        return runs.add_run(
            self._session, release_id, run, findings=findings, published=published, actor=actor
        )  # fmt: skip

    def runs(self, release_id: str) -> tuple[RunRecord, ...]:
        return runs.runs(self._session, release_id)

    def run(self, run_id: int) -> RunRecord:
        return runs.run_by_id(self._session, run_id)

    def latest_run(self, release_id: str) -> RunRecord | None:
        return runs.latest_run(self._session, release_id)

    def drawn_elsewhere(self, run: RunRecord) -> int:
        """How often other releases drew the same table from the same data without publishing it."""
        return runs.drawn_elsewhere(self._session, run)

    def findings(self, run_id: int) -> tuple[Finding, ...]:
        return runs.findings(self._session, run_id)

    def published(self, run_id: int) -> Published | None:
        return runs.published(self._session, run_id)

    # Review

    def vote(
        self, release_id: str, *, vote: str, reviewer: str, comment: str = "", public_comment: str = ""
    ) -> VoteRecord:
        """Approve, request changes or reject as one of several. The latest vote of each reviewer counts."""
        return votes.vote(
            self._session, release_id, vote=vote, reviewer=reviewer, comment=comment, public_comment=public_comment
        )

    def votes(self, release_id: str, *, viewer: str = "") -> tuple[VoteRecord, ...]:
        """As `viewer` (by default whoever opened the project) may see them: blinded votes say nothing too early."""
        return votes.votes(self._session, release_id, viewer=viewer or self.person)

    def voting(self, release_id: str) -> VotingRecord:
        """How many reviewers are needed and who has voted; not what they said."""
        return votes.voting(self._session, release_id)

    def outlook(self, run: RunRecord) -> WhatIf | None:
        """What approving a run would leave of the budget; None where it is counted already or states no claim."""
        if run.claim is None or standing.spent(self._session, run):
            return None
        return standing.outlook(self._session, run, run.claim)

    def judgements(self, release_id: str) -> tuple[Judgement, ...]:
        """The release held against every rule of the policy in force that looks at the release itself."""
        return standing.judgements(self._session, release_id)

    def grant_exception(self, release_id: str, *, actor: str, reason: str) -> ExceptionRecord:
        """Let the latest draw exceed the caps. Only people the policy names; what it covers and why is recorded."""
        return exceptions.grant_exception(self._session, release_id, actor=actor, reason=reason)

    def exceptions(self, release_id: str) -> tuple[ExceptionRecord, ...]:
        return exceptions.exceptions(self._session, release_id)

    def standing_exception(self, run: RunRecord) -> ExceptionRecord | None:
        """The exception that covers approving a run as the ledger stands now; None where none does or is needed."""
        answer = self.outlook(run)
        return None if answer is None else exceptions.standing_exception(self._session, run, answer)

    # Policy

    def set_policy(self, profile: PolicyProfile, *, actor: str = "", reason: str) -> PolicyRecord:
        """Put a policy in force. Votes under another one become stale; decisions stand."""
        return policies.set_policy(self._session, profile, actor=actor, reason=reason)

    def policy(self) -> PolicyRecord | None:
        """The policy in force; None where the project never set one."""
        return policies.policy_in_force(self._session)

    def profile(self) -> PolicyProfile:
        """The rules that apply now: those of the policy in force, or the program's defaults."""
        return policies.profile_in_force(self._session)

    def policies(self) -> tuple[PolicyRecord, ...]:
        """Every policy that was ever in force, the first one first."""
        return policies.policies(self._session)

    def limits(self, dataset_id: int) -> Limits:
        """What may be spent on a data set: its own budget and the caps of the policy in force."""
        return policies.limits_of(self._session, dataset_id)

    # Decisions

    def decide(
        self, release_id: str, *, decision: str, reviewer: str, comment: str = "", public_comment: str = ""
    ) -> DecisionRecord:
        """Approve, request changes or reject. Refused with every reason at once; an approval enters the ledger."""
        return decisions.decide(
            self._session, release_id, decision=decision, reviewer=reviewer, comment=comment,
            public_comment=public_comment,
        )  # fmt: skip

    def decisions(self, release_id: str) -> tuple[DecisionRecord, ...]:
        return decisions.decisions(self._session, release_id)

    def against_approval(self, release_id: str, reviewer: str) -> tuple[Problem, ...]:
        """Why an approval by this reviewer would be refused now; empty where it would not."""
        return decisions.against_approval(self._session, release_id, reviewer)

    def too_close(self, release_id: str, name: str) -> tuple[Problem, ...]:
        """Why somebody had too much of a hand in a release to review it; empty where they had none."""
        release = releases.release_row(self._session, release_id)
        run = runs.latest_run(self._session, release_id)
        return tuple(voices.authorship(self._session, release, run, name, "review"))

    def ledger(self, dataset: int | str | None = None) -> tuple[LedgerRecord, ...]:
        """What was spent on a data set (id or content fingerprint), or on all, the oldest entry first."""
        return entries.ledger(self._session, dataset)

    def record_export(self, release_id: str, files: Mapping[str, str], *, actor: str = "") -> None:
        """Note in the journal which files (name → SHA-256) were written for a release."""
        exports.record_export(self._session, release_id, files, actor=actor)

    def exports(self, release_id: str) -> tuple[ExportRecord, ...]:
        return exports.exports(self._session, release_id)

    def record_comparison(
        self, run: RunRecord, *, files: Mapping[str, str], findings: Sequence[Finding], actor: str = ""
    ) -> None:
        """Note in the journal with which tables (name → SHA-256) a draw was compared, and what was found."""
        comparisons.record_comparison(
            self._session, run.release_id, run.id, files=files, findings=findings, actor=actor
        )  # fmt: skip

    def comparisons(self, release_id: str) -> tuple[ComparisonRecord, ...]:
        return comparisons.comparisons(self._session, release_id)

    def journal(self) -> tuple[JournalRecord, ...]:
        """Everything that was done, the first action first."""
        rows = self._session.rows("SELECT seq, at, actor, action, subject, hash FROM journal ORDER BY seq")
        return tuple(JournalRecord(**row) for row in rows)
