"""What a verb has to ask or to tell a person before or after it goes on. `ui/asking.py` shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from workbench.core.passphrase import Passphrase

Answer = Callable[[Passphrase], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassphraseQuestion:
    """A passphrase is needed: `new` ones are typed twice, `wrong` says why the last one was not taken."""

    title: str
    words: str
    answer: Answer = field(repr=False)
    new: bool = False
    wrong: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideQuestion:
    """A plan names files outside its own folder; `go_on` reads them, now and in future."""

    paths: tuple[Path, ...]
    base: Path
    go_on: Callable[[], None] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that cannot be taken back: `words` ask, `more` says what follows, `yes` names the button."""

    title: str
    words: str
    more: str
    yes: str
    go_on: Callable[[], None] = field(repr=False)


class Questions(QObject):
    """Where the parts put what they ask and tell; the window opens a dialog for each."""

    passphrase = Signal(object)  # PassphraseQuestion
    outside = Signal(object)  # OutsideQuestion
    asked = Signal(object)  # Question
    told = Signal(str, object)  # the title of a dialog, and Told
