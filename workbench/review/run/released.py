"""An approved release of the project in the place of a public file: `prior = "release:R-0001"` under [data.companions].

What was approved has been published, and its ε stands in the ledger: using it again is post-processing. What is still
under review, was rejected or was withdrawn is not public and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.states import ReleaseState
from workbench.review.plan.plan import RELEASE

if TYPE_CHECKING:
    from workbench.core.published import Published
    from workbench.microdata.table import Microdata
    from workbench.project.store import Project

Released = Callable[[str], "Microdata"]
_WHERE = "[data.companions]"


def no_project(name: str) -> Microdata:
    """Where no project is open there is no release to name."""
    raise UserProblem(f"“{name[:60]}” names a release, and no project is open", _WHERE, "Run the plan with --project")


def released_by(project: Project) -> Released:
    """Tables of approved releases by the name that a plan gives them."""

    def read(name: str) -> Microdata:
        record = project.release(name.removeprefix(RELEASE).strip())
        if record.state is ReleaseState.WITHDRAWN:
            what = f"{record.id} was withdrawn, so it does not serve as a public file"
            raise UserProblem(what, _WHERE, "Name a release that is approved, or a public file")
        runs = [entry.run_id for entry in project.ledger() if entry.release_id == record.id]
        table = project.published(runs[-1]) if runs and record.state is ReleaseState.APPROVED else None
        if table is None:
            what = f"{record.id} is not approved, so it has not been published"
            raise UserProblem(what, _WHERE, "Wait for its approval, or name a public file")
        return _as_microdata(table, f"{RELEASE}{record.id}")

    return read


def _as_microdata(table: Published, name: str) -> Microdata:
    """The published columns as a file of them would be read: codes as text, numbers as numbers."""
    import pyarrow as pa

    from workbench.core.published import Coded
    from workbench.microdata.load import load_opened
    from workbench.microdata.readers.frame import opened_frame

    frame = pa.table(
        {
            column.name: pa.array(column.texts(), pa.string()) if isinstance(column, Coded) else column.numbers()
            for column in table.columns
        }
    )
    return replace(load_opened(Path(name), opened_frame(frame), None, None, QUIET), name=name)
