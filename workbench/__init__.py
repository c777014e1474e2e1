"""Disclosure Workbench: review a statistical release before it leaves the agency.

From Python: `release(frame, product, …)` describes a release of a data frame, `open_project(path)` reads a project,
`sample(name, folder)` writes synthetic data to try it on.
"""

from __future__ import annotations

import os
from typing import Any

# Before numpy is first imported: the workbench runs its own threads (core/together.py) on small matrices. The matrix
# library's threads wait by spinning, which made them up to thirty times slower where the machine had other work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"
__all__ = ["__version__", "open_project", "release", "sample"]


_OFFERED = {
    "release": ("workbench.notebook.work", "release"),
    "sample": ("workbench.notebook.samples", "sample"),
    "open_project": ("workbench.notebook.project", "ProjectReader"),
}


def __getattr__(name: str) -> Any:
    """By name, when asked for: the command line and the window start without it, and no layer below depends on it."""
    if name not in _OFFERED:
        raise AttributeError(f"module 'workbench' has no attribute '{name}'")
    from importlib import import_module

    module, thing = _OFFERED[name]
    return getattr(import_module(module), thing)


def __dir__() -> list[str]:
    return sorted(__all__)
