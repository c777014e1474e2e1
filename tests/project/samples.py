"""Small made-up reviews that the tests of the project file share."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np

from tests import published as made
from workbench.core.claims import Claim, Definition
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Audience, Finding, Status, Table
from workbench.core.published import MISSING, Published, Units
from workbench.project.records import ColumnRecord, DatasetRecord, ReleaseRecord, RunRecord, SpecUse
from workbench.project.store import Project, create

PLAN = '[product]\nid = "employment_tables"\n'


def data(name: str = "jobs.csv", content: str = "c" * 64, file: str = "f" * 64) -> DatasetRecord:
    columns = (ColumnRecord(name="sector", kind="codes", role="workplace attribute", distinct=20, missing=3),)
    return DatasetRecord(name=name, content=content, file=file, rows=20_000, columns=columns)


def claim(epsilon: str = "2", definition: Definition = Definition.EDGE, delta: str = "0") -> Claim:
    return Claim(
        definition=definition, unit="one job", epsilon=Decimal(epsilon), delta=Decimal(delta), sentence="A promise."
    )


def finding(status: Status = Status.PASS, name: str = "exact-loss") -> Finding:
    figure = Figure(
        kind=Kind.LINES, title="Loss", x=Axis(label="output"), y=Axis(label="loss", unit="ε"),
        series=(Series(name="worst pair", x=(0.0, 1.0), y=(2.0, float("inf"))),),
    )  # fmt: skip
    return Finding(
        id=name, title="Exact loss", status=status, sentence="The largest log ratio is 2.",
        values={"epsilon": 2.0, "cells": 12, "note": "é", "none": None},
        tables=(Table(title="Worst", columns=("pair", "loss"), rows=(("a", 1.5), ("b", 2.0))),),
        figures=(figure,), does_not_prove="Anything about other definitions.", audience=Audience.PUBLIC,
    )  # fmt: skip


def table(rows: int = 6) -> Published:
    values = np.array([-(2**62), -1, 0, 1, 7, 2**62] * (rows // 6), dtype=np.int64)
    keys = {"place": [f"place {i}" for i in range(rows)], "sector": ["sector é"] * rows}
    return made.counts(keys, "jobs", values)


def measured() -> Published:
    """A table of records with a count, and a mean of two decimals that one row does not have."""
    jobs, pay = np.array([3, 0, -1]), np.array([125_050, MISSING, -5])
    return made.table(
        {"place": ("place é", "B", "B")},
        Units(name="jobs", integers=jobs, gaps=True),
        Units(name="mean pay", integers=pay, decimals=2, unit="€", additive=False, gaps=True),
        records=True,
    )


def run_of(dataset_id: int, promise: Claim | None = None) -> RunRecord:
    return RunRecord(
        dataset_id=dataset_id, claim=promise or claim(),
        specs=(SpecUse(kind="mechanism", id="laplace", version=1, params={"epsilon": Decimal("0.1"), "on": ["a"]}),),
        inputs={"dictionary": "d" * 64}, tools={"numpy": "2.4.6"}, units=(("establishments", 950),),
    )  # fmt: skip


def draft(project: Project, title: str = "Jobs by place", **more: int) -> ReleaseRecord:
    context = {"requester": "Zoë", "purpose": "yearly table", "authority": "statute 7"}
    return project.save_release(
        title=title, product="employment_tables", plan_text=PLAN, preparer="Paula", context=context, **more
    )


def ready(
    project: Project, promise: Claim | None = None, *, dataset: DatasetRecord | None = None,
    drawn: Published | None = None,
) -> str:  # fmt: skip
    """A release that was run and waits for its decision."""
    release = draft(project)
    key = project.save_dataset(dataset or data())
    project.add_run(release.id, run_of(key, promise), findings=(finding(),), published=drawn or table())
    return release.id


def reviewed(path: Path) -> Path:
    """A finished file: two releases, a vote, an approval, a request for changes, a cap."""
    with create(path, person="Ann") as project:
        first = ready(project)
        project.set_cap(1, Decimal(10), reason="yearly budget")
        project.vote(first, vote="approve", reviewer="Vera", comment="fine")
        project.decide(first, decision="approve", reviewer="Rita", comment="approved with care", public_comment="ok")
        second = ready(project, drawn=measured())
        project.decide(second, decision="request changes", reviewer="Rita", comment="use fewer cells")
    return path
