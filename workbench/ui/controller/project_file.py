"""The project file: open, close, encrypt, verify, merge votes from a copy; the sample to begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from workbench.core.passphrase import Passphrase, PassphraseNeeded, WrongPassphrase
from workbench.core.progress import Context
from workbench.project.file.encryption import is_encrypted
from workbench.project.store import create
from workbench.review.views import ProjectView
from workbench.review.workspace import Workspace
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.questions import PassphraseQuestion, Questions, Told
from workbench.ui.printer import printer_aside

if TYPE_CHECKING:
    from workbench.project.history.merge import Merged
    from workbench.project.history.verify import VerifyResult
    from workbench.review.budget.ledger_book import Book
    from workbench.review.decide.dashboard import Dashboard

_WRONG = "This passphrase does not fit the project. Mind capitals and the keyboard, and type it again."
_FORGOTTEN = "Without it nobody can open the project, and nobody can bring it back."


@dataclass(frozen=True, slots=True)
class _Opened:
    view: ProjectView
    encrypted: bool


@dataclass(frozen=True, slots=True)
class _Locked:
    """The file is encrypted; `wrong` where a passphrase was given and did not fit."""

    wrong: bool


class ProjectFile(QObject):
    """At most one is open. `workspace` is used on the worker thread only, `view` on the main thread only."""

    opened = Signal()  # another project is open
    changed = Signal()  # another project, or its list of releases
    save_wanted = Signal()  # something needs the file to hold what the window shows
    merged = Signal()  # votes came from a copy
    sample_ready = Signal(object)  # Path of its project

    def __init__(self, jobs: Jobs, questions: Questions, *, person: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.person = person  # who sits here
        self.workspace = Workspace(make_printer=printer_aside)
        self.view: ProjectView | None = None
        self.encrypted = False
        self._jobs, self._questions = jobs, questions
        self._passphrase: Passphrase | None = None  # of the open project: asked for once, forgotten with it

    @property
    def writable(self) -> bool:
        return self.view is not None and not self.view.read_only

    @property
    def why_read_only(self) -> str:
        return self.view.why_read_only if self.view is not None else ""

    # Opening
    def open(
        self,
        path: Path,
        *,
        create: bool = False,
        then: Callable[[], None] | None = None,
        passphrase: Passphrase | None = None,
    ) -> None:
        self.leave()
        person, before, known = self.person, self.view, self._passphrase

        def work(_context: Context) -> _Opened | _Locked:
            here = path.resolve()
            secret = passphrase
            if before is not None and here == before.path and not create:
                self.workspace.close()  # its own lock would make the second one read-only
                secret = known if passphrase is None else passphrase
            try:
                view = self.workspace.open(here, create=create, person=person, passphrase=secret)
            except PassphraseNeeded:
                return _Locked(wrong=False)
            except WrongPassphrase:
                return _Locked(wrong=True)
            return _Opened(view, is_encrypted(here))

        def opened(result: _Opened | _Locked) -> None:
            if isinstance(result, _Locked):
                self._ask_passphrase(path, then, wrong=result.wrong)
                return
            given = known if passphrase is None else passphrase
            self._passphrase = given if result.encrypted else None
            self.encrypted = result.encrypted
            self.view = result.view
            self.opened.emit()
            if then is not None:
                then()

        self._jobs.do(work, opened, "Opening the project")

    def _ask_passphrase(self, path: Path, then: Callable[[], None] | None, *, wrong: bool) -> None:
        self._questions.passphrase.emit(
            PassphraseQuestion(
                title="Encrypted project",
                words=f"{path.name} is encrypted. It opens with its passphrase, which is asked once.",
                wrong=_WRONG if wrong else "",
                answer=lambda given: self.open(path, then=then, passphrase=given),
            )
        )

    def leave(self) -> None:
        """Something else is wanted than what is in view: what runs is cancelled, what is unsaved is saved."""
        self._jobs.cancel()
        self.save_wanted.emit()

    def refresh(self) -> None:
        """Read the list of releases again."""
        self._jobs.quietly(lambda _context: self.workspace.view(), self.show)

    def show(self, view: ProjectView) -> None:
        self.view = view
        self.changed.emit()

    def close(self) -> None:
        self._passphrase = None
        self._jobs.quietly(lambda _context: self.workspace.close(), lambda _nothing: None)

    def _while_closed(self, work: Callable[[Passphrase | None], Any], then: Callable[[Any], None], sentence: str, *,
                      secret: Callable[[], Passphrase | None] | None = None) -> None:  # fmt: skip
        """Do something for which nobody may have the file open, and open it again whatever comes of it.

        `secret` gives the passphrase that opens the file afterwards, where the work changes it.
        """
        if self.view is None or self._jobs.occupied:
            return
        self.save_wanted.emit()
        path, person, known = self.view.path, self.person, self._passphrase
        after = secret() if secret is not None else known

        def job(_context: Context) -> tuple[Any, ProjectView]:
            self.workspace.close()
            opens_with = known
            try:
                result = work(known)
                opens_with = after
            finally:
                view = self.workspace.open(path, person=person, passphrase=opens_with)
            return result, view

        def done(result: tuple[Any, ProjectView]) -> None:
            self._passphrase = after
            self.encrypted = after is not None
            self.show(result[1])
            then(result[0])

        self._jobs.do(job, done, sentence)

    # Encryption
    def encrypt(self) -> None:
        """Ask for a new passphrase, then write the whole file anew under it; also for another passphrase."""
        if self.view is None:
            return
        self._questions.passphrase.emit(
            PassphraseQuestion(
                title="Change passphrase" if self.encrypted else "Encrypt project",
                words=f"New passphrase for {self.view.path.name}: at least 12 signs, say four words. {_FORGOTTEN}",
                new=True,
                answer=self._encrypt_with,
            )
        )

    def _encrypt_with(self, new: Passphrase) -> None:
        if self.view is None:
            return
        path, person, changing = self.view.path, self.person, self.encrypted

        def work(old: Passphrase | None) -> tuple[Path, ...]:
            from workbench.project.file.encryption_change import change_passphrase, clear_copies, encrypt

            if changing:
                change_passphrase(path, old, new, person=person)
                return clear_copies(path)
            return encrypt(path, new, person=person)

        def done(copies: tuple[Path, ...]) -> None:
            self._questions.told.emit(
                Told(
                    title="Encrypted",
                    sentence=f"{path.name} is encrypted. {_FORGOTTEN} A disk may keep traces of the file as it was.",
                    lines=tuple(f"Still in clear, delete it where it is not needed: {copy}" for copy in copies),
                )
            )

        self._while_closed(work, done, "Encrypting the project", secret=lambda: new)

    def decrypt(self) -> None:
        if self.view is None or not self.encrypted:
            return
        path, person = self.view.path, self.person

        def work(old: Passphrase | None) -> None:
            from workbench.project.file.encryption_change import decrypt

            decrypt(path, old, person=person)

        def done(_nothing: None) -> None:
            said = f"{path.name} is no longer encrypted: whoever has the file can read it."
            self._questions.told.emit(Told(title="Decrypted", sentence=said))

        self._while_closed(work, done, "Writing the project in clear", secret=lambda: None)

    # Verification
    def verify(self) -> None:
        """Walk the journal, compare every row, check every signature."""
        if self.view is None or self._jobs.occupied:
            return
        self.save_wanted.emit()
        path, secret = self.view.path, self._passphrase

        def work(context: Context) -> Told:
            from workbench.project.history.verify import verify

            context.step(0.1, "Checking the journal, every row and every signature")
            return _verified(path, verify(path, passphrase=secret))

        self._jobs.do(work, self._questions.told.emit, "Verifying the project")

    # Merging
    def merge(self, other: Path, passphrase: Passphrase | None = None) -> None:
        """Bring in the votes of another copy of the project; anything else that parted the copies is refused."""
        if self.view is None:
            return
        path, person = self.view.path, self.person

        def work(own: Passphrase | None) -> Merged | PassphraseQuestion:
            from workbench.project.history.merge import merge

            try:
                return merge(
                    path,
                    other,
                    person=person,
                    passphrase=own,
                    other_passphrase=own if passphrase is None else passphrase,
                )
            except (PassphraseNeeded, WrongPassphrase):
                return PassphraseQuestion(
                    title="Encrypted copy",
                    words=f"{other.name} is encrypted. Its passphrase is needed to read the votes in it.",
                    wrong="This passphrase does not fit the copy. Type it again." if passphrase is not None else "",
                    answer=lambda given: self.merge(other, given),
                )

        def done(result: Merged | PassphraseQuestion) -> None:
            if isinstance(result, PassphraseQuestion):
                self._questions.passphrase.emit(result)
                return
            self._questions.told.emit(_merged(result))
            self.merged.emit()

        self._while_closed(work, done, "Merging votes")

    # The project as a whole
    def read_overview(self, then: Callable[[Dashboard], None]) -> None:
        from workbench.review.decide.dashboard import dashboard

        viewer = self.person
        self._jobs.quietly(lambda _context: dashboard(self.workspace, viewer=viewer), then)

    def read_ledger(self, release_id: str, then: Callable[[tuple[Book, ...]], None]) -> None:
        """Every data set's; with what approving that release would leave, where one is named."""
        from workbench.review.budget.ledger_book import books

        self._jobs.quietly(lambda _context: books(self.workspace, release_id=release_id), then)

    def export_ledger(self, book: Book, path: Path) -> None:
        from workbench.review.budget.ledger_book import write_csv

        self._jobs.do(
            lambda _context: write_csv(book, path),
            lambda _nothing: self._jobs.noted.emit(f"{path.name} written."),
            "Writing the ledger",
        )

    # Beginning
    def try_sample(self, name: str, folder: Path) -> None:
        """Write a sample into a folder of its own, with a project that holds its plan."""
        preparer = self.person

        def work(context: Context) -> Path:
            from workbench.review.plan.plan_text import read_plan
            from workbench.review.publish.samples import write_sample

            home = _free(folder / f"{name.replace('_', ' ')} sample")
            write_sample(name, home, jobs=None, seed=1, context=context)
            with create(home / "review.dwb", person=preparer) as project:
                Workspace(project).new_release(read_plan(home / "plan.toml"), preparer)
                return project.path

        self._jobs.do(work, self.sample_ready.emit, "Writing the sample")


def _free(wanted: Path) -> Path:
    """The folder, or one beside it where there is one already: nothing of anybody's is written over."""
    number, free = 2, wanted
    while free.exists():
        free, number = wanted.with_name(f"{wanted.name} {number}"), number + 1
    return free


def _verified(path: Path, result: VerifyResult) -> Told:
    count = f"{result.entries} journal entries"
    said = (
        f"{path.name} is as it was written: {count}, every row and every signature checked."
        if result.ok
        else f"{path.name} is NOT as it was written."
    )
    signed = f"{result.signed} votes, decisions and exceptions are signed, {result.unsigned} are not."
    head = f"Head of the journal, to be kept elsewhere and compared: {result.head}"
    return Told(
        title="Verify project",
        sentence=said,
        ok=result.ok,
        lines=(*result.problems, *result.warnings, signed, *((head,) if result.head else ())),
    )


def _merged(done: Merged) -> Told:
    votes = "1 vote" if done.added == 1 else f"{done.added} votes"
    said = f"{votes} of {', '.join(done.reviewers)} came over." if done.added else "There was nothing new to merge."
    known = (f"{done.known} were here already.",) if done.known else ()
    return Told(title="Merge votes", sentence=said, lines=known)
