"""What reviewers do: vote, decide, grant exceptions, sign with their own key; policy, reports, bundles, overview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.core.findings import Audience, Finding
from workbench.core.progress import Context
from workbench.core.quantities import counted
from workbench.policy.profile import PolicyProfile
from workbench.project.file.encryption import Passphrase
from workbench.project.signing.keys import KeyStore, Signer, fingerprint
from workbench.project.signing.signing_trust import KnownKey
from workbench.project.tables.names import same_person
from workbench.review.decide.desk import Desk, desk_of
from workbench.review.session import ReviewSession
from workbench.review.views import Budget, OpenedReview
from workbench.ui.bridge import JobBridge, Kind
from workbench.ui.guarding import Guarding
from workbench.ui.questions import PassphraseQuestion, Told

if TYPE_CHECKING:
    from workbench.review.budget.ledger_book import Book
    from workbench.review.decide.dashboard import Dashboard
    from workbench.review.publish.verify_report import Verified

_PREVIEW_PIXELS = 1100
_NEW_KEY = (
    "Your votes and decisions are signed with a key of your own. It is made now and kept in your own folder, locked "
    "with a passphrase of at least 12 signs. Nobody else needs to know it, and nobody can bring it back."
)

_DECIDED = {"approve": "approved", "request changes": "requested changes to", "reject": "rejected"}
_VOTED = {"approve": "voted to approve", "request changes": "voted to ask for changes to", "reject": "voted against"}


class Reviewing(Guarding):
    report_ready = Signal(object)  # the pages asked for by `preview_report`, as pictures
    desk_ready = Signal(object)  # Desk of the release in view

    def __init__(self, bridge: JobBridge, *, identity: str, parent: QObject | None = None) -> None:
        super().__init__(bridge, identity=identity, parent=parent)
        self.signs = True  # whether this person's voice is signed
        self.keys: KeyStore | None = None  # None: the user's own
        self._signer: Signer | None = None

    # Signing
    @property
    def signer(self) -> Signer | None:
        """The unlocked key of whoever sits here; None where it is locked, or somebody else's."""
        return self._signer if self._signer is not None and same_person(self._signer.name, self.identity) else None

    @property
    def key_words(self) -> str:
        """What is known of the key, for the page."""
        signer = self.signer
        if signer is None:
            return "Your passphrase is asked once; the key is made on first use."
        return f"Your key {fingerprint(signer.public)} is unlocked until the window closes."

    def forget_secrets(self) -> None:
        """The window closes: the key is locked again and the project's passphrase forgotten."""
        self._signer = self._passphrase = None

    def use_signer(self, signer: Signer | None) -> None:
        self._signer = signer

    def signed(self, act: Callable[[], None]) -> None:
        """Do something under one's name: unlock the key first, or make it, where the voice is to be signed."""
        if self.signs:
            self.unlocked(act)
        else:
            act()

    def unlocked(self, act: Callable[[], None]) -> None:
        """Do something for which the key of whoever sits here must be unlocked."""
        if self.signer is not None:
            act()
        elif not self.occupied:
            self._ask_for_key(act, "")

    def _ask_for_key(self, act: Callable[[], None], wrong: str) -> None:
        name = self.identity

        def ask(made: bool) -> None:
            self.passphrase_wanted.emit(
                PassphraseQuestion(
                    title=f"The key of {name}",
                    words=f"Passphrase of the key of {name}, asked once." if made else _NEW_KEY,
                    new=not made,
                    wrong=wrong,
                    answer=lambda given: self._unlock(name, given, act),
                )
            )

        self._quietly(lambda _context: (self.keys or KeyStore()).has(name), ask)

    def _unlock(self, name: str, passphrase: Passphrase, act: Callable[[], None]) -> None:
        def work(_context: Context) -> Signer | str:
            store = self.keys or KeyStore()
            try:
                return store.unlock(name, passphrase) if store.has(name) else store.make(name, passphrase)
            except UserProblem as wrong:
                return wrong.problems[0].what + "."

        def done(result: Signer | str) -> None:
            if isinstance(result, str):
                self._ask_for_key(act, result)
                return
            self._signer = result
            self.changed.emit()
            act()

        self._do(work, done, "Unlocking your key")

    def read_keys(self, then: Callable[[tuple[KnownKey, ...]], None]) -> None:
        """Whose keys the project knows."""
        self._quietly(lambda _context: self.workspace.project.known_keys(), then)

    def vouch(self, told: str) -> None:
        """Answer for somebody's key, named by its fingerprint, with one's own."""
        signer = self.signer
        if signer is None:
            self.show_problems((Problem("Your key is locked", "signature", "Unlock it first"),))
            return

        def done(key: KnownKey) -> None:
            self.spoken += 1
            self.noted.emit(f"The key {fingerprint(key.public)} of {key.name}: {key.standing().value}.")
            self.changed.emit()
            self.project_changed.emit()

        self._do(lambda _context: self.workspace.project.endorse(told, signer), done, "Recording your word")

    def _voice(self) -> Signer | None:
        return self.signer if self.signs else None

    # Voting and deciding
    def look_at_desk(self) -> None:
        """What the release looks like from this person's chair; comes back as `desk_ready`."""
        session, viewer = self.session, self.identity
        if session is None:
            return
        release_id = session.release_id

        def ready(desk: Desk) -> None:
            if session is self.session and viewer == self.identity:
                self.desk_ready.emit(desk)

        self._quietly(lambda _context: desk_of(self.workspace, release_id, viewer=viewer), ready)

    def vote(self, choice: str, *, comment: str, public_comment: str) -> None:
        reviewer = self.identity

        def work(session: ReviewSession) -> None:
            self.workspace.vote(
                session.release_id, vote=choice, reviewer=reviewer, comment=comment, public_comment=public_comment
            )

        self._speak(work, "Recording the vote", f"Recorded: {reviewer} {_VOTED[choice]}")

    def decide(self, decision: str, *, comment: str, public_comment: str) -> None:
        reviewer = self.identity

        def work(session: ReviewSession) -> None:
            self.workspace.decide(
                session.release_id, decision=decision, reviewer=reviewer, comment=comment, public_comment=public_comment
            )

        self._speak(work, "Recording the decision", f"Recorded: {reviewer} {_DECIDED[decision]}")

    def grant_exception(self, reason: str) -> None:
        """Leave for the draw in view to exceed a cap, by somebody the policy names."""
        actor = self.identity

        def work(session: ReviewSession) -> None:
            self.workspace.grant_exception(session.release_id, actor=actor, reason=reason)

        self._speak(work, "Recording the exception", f"Recorded: {actor} granted an exception for")

    def _speak(self, work: Callable[[ReviewSession], None], sentence: str, recorded: str) -> None:
        """One voice, signed where it is to be, and the release as it stands afterwards."""
        session = self._need_session()
        if self.occupied:
            return
        self.save()
        signer = self._voice()

        def job(_context: Context) -> OpenedReview:
            self.workspace.project.sign_as(signer)
            work(session)
            return self.workspace.open_release(session.release_id)

        def done(review: OpenedReview) -> None:
            session.decisions, session.state = review.decisions, review.state
            self.refresh_releases()
            if session is self.session:
                self.budget = review.budget
                self.spoken += 1
                self.changed.emit()
            self.noted.emit(f"{recorded} {session.release_id}.")

        self._do(job, done, sentence)

    spoken = 0  # how often somebody voted, decided or granted in this window: what was read before is out of date

    # Policy and budget
    def compare_outside(self, paths: Sequence[Path]) -> None:
        """Published tables from elsewhere, laid beside the drawn one: what they give away together."""
        session, actor = self._need_session(), self.identity

        def work(context: Context) -> tuple[Finding, ...]:
            return self.workspace.compare_outside(session.release_id, paths, actor=actor, context=context)

        def compared(findings: tuple[Finding, ...]) -> None:
            if session.evidence is not None:
                session.evidence = replace(session.evidence, findings=findings)
            self.look_at_desk()
            self.changed.emit()

        self._do_for(session, work, compared, "Comparing with published tables")

    def set_policy(self, profile: PolicyProfile, reason: str) -> None:
        actor = self.identity

        def done(_record: object) -> None:
            self.spoken += 1
            self.noted.emit(f"In force: {profile.title}.")
            self.reload_release()
            self.refresh_releases()

        self._do(
            lambda _context: self.workspace.set_policy(profile, actor=actor, reason=reason),
            done,
            "Putting the policy in force",
        )

    def set_cap(self, cap: Decimal, reason: str) -> None:
        """Change the budget of the data set behind the release, with a reason for the journal."""
        session = self._need_session()
        actor = self.identity

        def changed(budget: Budget | None) -> None:
            self.budget = budget
            self.changed.emit()

        self._do_for(
            session,
            lambda _context: self.workspace.set_cap(session.release_id, cap, actor=actor, reason=reason),
            changed,
            "Changing the budget",
        )

    # The project as a whole
    def read_overview(self, then: Callable[[Dashboard], None]) -> None:
        from workbench.review.decide.dashboard import dashboard

        viewer = self.identity
        self._quietly(lambda _context: dashboard(self.workspace, viewer=viewer), then)

    def read_ledger(self, then: Callable[[tuple[Book, ...]], None]) -> None:
        from workbench.review.budget.ledger_book import books

        release_id = self.session.release_id if self.session is not None else ""
        self._quietly(lambda _context: books(self.workspace, release_id=release_id), then)

    def export_ledger(self, book: Book, path: Path) -> None:
        from workbench.review.budget.ledger_book import write_csv

        self._do(
            lambda _context: write_csv(book, path),
            lambda _nothing: self.noted.emit(f"{path.name} written."),
            "Writing the ledger",
        )

    # Reports and bundles
    def preview_report(self, audience: Audience) -> None:
        session = self._need_session()

        def work(context: Context) -> Any:
            return self.workspace.report_pages(session.release_id, audience, width=_PREVIEW_PIXELS, context=context)

        def ready(pages: Any) -> None:
            if session is self.session:
                self.report_ready.emit(pages)

        self._do(work, ready, "Setting the report", kind=Kind.VIEW)

    def export(self, paths: dict[tuple[Audience, str], Path], table: Path | None) -> None:
        """Write reports and, where asked for, the released table."""
        session = self._need_session()
        actor = self.identity

        def work(context: Context) -> str:
            count = self.workspace.export(session.release_id, paths, table=table, actor=actor, context=context)
            return f"{counted(count, 'file')} written."

        self._write(session, work, "Writing the report")

    def export_bundle(self, path: Path) -> None:
        """Everything that may leave the house for an approved release, with a hashed manifest."""
        session = self._need_session()
        actor = self.identity

        def work(context: Context) -> str:
            from workbench.review.publish.bundle import write_bundle

            made = write_bundle(self.workspace, session.release_id, path, actor=actor, context=context)
            return f"{path.name} written: {counted(len(made.files), 'file')}."

        self._write(session, work, "Writing the bundle")

    def _write(self, session: ReviewSession, work: Callable[[Context], str], sentence: str) -> None:
        if self.occupied:
            return

        def written(words: str) -> None:
            session.exported = True
            self.noted.emit(words)
            self.changed.emit()

        self._do(work, written, sentence)

    def verify_report(self, path: Path) -> None:
        """Is a report what the project holds? It is made again and compared."""
        if self.project is None or self.occupied:
            return

        def work(context: Context) -> Told:
            from workbench.review.publish.verify_report import verify_report

            return _report_told(path, verify_report(path, self.workspace, context))

        self._do(work, self.told.emit, "Checking the report")

    def check_bundle(self, path: Path) -> None:
        """Is a bundle complete and unchanged?"""

        def work(_context: Context) -> Told:
            from workbench.review.publish.bundle import check_bundle

            found = check_bundle(path)
            said = "complete and unchanged" if found.ok else "NOT as it was written"
            files = counted(len(found.files), "file")
            sentence = f"{path.name}: bundle of {found.release_id}, {files}, {said}."
            return Told(title="Check a bundle", sentence=sentence, ok=found.ok, lines=found.problems)

        self._do(work, self.told.emit, "Checking the bundle")


def _report_told(path: Path, found: Verified) -> Told:
    said = "what the project holds" if found.ok else "NOT what the project holds"
    return Told(
        title="Verify report",
        sentence=f"{path.name}, the {found.audience} report of {found.release_id}, is {said}.",
        ok=found.ok,
        lines=(*found.differences, *found.notes),
    )
