"""Differencing in the project: every approved table takes part, and tables from outside are remembered by name only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.cli.said import dwb, one_sentence
from tests.cli.small import PLAN, write_small
from tests.contract.findings_contract import judge_findings
from tests.project.samples import claim, ready
from tests.project.tables.test_shared_people import people
from tests.published import table
from workbench.accounting.ledger import together
from workbench.audit.differencing.tables import Protection
from workbench.core.claims import Claim, Definition, ExactTable
from workbench.core.errors import UserProblem
from workbench.core.findings import DIFFERENCING, Status
from workbench.core.progress import QUIET
from workbench.core.published import MISSING, Published, Units
from workbench.project.store import create, open_project
from workbench.review.run.differencing import as_published, difference_release
from workbench.review.run.exact_beside import exact_tables
from workbench.review.run.external_tables import read_external, read_hierarchy

HIDDEN = "place,sector,jobs\nA,x,12\nA,y,(D)\nA,Total,30\n"


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same table approved once and drawn again as a second release, with a third by place alone."""
    folder = tmp_path_factory.mktemp("twice")
    plan = write_small(folder)
    project = folder / "review.dwb"
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben").code == 0
    assert dwb("run", plan, "--project", project, "--preparer", "Ana").code == 0
    (folder / "places.toml").write_text(
        PLAN.replace('workplace = ["place", "sector"]', 'workplace = ["place"]'), encoding="utf-8"
    )
    assert dwb("run", folder / "places.toml", "--project", project, "--preparer", "Ana").code == 0
    (folder / "outside.csv").write_text(HIDDEN, encoding="utf-8")
    return project


def stored(project: Path, release: str) -> dict[str, str]:
    with open_project(project, read_only=True) as opened:
        run = opened.latest_run(release)
        assert run is not None
        return {each.id: each.status.value for each in opened.findings(run.id) if each.id.startswith("differencing")}


def test_that_every_draw_is_compared_with_what_was_approved_before(twice: Path) -> None:
    assert stored(twice, "R-0001") == {"differencing": "info"}
    assert stored(twice, "R-0002") == {"differencing": "info", "differencing.again": "warn"}
    assert stored(twice, "R-0003") == {"differencing": "info", "differencing.again": "info"}


def drawn(*, records: bool = False, additive: bool = True) -> Published:
    """Jobs, payroll in cents, and a mean that nobody can add up."""
    jobs, payroll, mean = (np.array(values, np.int64) for values in ([3, 2], [900, MISSING], [300, 250]))
    return table(
        {"k": ("A", "B")},
        Units(name="jobs", integers=jobs, additive=additive),
        Units(name="payroll", integers=payroll, decimals=2, additive=additive, gaps=True),
        Units(name="mean", integers=mean, decimals=2, additive=False),
        records=records,
    )


def test_that_only_columns_that_add_up_are_handed_over() -> None:
    jobs, payroll = as_published(drawn(), claim(), name="R-0001", population="data")
    assert (jobs.value_name, jobs.values.tolist(), jobs.decimals, jobs.suppressed) == ("jobs", [3, 2], 0, None)
    assert (payroll.value_name, payroll.decimals) == ("payroll", 2)
    assert payroll.suppressed is not None
    assert payroll.suppressed.tolist() == [False, True]
    for nothing in (drawn(records=True), drawn(additive=False)):
        (whole,) = as_published(nothing, claim(), name="R-0001", population="data")
        assert not whole.additive


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (drawn(), ["differencing", "differencing.again", "differencing.column-2", "differencing.again.column-2"]),
        (drawn(records=True), ["differencing"]),
        (drawn(additive=False), ["differencing"]),
    ],
)
def test_that_every_kind_of_table_is_compared_with_what_was_approved(
    own: Published, expected: list[str], tmp_path: Path
) -> None:
    with create(tmp_path / "review.dwb", person="Ann") as project:
        project.decide(ready(project, drawn=drawn()), decision="approve", reviewer="Rita")
        second = ready(project, drawn=own)
        found = difference_release(project, second, (), actor="Rita", context=QUIET)
        assert [each.id for each in found] == expected
        judge_findings(found)
        assert all(each.source == DIFFERENCING for each in found)
        gates = {each.finding.id: each.finding for each in project.judgements(second)}
        assert "not checked" not in gates["gate.differencing"].sentence


