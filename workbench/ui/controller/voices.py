"""What people say under their own name: votes, decisions, exceptions, rules; signed with their own key."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from PySide6.QtCore import QObject, Signal

from workbench.core.errors import UserProblem
from workbench.core.passphrase import Passphrase
from workbench.core.progress import Context
from workbench.review.decide.desk import Desk, desk_of
from workbench.review.decide.keyring import Keyring, KeyRow, known_keys
from workbench.review.decide.policy_book import PolicyPage, put_in_force
from workbench.review.session import ReviewSession
from workbench.review.views import Budget, OpenedReview
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.questions import PassphraseQuestion, Questions

_NEW_KEY = (
    "Your votes and decisions are signed with a key of your own. It is made now and kept in your own folder, locked "
    "with a passphrase of at least 12 characters. Keep it to yourself. It cannot be recovered."
)

_DECIDED = {"approve": "approved", "request changes": "requested changes to", "reject": "rejected"}


class Voices(QObject):
    desk_ready = Signal(object)  # Desk of the release in view

    def __init__(
        self, jobs: Jobs, questions: Questions, file: ProjectFile, editor: Editor, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.signs = True  # whether this person's voice is signed
        self.keyring = Keyring()
        self.spoken = 0  # how often somebody spoke in this window: what was read before is out of date
        self._jobs, self._questions, self._file, self._editor = jobs, questions, file, editor

    # Keys
    @property
    def key_words(self) -> str:
        """What is known of the key of whoever sits here, for the page."""
        return self.keyring.words(self._file.person)

    def signed(self, act: Callable[[], None]) -> None:
        """Do something under one's name: unlock the key first, or make it, where the voice is to be signed."""
        if self.signs:
            self.unlocked(act)
        else:
            act()

    def unlocked(self, act: Callable[[], None]) -> None:
        """Do something for which the key of whoever sits here must be unlocked."""
        if self.keyring.signer_of(self._file.person) is not None:
            act()
        elif not self._jobs.occupied:
            self._ask_for_key(act, "")

    def _ask_for_key(self, act: Callable[[], None], wrong: str) -> None:
        name, keyring = self._file.person, self.keyring

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

        self._jobs.quietly(lambda _context: keyring.has(name), ask)

    def _unlock(self, name: str, passphrase: Passphrase, act: Callable[[], None]) -> None:
        keyring = self.keyring

        def work(_context: Context) -> str:
            try:
                keyring.unlock(name, passphrase)
            except UserProblem as wrong:
                return wrong.problems[0].what + "."
            return ""

        def done(wrong: str) -> None:
            if wrong:
                self._ask_for_key(act, wrong)
                return
            self._editor.changed.emit()
            act()

        self._jobs.do(work, done, "Unlocking your key")

    def read_keys(self, then: Callable[[tuple[KeyRow, ...]], None]) -> None:
        """Whose keys the project knows."""
        workspace = self._file.workspace
        self._jobs.quietly(lambda _context: known_keys(workspace), then)

    def vouch(self, told: str) -> None:
        """Answer for somebody's key, named by its fingerprint, with one's own."""
        workspace, keyring, name = self._file.workspace, self.keyring, self._file.person

        def done(key: KeyRow) -> None:
            self.spoken += 1
            self._jobs.noted.emit(key.sentence)
            self._editor.changed.emit()
            self._file.changed.emit()

        self._jobs.do(lambda _context: keyring.vouch(workspace, told, name), done, "Recording your answer")

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

    def vote(self, choice: str, *, comment: str, public_comment: str, declares: bool = False) -> None:
        reviewer = self._file.person

        def work(session: ReviewSession) -> None:
            self._file.workspace.project.vote(
                session.release_id, vote=choice, reviewer=reviewer, comment=comment, public_comment=public_comment,
                declares=declares,
            )  # fmt: skip

        self._speak(work, "Recording the vote", "Your vote is recorded:")  # not which: others sit here next

    def decide(self, decision: str, *, comment: str, public_comment: str, declares: bool = False) -> None:
        reviewer = self._file.person

        def work(session: ReviewSession) -> None:
            self._file.workspace.decide(
                session.release_id,
                decision=decision,
                reviewer=reviewer,
                comment=comment,
                public_comment=public_comment,
                declares=declares,
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
        signer = self.keyring.signer_of(self._file.person) if self.signs else None

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
    def under_own_name(self, act: Callable[[], None]) -> None:
        """Do something that is signed where this person's word is expected to be: then unlock the key first."""
        workspace, name = self._file.workspace, self._file.person

        def known(expected: bool) -> None:
            if expected:
                self.unlocked(act)
            else:
                act()

        self._jobs.quietly(lambda _context: workspace.project.signature_expected(name), known)

    def take_pen(self) -> None:
        """What is done next in the project is signed with the key that is unlocked, if it is this person's."""
        self._file.workspace.project.sign_as(self.keyring.signer_of(self._file.person))

    def set_policy(self, page: PolicyPage, reason: str) -> None:
        self.under_own_name(lambda: self._set_policy(page, reason))

    def _set_policy(self, page: PolicyPage, reason: str) -> None:
        actor, workspace = self._file.person, self._file.workspace

        def work(_context: Context) -> object:
            self.take_pen()
            return put_in_force(workspace, page, actor=actor, reason=reason)

        def done(_record: object) -> None:
            self.spoken += 1
            self._jobs.noted.emit(f"In force: {page.title}.")
            self._editor.read_again()
            self._file.refresh()

        self._jobs.do(work, done, "Putting the policy in force")

    def separate(self, dataset: int, other: int, reason: str) -> None:
        """Say that two data sets hold other people, with a reason for the journal."""
        self.under_own_name(lambda: self._separate(dataset, other, reason))

    def _separate(self, dataset: int, other: int, reason: str) -> None:
        actor, workspace = self._file.person, self._file.workspace

        def work(_context: Context) -> None:
            self.take_pen()
            workspace.project.separate(dataset, other, actor=actor, reason=reason)

        def done(_nothing: None) -> None:
            self.spoken += 1
            self._jobs.noted.emit("From now on each data set has its own budget.")
            self._editor.read_again()
            self._file.refresh()

        self._jobs.do(work, done, "Separating the data sets")

    def set_cap(self, cap: Decimal, reason: str) -> None:
        """Change the budget of the data set behind the release, with a reason for the journal."""
        self.under_own_name(lambda: self._set_cap(cap, reason))

    def _set_cap(self, cap: Decimal, reason: str) -> None:
        session, actor, workspace = self._editor.need_session(), self._file.person, self._file.workspace

        def work(_context: Context) -> Budget | None:
            self.take_pen()
            return workspace.set_cap(session.release_id, cap, actor=actor, reason=reason)

        def changed(budget: Budget | None) -> None:
            session.budget = budget
            self._editor.changed.emit()

        self._editor.do(work, changed, "Changing the budget")
