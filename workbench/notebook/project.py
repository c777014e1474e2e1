"""A project file from Python: its releases, released tables and ledger as data frames. Nothing is changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import UserProblem
from workbench.notebook import frames

if TYPE_CHECKING:
    import pandas as pd

    from workbench.review.workspace import Workspace


class ProjectReader:
    """Reads a project; use it in a `with` statement, or call `close`."""

    def __init__(self, path: str | Path) -> None:
        from workbench.review.workspace import Workspace

        self._workspace: Workspace = Workspace()
        self._workspace.open(Path(path))

    def __enter__(self) -> ProjectReader:
        return self

    def __exit__(self, *_stopped: object) -> None:
        self.close()

    def close(self) -> None:
        self._workspace.close()

    @property
    def releases(self) -> pd.DataFrame:
        rows: list[dict[str, Any]] = [
            {"id": row.id, "title": row.title, "state": str(row.state), "draws": row.draws}
            for row in self._workspace.view().releases
        ]
        return frames.rows_frame(rows, ("id", "title", "state", "draws"))

    def table(self, release_id: str, *, labels: bool = False) -> pd.DataFrame:
        """The values of the latest draw of a release."""
        run = self._workspace.project.latest_run(release_id)
        table = self._workspace.project.published(run.id) if run is not None else None
        if table is None:
            raise UserProblem(f"{release_id} has no drawn values", "table", "Draw it first")
        return frames.table_frame(table, labels=labels)

    @property
    def ledger(self) -> pd.DataFrame:
        """Every entry of every budget."""
        from workbench.review.budget.ledger_book import books

        rows: list[dict[str, Any]] = [
            {
                "data": book.about.name,
                "release": entry.release_id,
                "definition": str(entry.definition),
                "epsilon": float(entry.epsilon),
                "delta": float(entry.delta),
            }
            for book in books(self._workspace)
            for entry in book.entries
        ]
        return frames.rows_frame(rows, ("data", "release", "definition", "epsilon", "delta"))