def test_that_a_table_from_outside_takes_part_and_is_remembered_by_name_and_digest_only(twice: Path) -> None:
    outside = twice.parent / "outside.csv"
    said = dwb("difference", twice, "R-0002", "--external", outside, "--json")
    assert said.code == 1
    found = {finding["id"]: finding for finding in said.json["findings"]}
    assert found["differencing"]["status"] == "fail"
    assert found["differencing"]["stage"] == "audit"
    rows = found["differencing"]["tables"][0]["rows"]
    assert ["A · y", "outside.csv", 18, "+ A (outside.csv) − A · x (outside.csv)"] in rows
    assert found["differencing.again"]["values"]["composed_epsilon"] == 3
    with open_project(twice, read_only=True) as project:
        kept = project.comparisons("R-0002")[-1]
        assert kept.files == {"outside.csv": read_external(outside).sha256}
        assert kept.findings[0].status.value == "fail"
    assert str(twice.parent).encode() not in twice.read_bytes()
    assert dwb("verify", twice).code == 0


def test_that_words_name_the_cell_and_the_combination(twice: Path) -> None:
    said = dwb("difference", twice, "R-0001", "--external", twice.parent / "outside.csv")
    assert said.code == 1
    assert "✗ Differencing against other tables: 1 withheld cell can be calculated exactly" in said.out
    assert "A · y; outside.csv; 18.0; + A (outside.csv) − A · x (outside.csv)" in said.out


def test_that_a_release_without_a_draw_and_a_bad_base_are_said(twice: Path, tmp_path: Path) -> None:
    one_sentence(dwb("difference", twice, "R-0009"), "no release")
    one_sentence(dwb("difference", twice, "R-0001", "--rounded", "0", tmp_path / "t.csv"), "base of rounding")
    one_sentence(dwb("difference", twice, "R-0001", "--external", tmp_path / "none.csv"), "no such file")


def write(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_that_external_tables_are_read_as_agencies_write_them(tmp_path: Path) -> None:
    made = read_external(write(tmp_path, '\ufeffplace;n;turnover\nA;1;"1,234.50"\nB;2;(D)\nC;3;-0.25\n')).table
    assert made.columns == ("place", "n")
    assert (made.decimals, made.values.tolist()) == (2, [123450, 0, -25])
    assert made.suppressed is not None
    assert made.suppressed.tolist() == [False, True, False]
    counted = read_external(
        write(tmp_path, "place,n,turnover\nA,1,2.5\n"), value="N", protection=Protection.ROUNDED, base=5
    ).table
    assert (counted.columns, counted.value_name, counted.values.tolist()) == (("place",), "n", [1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("place,jobs\nA,many\n", "line 2: The value is not a number"),
        ("place,jobs\nA,1\nA,2\n", "line 3: This cell is listed twice"),
        ("place,jobs\nA,1,2\n", "3 cells where the header has 2"),
        ("place,jobs\n", "no rows"),
        ("jobs\n1\n", "no key column"),
        ("place,jobs\nA,1e30\n", "not a number"),
        ('place,jobs\n"A,1\n', "not a readable CSV"),
    ],
)
def test_that_what_cannot_be_read_is_said_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UserProblem, match=words):
        read_external(write(tmp_path, text))


def test_that_a_code_has_one_parent(tmp_path: Path) -> None:
    assert read_hierarchy("area", write(tmp_path, "county,town\nA,A1\nA,A2\nB,B\n")).parents == {"A1": "A", "A2": "A"}
    with pytest.raises(UserProblem, match="belongs to two codes"):
        read_hierarchy("area", write(tmp_path, "county,town\nA,A1\nB,A1\n"))
    with pytest.raises(UserProblem, match=r"(A → B → A|B → A → B) contain each other"):
        read_hierarchy("area", write(tmp_path, "county,town\nA,B\nB,A\n"))


SIZES = ExactTable(what="The true size of every place", keys=("place",), value="jobs", leaves=(Definition.RESIDENCE,))


