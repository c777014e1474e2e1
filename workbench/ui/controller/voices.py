"""What people say under their own name: votes, decisions, exceptions, rules; signed with their own key."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from PySide6.QtCore import QObject, Signal

from workbench.core.errors import Problem, UserProblem
from workbench.core.passphrase import Passphrase
from workbench.core.people import same_person
from workbench.core.progress import Context
from workbench.policy.profile import PolicyProfile
from workbench.project.signing.keys import KeyStore, Signer, fingerprint
from workbench.project.signing.signing_trust import KnownKey
from workbench.review.decide.desk import Desk, desk_of
from workbench.review.session import ReviewSession
from workbench.review.views import Budget, OpenedReview
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.questions import PassphraseQuestion, Questions

_NEW_KEY = (
    "Your votes and decisions are signed with a key of your own. It is made now and kept in your own folder, locked "
    "with a passphrase of at least 12 signs. Nobody else needs to know it, and nobody can bring it back."
)

_DECIDED = {"approve": "approved", "request changes": "requested changes to", "reject": "rejected"}
_VOTED = {"approve": "voted to approve", "request changes": "voted to ask for changes to", "reject": "voted against"}


class Voices(QObject):
    desk_ready = Signal(object)  # Desk of the release in view

    def __init__(
        self, jobs: Jobs, questions: Questions, file: ProjectFile, editor: Editor, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.signs = True  # whether this person's voice is signed
        self.keys: KeyStore | None = None  # None: the user's own
        self.spoken = 0  # how often somebody spoke in this window: what was read before is out of date
        self._jobs, self._questions, self._file, self._editor = jobs, questions, file, editor
        self._signer: Signer | None = None

    # Keys
    @property
    def signer(self) -> Signer | None:
        """The unlocked key of whoever sits here; None where it is locked, or somebody else's."""
        return self._signer if self._signer is not None and same_person(self._signer.name, self._file.person) else None

    @property
    def key_words(self) -> str:
        """What is known of the key, for the page."""
        signer = self.signer
        if signer is None:
            return "Your passphrase is asked once; the key is made on first use."
        return f"Your key {fingerprint(signer.public)} is unlocked until the window closes."

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
        elif not self._jobs.occupied:
            self._ask_for_key(act, "")

    def _ask_for_key(self, act: Callable[[], None], wrong: str) -> None:
        name = self._file.person

        def ask(made: bool) -> None:
            self._questions.passphrase.emit(
                PassphraseQuestion(
                    title=f"The key of {name}",
                    words=f"Passphrase of the key of {name}, asked once." if made else _NEW_KEY,
                    new=not made,
                    wrong=wrong,
                    answer=lambda given: self._unlock(name, given, act),
                )
            )

        self._jobs.quietly(lambda _context: (self.keys or KeyStore()).has(name), ask)

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
            self._editor.changed.emit()
            act()

        self._jobs.do(work, done, "Unlocking your key")

    def read_keys(self, then: Callable[[tuple[KnownKey, ...]], None]) -> None:
        """Whose keys the project knows."""
        self._jobs.quietly(lambda _context: self._file.workspace.project.known_keys(), then)

    def vouch(self, told: str) -> None:
        """Answer for somebody's key, named by its fingerprint, with one's own."""
        signer = self.signer
        if signer is None:
            self._jobs.show_problems((Problem("Your key is locked", "signature", "Unlock it first"),))
            return
        workspace = self._file.workspace

        def done(key: KnownKey) -> None:
            self.spoken += 1
            self._jobs.noted.emit(f"The key {fingerprint(key.public)} of {key.name}: {key.standing().value}.")
            self._editor.changed.emit()
            self._file.changed.emit()

        self._jobs.do(lambda _context: workspace.project.endorse(told, signer), done, "Recording your word")

    # Voting and deciding
    def look_at_desk(self) -> None:
        """What the release looks like from this person's chair; comes back as `desk_ready`."""
        session, viewer, workspace = self._editor.session, self._file.person, self._file.workspace
        if session is None:
            return
        release_id = session.release_id

        def ready(desk: Desk) -> None:
            if session is self._editor.session and viewer == self._file.person:
                self.desk_ready.emit(desk)

        self._jobs.quietly(lambda _context: desk_of(workspace, release_id, viewer=viewer), ready)

    def vote(self, choice: str, *, comment: str, public_comment: str) -> None:
        reviewer = self._file.person

        def work(session: ReviewSession) -> None:
            self._file.workspace.project.vote(
                session.release_id, vote=choice, reviewer=reviewer, comment=comment, public_comment=public_comment
            )

        self._speak(work, "Recording the vote", f"Recorded: {reviewer} {_VOTED[choice]}")

    def decide(self, decision: str, *, comment: str, public_comment: str) -> None:
        reviewer = self._file.person

        def work(session: ReviewSession) -> None:
            self._file.workspace.decide(
                session.release_id, decision=decision, reviewer=reviewer, comment=comment, public_comment=public_comment
            )

        self._speak(work, "Recording the decision", f"Recorded: {reviewer} {_DECIDED[decision]}")

    def waive(self, reason: str) -> None:
        """Leave for the draw in view to exceed a cap, by somebody the policy names."""
        actor = self._file.person

        def work(session: ReviewSession) -> None:
            self._file.workspace.project.grant_exception(session.release_id, actor=actor, reason=reason)

        self._speak(work, "Recording the exception", f"Recorded: {actor} granted an exception for")

    def _speak(self, work: Callable[[ReviewSession], None], sentence: str, recorded: str) -> None:
        """One voice, signed where it is to be, and the release as it stands afterwards."""
        session, workspace = self._editor.need_session(), self._file.workspace
        if self._jobs.occupied:
            return
        self._editor.save()
        signer = self.signer if self.signs else None

        def job(_context: Context) -> OpenedReview:
            workspace.project.sign_as(signer)
            work(session)
            return workspace.open_release(session.release_id)

        def done(review: OpenedReview) -> None:
            session.take_over(review)
            self._file.refresh()
            if session is self._editor.session:
                self.spoken += 1
                self._editor.changed.emit()
            self._jobs.noted.emit(f"{recorded} {session.release_id}.")

        self._jobs.do(job, done, sentence)

    # Rules
    def set_policy(self, profile: PolicyProfile, reason: str) -> None:
        actor, workspace = self._file.person, self._file.workspace

        def done(_record: object) -> None:
            self.spoken += 1
            self._jobs.noted.emit(f"In force: {profile.title}.")
            self._editor.read_again()
            self._file.refresh()

        self._jobs.do(
            lambda _context: workspace.set_policy(profile, actor=actor, reason=reason),
            done,
            "Putting the policy in force",
        )

    def set_cap(self, cap: Decimal, reason: str) -> None:
        """Change the budget of the data set behind the release, with a reason for the journal."""
        session, actor, workspace = self._editor.need_session(), self._file.person, self._file.workspace

        def changed(budget: Budget | None) -> None:
            session.budget = budget
            self._editor.changed.emit()

        self._editor.do(
            lambda _context: workspace.set_cap(session.release_id, cap, actor=actor, reason=reason),
            changed,
            "Changing the budget",
        )
