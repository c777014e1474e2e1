"""Data frames in and out, and the notebook of the documentation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import workbench as wb
from tests.docs.pages import ROOT
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.load import load, load_opened
from workbench.microdata.options import ReadOptions
from workbench.microdata.readers.frame import opened_frame
from workbench.microdata.roles import Role

ROLES = {"pid": "worker", "firm": "establishment", "place": "geography", "sex": "worker attribute"}
WORDS = {"place": {"01": "North", "02": "South", "03": "East"}, "sex": {"f": "Women", "m": "Men"}}


@pytest.fixture(scope="module")
def jobs() -> pd.DataFrame:
    draw = np.random.default_rng(1)
    firm = draw.integers(0, 60, 1500)
    return pd.DataFrame(
        {
            "pid": [f"P{number:05}" for number in range(1500)],
            "firm": [f"E{number:03}" for number in firm],
            "place": [f"0{number % 2 + 1}" for number in firm],
            "sex": draw.choice(["f", "m"], 1500),
        }
    )


class NotComputed:
    """As frames are that know how they would be made."""

    def collect(self) -> pd.DataFrame:
        return pd.DataFrame({"a": [1]})


def described(frame: Any) -> Any:
    return wb.release(
        frame, "employment_tables", title="Jobs", roles=ROLES, dictionary=WORDS, workplace=["place"], worker=["sex"],
        domain="all",
    )  # fmt: skip


def test_that_a_frame_is_drawn_audited_and_submitted(jobs: pd.DataFrame, tmp_path: Path) -> None:
    run = described(jobs).using("block-gamma", epsilon=2).draw()
    assert run.claim.formal
    assert list(run.table.columns) == ["place", "sex", "jobs"]
    assert list(run.table["place"].cat.categories) == ["01", "02", "03"], "the declared values, met or not"
    assert len(run.table) == 6
    assert "exact-loss" in set(run.findings["id"])
    true = run.side_by_side()["confidential"]
    assert int(true.sum()) == 1500
    assert run.submit(tmp_path / "p.dwb", preparer="Ana") == "R-0001"
    with wb.open_project(tmp_path / "p.dwb") as project:
        assert project.table("R-0001").equals(run.table)
        assert set(project.table("R-0001", labels=True)["sex"]) == {"Women", "Men"}
        assert list(project.releases["id"]) == ["R-0001"]
        assert project.ledger.empty, "nothing is spent before an approval"
        assert list(project.ledger.columns) == ["data", "release", "definition", "epsilon", "delta"]


def test_that_printing_shows_no_confidential_value(jobs: pd.DataFrame) -> None:
    work = described(jobs)
    assert "1500" not in repr(work)
    assert "<p>" in work._repr_html_()
    assert "E00" not in work._repr_html_()


def test_that_claims_tables_findings_and_figures_show_themselves(jobs: pd.DataFrame) -> None:
    run = described(jobs).using("laplace", epsilon=1).draw()
    assert "edge differential privacy" in run.claim._repr_html_()
    assert "<b>Proved.</b>" in run.claim._repr_html_()
    assert run.claim.epsilon == 1
    for frame in (run.table, run.findings):
        assert "<table" in frame._repr_html_()
    assert run.figures
    assert run.figures._repr_html_().count("<svg") == len(run.figures)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame([["a", "b"]], columns=["firm", "firm"]), "More than one column is called “firm”"),
        (pd.DataFrame({"firm": ["1", 1], "pid": ["a", "b"]}), "“firm” holds values of different types"),
        (pd.DataFrame({"firm": [["a"], ["b"]], "pid": ["a", "b"]}), "“firm” holds lists or records"),
        (pd.DataFrame(), "no columns"),
        ("no frame at all.txt", "There is no such file"),
        (object(), "cannot be read as a data frame"),
    ],
)
def test_that_a_frame_that_is_none_is_told_in_a_sentence(frame: Any, said: str) -> None:
    with pytest.raises(UserProblem, match=said):
        wb.release(
            frame,
            "employment_tables",
            title="Jobs",
            roles={"firm": "establishment", "pid": "worker"},
            workplace=["place"],
            domain="all",
        )


def test_that_categories_of_no_row_are_no_values(jobs: pd.DataFrame) -> None:
    frame = jobs.assign(sex=pd.Categorical(jobs["sex"], categories=["d", "f", "m"]))
    plain, coded = (load_opened(Path("x"), opened_frame(each), None, None, QUIET) for each in (jobs, frame))
    assert coded.coded("sex").values == ("f", "m")
    assert coded.fingerprint.content == plain.fingerprint.content


def test_that_a_frame_is_the_same_data_as_its_file(jobs: pd.DataFrame, tmp_path: Path) -> None:
    jobs.to_csv(tmp_path / "jobs.csv", index=False)
    roles = {name: Role(role) for name, role in ROLES.items()}
    from_file = load(tmp_path / "jobs.csv", ReadOptions(), roles, None, QUIET)
    categories = jobs.astype({"place": "category", "sex": "category"})
    for frame in (jobs, categories, pa.Table.from_pandas(jobs, preserve_index=False)):
        taken = load_opened(Path("data frame"), opened_frame(frame), roles, None, QUIET)
        assert taken.fingerprint.content == from_file.fingerprint.content


def test_that_without_a_dictionary_nothing_is_proved(jobs: pd.DataFrame) -> None:
    work = wb.release(jobs, "employment_tables", title="Jobs", roles=ROLES, workplace=["place"], domain="all")
    assert not work.claim.formal


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "More than one column is called “a”"),
        (pd.DataFrame({"a": pd.Series(["1", 1], dtype=object)}), "values of different types"),
        (pd.DataFrame({"": [1]}), "no name"),
        (pd.DataFrame([[1]], columns=[None]), "no name"),
        (pd.Series([1], name="a"), "cannot be read as a data frame"),
        (pd.DataFrame({"a": pd.Categorical([1, "1"])}), "“a” holds values that are no text, number or date"),
        (pd.DataFrame({"a": [object()]}), "“a” holds values that are no text, number or date"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": []}), "The data frame has no rows"),
        (NotComputed(), "pass what .collect"),
        ("jobs.csv", "cannot be read as a data frame"),
    ],
)
def test_that_a_frame_that_cannot_be_used_is_refused_in_a_sentence(frame: Any, words: str) -> None:
    with pytest.raises(UserProblem, match=words):
        load_opened(Path("data frame"), opened_frame(frame), None, None, QUIET)


@pytest.mark.parametrize(
    ("column", "written"),
    [
        (pd.cut(pd.Series([1, 20, 1]), [0, 15, 65, 99]), ("(0, 15]", "(15, 65]")),
        (pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])), ("(0, 1]", "(1, 2]")),
        (pd.Series(pd.period_range("2026Q1", periods=2, freq="Q")), ("2026Q1", "2026Q2")),
        (pd.Series(pd.to_timedelta([1, 2], unit="D")), ("1 days 00:00:00", "2 days 00:00:00")),
        (pd.Series(pd.arrays.SparseArray([0, 0, 1])), ("0", "1")),
        (pd.Series(pd.array([True, None], dtype="boolean")), ("true",)),
        (pd.Series(pd.array([1, None, 2], dtype="Int64")), ("1", "2")),
        (
            pd.Series(pd.date_range("2026-06-01", periods=1, tz="Europe/Berlin")),
            ("2026-06-01 00:00:00.000000+0200",),
        ),
    ],
)
def test_that_values_read_as_pandas_writes_them(column: pd.Series, written: tuple[str, ...]) -> None:
    frame = pd.DataFrame({"a": column})
    kept = frame.copy()
    taken = load_opened(Path("data frame"), opened_frame(frame), None, None, QUIET)
    assert taken.coded("a").values == written
    pd.testing.assert_frame_equal(frame, kept)


@pytest.mark.parametrize("index", [pa.uint8(), pa.uint32(), pa.uint64()])
def test_that_categories_as_polars_keeps_them_are_codes(index: pa.DataType) -> None:
    """Counted without a sign, texts as views, some categories without a row."""
    words = pa.array(["z", "x", "y"], pa.string_view())
    codes = pa.DictionaryArray.from_arrays(pa.array([1, 2, None, 1], index), words)
    taken = load_opened(Path("data frame"), opened_frame(pa.table({"a": codes})), None, None, QUIET)
    assert taken.coded("a").values == ("x", "y")
    assert list(taken.coded("a").codes.reveal()) == [0, 1, -1, 0]


def test_that_nested_values_are_refused_where_they_get_a_role() -> None:
    frame = pd.DataFrame({"a": [[1], [2]], "b": ["x", "y"]})
    roles = {"a": Role.WORKPLACE, "b": Role.WORKPLACE}
    with pytest.raises(UserProblem, match="“a” holds lists or records"):
        load_opened(Path("data frame"), opened_frame(frame), roles, None, QUIET)


@pytest.mark.parametrize("odd", [["1", 1], [1 + 2j, 2j], [{"x"}, {"y"}], [[1], [2]]])
def test_that_a_column_without_a_role_hinders_nobody_whatever_it_holds(odd: list[Any]) -> None:
    frame = pd.DataFrame({"a": pd.Series(odd, dtype=object), "b": ["x", "y"]})
    taken = load_opened(Path("data frame"), opened_frame(frame), {"b": Role.WORKPLACE}, None, QUIET)
    assert (taken.coded("b").values, taken.unread) == (("x", "y"), ("a",))
    with pytest.raises(UserProblem, match="“a” holds"):
        load_opened(Path("data frame"), opened_frame(frame), {"a": Role.WORKPLACE}, None, QUIET)


def test_that_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = json.loads((ROOT / "docs" / "first_release.ipynb").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "first_release.ipynb", "exec"), names)
    assert list(names["releases"]["state"]) == ["in review"]
