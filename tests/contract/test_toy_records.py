"""What a file of records asks of the program beyond the contract: no number anywhere, rows that repeat, ε by column."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.cli.said import dwb
from tests.contract import toy_records
from tests.contract.toys import registered
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with registered():
        yield toy_records.TOY.review(tmp_path_factory.mktemp("records"))


def test_that_every_record_leaves_with_its_answers_and_nothing_else(reviewed: Path) -> None:
    with zipfile.ZipFile(reviewed / "bundle.zip") as bundle:
        rows = list(csv.reader(io.StringIO(bundle.read("R-0001-records.csv").decode("utf-8"), newline="")))
        table = pq.read_table(io.BytesIO(bundle.read("R-0001-records.parquet")))
        book = bundle.read("R-0001-code-book.csv").decode("utf-8")
        assert "R-0001-records.dta" in bundle.namelist()
    assert rows[0] == table.column_names == list(toy_records.ANSWERS)
    assert len(rows) - 1 == table.num_rows == len(toy_records.answers())
    assert [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)] == rows[1:]
    assert all(set(column) <= set(values) for column, values in zip(
        zip(*rows[1:], strict=True), toy_records.ANSWERS.values(), strict=True))  # fmt: skip
    assert "health,,value,,,very good," in book


def test_that_the_report_names_the_file_and_how_epsilon_is_divided(reviewed: Path) -> None:
    twin = json.loads((reviewed / "public.json").read_text(encoding="utf-8"))
    assert twin["outputs"][0]["name"] == "R-0001-records.csv"
    assert twin["outputs"][0]["columns"] == list(toy_records.ANSWERS)
    assert twin["rules"]["allocation"] == "ε = 2 in all: sex ε = 0.9; age ε = 0.6; health ε = 0.5."


def test_that_the_gates_know_that_nothing_is_counted(reviewed: Path) -> None:
    said = dwb("review", reviewed / "review.dwb", "R-0001", "--json")
    assert said.code == 0, said.err
    run = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))
    whole = next(each for each in run["findings"] if each["id"] == "integers")
    assert whole["sentence"] == "All 60 rows are there. sex, age, health: declared categories."


def test_that_an_answer_is_kept_as_often_as_the_formula_says() -> None:
    """By distribution: every answer from every true one, against w/(w + (k − 1)·2²⁰)."""
    from scipy.stats import chisquare

    params, copies = toy_records.ResponseParams(), 40_000
    for code in (0, 1):
        data = toy_records.SPEC.mechanisms[0].neighbours(toy_records.TOY.sample.prepared(), params, copies)[0]
        side = (data.first, data.second)[code].reveal()
        drawn = toy_records.SPEC.mechanisms[0].release(side, params, ReleaseRandom(), QUIET)
        for name, values in toy_records.ANSWERS.items():
            keep = math.exp(float(toy_records.EPSILONS[name]))
            expected = np.full(len(values), copies / (keep + len(values) - 1))
            expected[code] *= keep
            seen = np.bincount(drawn.coded(name).codes, minlength=len(values))
            assert chisquare(seen, expected).pvalue > 1e-6


def test_that_no_answer_is_kept_more_often_than_its_epsilon_allows() -> None:
    params = toy_records.ResponseParams()
    for name, weight in params.weights().items():
        assert weight / toy_records.ONE <= math.exp(float(toy_records.EPSILONS[name]))
        assert (weight + 1) / toy_records.ONE > math.exp(float(toy_records.EPSILONS[name]))
