"""Paths of a plan on this machine."""

from __future__ import annotations

from pathlib import Path


def resolved(base: Path, name: str) -> Path:
    """A path of a plan: as it stands when absolute, otherwise beside the plan or project file."""
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # ~somebody, where nobody is called that
        path = Path(name)
    return path if path.is_absolute() else base / path
