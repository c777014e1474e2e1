"""A plan that links, recodes, fills gaps and keeps rows: read, run and reported without a window."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from workbench.core.errors import UserProblem
from workbench.core.findings import Audience
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.microdata.shaping.params import Shaping
from workbench.report.model import parameter_tables_of
from workbench.review.plan.plan import Plan
from workbench.review.plan.plan_text import from_text, to_text
from workbench.review.run.opening import LoadedData, load_data
from workbench.review.run.prepare import prepare

PLAN = """
version = 1
[release]
title = "Shaped"
[data]
path = "jobs.csv"
dictionary = "words.csv"
[data.linked]
employers = "employers.csv"
[data.roles]
firm = "establishment"
person = "worker"
state = "geography"
sector = "workplace attribute"
band = "worker attribute"
school = "worker attribute"
[data.shaping.links.employers]
key = ["firm"]
their_key = ["id"]
[data.shaping.recode.state]
of = "county"
prefix = 2
[data.shaping.recode.band]
of = "age"
edges = ["16", "25", "65"]
[data.shaping.missing.school]
rows = "own category"
code = "0"
[data.shaping.keep.adults]
column = "age"
comparison = ">="
values = ["16"]
[product]
id = "employment_tables"
workplace = ["state", "sector"]
worker = ["band", "school"]
"""
WORDS = "column,value,label\nstate,01,Alabama\nstate,02,Alaska\nsector,A,Farms\nsector,B,Shops\n"
EMPLOYERS = "id,sector,county\ne0,A,01001\ne1,B,01003\ne2,B,02001\ne3,A,01005\n"


def jobs(seed: int = 1, rows: int = 300) -> list[str]:
    rng = np.random.default_rng(seed)
    school = rng.choice(["1", "2", ""], rows)
    return [f"p{n},e{rng.integers(0, 4)},{rng.integers(10, 80)},{school[n]}" for n in range(rows)]


def written(folder: Path, lines: list[str], plan: str = PLAN, employers: str = EMPLOYERS) -> Plan:
    folder.mkdir(exist_ok=True)
    (folder / "jobs.csv").write_text("person,firm,age,school\n" + "\n".join(lines) + "\n")
    (folder / "employers.csv").write_text(employers)
    (folder / "words.csv").write_text(WORDS)
    return from_text(plan)


def loaded(folder: Path, lines: list[str], plan: str = PLAN, employers: str = EMPLOYERS) -> LoadedData:
    return load_data(written(folder, lines, plan, employers), base=folder, context=QUIET)


def test_that_the_table_is_that_of_the_rows_shaped_by_hand(tmp_path: Path) -> None:
    lines = jobs()
    plan = written(tmp_path / "a", lines)
    cells = prepare(load_data(plan, base=tmp_path / "a", context=QUIET), plan, QUIET).value
    place = {row.split(",")[0]: row.split(",")[1:] for row in EMPLOYERS.splitlines()[1:]}
    counts: dict[tuple[str, ...], int] = {}
    for line in lines:
        _, firm, age, school = line.split(",")
        if int(age) >= 16:
            band = "2" if int(age) < 25 else "3" if int(age) < 65 else "4"
            key = (place[firm][1][:2], place[firm][0], band, school or "0")
            counts[key] = counts.get(key, 0) + 1
    keys = cells.domain.keys(range(cells.domain.cells))
    assert dict(zip(keys, cells.count.reveal().tolist(), strict=True)) == {key: counts.get(key, 0) for key in keys}
    assert sum(counts.values()) == cells.jobs
    assert {key[2] for key in keys} == {"1", "2", "3", "4"}, "every class is listed, whether or not anybody is in it"


def test_that_the_fingerprint_covers_the_result_and_not_the_order_of_either_file(tmp_path: Path) -> None:
    lines = jobs()
    content = loaded(tmp_path / "a", lines).microdata.fingerprint.content
    turned = "\n".join([EMPLOYERS.splitlines()[0], *reversed(EMPLOYERS.splitlines()[1:])]) + "\n"
    assert loaded(tmp_path / "b", lines[::-1], employers=turned).microdata.fingerprint.content == content
    other = EMPLOYERS.replace("e3,A", "e3,B")
    assert loaded(tmp_path / "c", lines, employers=other).microdata.fingerprint.content != content
    older = PLAN.replace('values = ["16"]', 'values = ["17"]')
    assert loaded(tmp_path / "d", lines, older).microdata.fingerprint.content != content


def test_that_a_shaped_file_has_the_fingerprint_of_the_same_rows_written_out(tmp_path: Path) -> None:
    lines = jobs()
    shaped = loaded(tmp_path / "a", lines)
    column = {name: shaped.microdata.coded(name) for name in shaped.microdata.columns}
    texts = [[str(each.values[code]) for code in each.codes.reveal()] for each in column.values()]
    rows = "\n".join(",".join(row) for row in zip(*texts, strict=True))
    folder = tmp_path / "b"
    folder.mkdir()
    (folder / "jobs.csv").write_text(",".join(column) + "\n" + rows + "\n")
    plan = from_text(PLAN)
    bare = dataclasses.replace(plan.data, linked={}, dictionary="", shaping=Shaping())
    again = load_data(dataclasses.replace(plan, data=bare), base=folder, context=QUIET)
    assert again.microdata.fingerprint.content == shaped.microdata.fingerprint.content


def test_that_columns_used_on_the_way_only_do_not_stay(tmp_path: Path) -> None:
    data = loaded(tmp_path / "a", jobs())
    assert set(data.microdata.columns) == set(data.roles)
    said = {finding.id: finding for finding in data.findings}
    assert {"data.link-employers", "data.rows-kept"} <= set(said)
    assert "Sizes, of employers for example, count only the rows that stay" in said["data.rows-kept"].sentence
    assert all(finding.source == "data" for finding in data.findings)


def test_that_a_plan_with_shaping_reads_back_as_it_was_written() -> None:
    plan = from_text(PLAN)
    again = from_text(to_text(plan))
    assert again == plan
    assert again.digest() == plan.digest()
    assert [(file.what, file.path) for file in plan.data.files()][-1] == ("linked file employers", "employers.csv")
    moved = plan.data.with_paths(lambda path: f"there/{path}")
    assert moved.linked == {"employers": "there/employers.csv"}


def test_that_another_data_file_keeps_nothing_that_speaks_of_the_columns_of_the_old_one() -> None:
    other = from_text(PLAN).data.of_file("other.csv")
    assert (other.path, other.roles, other.linked, other.shaping) == ("other.csv", {}, {}, Shaping())
    assert other.dictionary == "words.csv"


def test_that_a_plan_without_shaping_keeps_its_digest() -> None:
    plan = from_text(PLAN)
    bare = dataclasses.replace(plan.data, linked={}, shaping=Shaping())
    assert set(bare.plain()) == {"path", "dictionary", "options", "roles"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('employers = "employers.csv"', ""), "The link names no file"),
        (("[data.shaping.links.employers]", "[data.shaping.links.firms]"), "Nothing says how “employers” is linked"),
        (('prefix = 2', "prefx = 2"), "Did you mean “prefix”?"),
        (('comparison = ">="', 'comparison = "=>"'), "[data.shaping]"),
        (('edges = ["16", "25", "65"]', 'edges = ["16", "16"]'), "do not rise"),
    ],
)  # fmt: skip
def test_that_a_wrong_plan_says_where_and_what(change: tuple[str, str], said: str) -> None:
    with pytest.raises(UserProblem) as caught:
        from_text(PLAN.replace(*change))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('of = "county"', 'of = "couny"'), "There is no column “couny”"),
        (('person = "worker"', 'prson = "worker"'), "Did you mean “person”?"),
        (('key = ["firm"]', 'key = ["frm"]'), "Did you mean “firm”?"),
        (('their_key = ["id"]', 'their_key = ["ID"]'), "has no column “ID”"),
    ],
)
def test_that_a_column_nobody_brings_is_named_before_anything_is_counted(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(UserProblem) as caught:
        loaded(tmp_path / "a", jobs(), PLAN.replace(*change))
    assert said in str(caught.value)


def test_that_the_report_lists_every_step() -> None:
    tables = parameter_tables_of(from_text(PLAN).data.shaping, Audience.INTERNAL)
    assert [(table.title, table.names) for table in tables] == [
        ("Linked files", ("employers",)), ("Recoded columns", ("state", "band")), ("Missing values", ("school",)),
        ("Rows kept", ("adults",)),
    ]  # fmt: skip


def test_that_a_role_can_make_numbers_of_a_linked_column(tmp_path: Path) -> None:
    employers = EMPLOYERS.replace("id,sector,county", "id,sector,county,wage").replace("001\n", "001,4.5\n")
    employers = employers.replace("003\n", "003,2\n").replace("005\n", "005,1\n")
    plan = PLAN.replace('band = "worker attribute"', 'band = "worker attribute"\nwage = "outcome"')
    data = loaded(tmp_path / "a", jobs(), plan, employers)
    assert data.roles["wage"] is Role.OUTCOME
    assert set(np.unique(data.microdata.columns["wage"].numbers.reveal())) == {1.0, 2.0, 4.5}
