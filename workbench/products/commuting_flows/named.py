"""What a column's name says about the places in it."""

from __future__ import annotations

from workbench.microdata.suggest import parts_of


def named_like_a_home(name: str) -> bool:
    first = (*parts_of(name), "")[0]
    return first in ("h", "res") or first.startswith(("home", "resid"))


def named_like_a_workplace(name: str) -> bool:
    """worker_block is where a worker lives, work_block where one works."""
    first = (*parts_of(name), "")[0]
    return first == "w" or (first.startswith(("work", "employer")) and not first.startswith("worker"))
