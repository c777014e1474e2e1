"""The project file as the rest of the program sees it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from workbench.core.passphrase import Passphrase
from workbench.project.file.failures import UNBELIEVABLE, damaged
from workbench.project.file.opening import create_session, open_session
from workbench.project.file.session import Session
from workbench.project.history import clock as _clock
from workbench.project.history import integrity as _integrity
from workbench.project.history import journal as _journal
from workbench.project.history import merged_history as _merged
from workbench.project.signing import signatures as _signatures
from workbench.project.signing import signing as _signing
from workbench.project.signing.keys import Signer
from workbench.project.signing.signing_trust import project_of
from workbench.project.tables import comparisons as _comparisons
from workbench.project.tables import datasets as _datasets
from workbench.project.tables import decisions as _decisions
from workbench.project.tables import exports as _exports
from workbench.project.tables import ledger_rows as _ledger
from workbench.project.tables import policies as _policies
from workbench.project.tables import programmes as _programmes
from workbench.project.tables import releases as _releases
from workbench.project.tables import runs as _runs
from workbench.project.tables import shared_people as _shared_people
from workbench.project.tables import standing as _standing
from workbench.project.tables import values as _values
from workbench.project.tables import voices as _voices
from workbench.project.tables import votes as _votes
from workbench.project.tables import waivers as _waivers

Given = ParamSpec("Given")
Result = TypeVar("Result")


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


def _of(function: Callable[Concatenate[Session, Given], Result]) -> Callable[Concatenate[Project, Given], Result]:
    """What a room of the project does with a session, as a method: signature and words stand there, once."""

    @functools.wraps(function)
    def method(project: Project, /, *given: Given.args, **named: Given.kwargs) -> Result:
        try:
            return function(project._session, *given, **named)
        except UNBELIEVABLE as error:
            raise damaged(project.path) from error

    return method


class Project:
    """An open project: everything that can be done with the file, by name.

    Every writing method is one action: it happens entirely, with its journal entry, or not.
    """

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
    def number(self) -> str:
        """The project's own number, the same in every copy of it."""
        return project_of(self._session.rows)

    @property
    def removed(self) -> tuple[Path, ...]:
        """What a killed program had left beside the file, and what opening it removed."""
        return self._session.removed

    def together(self) -> AbstractContextManager[None]:
        """Several actions that are stored together or not at all; each keeps its own journal entry."""
        return self._session.together()

    def snapshot(self) -> AbstractContextManager[None]:
        """Several reads that see one state of the file, whatever somebody else writes meanwhile."""
        return self._session.snapshot()

    def sign_as(self, signer: Signer | None) -> None:
        """From now on, votes and decisions under this person's name are signed; None signs nothing."""
        self._session.signer = signer

    known_keys = _of(_signing.known_keys)
    signatures = _of(_signatures.signatures)
    unsigned_decisions = _of(_signatures.unsigned_decisions)
    enrol = _of(_signing.enrol)
    endorse = _of(_signing.endorse)
    require_signatures = _of(_signing.require_signatures)
    signature_expected = _of(_signing.expected)

    save_dataset = _of(_datasets.save_dataset)
    datasets = _of(_datasets.datasets)
    dataset = _of(_datasets.dataset)
    known_dataset = _of(_datasets.known_dataset)
    same_people = _of(_datasets.same_people)
    sketched = _of(_datasets.sketched)
    sharing = _of(_shared_people.sharing)
    together_with = _of(_shared_people.together_with)
    separate = _of(_shared_people.separate)
    register_programme = _of(_programmes.register_programme)
    programmes = _of(_programmes.programmes)
    cap = _of(_datasets.cap)
    set_cap = _of(_datasets.set_cap)

    save_release = _of(_releases.save_release)
    update_release_plan = _of(_releases.update_release_plan)
    withdraw = _of(_releases.withdraw)
    release = _of(_releases.release)
    releases = _of(_releases.releases)
    plan_text = _of(_releases.plan_text)

    add_run = _of(_runs.add_run)
    runs = _of(_runs.runs)
    run = _of(_runs.run_by_id)
    latest_run = _of(_runs.latest_run)
    drawn_elsewhere = _of(_runs.drawn_elsewhere)
    findings = _of(_runs.findings)
    published = _of(_values.published)
    record_comparison = _of(_comparisons.record_comparison)
    comparisons = _of(_comparisons.comparisons)
    pattern_of = _of(_comparisons.pattern_of)

    vote = _of(_votes.vote)
    votes = _of(_votes.votes)
    voting = _of(_votes.voting)
    outlook = _of(_standing.outlook)
    judgements = _of(_standing.judgements)
    patterns_since = _of(_standing.patterns_since)
    too_close = _of(_voices.too_close)
    grant_exception = _of(_waivers.grant_exception)
    exceptions = _of(_waivers.exceptions)
    standing_exception = _of(_waivers.standing_exception)
    decide = _of(_decisions.decide)
    to_declare = _of(_decisions.to_declare)
    to_confirm = _of(_decisions.to_confirm)
    decisions = _of(_decisions.decisions)
    against_approval = _of(_decisions.against_approval)

    set_policy = _of(_policies.set_policy)
    policy = _of(_policies.policy_in_force)
    profile = _of(_policies.profile_in_force)
    policies = _of(_policies.policies)
    limits = _of(_policies.limits_of)

    ledger = _of(_ledger.ledger)
    record_export = _of(_exports.record_export)
    record_failed_export = _of(_exports.record_failed_export)
    exports = _of(_exports.exports)
    journal = _of(_journal.entries)
    refuse_unless_intact = _of(_integrity.refuse_unless_intact)
    leads_on_from = _of(_merged.leads_on_from)
    note_clock = _of(_clock.note_clock)