def flows() -> Claim:
    return replace(claim("5", Definition.RESIDENCE), exact=(SIZES,))


def homes() -> Published:
    keys = {"place": ("A", "A", "B"), "home": ("x", "y", "x")}
    return table(keys, Units(name="jobs", integers=np.array([10, 20, 7], np.int64)))


def test_that_rows_that_add_up_to_true_sizes_are_an_exact_table() -> None:
    (sizes,) = exact_tables(homes(), flows(), name="R-0001", population="data", content="rows")
    assert (sizes.columns, sizes.keys, sizes.values.tolist()) == (("place",), (("A", "B"),), [30, 7])
    assert sizes.protection is Protection.EXACT
    assert exact_tables(homes(), claim(), name="R-0001", population="data", content="rows") == ()


@pytest.mark.parametrize("first", ["flows", "table"])
def test_that_exact_sizes_end_the_claim_of_a_table_in_any_order(first: str, tmp_path: Path) -> None:
    """Summing the flows by workplace gives every size exactly, while the ledger stated strong ε = 2."""
    by_place = table({"place": ("A", "B")}, Units(name="jobs", integers=np.array([28, 9], np.int64)))
    both = {"flows": (flows(), homes()), "table": (claim("2", Definition.STRONG), by_place)}
    second = next(name for name in both if name != first)
    with create(tmp_path / "review.dwb", person="Ann") as project:
        done, waiting = (ready(project, both[name][0], drawn=both[name][1]) for name in (first, second))
        project.decide(done, decision="approve", reviewer="Rita")
        found = difference_release(project, waiting, (), actor="Rita", context=QUIET)
        judge_findings(found)
        said = {each.id: each for each in found}
        assert said["differencing.claims"].status is Status.WARN
        assert "no bound under strong" in said["differencing.claims"].sentence
        if first == "flows":
            told = said["differencing.already-public"].sentence
            assert "publishes 2 of the 2 cells of this release without noise" in told
        else:
            assert "No bound under edge differential privacy; strong" in said["differencing.exact"].sentence
        run = project.latest_run(waiting)
        assert run is not None
        answer = project.outlook(run)
        assert answer is not None and answer.unbounded == (Definition.STRONG,)
        project.decide(waiting, decision="approve", reviewer="Rita")
        ended = [each.definition for each in together(project.ledger(1)) if each.total is None]
        assert Definition.STRONG in ended and Definition.EDGE in ended
        assert Definition.RESIDENCE not in ended


def test_that_cells_behind_true_sizes_are_derived_with_a_table_from_outside(tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text("place,sector,jobs\nA,x,12\nA,y,(D)\n", encoding="utf-8")
    with create(tmp_path / "review.dwb", person="Ann") as project:
        waiting = ready(project, flows(), drawn=homes())
        outside = read_external(tmp_path / "outside.csv")
        found = difference_release(project, waiting, (outside,), actor="Rita", context=QUIET)
        (derived,) = (each for each in found if each.id == "differencing.exact-1")
        assert derived.status is Status.FAIL
        assert "1 withheld cell can be calculated exactly" in derived.sentence
        for _ in range(2):  # it does not wear off
            again = difference_release(project, waiting, (), actor="Rita", context=QUIET)
            (left,) = (each for each in again if each.id == "differencing.left-out")
            assert left.status is Status.FAIL and "outside.csv" in left.sentence
        both = difference_release(project, waiting, (outside,), actor="Rita", context=QUIET)
        assert "differencing.left-out" not in {each.id for each in both}


def test_that_tables_of_mostly_the_same_people_are_compared(tmp_path: Path) -> None:
    with create(tmp_path / "review.dwb", person="Ann") as project:
        project.decide(ready(project, dataset=people("a", 0, 1000)), decision="approve", reviewer="Rita")
        fewer, others = (
            ready(project, dataset=people(name, *who)) for name, who in (("b", (0, 999)), ("c", (5000, 6000)))
        )
        near, far = (
            {each.id for each in difference_release(project, release, (), actor="Rita", context=QUIET)}
            for release in (fewer, others)
        )
    assert "differencing.again" in near
    assert "differencing.again" not in far
