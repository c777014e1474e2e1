"""Checks find what is wrong, count it, and say what passing does not prove."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from tests.microdata.places import JOB_ROLES, JOBS, loaded, written
from workbench.core.findings import Audience, Finding, Status
from workbench.core.plain import plain
from workbench.core.progress import QUIET
from workbench.microdata.checks import COMMON_CHECKS, check
from workbench.microdata.dictionary import ColumnWords, DataDictionary
from workbench.microdata.inspect import inspect
from workbench.microdata.job_checks import JOB_CHECKS
from workbench.microdata.job_suggestions import suggest_job_roles
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role, Roles
from workbench.microdata.table import CodedColumn, Microdata, NumericColumn
from workbench.products.area_estimates import product as area_estimates
from workbench.products.commuting_flows import product as commuting_flows
from workbench.products.employment_tables import product as employment_tables
from workbench.products.outcome_reports import product as outcome_reports
from workbench.products.survey_microdata import product as survey_microdata


def checked(data: Microdata, roles: Roles = JOB_ROLES) -> dict[str, Finding]:
    return {finding.id: finding for finding in check(data, roles, QUIET, JOB_CHECKS)}


def test_that_sound_data_pass_and_say_what_that_does_not_prove(tmp_path: Path) -> None:
    found = checked(loaded(written(tmp_path, JOBS), roles=JOB_ROLES))
    assert {finding.status for finding in found.values()} == {Status.PASS}
    assert all(finding.does_not_prove and finding.audience is Audience.INTERNAL for finding in found.values())
    assert plain(tuple(found.values()))


def test_that_data_without_employers_are_not_asked_for_any(tmp_path: Path) -> None:
    path = written(tmp_path, "state,parents,income\n01,20.5,30\n02,,31\n02,40,32.5\n")
    roles = {"state": Role.GROUP, "parents": Role.PREDICTOR, "income": Role.OUTCOME}
    data = loaded(path, roles=roles)
    found = {finding.id: finding for finding in check(data, roles, QUIET, COMMON_CHECKS)}
    assert not any("establishment" in finding.sentence for finding in found.values())
    assert found["data.missing-cells"].status is Status.WARN
    assert found["data.missing-cells"].sentence == "Rows without a value of “parents” (1)."
    assert all(finding.does_not_prove for finding in found.values())
    assert data.columns["parents"].missing == 1
    assert isinstance(data.columns["parents"], NumericColumn)
    assert isinstance(data.columns["state"], CodedColumn)


def test_that_jobs_are_checked_as_they_always_were_unless_a_product_asks_for_something_else() -> None:
    assert [product.data_checks for product in (employment_tables.SPEC, commuting_flows.SPEC)] == [JOB_CHECKS] * 2


def test_that_missing_keys_are_counted(tmp_path: Path) -> None:
    found = checked(loaded(written(tmp_path, JOBS.replace("01,b", ",b")), roles=JOB_ROLES))["data.missing-keys"]
    assert found.status is Status.FAIL
    assert found.values["missing_establishment"] == 1
    assert found.values["missing_worker"] == 0


def test_that_values_that_differ_by_blanks_only_are_counted(tmp_path: Path) -> None:
    content = JOBS.replace("02,c,0002", "02 ,c, 0002").replace("01,b", "01\t,b").replace("a,0002,,", "a,0002, 3,")
    found = checked(loaded(written(tmp_path, content), roles=JOB_ROLES))["data.blanks-around-values"]
    assert found.status is Status.WARN
    assert found.values == {"values": 4, "differ_by_blanks_only": 3}
    assert found.tables[0].rows == (("estab", 2, 2), ("place", 1, 1), ("sex", 1, 0))
    assert "3 values differ from another by blanks only" in found.sentence
    assert "0002" not in found.sentence


@pytest.mark.parametrize(("ends", "padded"), [(("", ""), 0), (("", " "), 20_000), ((" ", " "), 40_000)])
@pytest.mark.parametrize("start", [0, 10**6])
def test_that_blanks_are_found_among_many_identifiers(
    tmp_path: Path, start: int, ends: tuple[str, str], padded: int
) -> None:
    rows = "".join(f"E1,{start + i}{ends[i % 2]},0001,1,1\n" for i in range(40_000))
    found = checked(loaded(written(tmp_path, JOBS.splitlines()[0] + "\n" + rows), roles=JOB_ROLES))
    told = found.get("data.blanks-around-values")
    assert (told.values["values"] if told else 0) == padded


def test_that_a_blank_is_not_told_as_a_second_place(tmp_path: Path) -> None:
    """One place and a gap: the finding says that it is the gap, and what to do about it."""
    rows = "worker,establishment,place\nW1,E1,A\nW2,E1,\nW3,E2,B\nW4,E2,B\n"
    roles = {"worker": Role.WORKER, "establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY}
    said = checked(loaded(written(tmp_path, rows), roles=roles), roles)["data.establishment-in-two-places"].sentence
    assert "A missing value counts as one of them: “place” in 1 row." in said
    assert said.endswith("Before a table uses it, say what becomes of those rows.")
    two = checked(loaded(written(tmp_path, rows.replace("W2,E1,", "W2,E1,B")), roles=roles), roles)
    assert "missing" not in two["data.establishment-in-two-places"].sentence


def test_that_an_establishment_in_two_places_is_found(tmp_path: Path) -> None:
    data = loaded(written(tmp_path, JOBS.replace("02,c,0002", "02,c,0001")), roles=JOB_ROLES)
    found = checked(data)["data.establishment-in-two-places"]
    assert found.status is Status.WARN  # only a table that uses the column is refused
    assert found.values == {"establishments": 2, "in_two_places": 1}
    assert "place" in found.sentence


def test_that_rows_without_an_establishment_are_in_no_place(tmp_path: Path) -> None:
    data = loaded(written(tmp_path, JOBS + ",x,0001,1,1\n,y,0002,1,1\n"), roles=JOB_ROLES)
    assert checked(data)["data.establishment-in-two-places"].status is Status.PASS


def test_that_counts_agree_with_pandas_on_random_jobs(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {"estab": rng.integers(0, 300, 4000), "worker": rng.integers(0, 900, 4000), "place": rng.integers(0, 9, 4000)}
    ).astype(str)
    frame["place"] = np.where(frame["estab"].astype(int) % 3 == 0, "5", frame["place"])
    frame.loc[::97, "worker"] = ""
    frame.to_csv(tmp_path / "x.csv", index=False)
    roles = {name: JOB_ROLES[name] for name in ("estab", "worker", "place")}
    found = checked(loaded(tmp_path / "x.csv", roles=roles), roles)
    known = frame[frame["worker"] != ""]
    assert found["data.duplicate-jobs"].values["repeated"] == known.duplicated(["worker", "estab"]).sum()
    varying = (frame.groupby("estab")["place"].nunique() > 1).sum()
    assert found["data.establishment-in-two-places"].values["in_two_places"] == varying


def test_that_a_repeated_job_is_a_warning(tmp_path: Path) -> None:
    found = checked(loaded(written(tmp_path, JOBS + "01,a,0001,1,1\n"), roles=JOB_ROLES))["data.duplicate-jobs"]
    assert (found.status, found.values["repeated"]) == (Status.WARN, 1)


def test_that_without_workers_duplicates_are_not_checked(tmp_path: Path) -> None:
    roles = {"estab": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY}
    found = checked(loaded(written(tmp_path, JOBS), roles=roles), roles)["data.duplicate-jobs"]
    assert found.status is Status.INFO


def test_that_a_code_outside_its_dictionary_is_counted(tmp_path: Path) -> None:
    words = DataDictionary(columns={"place": ColumnWords(labels={"0001": "Here"})})
    found = checked(loaded(written(tmp_path, JOBS), roles=JOB_ROLES, dictionary=words))["data.code-outside-dictionary"]
    assert (found.status, found.values) == (Status.FAIL, {"codes": 1, "rows": 2})
    assert "0002" not in found.sentence


@pytest.mark.parametrize("product", [outcome_reports, survey_microdata, area_estimates], ids=lambda each: each.SPEC.id)
def test_that_an_unlisted_code_is_no_failure_where_a_rule_settles_it(tmp_path: Path, product: ModuleType) -> None:
    """One person's row must not decide whether a release can be approved as others are, nor how the program exits."""
    words = DataDictionary(columns={"place": ColumnWords(labels={"0001": "Here"})})
    roles = {"place": Role.GROUP, "worker": Role.PERSON_KEY}
    data = loaded(written(tmp_path, JOBS), roles=roles, dictionary=words)
    every = check(data, roles, QUIET, product.SPEC.data_checks)
    found = {finding.id: finding for finding in every}["data.code-outside-dictionary"]
    assert (found.status, found.audience, found.values) == (Status.INFO, Audience.INTERNAL, {"codes": 1, "rows": 2})
    assert re.search("left out|count as missing", found.sentence)
    assert "0002" not in found.sentence
    assert all(finding.status is not Status.FAIL for finding in every)
    assert len(product.SPEC.data_checks) == len(COMMON_CHECKS)


