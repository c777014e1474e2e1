"""What the window remembers between sessions: size, splitters, recent projects, who sits here, light or dark."""

from __future__ import annotations

import getpass
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

_MOST_RECENT = 10


class Settings:
    """A thin, typed layer over QSettings. Nothing confidential is ever kept here."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings("Disclosure Workbench", "Disclosure Workbench")

    def recent_projects(self) -> list[Path]:
        """Projects opened lately that are still there, the latest first."""
        found = self._store.value("recent", [])
        names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        return [path for name in names if (path := Path(str(name))).exists()]

    def remember_project(self, path: Path) -> None:
        names = [str(path), *(str(p) for p in self.recent_projects() if p != path)]
        self._store.setValue("recent", names[:_MOST_RECENT])

    @property
    def identity(self) -> str:
        """The name under which this person prepares and decides."""
        return str(self._store.value("identity", "")) or _login_name()

    @identity.setter
    def identity(self, name: str) -> None:
        self._store.setValue("identity", name)

    @property
    def signs(self) -> bool:
        """Whether this person's votes and decisions are signed with their own key."""
        return bool(self._store.value("signs", True, type=bool))

    @signs.setter
    def signs(self, on: bool) -> None:
        self._store.setValue("signs", on)

    @property
    def theme(self) -> str:
        return str(self._store.value("theme", "system"))

    @theme.setter
    def theme(self, mode: str) -> None:
        self._store.setValue("theme", mode)

    @property
    def folder(self) -> str:
        """Where a file was chosen last."""
        return str(self._store.value("folder", ""))

    @folder.setter
    def folder(self, path: str) -> None:
        self._store.setValue("folder", path)

    def bytes_of(self, key: str) -> QByteArray | None:
        value = self._store.value(f"window/{key}")
        return value if isinstance(value, QByteArray) else None

    def set_bytes(self, key: str, value: QByteArray) -> None:
        self._store.setValue(f"window/{key}", value)


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unnamed reviewer"
