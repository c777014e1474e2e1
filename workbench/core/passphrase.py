"""A passphrase that cannot be printed, and the two ways in which one can be missing."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem

SHORTEST = 12
_HOW = "Give the passphrase: at the prompt, in DWB_PASSPHRASE, or in the file that DWB_PASSPHRASE_FILE names"


class Passphrase(Confidential[str]):
    """What somebody typed. It cannot be printed, logged, compared or pickled; only the cipher reveals it."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        """macOS writes é as two signs where Windows writes one: both must give the same key."""
        if not text:
            raise UserProblem("The passphrase is empty", "passphrase", "Type one")
        super().__init__(unicodedata.normalize("NFC", text))

    def long_enough(self) -> Passphrase:
        """The same passphrase, for a new lock; short ones are guessed by a machine in hours."""
        if len(self.reveal()) < SHORTEST:
            raise UserProblem(
                f"The passphrase is shorter than {SHORTEST} signs", "passphrase", "Take a longer one, say four words"
            )
        return self


class PassphraseNeeded(UserProblem):
    """The file is encrypted and nobody gave a passphrase: a window asks now."""

    def __init__(self, path: Path) -> None:
        super().__init__("The project is encrypted", str(path), _HOW)


class WrongPassphrase(UserProblem):
    """The passphrase does not open the file: a window asks again."""

    def __init__(self, path: Path) -> None:
        super().__init__("Wrong passphrase", str(path), "Check Caps Lock and the keyboard layout, then try again")
