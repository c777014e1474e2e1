"""Where commands get passphrases from: the environment, a file, or a prompt. Never from an argument, which others see.

Each is asked once per run of the program and kept as a value that cannot be printed.
"""

from __future__ import annotations

import functools
import getpass
import os
import sys
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.files import read_text
from workbench.core.passphrase import Passphrase
from workbench.project.file.encryption import is_encrypted

PROJECT = "DWB_PASSPHRASE"
OTHER = "DWB_PASSPHRASE_FROM"  # of the copy that is merged from, where it has another
NEW = "DWB_NEW_PASSPHRASE"
KEY = "DWB_KEY_PASSPHRASE"


def passphrase_of(path: Path, *, variable: str = PROJECT) -> Passphrase | None:
    """The passphrase of a project file; None where it is not encrypted."""
    if not is_encrypted(path):
        return None
    if variable == OTHER and _given(OTHER) is None:
        variable = PROJECT if _given(PROJECT) is not None else OTHER
    return _asked(variable, f"Passphrase of {path.name}: ", str(path.resolve()))


def new_passphrase(variable: str, words: str) -> Passphrase:
    """A passphrase for a new lock; at a prompt it is typed twice."""
    given = _given(variable)
    if given is not None:
        return given
    first = _asked(variable, f"{words}: ", "new")
    if getpass.getpass("Repeat passphrase: ") != first.reveal():
        raise UserProblem("The two passphrases differ", "passphrase", "Start again")
    return first


def given_passphrase() -> Passphrase | None:
    """The passphrase that the environment gives for projects, if any; nobody is asked."""
    given = _given(PROJECT)
    return None if given is None else given.long_enough()


def has_passphrase(variable: str) -> bool:
    """True where a passphrase can be had: given, or somebody is there to type it."""
    return _given(variable) is not None or _somebody_is_there()


def key_passphrase(name: str, *, new: bool) -> Passphrase:
    if new:
        return new_passphrase(KEY, f"A passphrase for the new key of {name}")
    return _asked(KEY, f"Passphrase of the key of {name}: ", name)


def _asked(variable: str, prompt: str, about: str) -> Passphrase:
    given = _given(variable)
    return _typed(variable, prompt, about) if given is None else given


@functools.cache
def _typed(variable: str, prompt: str, _about: str) -> Passphrase:
    """Remembered for as long as the program runs: one question per file or key."""
    if not _somebody_is_there():
        raise UserProblem(
            "A passphrase is needed, but there is no terminal to type it",
            "passphrase",
            f"Put it in {variable}, or its file's name in {variable}_FILE",
        )
    return Passphrase(getpass.getpass(prompt))


_taken: dict[str, str] = {}  # what stood in the environment when the program began


def take_from_environment() -> None:
    """Read the variables once and drop them: programs that this one starts (a linker, a printer) inherit them not."""
    for variable in (PROJECT, OTHER, NEW, KEY):
        if variable in os.environ:
            _taken[variable] = os.environ.pop(variable)


def _given(variable: str) -> Passphrase | None:
    """From the environment, or from the first line of the file that the environment names."""
    told = os.environ.get(variable) or _taken.get(variable)
    if told:
        return Passphrase(told)
    named = os.environ.get(f"{variable}_FILE", "")
    if not named:
        return None
    lines = read_text(Path(named), "a file that holds a passphrase").splitlines()
    return Passphrase(lines[0] if lines else "")


def _somebody_is_there() -> bool:
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or taken away
        return False
