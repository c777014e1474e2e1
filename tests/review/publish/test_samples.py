"""Samples can be run as they are written, at any size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.said import dwb
from tests.contract.contexts import CancelAt, Listener
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import SAMPLES, write_sample
from workbench.review.run.run import run_plan


@pytest.mark.parametrize("name", SAMPLES)
def test_that_a_sample_is_written_as_it_is_kept(name: str, tmp_path: Path) -> None:
    written = write_sample(name, tmp_path / "new" / "folder", context=QUIET)
    assert {path.name for path in written} >= {"plan.toml"}
    for path in written:
        assert path.read_bytes() == (SAMPLES[name] / path.name).read_bytes()
    plan = read_plan(tmp_path / "new" / "folder" / "plan.toml")
    assert (tmp_path / "new" / "folder" / plan.data.path).is_file()


def test_that_a_twin_of_three_thousand_jobs_runs(tmp_path: Path) -> None:
    said = dwb("sample", "employment_tables", "--out", tmp_path, "--jobs", "3000", "--json")
    assert said.code == 0, said.err
    assert all(Path(file).is_file() for file in said.json["files"])
    plan = read_plan(tmp_path / "plan.toml")
    whole = run_plan(plan, base=tmp_path, context=QUIET)
    assert whole.loaded.microdata.rows == 3000
    assert whole.outcome.protected.table.rows > 10


def test_that_the_same_seed_gives_the_same_twin_and_another_gives_another(tmp_path: Path) -> None:
    made = []
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        write_sample("employment_tables", tmp_path / name, twin={"jobs": 500}, seed=seed, context=QUIET)
        made.append((tmp_path / name / "jobs.csv").read_bytes())
    assert made[0] == made[1] != made[2]


def test_that_writing_tells_how_far_it_is(tmp_path: Path) -> None:
    listener = Listener()
    write_sample("employment_tables", tmp_path, twin={"jobs": 500}, seed=1, context=listener)
    assert listener.sentences
    assert listener.fractions == sorted(listener.fractions)


def test_that_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(UserProblem, match="cannot be made here"):
        write_sample("employment_tables", tmp_path / "file" / "folder", context=QUIET)


def test_that_an_unknown_sample_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="employment_tables"):
        write_sample("no_such", tmp_path, context=QUIET)


def test_that_an_edited_plan_is_not_written_over_unless_it_is_asked_for(tmp_path: Path) -> None:
    def again(**more: bool) -> None:
        write_sample("employment_tables", tmp_path, context=QUIET, **more)

    again()
    as_shipped = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    again()
    (tmp_path / "plan.toml").write_text("# mine\n" + as_shipped, encoding="utf-8")
    (tmp_path / "jobs.csv").unlink()
    with pytest.raises(UserProblem, match=r"plan\.toml: There is a file of this name with other content.*--overwrite"):
        again()
    assert (tmp_path / "plan.toml").read_text(encoding="utf-8").startswith("# mine")
    assert not (tmp_path / "jobs.csv").exists(), "all or nothing"
    again(overwrite=True)
    (tmp_path / "jobs.csv").unlink()
    (tmp_path / "jobs.csv").mkdir()
    with pytest.raises(UserProblem, match="A folder has the name"):
        again(overwrite=True)
    assert (tmp_path / "plan.toml").read_text(encoding="utf-8") == as_shipped


def test_that_a_twin_is_not_written_over_either(tmp_path: Path) -> None:
    write_sample("employment_tables", tmp_path, twin={"jobs": 300}, seed=1, context=QUIET)
    write_sample("employment_tables", tmp_path, twin={"jobs": 300}, seed=1, context=QUIET)
    with pytest.raises(UserProblem, match="other content"):
        write_sample("employment_tables", tmp_path, twin={"jobs": 300}, seed=2, context=QUIET)


@pytest.mark.parametrize("twin", [None, {"jobs": 300}])
def test_that_a_cancelled_sample_leaves_no_folder(tmp_path: Path, twin: dict[str, object] | None) -> None:
    with pytest.raises(Cancelled):
        write_sample("employment_tables", tmp_path / "new" / "folder", twin=twin, context=CancelAt(2))
    assert list(tmp_path.iterdir()) == []


def test_that_a_cancelled_sample_leaves_a_folder_that_was_there(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        write_sample("employment_tables", tmp_path, context=CancelAt(2))
    assert tmp_path.is_dir() and list(tmp_path.iterdir()) == []
