"""Loading: every format becomes the same compact codes, and codes stay text."""

from __future__ import annotations

import datetime
import gzip
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.microdata.places import JOB_ROLES, JOBS, loaded, texts, written
from workbench.core.errors import Cancelled, UserProblem
from workbench.microdata.dictionary import ColumnWords, DataDictionary
from workbench.microdata.load import load
from workbench.microdata.options import DecimalMark, ReadOptions, Thousands
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, NumericColumn


def test_that_codes_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    jobs = loaded(written(tmp_path, JOBS), roles=JOB_ROLES)
    assert texts(jobs, "estab") == ["01", "01", "02", "02"]
    assert jobs.coded("place").values == ("0001", "0002")


def test_that_a_missing_cell_has_the_code_minus_one_and_is_counted(tmp_path: Path) -> None:
    sex = loaded(written(tmp_path, JOBS), roles=JOB_ROLES).coded("sex")
    assert sex.codes.reveal().tolist() == [0, 1, 0, -1]
    assert sex.missing == 1


def test_that_weights_become_numbers(tmp_path: Path) -> None:
    weight = loaded(written(tmp_path, JOBS), roles=JOB_ROLES).columns["weight"]
    assert isinstance(weight, NumericColumn)
    assert weight.numbers.reveal().tolist() == [1.5, 2.0, 0.5, 1.0]


def test_that_ignored_and_unnamed_columns_are_not_loaded(tmp_path: Path) -> None:
    roles = {"estab": Role.ESTABLISHMENT, "sex": Role.IGNORE}
    assert list(loaded(written(tmp_path, JOBS), roles=roles).columns) == ["estab"]


def test_that_columns_keep_the_order_of_the_file(tmp_path: Path) -> None:
    roles = dict(reversed(JOB_ROLES.items()))
    assert list(loaded(written(tmp_path, JOBS), roles=roles).columns) == list(JOB_ROLES)


def test_that_codes_take_the_smallest_integers_that_hold_them(tmp_path: Path) -> None:
    rows = [f"{i % 128},{i % 129},{i}" for i in range(40_000)]
    jobs = loaded(written(tmp_path, "a,b,c\n" + "\n".join(rows) + "\n"))
    kinds = [jobs.coded(name).codes.reveal().dtype for name in "abc"]
    assert kinds == [np.int8, np.int16, np.int32]
    assert texts(jobs, "c") == [str(i) for i in range(40_000)]


def test_that_values_are_sorted_and_each_is_met(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    cells = [f"é{i}" if i % 3 else f"{i:05d}" for i in rng.integers(0, 30_000, 60_000)]
    column = loaded(written(tmp_path, "k\n" + "\n".join(cells) + "\n")).coded("k")
    assert list(column.values) == sorted(set(cells))
    assert [column.values[code] for code in column.codes.reveal()] == cells


def _table() -> pa.Table:
    return pa.table(
        {
            "estab": pa.array([1, 1, 20, None], pa.int64()),
            "size": pa.array([1.0, 2.5, float("nan"), 1e15], pa.float64()),
            "open": pa.array([True, False, None, True]),
            "day": pa.array([datetime.date(2020, 1, 2)] * 4),
            "moment": pa.array([datetime.datetime(2020, 1, 2)] * 4),
            "price": pa.array([Decimal("1.50"), Decimal("2.00"), Decimal("10.00"), None]),
            "code": pa.array(["01", "", " ", "é"]).dictionary_encode(),
            "raw": pa.array([b"x", b"y", b"x", None]),
        }
    )


def test_that_parquet_types_become_plain_text(tmp_path: Path) -> None:
    pq.write_table(_table(), tmp_path / "x.parquet")
    data = loaded(tmp_path / "x.parquet")
    assert texts(data, "estab") == ["1", "1", "20", None]
    assert texts(data, "size") == ["1", "2.5", None, "1000000000000000"]
    assert texts(data, "open") == ["true", "false", None, "true"]
    assert texts(data, "day") == ["2020-01-02"] * 4
    assert texts(data, "moment") == ["2020-01-02"] * 4
    assert texts(data, "price") == ["1.5", "2", "10", None]
    assert texts(data, "code") == ["01", None, None, "é"]
    assert texts(data, "raw") == ["x", "y", "x", None]


def test_that_parquet_numbers_stay_numbers_for_an_outcome(tmp_path: Path) -> None:
    pq.write_table(_table(), tmp_path / "x.parquet")
    data = loaded(tmp_path / "x.parquet", roles={"estab": Role.OUTCOME, "price": Role.OUTCOME})
    estab, price = data.columns["estab"], data.columns["price"]
    assert isinstance(estab, NumericColumn) and isinstance(price, NumericColumn)
    np.testing.assert_array_equal(estab.numbers.reveal(), [1, 1, 20, np.nan])
    assert estab.missing == price.missing == 1


def test_that_row_groups_with_different_dictionaries_agree(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    cells = [None if i == 0 else f"v{i:03d}" for i in rng.integers(0, 900, 5_000)]
    pq.write_table(pa.table({"k": pa.array(cells, pa.string())}), tmp_path / "x.parquet", row_group_size=700)
    assert texts(loaded(tmp_path / "x.parquet"), "k") == cells


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1)), min_size=1
    ),
    st.integers(1, 7),
)
def test_that_any_text_survives_parquet(tmp_path_factory: pytest.TempPathFactory, cells: list[str], group: int) -> None:
    path = tmp_path_factory.mktemp("any") / "x.parquet"
    pq.write_table(pa.table({"k": pa.array(cells, pa.string())}), path, row_group_size=group)
    assert texts(loaded(path), "k") == cells


