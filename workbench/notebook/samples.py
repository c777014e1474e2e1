"""Synthetic data to try a notebook on."""

from __future__ import annotations

from pathlib import Path

from workbench.core.progress import QUIET
from workbench.review.publish.samples import write_sample


def sample(name: str, folder: str | Path) -> Path:
    """Write a sample review (data, dictionary, plan) into a folder; the folder."""
    target = Path(folder)
    write_sample(name, target, context=QUIET, overwrite=True)
    return target
