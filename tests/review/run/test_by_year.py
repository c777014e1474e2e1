"""Units keyed with a year: the guarantee is one for a single year, and everybody who reads the claim is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from workbench.core.claims import Standing
from workbench.core.findings import Status
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Comparison, Recoding, RowRule, Shaping
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_text, read_plan, to_text
from workbench.review.publish.samples import SAMPLES
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare
from workbench.review.run.protect import promised


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jobs of the sample twice, in a folder for each year; some plants have moved in the second."""
    folder = tmp_path_factory.mktemp("years")
    jobs = pd.read_csv(SAMPLES["employment_tables"] / "jobs.csv", dtype=str)
    places = sorted(jobs["place"].unique())
    for year in ("2024", "2025"):
        (folder / "jobs" / f"year={year}").mkdir(parents=True)
        jobs.to_parquet(folder / "jobs" / f"year={year}" / "part.parquet")
        jobs["place"] = places[0]
    return folder


def plan_of(folder: Path, kind: str, shaping: Shaping, establishment: str) -> Plan:
    plan = read_plan(SAMPLES["employment_tables"] / "plan.toml")
    roles = {name: role for name, role in plan.data.roles.items() if name != "establishment"}
    dictionary = str(SAMPLES["employment_tables"] / "dictionary.csv")
    data = replace(
        plan.data, path=str(folder / "jobs"), dictionary=dictionary, shaping=shaping,
        roles={**roles, establishment: Role.ESTABLISHMENT},
    )  # fmt: skip
    return replace(plan, data=data, engine=plan.engine.of_kind(kind))


BY_YEAR = Shaping(recode=Rows({"establishment_year": Recoding(of="establishment", keyed="year")}))


@pytest.mark.parametrize("kind", ["memory", "duckdb"])
def test_that_an_establishment_is_one_unit_in_each_year(years: Path, kind: str) -> None:
    plan = plan_of(years, kind, BY_YEAR, "establishment_year")
    assert from_text(to_text(plan)) == plan
    loaded = load_data(plan, base=years, context=QUIET)
    units = pd.read_csv(SAMPLES["employment_tables"] / "jobs.csv", dtype=str)["establishment"].nunique()
    assert len(loaded.microdata.coded("establishment_year").values) == 2 * units
    assert not any(finding.status.name == "FAIL" for finding in loaded.findings)
    claim = promised(plan, prepare(loaded, plan, QUIET).value)
    assert claim.standing is Standing.PROVED_IF
    assert "each establishment is protected one year at a time, and what it loses in several adds up" in claim.provided


def test_that_without_the_year_the_two_places_of_a_plant_are_told(years: Path) -> None:
    loaded = load_data(plan_of(years, "duckdb", Shaping(), "establishment"), base=years, context=QUIET)
    (told,) = (found for found in loaded.findings if found.id == "data.establishment-in-two-places")
    assert told.status is Status.WARN


@pytest.mark.parametrize("kind", ["memory", "duckdb"])
def test_that_one_year_can_be_chosen_by_a_rule(years: Path, kind: str) -> None:
    rule = RowRule(column="year", comparison=Comparison.EQUAL, values=("2024",))
    plan = plan_of(years, kind, Shaping(keep=Rows({"year": rule})), "establishment")
    loaded = load_data(plan, base=years, context=QUIET)
    jobs = pd.read_csv(SAMPLES["employment_tables"] / "jobs.csv", dtype=str)
    assert loaded.microdata.rows == len(jobs)
    claim = promised(plan, None)
    assert not any("year" in each for each in claim.provided)
