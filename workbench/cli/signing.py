"""Who signs: the key of the person a command acts for, unlocked before the project is written."""

from __future__ import annotations

from workbench.cli.passphrases import KEY, has_passphrase, key_passphrase
from workbench.core.errors import UserProblem
from workbench.review.decide.keyring import Keyring
from workbench.review.workspace import Workspace


def keyring_of(name: str) -> Keyring:
    """The keys of this machine with that of a name unlocked; made now where there is none."""
    keyring = Keyring()
    keyring.unlock(name, key_passphrase(name, new=not keyring.has(name)))
    return keyring


def say_unsigned(*, signed: bool) -> None:
    """A person who expects a signature must not find out from `dwb verify` that there is none."""
    if not signed:
        print(f"Not signed: no passphrase of a key was given ({KEY}, {KEY}_FILE or a prompt).")


def sign_as(workspace: Workspace, name: str) -> bool:
    """Sign what this person votes or decides. False where no passphrase can be had and the project asks for none.

    The first key of a person is made here, on first use.
    """
    if has_passphrase(KEY):
        workspace.project.sign_as(keyring_of(name).signer_of(name))
        return True
    if workspace.project.signature_expected(name):
        raise UserProblem(
            f"{name} signs in this project, and nobody is there to type the passphrase of the key",
            "signature",
            f"Put it in {KEY}, or its file's name in {KEY}_FILE",
        )
    return False
