"""Plans that cannot be carried out: one sentence for each mistake, all at once, before any work is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.said import dwb, files_in, one_sentence
from tests.cli.small import PLAN, write_small

MISTAKES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "epsilon zero": ("epsilon = 1.5", "epsilon = 0", ("[mechanism], epsilon", "must be above 0")),
    "epsilon negative": ("epsilon = 1.5", "epsilon = -1.0", ("[mechanism], epsilon", "must be above 0")),
    "epsilon text": ("epsilon = 1.5", 'epsilon = "two"', ("[mechanism], epsilon", "must be a number, not “two”")),
    "epsilon infinite": ("epsilon = 1.5", "epsilon = inf", ("[mechanism], epsilon", "must be finite")),
    "epsilon minus infinity": ("epsilon = 1.5", "epsilon = -inf", ("[mechanism], epsilon", "must be finite")),
    "epsilon not a number": ("epsilon = 1.5", "epsilon = nan", ("[mechanism], epsilon", "must be finite")),
    "epsilon true": ("epsilon = 1.5", "epsilon = true", ("[mechanism], epsilon", "must be a number")),
    "epsilon too large to write down": ("epsilon = 1.5", "epsilon = 1e400", ("[mechanism], epsilon", "at most 50")),
    "epsilon too close to zero": ("epsilon = 1.5", "epsilon = 1e-400", ("[mechanism], epsilon", "too close to zero")),
    "epsilon of too many digits": ("epsilon = 1.5", f"epsilon = 0.{'1' * 3000}", ("[mechanism]", "too many digits")),
    "a whole number of too many digits": ("version = 1", f"version = {'1' * 5000}", ("nesting that is too long",)),
    "brackets without end": ("version = 1", f"version = {'[' * 5000}{']' * 5000}", ("nesting that is too long",)),
    "a home of nobody": ('path = "jobs.csv"', 'path = "~nobody-here/jobs.csv"', ("no such file",)),
    "unknown key": ("epsilon = 1.5", "epsilom = 1.5", ("epsilom", "Did you mean “epsilon”?")),
    "unknown section": ("[mechanism]", "[mecanism]", ("mecanism", "Did you mean “mechanism”?")),
    "unknown key of the data": ('path = "jobs.csv"', 'paht = "jobs.csv"', ("paht", "Did you mean “path”?")),
    "unknown role": ('sex = "worker attribute"', 'sex = "wrker"', ("[data.roles] sex", "Did you mean “worker”?")),
    "unknown product": ('"employment_tables"', '"employment_table"', ("Did you mean “employment_tables”?",)),
    "unknown mechanism": ('id = "laplace"', 'id = "laplas"', ("[mechanism]", "Did you mean “laplace”?")),
    "unknown check": ('["exact-loss"]', '["exact-los"]', ("[audit] checks", "Did you mean “exact-loss”?")),
    "a check twice": ('["exact-loss"]', '["exact-loss", "exact-loss"]', ("more than once",)),
    "checks not a list": ('["exact-loss"]', '"exact-loss"', ("[audit]", "must be a list")),
    "a check that is no section": ("[audit]", "[audit]\nexact-loss = 3", ("[audit.exact-loss]", "must be a section")),
    "a newer plan": ("version = 1", "version = 2\nnews = 1", ("version 2", "reads version 1")),
    "a newer mechanism": ('id = "laplace"', 'id = "laplace"\nversion = 9', ("laplace version 9",)),
    "invalid TOML": ("version = 1", "version = = 1", ("not a valid TOML file", "line 1")),
    "no product": ('id = "employment_tables"\n', "", ("names no product",)),
    "no mechanism": ('id = "laplace"', 'id = ""', ("names no mechanism", "[mechanism]", "laplace")),
    "a version in quotation marks": ("version = 1", 'version = "1"', ("version = 1 without quotation marks",)),
    "a mechanism's version in quotation marks": (
        'id = "laplace"',
        'id = "laplace"\nversion = "1"',
        ("[mechanism]", "version = 1 without quotation marks"),
    ),
    "an attribute twice": (
        '["place", "sector"]',
        '["place", "sector", "place"]',
        ("[product], workplace", "“place” is chosen more"),
    ),
    "a worker attribute twice": (
        '["place", "sector"]',
        '["place"]\nworker = ["sex", "sex"]',
        ("[product], worker", "“sex” is chosen more"),
    ),
    "no title": ('title = "Jobs by place and sector"', 'title = " "', ("no title", "[release]")),
    "no data file named": ('path = "jobs.csv"', 'path = ""', ("names no data file",)),
    "data file not there": ('path = "jobs.csv"', 'path = "jbos.csv"', ("jbos.csv", "no such file")),
    "unknown attribute": ('["place", "sector"]', '["place", "sektor"]', ("sektor",)),
    "nothing to tabulate": ('["place", "sector"]', "[]", ("workplace", "at least one")),
    "no budget": ("budget = 4.0", "budget = 0", ("[policy], budget", "above 0")),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_that_a_mistake_in_a_plan_is_one_sentence_and_leaves_nothing(what: str, tmp_path: Path) -> None:
    old, new, parts = MISTAKES[what]
    assert PLAN.count(old) >= 1
    plan = write_small(tmp_path, plan=PLAN.replace(old, new, 1))
    before = files_in(tmp_path)
    one_sentence(dwb("run", plan, "--project", tmp_path / "p.dwb", "--json"), *parts)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("name", ["roles", "options", "companions"])
def test_that_a_part_of_the_data_that_is_no_section_is_told_by_its_full_name(name: str, tmp_path: Path) -> None:
    before, _, after = PLAN.partition("[data.roles]")
    rest = after[after.index("[product]") :]
    write_small(tmp_path, plan=f"{before}{name} = 3\n{rest}")
    said = dwb("run", tmp_path / "plan.toml", "--project", tmp_path / "p.dwb")
    assert f"Write [data.{name}] and its settings beneath." in said.err


def test_that_all_mistakes_of_a_plan_are_told_at_once(tmp_path: Path) -> None:
    wrong = PLAN.replace("epsilon = 1.5", "epsilon = 0").replace("trials = 2", "trials = 0").replace("period", "perod")
    said = dwb("run", write_small(tmp_path, plan=wrong), "--project", tmp_path / "p.dwb")
    assert said.code == 2
    assert len(said.problems) == 3
    assert all(part in said.err for part in ("epsilon", "trials", "Did you mean “period”?"))


def test_that_a_plan_that_is_not_there_or_no_text_is_one_sentence(tmp_path: Path) -> None:
    project = tmp_path / "p.dwb"
    one_sentence(dwb("run", tmp_path / "none.toml", "--project", project), "none.toml", "no such file")
    one_sentence(dwb("run", tmp_path, "--project", project), "folder")
    (tmp_path / "latin.toml").write_bytes(PLAN.replace("yearly", "j\u00e4hrlich").encode("latin-1"))
    one_sentence(dwb("run", tmp_path / "latin.toml", "--project", project), "UTF-8")
    assert not project.exists()


def test_that_a_byte_order_mark_does_not_hurt_a_plan(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    plan.write_bytes(b"\xef\xbb\xbf" + plan.read_bytes())
    assert dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana").code == 0


def test_that_a_mistyped_folder_for_the_project_is_one_sentence_and_is_not_made(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    before = files_in(tmp_path)
    one_sentence(dwb("run", plan, "--project", tmp_path / "nowhere" / "p.dwb"), "nowhere", "no such folder")
    assert files_in(tmp_path) == before
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("jobs", ["0", "-5"])
def test_that_a_sample_without_jobs_is_one_sentence(jobs: str, tmp_path: Path) -> None:
    one_sentence(dwb("sample", "employment_tables", "--out", tmp_path / "s", "--jobs", jobs), "at least 200")
    assert not (tmp_path / "s").exists()
