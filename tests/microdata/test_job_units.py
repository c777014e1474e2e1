"""Where a column seems to identify jobs although it is said to identify people or employers, the checks say so."""

from __future__ import annotations

from pathlib import Path

from tests.microdata.places import loaded, written
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET
from workbench.microdata.checks import check
from workbench.microdata.job_checks import JOB_CHECKS
from workbench.microdata.roles import Role, Roles

ROLES: Roles = {"estab": Role.ESTABLISHMENT, "job_id": Role.WORKER, "place": Role.GEOGRAPHY}


def checked(folder: Path, roles: Roles, *, rows: int = 40, jobs_of_each: int = 4) -> dict[str, Finding]:
    """Jobs of half as many people, at establishments of so many jobs each."""
    lines = [f"J{i},K{i // 2},E{i // jobs_of_each},P0,{i % 2}" for i in range(rows)]
    path = written(folder, "job_id,pik,estab,place,sex\n" + "\n".join(lines) + "\n")
    return {finding.id: finding for finding in check(loaded(path, roles=roles), roles, QUIET, JOB_CHECKS)}


def test_that_establishments_of_one_job_each_are_doubted(tmp_path: Path) -> None:
    found = checked(tmp_path, ROLES, jobs_of_each=1)["data.one-job-per-establishment"]
    assert found.status is Status.WARN
    assert "“estab”" in found.sentence
    assert "data.one-job-per-establishment" not in checked(tmp_path, ROLES, jobs_of_each=39)


def test_that_a_person_column_that_was_not_read_makes_one_row_per_worker_doubtful(tmp_path: Path) -> None:
    found = checked(tmp_path, ROLES)["data.one-row-per-worker"]
    assert found.status is Status.WARN
    assert "“job_id” may identify jobs" in found.sentence
    assert "“pik” may identify the person" in found.sentence


def test_that_an_identifier_among_the_attributes_makes_it_doubtful_too(tmp_path: Path) -> None:
    roles = {**ROLES, "pik": Role.PERSON, "sex": Role.PERSON}
    found = checked(tmp_path, roles)["data.one-row-per-worker"]
    assert "“pik”" in found.sentence
    assert "“sex”" not in found.sentence


def test_that_people_with_several_jobs_are_not_doubted(tmp_path: Path) -> None:
    roles: Roles = {"estab": Role.ESTABLISHMENT, "pik": Role.WORKER, "place": Role.GEOGRAPHY}
    assert not {name for name in checked(tmp_path, roles) if name.startswith("data.one-")}


def test_that_one_row_per_worker_alone_is_nothing_strange(tmp_path: Path) -> None:
    lines = "".join(f"W{i},E{i % 5},P0,{i % 2}\n" for i in range(40))
    path = written(tmp_path, "worker,estab,place,sex\n" + lines)
    roles: Roles = {"worker": Role.WORKER, "estab": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sex": Role.PERSON}
    found = [finding.id for finding in check(loaded(path, roles=roles), roles, QUIET, JOB_CHECKS)]
    assert not {name for name in found if name.startswith("data.one-")}


def test_that_a_handful_of_rows_is_not_judged(tmp_path: Path) -> None:
    assert not {name for name in checked(tmp_path, ROLES, rows=19, jobs_of_each=1) if name.startswith("data.one-")}
