"""Which engine reads the rows of a plan, and data sets whose rows stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import raise_if
from workbench.core.findings import Finding, Status, found_by
from workbench.core.params import problems_of
from workbench.core.progress import Context
from workbench.microdata.table import Microdata
from workbench.review.plan.plan import Plan
from workbench.review.run.paths import resolved
from workbench.tabulation.engines.choice import Chosen, Kind, choose

if TYPE_CHECKING:
    from workbench.microdata.dictionary import DataDictionary


def engine_of(plan: Plan, base: Path) -> Chosen:
    """The engine that the plan says, or that its rule chooses."""
    raise_if(problems_of(plan.engine))
    return choose(plan.engine, resolved(base, plan.data.path))


def open_in_place(
    plan: Plan,
    chosen: Chosen,
    base: Path,
    dictionary: DataDictionary | None,
    linked: Mapping[str, Microdata],
    context: Context,
) -> Microdata:
    """The data set without its rows: columns, counts and a door to whoever reads them."""
    data = plan.data
    if chosen.kind is Kind.SPARK:
        from workbench.tabulation.engines.opening_spark import open_spark

        return open_spark(
            data.path, data.roles, dictionary, context, params=plan.engine, shaping=data.shaping, linked=data.linked,
            missing=data.options.missing,
        )  # fmt: skip
    from workbench.tabulation.engines.opening import open_duckdb

    return open_duckdb(
        resolved(base, data.path), data.roles, dictionary, context, memory=plan.engine.bytes, shaping=data.shaping,
        linked=linked, missing=data.options.missing,
    )  # fmt: skip


def said_of(chosen: Chosen, microdata: Microdata) -> tuple[Finding, ...]:
    """Who reads the rows and why, where they are not loaded; and what that leaves unknown."""
    if microdata.elsewhere is None:
        return ()
    known = microdata.elsewhere.units_may_come_here
    apart = "" if known else (
        " Identifiers stay there too: other data sets are compared with this one by columns and size, not by the "
        "people in them."
    )  # fmt: skip
    return found_by(
        "data",
        (Finding(
            id="data.engine", title="Who reads the rows", status=Status.INFO if known else Status.WARN,
            sentence=f"{chosen.sentence} The rows stay there; only aggregates were read.{apart}",
            values={"rows": microdata.rows},
            does_not_prove="That nobody else reads the rows where they lie.",
        ),),
        stage="data",
    )  # fmt: skip
