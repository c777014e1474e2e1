"""Who signs: the key of the person a command acts for, unlocked before the project is written."""

from __future__ import annotations

from workbench.cli.passphrases import KEY, has_passphrase, key_passphrase
from workbench.core.errors import UserProblem
from workbench.project.signing.keys import KeyStore, Signer
from workbench.project.store import Project


def signer_for(name: str, *, store: KeyStore | None = None) -> Signer:
    """The key of a name; made now where there is none."""
    keys = store or KeyStore()
    if keys.has(name):
        return keys.unlock(name, key_passphrase(name, new=False))
    return keys.make(name, key_passphrase(name, new=True))


def say_unsigned(*, signed: bool) -> None:
    """A person who expects a signature must not find out from `dwb verify` that there is none."""
    if not signed:
        print(f"Not signed: no passphrase of a key was given ({KEY}, {KEY}_FILE or a prompt).")


def sign_as(project: Project, name: str) -> bool:
    """Sign what this person votes or decides. False where no passphrase can be had and the project asks for none.

    The first key of a person is made here, on first use.
    """
    if has_passphrase(KEY):
        project.sign_as(signer_for(name))
        return True
    if project.signature_expected(name):
        raise UserProblem(
            f"{name} signs in this project, and nobody is there to type the passphrase of the key",
            "signature",
            f"Put it in {KEY}, or its file's name in {KEY}_FILE",
        )
    return False
