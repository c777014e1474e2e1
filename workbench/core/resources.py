"""Where templates, style sheets and samples are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def _folder(installed: str, checkout: str) -> Path:
    inside = _PACKAGE / installed
    return inside if inside.is_dir() else _PACKAGE.parent / checkout


def resource(*parts: str) -> Path:
    """A file under resources/."""
    return _folder("_resources", "resources").joinpath(*parts)


def sample_folder(*parts: str) -> Path:
    """A file or folder under sample_projects/."""
    return _folder("_sample_projects", "sample_projects").joinpath(*parts)
