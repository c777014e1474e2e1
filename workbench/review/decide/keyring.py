"""Signing keys: those kept on this machine, the one that is unlocked, and those that a project knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import Refused
from workbench.core.passphrase import Passphrase
from workbench.core.people import same_person
from workbench.project.signing.keys import KeyStore, Signer, fingerprint
from workbench.project.signing.signing_trust import WORDS_NEEDED, KnownKey, Standing
from workbench.review.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """A public key as a list shows it; `standing` says what it counts for in the project."""

    name: str
    fingerprint: str
    public: str
    standing: str
    enrolled_at: str = ""
    trusted: bool = False
    stranger: bool = False  # somebody could answer for it

    @property
    def sentence(self) -> str:
        return f"The key {self.fingerprint} of {self.name}: {self.standing}."


def known_keys(workspace: Workspace) -> tuple[KeyRow, ...]:
    """Whose keys the project knows, the first enrolled first."""
    return tuple(_row(key) for key in workspace.project.known_keys())


class Keyring:
    """The keys of whoever uses this machine. At most one is unlocked, until it is forgotten."""

    def __init__(self, store: KeyStore | None = None) -> None:
        self._store = store  # None: the user's own, looked for when it is needed
        self._signer: Signer | None = None

    @classmethod
    def at(cls, folder: Path) -> Keyring:
        """The keys of another folder than the user's own."""
        return cls(KeyStore(folder))

    @property
    def store(self) -> KeyStore:
        return self._store or KeyStore()

    def kept(self) -> tuple[KeyRow, ...]:
        """Every key of this machine."""
        return tuple(
            KeyRow(name=name, fingerprint=fingerprint(public), public=public, standing="kept here")
            for name, public in self.store.names()
        )

    def has(self, name: str) -> bool:
        return self.store.has(name)

    def make(self, name: str, passphrase: Passphrase) -> KeyRow:
        """A new key for a name that has none here; unlocked from now on."""
        made = self._signer = self.store.make(name, passphrase)
        return KeyRow(name=made.name, fingerprint=fingerprint(made.public), public=made.public, standing="kept here")

    def unlock(self, name: str, passphrase: Passphrase) -> None:
        """The key of a name; made now where there is none: people sign from their first word on."""
        if self.has(name):
            self._signer = self.store.unlock(name, passphrase)
        else:
            self.make(name, passphrase)

    def forget(self) -> None:
        self._signer = None

    def signer_of(self, name: str) -> Signer | None:
        """The unlocked key of that person; None where it is locked, or somebody else's is unlocked."""
        return self._signer if self._signer is not None and same_person(self._signer.name, name) else None

    def words(self, name: str) -> str:
        """What is known of a person's key."""
        signer = self.signer_of(name)
        if signer is None:
            return "Your passphrase is asked once; the key is made on first use."
        return f"Your key {fingerprint(signer.public)} is unlocked until the window closes."

    # In a project
    def enrol(self, workspace: Workspace, name: str) -> KeyRow:
        """Put a person's public key in a project; it need not be unlocked."""
        return _row(workspace.project.enrol(name, self.store.public_of(name)))

    def vouch(self, workspace: Workspace, told: str, name: str) -> KeyRow:
        """Answer for somebody's key, named by its fingerprint, with one's own."""
        return _row(workspace.project.endorse(told, self._unlocked(name)))

    def rotate(self, workspace: Workspace, name: str, new: Callable[[], Passphrase]) -> KeyRow:
        """Make a new key and hand over to it with the old one, which is set aside once the project knows the new."""
        project, old, store = workspace.project, self._unlocked(name), self.store
        if not any(key.public == old.public and key.standing() is Standing.TRUSTED for key in project.known_keys()):
            raise Refused(f"{name}'s key is not known in this project", "key", "Sign something first, or enrol it")
        aside = store.set_aside(name)
        try:
            made = store.make(name, new())
            with project.together():
                project.enrol(name, made.public)
                key = project.endorse(fingerprint(made.public), old)
        except BaseException:
            store.file_of(name).unlink(missing_ok=True)
            aside.rename(store.file_of(name))
            raise
        self._signer = made
        return _row(key)

    def _unlocked(self, name: str) -> Signer:
        signer = self.signer_of(name)
        if signer is None:
            raise Refused(f"The key of {name} is locked", "signature", "Unlock it first")
        return signer


def _row(key: KnownKey) -> KeyRow:
    standing = key.standing()
    waits = standing is Standing.STRANGER and key.vouchers
    return KeyRow(
        name=key.name,
        fingerprint=fingerprint(key.public),
        public=key.public,
        standing=f"{key.vouchers} of {WORDS_NEEDED} people vouch for it" if waits else standing.value,
        enrolled_at=key.enrolled_at,
        trusted=standing is Standing.TRUSTED,
        stranger=standing is Standing.STRANGER,
    )
