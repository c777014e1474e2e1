"""The sample as agencies keep it, in three tables joined by keys: the same rows, cells and fingerprint."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.core.errors import Problem, UserProblem
from workbench.core.findings import Finding, Status
from workbench.core.progress import QUIET
from workbench.microdata.options import Delimiter, Header, ReadOptions
from workbench.microdata.shaping.params import Link
from workbench.review.plan.anchoring import anchored
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_text, read_plan, to_text
from workbench.review.publish.samples import write_sample
from workbench.review.run.linked_view import key_findings
from workbench.review.run.opening import load_data, refuse_guesses
from workbench.review.run.prepare import prepare
from workbench.tabulation.engines.choice import Kind

PARTS = {
    "jobs": ("worker", "establishment"),
    "workers": ("worker", "sex", "education", "age", "race", "ethnicity"),
    "workplaces": ("establishment", "place", "sector", "ownership"),
}
LINKS = {"workers": Link(key=("worker",)), "workplaces": Link(key=("establishment",))}


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("flat") / "sample"
    write_sample("employment_tables", made, context=QUIET)
    return made


@pytest.fixture
def three(flat: Path, tmp_path: Path) -> tuple[Path, Plan]:
    """Jobs, workers and workplaces in files of their own, each in another folder than the plan."""
    with (flat / "jobs.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name, columns in PARTS.items():
        lines = dict.fromkeys(",".join(row[column] for column in columns) for row in rows)
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.csv").write_text("\n".join([",".join(columns), *lines, ""]), encoding="utf-8")
    plan = read_plan(flat / "plan.toml")
    shaping = replace(plan.data.shaping, links=type(plan.data.shaping.links)(LINKS))
    linked = {name: f"{name}/{name}.csv" for name in LINKS}
    data = replace(
        plan.data, path="jobs/jobs.csv", dictionary=str(flat / "dictionary.csv"), linked=linked, shaping=shaping
    )
    return tmp_path, from_text(to_text(replace(plan, data=data)))


def test_that_three_tables_give_the_cells_of_the_flat_file(flat: Path, three: tuple[Path, Plan]) -> None:
    folder, plan = three
    worker = replace(plan.product.params, worker=("sex", "education"))
    plan = replace(plan, product=replace(plan.product, params=worker))
    flat_plan = read_plan(flat / "plan.toml")
    flat_plan = replace(flat_plan, product=plan.product)
    one, three_tables = load_data(flat_plan, base=flat, context=QUIET), load_data(plan, base=folder, context=QUIET)
    assert three_tables.microdata.fingerprint.content == one.microdata.fingerprint.content
    assert three_tables.words == one.words
    ours, theirs = prepare(three_tables, plan, QUIET).value, prepare(one, flat_plan, QUIET).value
    assert ours.count.reveal().tolist() == theirs.count.reveal().tolist()
    assert ours.largest.reveal().tolist() == theirs.largest.reveal().tolist()
    linked = [finding for finding in three_tables.findings if finding.id.startswith("data.link-")]
    assert [(finding.status, finding.values["unmatched"]) for finding in linked] == [(Status.PASS, 0)] * 2


def in_a_chain(flat: Path, folder: Path) -> Plan:
    """Jobs name workplaces, workplaces name sites, and sites say where and what they are; all in Parquet."""
    with (flat / "jobs.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    traits = PARTS["workplaces"][1:]
    sites: dict[tuple[str, ...], str] = {}
    for row in rows:
        row["site"] = sites.setdefault(tuple(row[name] for name in traits), f"S{len(sites)}")
    columns = {
        "jobs": (*PARTS["jobs"], *PARTS["workers"][1:]), "workplaces": ("establishment", "site"),
        "sites": ("site", *traits),
    }  # fmt: skip
    columns["flat"] = (*PARTS["jobs"], *PARTS["workers"][1:], *traits)
    for name, held in columns.items():
        lines = list(dict.fromkeys(tuple(row[column] for column in held) for row in rows))
        table = pa.table({column: [line[place] for line in lines] for place, column in enumerate(held)})
        pq.write_table(table, folder / f"{name}.parquet")
    links = {"workplaces": Link(key=("establishment",)), "sites": Link(key=("site",))}
    plan = read_plan(flat / "plan.toml")
    data = replace(
        plan.data, path="jobs.parquet", dictionary=str(flat / "dictionary.csv"),
        linked={name: f"{name}.parquet" for name in links},
        shaping=replace(plan.data.shaping, links=type(plan.data.shaping.links)(links)),
    )  # fmt: skip
    return replace(plan, data=data)


@pytest.mark.parametrize("kind", [Kind.MEMORY, Kind.DUCKDB])
def test_that_a_file_is_linked_by_a_column_that_another_one_brings(flat: Path, tmp_path: Path, kind: Kind) -> None:
    plan = in_a_chain(flat, tmp_path)
    plan = replace(plan, engine=plan.engine.of_kind(kind))
    none = replace(plan.data.shaping, links=type(plan.data.shaping.links)())
    flat_plan = replace(plan, data=replace(plan.data, path="flat.parquet", linked={}, shaping=none))
    chained, one = load_data(plan, base=tmp_path, context=QUIET), load_data(flat_plan, base=tmp_path, context=QUIET)
    assert chained.microdata.fingerprint.content == one.microdata.fingerprint.content
    ours, theirs = prepare(chained, plan, QUIET).value, prepare(one, flat_plan, QUIET).value
    assert ours.count.reveal().tolist() == theirs.count.reveal().tolist()
    tried = key_findings(plan, tmp_path, QUIET)
    assert all(isinstance(each, Finding) and not each.values["unmatched"] for each in tried.values())


def test_that_a_key_that_no_earlier_file_brings_is_one_of_the_data(flat: Path, tmp_path: Path) -> None:
    plan = in_a_chain(flat, tmp_path)
    links = plan.data.shaping.links
    turned = type(links)({name: links[name] for name in ("sites", "workplaces")})
    plan = replace(plan, data=replace(plan.data, shaping=replace(plan.data.shaping, links=turned)))
    with pytest.raises(UserProblem, match="There is no column “site”"):
        load_data(plan, base=tmp_path, context=QUIET)
    assert isinstance(key_findings(plan, tmp_path, QUIET)["sites"], Problem)


def test_that_all_files_are_found_again_from_another_folder(three: tuple[Path, Plan], tmp_path: Path) -> None:
    folder, plan = three
    (tmp_path / "project").mkdir()
    moved = anchored(plan, old=folder, new=tmp_path / "project")
    again = load_data(moved, base=tmp_path / "project", context=QUIET)
    first = load_data(plan, base=folder, context=QUIET)
    assert again.microdata.fingerprint == first.microdata.fingerprint


def test_that_a_second_row_of_a_worker_never_makes_two_jobs_of_one(three: tuple[Path, Plan]) -> None:
    folder, plan = three
    path = folder / "workers" / "workers.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    worker, sex, education, age, *more = lines[1].split(",")
    other = "m" if sex == "f" else "f"
    path.write_text("\n".join([*lines, ",".join([worker, other, education, age, *more]), ""]), encoding="utf-8")
    with pytest.raises(UserProblem, match="Some rows have no match"):
        load_data(plan, base=folder, context=QUIET)
    links = {**LINKS, "workers": replace(LINKS["workers"], unmatched="keep")}
    kept = replace(plan.data.shaping, links=type(plan.data.shaping.links)(links))
    loaded = load_data(replace(plan, data=replace(plan.data, shaping=kept)), base=folder, context=QUIET)
    jobs = (folder / "jobs" / "jobs.csv").read_text(encoding="utf-8").splitlines()
    assert loaded.microdata.rows == len(jobs) - 1, "as many rows as the data file, never more"
    finding = next(each for each in loaded.findings if each.id == "data.link-workers")
    assert finding.status is Status.FAIL
    assert finding.values["disputed_keys"] == 1
    assert finding.values["ambiguous"] == sum(line.split(",")[0] == worker for line in jobs)


def test_that_a_list_taken_from_the_data_is_not_declared_because_it_names_a_linked_column(
    flat: Path, three: tuple[Path, Plan]
) -> None:
    """A dictionary that says its values were taken from the data proves nothing, wherever the column comes from."""
    folder, plan = three
    text = (flat / "dictionary.csv").read_text(encoding="utf-8")
    header, *lines = text.splitlines()
    titles = {column for column in ("place", "sector", "ownership") if f"\n{column},," not in text}
    said = [f"{header},declared"] + [f"{line},taken from the data" if ",," in line else f"{line}," for line in lines]
    said += [f"{column},,{column}{',' * header.count(',').__sub__(2)},taken from the data" for column in titles]
    (folder / "taken.csv").write_text("\n".join([*said, ""]), encoding="utf-8")
    loaded = load_data(replace(plan, data=replace(plan.data, dictionary="taken.csv")), base=folder, context=QUIET)
    for name in ("place", "sector", "ownership"):
        assert loaded.microdata.coded(name).public_values
        assert not loaded.microdata.coded(name).declared_values, name


def test_that_a_first_line_that_may_be_data_is_not_quoted_as_names_of_columns(three: tuple[Path, Plan]) -> None:
    """Errors reach screens and logs: what stands first in a linked file without names is an employer."""
    folder, plan = three
    (folder / "owners.csv").write_text("E0001,Marked Company\nE0002,Other\n", encoding="utf-8")
    shaping = plan.data.shaping
    links = type(shaping.links)({**shaping.links, "owners": Link(key=("establishment",))})
    data = replace(
        plan.data, linked={**plan.data.linked, "owners": "owners.csv"}, shaping=replace(shaping, links=links)
    )
    with pytest.raises(UserProblem, match=r"owners\.csv has no column “establishment”\. Compare it") as caught:
        load_data(replace(plan, data=data), base=folder, context=QUIET)
    assert "Marked" not in str(caught.value)
    data = replace(data, linked_options={"owners": ReadOptions(header=Header.PRESENT)})
    with pytest.raises(UserProblem, match="Columns: E0001, Marked Company"):  # a person said that these are names
        load_data(replace(plan, data=data), base=folder, context=QUIET)


def test_that_a_linked_file_is_not_read_by_a_guess_either(three: tuple[Path, Plan]) -> None:
    folder, plan = three
    path = folder / "workplaces" / "workplaces.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",", ";"), encoding="utf-8")
    loaded = load_data(plan, base=folder, context=QUIET)
    assert loaded.guessed_there == {"workplaces": {"delimiter": "semicolon"}}
    with pytest.raises(UserProblem, match=r'\[data.linked_options.workplaces\]: delimiter = "semicolon"'):
        refuse_guesses(loaded)
    said = {"workplaces": ReadOptions(delimiter=Delimiter.SEMICOLON)}
    plan = from_text(to_text(replace(plan, data=replace(plan.data, linked_options=said))))
    refuse_guesses(load_data(plan, base=folder, context=QUIET))


def test_that_a_column_of_two_files_is_told_in_a_sentence(three: tuple[Path, Plan]) -> None:
    folder, plan = three
    path = folder / "workers" / "workers.csv"
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([f"{first},place", *(f"{line},X" for line in rest), ""]), encoding="utf-8")
    with pytest.raises(UserProblem, match=r"“place” is a column of both \w+\.csv and \w+\.csv") as caught:
        load_data(plan, base=folder, context=QUIET)
    assert "list under columns what is taken from" in str(caught.value)