def test_that_no_establishment_role_fails(tmp_path: Path) -> None:
    roles = {"sex": Role.PERSON}
    found = checked(loaded(written(tmp_path, JOBS), roles=roles), roles)
    assert found["data.no-establishment"].status is Status.FAIL


def test_that_an_empty_column_is_a_warning(tmp_path: Path) -> None:
    data = loaded(written(tmp_path, "estab,x\n1,\n2,\n"))
    assert checked(data, {"estab": Role.ESTABLISHMENT})["data.all-missing"].status is Status.WARN


@pytest.mark.parametrize("weight", ["0", "-1", ""])
def test_that_weights_that_count_for_nothing_are_told_and_stop_nothing(tmp_path: Path, weight: str) -> None:
    data = loaded(written(tmp_path, JOBS.replace("1.5", weight)), roles=JOB_ROLES)
    found = checked(data)["data.weight-not-positive"]
    assert found.status is Status.WARN
    assert "contribute nothing" in found.sentence


def _lodes(tmp_path: Path, row: str) -> dict[str, Finding]:
    names = "w_geocode,C000,CA01,CA02,CD01,CD02"
    data = loaded(written(tmp_path, f"{names}\n1,5,2,3,1,1\n{row}\n"))
    return checked(data, {"w_geocode": Role.GEOGRAPHY})


