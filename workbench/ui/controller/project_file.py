"""The project file: open, close, encrypt, verify, merge votes from a copy; the sample to begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.core.passphrase import Passphrase, PassphraseNeeded, WrongPassphrase
from workbench.core.progress import Context
from workbench.review.file_care import FORGOTTEN, change_passphrase, decrypt, encrypt, merge, verify
from workbench.review.told import Told
from workbench.review.views import ProjectView
from workbench.review.workspace import Workspace
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.questions import PassphraseQuestion, Questions
from workbench.ui.printer import printer_aside

if TYPE_CHECKING:
    from workbench.review.budget.ledger_book import Book
    from workbench.review.decide.dashboard import Dashboard

_WRONG = "Wrong passphrase. Check Caps Lock and the keyboard layout, then try again."


@dataclass(frozen=True, slots=True)
class _Locked:
    """The file is encrypted; `wrong` where a passphrase was given and did not fit."""

    wrong: bool


class ProjectFile(QObject):
    """At most one is open. `workspace` is used on the worker thread only, `view` on the main thread only."""

    opened = Signal()  # another project is open
    changed = Signal()  # another project, or its list of releases
    save_wanted = Signal()  # something needs the file to hold what the window shows
    rewritten = Signal()  # something else than an edit changed the file
    sample_ready = Signal(object)  # Path of its project

    def __init__(self, jobs: Jobs, questions: Questions, *, person: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.person = person  # who sits here
        self.workspace = Workspace(make_printer=printer_aside)
        self.view: ProjectView | None = None
        self._jobs, self._questions = jobs, questions
        self._passphrase: Passphrase | None = None  # of the open project: asked for once, forgotten with it

    @property
    def writable(self) -> bool:
        return self.view is not None and not self.view.read_only

    @property
    def encrypted(self) -> bool:
        return self.view is not None and self.view.encrypted

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

        def work(_context: Context) -> ProjectView | _Locked:
            here = path.resolve()
            secret = passphrase
            if before is not None and here == before.path and not create:
                self.workspace.close()  # its own lock would make the second one read-only
                secret = known if passphrase is None else passphrase
            try:
                return self.workspace.open(here, create=create, person=person, passphrase=secret)
            except PassphraseNeeded:
                return _Locked(wrong=False)
            except WrongPassphrase:
                return _Locked(wrong=True)

        def opened(result: ProjectView | _Locked) -> None:
            if isinstance(result, _Locked):
                self._ask_passphrase(path, then, wrong=result.wrong)
                return
            given = known if passphrase is None else passphrase
            self._passphrase = given if result.encrypted else None
            self.view = result
            self.opened.emit()
            if then is not None:
                then()

        self._jobs.do(work, opened, "Opening the project")

    def _ask_passphrase(self, path: Path, then: Callable[[], None] | None, *, wrong: bool) -> None:
        self._questions.passphrase.emit(
            PassphraseQuestion(
                title="Encrypted project",
                words=f"{path.name} is encrypted. Enter its passphrase; you will be asked once.",
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
        known = self.view.told if self.view is not None and self.view.path == view.path else ()
        self.view = view
        self.changed.emit()
        if view.told and view.told != known:
            self._questions.told.emit("Open project", Told(sentence=f"{view.told[0]}.", ok=False, lines=view.told[1:]))

    def close(self) -> None:
        self._passphrase = None
        self._jobs.quietly(lambda _context: self.workspace.close(), lambda _nothing: None)

    def _while_closed(
        self, work: Callable[[Path], Told | PassphraseQuestion], title: str, sentence: str, *, after: Passphrase | None
    ) -> None:
        """Do something for which nobody may have the file open; `after` opens it once that is done."""
        if self.view is None or self._jobs.occupied:
            return
        self.save_wanted.emit()
        workspace, person, known = self.workspace, self.person, self._passphrase

        def job(_context: Context) -> tuple[Told | PassphraseQuestion, ProjectView]:
            return workspace.set_aside(work, person=person, known=known, after=after), workspace.view()

        def done(result: tuple[Told | PassphraseQuestion, ProjectView]) -> None:
            came, view = result
            self._passphrase = after
            self.show(view)
            if isinstance(came, PassphraseQuestion):
                self._questions.passphrase.emit(came)
                return
            self._questions.told.emit(title, came)
            self.rewritten.emit()

        self._jobs.do(job, done, sentence)

    # Encryption
    def encrypt(self) -> None:
        """Ask for a new passphrase, then write the whole file anew under it; also for another passphrase."""
        if self.view is None:
            return
        self._questions.passphrase.emit(
            PassphraseQuestion(
                title="Change passphrase" if self.view.encrypted else "Encrypt project",
                words=f"New passphrase for {self.view.path.name}: at least 12 characters, for example four words. "
                f"{FORGOTTEN}",
                new=True,
                answer=self._encrypt_with,
            )
        )

    def _encrypt_with(self, new: Passphrase) -> None:
        old, person, changing = self._passphrase, self.person, self.encrypted

        def work(path: Path) -> Told:
            if changing:
                return change_passphrase(path, old, new, person=person)
            return encrypt(path, new, person=person)

        self._while_closed(work, "Encrypted", "Encrypting the project", after=new)

    def decrypt(self) -> None:
        old, person = self._passphrase, self.person
        if old is not None:
            self._while_closed(
                lambda path: decrypt(path, old, person=person), "Decrypted", "Decrypting the project", after=None
            )

    # Verification
    def verify(self) -> None:
        """Walk the journal, compare every row, check every signature."""
        if self.view is None or self._jobs.occupied:
            return
        self.save_wanted.emit()
        path, secret = self.view.path, self._passphrase

        def work(context: Context) -> Told:
            context.step(0.1, "Checking the journal, every row and every signature")
            return verify(path, secret)

        self._jobs.do(work, lambda told: self._questions.told.emit("Verify project", told), "Verifying the project")

    # Merging
    def merge(self, other: Path, passphrase: Passphrase | None = None) -> None:
        """Bring in the votes of another copy of the project, which may have a passphrase of its own."""
        own, person = self._passphrase, self.person
        theirs = own if passphrase is None else passphrase

        def work(path: Path) -> Told | PassphraseQuestion:
            try:
                return merge(path, other, passphrase=own, other_passphrase=theirs, person=person)
            except (PassphraseNeeded, WrongPassphrase):
                return PassphraseQuestion(
                    title="Encrypted copy",
                    words=f"{other.name} is encrypted. Its passphrase is needed to read the votes in it.",
                    wrong="Wrong passphrase for the copy. Try again." if passphrase is not None else "",
                    answer=lambda given: self.merge(other, given),
                )

        self._while_closed(work, "Merge votes", "Merging votes", after=own)

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
            write_sample(name, home, context=context)
            workspace = Workspace()
            view = workspace.open(home / "review.dwb", create=True, person=preparer)
            workspace.new_release(read_plan(home / "plan.toml"), preparer)
            workspace.close()
            return view.path

        self._jobs.do(work, self.sample_ready.emit, "Writing the sample")


def _free(wanted: Path) -> Path:
    """The folder, or one beside it where there is one already: nothing of anybody's is written over."""
    number, free = 2, wanted
    while free.exists():
        free, number = wanted.with_name(f"{wanted.name} {number}"), number + 1
    return free
