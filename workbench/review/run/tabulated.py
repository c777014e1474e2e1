"""Tabulate a plan's data and nothing else: what two engines answer can then be compared by a digest. Internal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.progress import Context, Part
from workbench.microdata.content import of_columns
from workbench.review.plan.plan import Plan
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.prepare import prepare
from workbench.tabulation.watched import watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabulated:
    """What was tabulated by whom. The digest and the fingerprint are as confidential as the data.

    `cells` is None where the draw decides how many rows are published.
    """

    engine: str
    reason: str
    rows: int
    cells: int | None
    fingerprint: str
    digest: str


def tabulate(plan: Plan, *, base: Path, context: Context) -> Tabulated:
    """Load and prepare, draw nothing, store nothing."""
    loaded = load_data(plan, base=base, context=Part(context, 0.0, 0.5))
    digest = watch(loaded.microdata.kept)
    prepared = prepare(loaded, plan, Part(context, 0.5, 0.9))
    chosen = loaded.engine
    return Tabulated(
        engine=str(chosen.kind) if chosen else "",
        reason=chosen.sentence if chosen else "",
        rows=loaded.microdata.rows,
        cells=prepared.value.rows,
        fingerprint=content_of(loaded, Part(context, 0.9, 1.0)),
        digest=digest.text(),
    )


def content_of(loaded: LoadedData, context: Context) -> str:
    """The content fingerprint in version 2, whichever engine read the rows."""
    microdata = loaded.microdata
    if microdata.elsewhere is not None:
        return microdata.fingerprint.content
    return of_columns(microdata.columns, microdata.rows, context)