def test_that_a_column_of_many_fractions_is_a_measurement_without_roles(tmp_path: Path) -> None:
    content = "x,few\n" + "".join(f"{i / 7:.4f},{i % 5 / 2}\n" for i in range(1000))
    data = loaded(written(tmp_path, content))
    assert isinstance(data.columns["x"], NumericColumn)
    assert isinstance(data.columns["few"], CodedColumn)


def _stata(folder: Path) -> Path:
    frame = pd.DataFrame({"sex": [1.0, 2.0, np.nan], "code": ["01", "é", ""], "pay": [1.5, 2.25, 3.0]})
    pyreadstat.write_dta(
        frame, str(folder / "x.dta"), column_labels=["Sex of worker", "", ""],
        variable_value_labels={"sex": {1: "women", 2: "men"}},
    )  # fmt: skip
    return folder / "x.dta"


def test_that_stata_labels_and_titles_are_kept(tmp_path: Path) -> None:
    sex = loaded(_stata(tmp_path)).coded("sex")
    assert sex.values == ("1", "2")
    assert sex.labels == {"1": "women", "2": "men"}
    assert sex.title == "Sex of worker"
    assert sex.missing == 1


def test_that_a_given_dictionary_stands_before_the_one_in_the_file(tmp_path: Path) -> None:
    mine = DataDictionary(columns={"sex": ColumnWords(labels={"1": "f", "2": "m"}, populations={"1": 9})})
    sex = loaded(_stata(tmp_path), dictionary=mine).coded("sex")
    assert sex.labels["1"] == "f"
    assert sex.public_values == ("1", "2")
    assert sex.populations == {"1": 9}


@pytest.mark.parametrize("ending", ["sav", "zsav", "xpt"])
def test_that_spss_and_sas_files_give_the_same_codes(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"sex": [1.0, 2.0, np.nan], "code": ["01", "e", ""]})
    path = str(tmp_path / f"x.{ending}")
    if ending == "xpt":
        pyreadstat.write_xport(frame, path)
    else:
        pyreadstat.write_sav(frame, path, compress=ending == "zsav", variable_value_labels={"sex": {1: "women"}})
    data = loaded(Path(path))
    assert texts(data, "sex") == ["1", "2", None]
    assert texts(data, "code") == ["01", "e", None]


def test_that_excel_cells_become_text_without_a_decimal_zero(tmp_path: Path) -> None:
    frame = pd.DataFrame({"estab": ["01", "02"], "n": [1.0, 2.5], "day": [datetime.date(2020, 1, 2)] * 2})
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    data = loaded(tmp_path / "x.xlsx")
    assert texts(data, "estab") == ["01", "02"]
    assert texts(data, "n") == ["1", "2.5"]
    assert texts(data, "day") == ["2020-01-02"] * 2


def test_that_a_compressed_text_file_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(JOBS.encode()), "jobs.csv.gz")
    assert texts(loaded(path), "estab") == ["01", "01", "02", "02"]


def test_that_accents_and_spaces_in_the_path_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "Données été"
    folder.mkdir()
    assert loaded(written(folder, JOBS, "les emplois – 2020.csv")).rows == 4
    pq.write_table(_table(), folder / "é à.parquet")
    assert loaded(folder / "é à.parquet").rows == 4
    assert loaded(_stata(folder)).rows == 3


def test_that_real_lodes_data_load(shared_data: Path) -> None:
    data = loaded(shared_data / "lodes_dc_2023" / "dc_od_main_JT00_2023.csv.gz", roles={"w_geocode": Role.GEOGRAPHY})
    assert data.rows == 180_324
    assert all(len(value) == 15 for value in data.coded("w_geocode").values)


def test_that_real_stata_data_load_with_labels(shared_data: Path) -> None:
    data = loaded(shared_data / "acro_charities" / "test_data.dta", roles={"survivor": Role.PERSON})
    assert data.coded("survivor").labels == {"0": "Dead in 2015", "1": "Alive in 2015"}


class _Impatient:
    """Cancels at the n-th step."""

    def __init__(self, patience: int) -> None:
        self.left = patience

    def step(self, fraction: float, sentence: str) -> None:
        assert 0 <= fraction <= 1 and sentence
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def test_that_cancel_answers_at_every_step_of_a_load(tmp_path: Path) -> None:
    path = written(tmp_path, JOBS)
    patience = 0
    while True:
        try:
            load(path, ReadOptions(), JOB_ROLES, None, _Impatient(patience))
        except Cancelled:
            patience += 1
        else:
            break
    assert patience >= 10


def test_that_options_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="same"):
        loaded(written(tmp_path, JOBS), decimal=DecimalMark.COMMA, thousands=Thousands.COMMA)
