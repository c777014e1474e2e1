"""What keeps a project file safe: encryption, verification, votes merged from a copy.

Each works on a file that nobody has open; see `Workspace.set_aside` for the one that is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import UserProblem
from workbench.core.passphrase import Passphrase
from workbench.core.quantities import agreeing, counted
from workbench.review.memory import confirm, confirmed, remember, unlike_before
from workbench.review.told import Told
from workbench.review.witness import against

if TYPE_CHECKING:
    from workbench.project.history.verify import VerifyResult

FORGOTTEN = "If the passphrase is lost, the project cannot be opened and the passphrase cannot be recovered."
_TRACES = "The disk can keep traces of the earlier file. Encrypt the disk as well if that matters."


def encrypt(path: Path, new: Passphrase, *, person: str) -> Told:
    """Encrypt a file that is not encrypted yet."""
    from workbench.project.file.encryption_change import encrypt as write_encrypted

    return _encrypted(path, write_encrypted(path, new, person=person))


def change_passphrase(path: Path, old: Passphrase | None, new: Passphrase, *, person: str) -> Told:
    """Write an encrypted file anew under another passphrase."""
    from workbench.project.file.encryption_change import change_passphrase as write_again
    from workbench.project.file.encryption_change import clear_copies

    write_again(path, old, new, person=person)
    return _encrypted(path, clear_copies(path.resolve()))


def _encrypted(path: Path, copies: tuple[Path, ...]) -> Told:
    left = tuple(f"An unencrypted copy remains: {copy}. Delete it if you do not need it." for copy in copies)
    return Told(
        sentence=f"{path.name} is encrypted. {FORGOTTEN}",
        lines=(*left, _TRACES),
        facts={"project": path.as_posix(), "encrypted": True, "copies_in_clear": list(copies)},
    )


def decrypt(path: Path, passphrase: Passphrase | None, *, person: str) -> Told:
    from workbench.project.file.encryption_change import decrypt as write_in_clear

    write_in_clear(path, passphrase, person=person)
    return Told(
        sentence=f"{path.name} is no longer encrypted: anyone who has the file can read it.",
        facts={"project": path.as_posix(), "encrypted": False},
    )


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A file with heads of the journal that is kept outside the project; its newest may be so many days old."""

    file: Path
    younger: int | None = None


def verify(
    path: Path,
    passphrase: Passphrase | None,
    *,
    accept: bool = False,
    confirms: str = "",
    elsewhere: Elsewhere | None = None,
) -> Told:
    """Walk the journal, compare every row with its digest, check every signature, and with what was seen before.

    `accept`: this is the history that the person goes by from now on, whatever was seen before. `confirms`: the
    fingerprint of a key that replaced another, whose owner the person has asked. `elsewhere`: what others kept.
    """
    from workbench.project.history.verify import verify as walk
    from workbench.project.store import open_project

    found = walk(path, passphrase=passphrase)
    compared: list[str] = []
    whole = found.ok
    if found.ok:
        with open_project(path, read_only=True, passphrase=passphrase) as project:
            if accept:
                remember(project, whatever=True)
            strange = unlike_before(project)
            if confirms:
                _confirm(project.number, confirms, found.exchanged)
            unasked = [key for key in found.exchanged if key not in confirmed(project.number)]
            wrong = [strange] if strange else []
            whole = not strange
            if elsewhere is not None:
                differs, compared = against(project, elsewhere.file, younger=elsewhere.younger)
                wrong += differs
        found = replace(found, ok=False, problems=tuple(wrong)) if wrong else found
        if found.ok and unasked:
            return _unasked(path, found, unasked)
    entries = f"{found.entries} journal {agreeing(found.entries, 'entry', 'entries')}"
    well = f"is as it was written: {entries}, every row and every signature checked."
    if whole and not found.ok:
        well = f"does not agree with what is kept elsewhere: {entries}."
    signed = f"Votes, decisions and exceptions: {found.signed} signed, {found.unsigned} not signed."
    head = f"Head of the journal, to be stored elsewhere for comparison: {found.head}"
    return Told(
        sentence=f"{path.name} {well if whole else f'has been altered since it was written: {entries}.'}",
        ok=found.ok,
        lines=(
            *found.problems,
            *found.warnings,
            *compared,
            *((signed,) if found.signed or found.unsigned else ()),
            *((head,) if found.head else ()),
        ),
        facts=found,
    )


def _confirm(number: str, told: str, exchanged: Collection[str]) -> None:
    if told not in exchanged:
        raise UserProblem("No key with this fingerprint replaced another", told[:40], "`dwb verify` names those")
    confirm(number, told)


def _unasked(path: Path, found: VerifyResult, keys: Sequence[str]) -> Told:
    """Whole, but perhaps not by whom it says: two people together can take a third one's name."""
    do = (f"Ask the owner; then say so: `dwb verify {path.name} --confirm {key}`." for key in keys)
    return Told(
        sentence=f"{path.name} is as it was written, but {counted(len(keys), 'key')} replaced another's on the word of "
        "others, and you have not confirmed it.",
        ok=False,
        lines=(*found.warnings, *do),
        facts=replace(found, ok=False, problems=tuple(f"the key {key} is not confirmed by its owner" for key in keys)),
    )


def merge(
    path: Path, other: Path, *, passphrase: Passphrase | None, other_passphrase: Passphrase | None, person: str
) -> Told:
    """Bring in the votes of another copy of the project; anything else that parted the copies is refused."""
    from workbench.project.history.merge import merge as take_over

    done = take_over(path, other, person=person, passphrase=passphrase, other_passphrase=other_passphrase)
    new = f"{counted(done.added, 'vote')} of {', '.join(done.reviewers)} merged."
    known = f"{counted(done.known, 'vote')} {agreeing(done.known, 'was', 'were')} here already."
    return Told(
        sentence=new if done.added else "There was nothing new to merge.",
        lines=(known,) if done.known else (),
        facts=done,
    )
