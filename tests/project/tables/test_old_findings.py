"""Findings of files from before they named their source are still known for what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.project.samples import finding
from workbench.core.findings import DIFFERENCING, Finding, Spent
from workbench.core.plain import canonical, plain
from workbench.core.restore import restore
from workbench.project.records import SpecUse
from workbench.project.tables.old_findings import with_source

SPECS = tuple(
    SpecUse(kind=kind, id=name, version=1)
    for kind, name in (
        ("product", "tables"),
        ("check", "exact-loss"),
        ("check", "black-box"),
        ("check", "black-box-release"),
        ("measure", "l1-error"),
    )
)


@pytest.mark.parametrize(
    ("name", "stage", "source"),
    [
        ("exact-loss", "audit", "exact-loss"),
        ("black-box-3", "audit", "black-box"),
        ("black-box-release.2", "audit", "black-box-release"),
        ("differencing.column-2", "audit", DIFFERENCING),
        ("differencing", "audit", DIFFERENCING),
        ("l1-error.small", "compare", "l1-error"),
        ("l1-error.small", "audit", ""),
        ("exact-losses", "audit", ""),
        ("data.duplicates", "data", ""),
    ],
)
def test_that_the_source_is_what_the_run_used_and_the_id_fits(name: str, stage: str, source: str) -> None:
    assert with_source(replace(finding(name=name), stage=stage), SPECS).source == source


def test_that_a_named_source_is_believed() -> None:
    named = replace(finding(name="exact-loss"), stage="audit", source="black-box")
    assert with_source(named, SPECS) is named


def test_that_the_loss_of_an_old_finding_is_read_from_its_values() -> None:
    old = replace(finding(), stage="audit", values={"spent_epsilon": 1.5, "spent_delta": 0.25, "bound": True})
    assert with_source(old, SPECS).loss == Spent(epsilon=1.5, delta=0.25, bound=True)
    assert with_source(finding(), SPECS).loss is None


def test_that_what_names_neither_source_nor_loss_keeps_its_bytes() -> None:
    old = finding()
    assert not {"source", "loss"} & set(plain(old))
    assert canonical(restore(Finding, plain(old))) == canonical(old)
    new = replace(old, source="exact-loss", loss=Spent(epsilon=2.0))
    assert restore(Finding, plain(new)).loss == new.loss