@pytest.mark.parametrize(
    ("row", "margins", "counts"),
    [
        ("2,5,1,4,2,2", Status.PASS, Status.PASS),
        ("2,5,1,3,0,0", Status.FAIL, Status.PASS),
        ("2,5,2,3,4,2", Status.FAIL, Status.PASS),
        ("2,5,-1,6,0,0", Status.PASS, Status.FAIL),
        ("2,5,2.5,2.5,0,0", Status.PASS, Status.FAIL),
    ],
)
def test_that_parts_must_add_up_and_be_counts(tmp_path: Path, row: str, margins: Status, counts: Status) -> None:
    found = _lodes(tmp_path, row)
    assert found["data.impossible-margins"].status is margins
    assert found["data.impossible-counts"].status is counts


@pytest.mark.parametrize("numeric", [True, False])
def test_that_real_margins_pass_and_invented_ones_fail(shared_data: Path, numeric: bool) -> None:
    def margins(path: Path) -> Finding:
        roles = inspect(path, ReadOptions(), QUIET, suggest=suggest_job_roles).suggested_roles
        return checked(loaded(path, roles=roles if numeric else None), roles)["data.impossible-margins"]

    assert margins(shared_data / "lodes_dc_2023" / "dc_od_main_JT00_2023.csv.gz").status is Status.PASS
    for path in (shared_data / "lodes_fake_must_fail").glob("*.gz"):
        fake = margins(path)
        assert fake.status is Status.FAIL
        assert fake.values["groups_wrong"] == fake.values["groups"]


def test_that_a_list_of_values_inside_the_data_file_is_not_taken_as_public_without_a_word(tmp_path: Path) -> None:
    frame = pd.DataFrame({"estab": ["01", "02"], "place": [1.0, 2.0], "sex": [1.0, 2.0]})
    labels = {"place": {1: "Åland", 2: "Sézanne"}, "sex": {1: "women", 2: "men"}}
    pyreadstat.write_dta(frame, str(tmp_path / "x.dta"), variable_value_labels=labels)
    roles = {"estab": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sex": Role.PERSON}
    inside = checked(loaded(tmp_path / "x.dta", roles=roles), roles)["data.dictionary-inside"]
    assert (inside.status, inside.values["columns"]) == (Status.WARN, 2)
    given = DataDictionary(columns={name: ColumnWords(labels={"1": "a", "2": "b"}) for name in labels})
    assert "data.dictionary-inside" not in checked(loaded(tmp_path / "x.dta", roles=roles, dictionary=given), roles)


@pytest.mark.parametrize(
    "rows", ["01,a,0001,1,1.5\n", "01,a,0001,1,1\n01,a,0002,1,1\n", "01,a,0001,1,1\n,b,0001,1,1\n"]
)
def test_that_one_is_told_as_one(tmp_path: Path, rows: str) -> None:
    found = checked(loaded(written(tmp_path, JOBS.splitlines()[0] + "\n" + rows), roles=JOB_ROLES))
    assert found
    for finding in found.values():
        wrong = r"\b1 (rows|establishments|groups|columns|codes|values|weights)\b|\b(of|All) 1 |\b1 of \d+ \w+s have\b"
        assert not re.search(wrong, finding.sentence.replace("of 1 establishment ", "")), finding.sentence
