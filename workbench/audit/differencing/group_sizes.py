"""How many contributors stand behind a group that can be derived: a question to whoever holds the confidential data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.core.confidential import Confidential

if TYPE_CHECKING:
    from workbench.audit.differencing.search import Group

Contributors = Callable[["Group"], Confidential[int] | None]


def nobody_knows(_group: Group) -> None:
    """Where no confidential data are at hand, only the derived value itself tells what is small."""
