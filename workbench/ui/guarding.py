"""What keeps a project safe: encryption, verification, votes merged from copies; and the sample to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from workbench.core.progress import Context
from workbench.project.file.encryption import Passphrase, PassphraseNeeded, WrongPassphrase
from workbench.project.store import create
from workbench.review.workspace import Workspace
from workbench.ui.filing import Filing
from workbench.ui.questions import PassphraseQuestion, Told

if TYPE_CHECKING:
    from workbench.project.history.merge import Merged
    from workbench.project.history.verify import VerifyResult

_FORGOTTEN = "Without it nobody can open the project, and nobody can bring it back."


class Guarding(Filing):
    sample_ready = Signal(object)  # Path of its project

    # Encryption
    def encrypt_project(self) -> None:
        """Ask for a new passphrase, then write the whole file anew under it; also for another passphrase."""
        if self.project is None:
            return
        self.passphrase_wanted.emit(
            PassphraseQuestion(
                title="Change passphrase" if self.encrypted else "Encrypt project",
                words=f"New passphrase for {self.project.path.name}: at least 12 signs, say four words. {_FORGOTTEN}",
                new=True,
                answer=self._encrypt_with,
            )
        )

    def _encrypt_with(self, new: Passphrase) -> None:
        if self.project is None:
            return
        path, person, changing = self.project.path, self.identity, self.encrypted

        def work(old: Passphrase | None) -> tuple[Path, ...]:
            from workbench.project.file.encryption_change import change_passphrase, clear_copies, encrypt

            if changing:
                change_passphrase(path, old, new, person=person)
                return clear_copies(path)
            return encrypt(path, new, person=person)

        def done(copies: tuple[Path, ...]) -> None:
            self.told.emit(
                Told(
                    title="Encrypted",
                    sentence=f"{path.name} is encrypted. {_FORGOTTEN} A disk may keep traces of the file as it was.",
                    lines=tuple(f"Still in clear, delete it where it is not needed: {copy}" for copy in copies),
                )
            )

        self.while_closed(work, done, "Encrypting the project", secret=lambda: new)

    def decrypt_project(self) -> None:
        if self.project is None or not self.encrypted:
            return
        path, person = self.project.path, self.identity

        def work(old: Passphrase | None) -> None:
            from workbench.project.file.encryption_change import decrypt

            decrypt(path, old, person=person)

        def done(_nothing: None) -> None:
            said = f"{path.name} is no longer encrypted: whoever has the file can read it."
            self.told.emit(Told(title="Decrypted", sentence=said))

        self.while_closed(work, done, "Writing the project in clear", secret=lambda: None)

    # Verification
    def verify_project(self) -> None:
        """Walk the journal, compare every row, check every signature."""
        if self.project is None or self.occupied:
            return
        self.save()
        path, secret = self.project.path, self._passphrase

        def work(context: Context) -> Told:
            from workbench.project.history.verify import verify

            context.step(0.1, "Checking the journal, every row and every signature")
            return _verified(path, verify(path, passphrase=secret))

        self._do(work, self.told.emit, "Verifying the project")

    # Merging
    def merge_votes(self, other: Path, passphrase: Passphrase | None = None) -> None:
        """Bring in the votes of another copy of the project; anything else that parted the copies is refused."""
        if self.project is None:
            return
        path, person = self.project.path, self.identity

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
                    answer=lambda given: self.merge_votes(other, given),
                )

        def done(result: Merged | PassphraseQuestion) -> None:
            if isinstance(result, PassphraseQuestion):
                self.passphrase_wanted.emit(result)
                return
            self.told.emit(_merged(result))
            self.reload_release()

        self.while_closed(work, done, "Merging votes")

    # Beginning
    def try_sample(self, name: str, folder: Path) -> None:
        """Write a sample into a folder of its own, with a project that holds its plan."""
        preparer = self.identity

        def work(context: Context) -> Path:
            from workbench.review.plan.plan_text import read_plan
            from workbench.review.publish.samples import write_sample

            home = _free(folder / f"{name.replace('_', ' ')} sample")
            write_sample(name, home, jobs=None, seed=1, context=context)
            with create(home / "review.dwb", person=preparer) as project:
                Workspace(project).new_release(read_plan(home / "plan.toml"), preparer)
                return project.path

        self._do(work, self.sample_ready.emit, "Writing the sample")


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
