"""Planning sizes from a public file: they set the bins of each institution and title, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.microdata.inputs import Inputs
from workbench.microdata.table import CodedColumn, Column, Fingerprint, Microdata, NumericColumn
from workbench.products.outcome_reports.mechanisms.history_histogram import (
    SPEC as HISTOGRAM,
)
from workbench.products.outcome_reports.mechanisms.history_histogram import (
    HistoryHistogramParams,
    bins_of_blocks,
)
from workbench.products.outcome_reports.percentiles import number_of_bins
from workbench.products.outcome_reports.product import SPEC


def coded(name: str, texts: list[str]) -> CodedColumn:
    values = tuple(sorted(set(texts)))
    codes = np.array([values.index(text) for text in texts], dtype=np.int8)
    return CodedColumn(name=name, codes=Confidential(codes), values=values)


def planned(people: list[float], **keys: list[str]) -> Inputs:
    columns: dict[str, Column] = {name: coded(name, texts) for name, texts in keys.items()}
    columns["people"] = NumericColumn(name="people", numbers=Confidential(np.array(people)))
    prints = Fingerprint(file="f", content="c")
    file = Microdata(name="sizes.csv", rows=len(people), columns=columns, fingerprint=prints)
    return replace(hand_made.inputs(), companions={"planning": file})


def test_that_each_institution_and_title_gets_the_bins_of_its_planning_size() -> None:
    inputs = planned([5, 900], institution=["A", "B"], title=["student", "faculty"])
    data = SPEC.prepare(inputs, hand_made.params(), QUIET)
    assert data.planned == (None, 5, 900, None)  # A faculty, A student, B faculty, B student
    params = HistoryHistogramParams(epsilon=Epsilon("2"), planned=60)
    assert bins_of_blocks(data, params) == [number_of_bins(size, 1.0) for size in (60, 5, 900, 60)]
    drawn = SPEC.public_table(data, HISTOGRAM.study(data, params, StudyRandom(1), QUIET).reveal())
    assert drawn.rows == data.rows
    by_institution = SPEC.prepare(planned([5, 900], institution=["A", "B"]), hand_made.params(), QUIET)
    assert by_institution.planned == (5, 5, 900, 900)


def test_that_sizes_do_not_depend_on_confidential_rows() -> None:
    inputs = planned([5, 900], institution=["A", "B"])
    fewer = replace(inputs, microdata=hand_made.inputs_of(hand_made.rows()[:40]).microdata)
    found = [SPEC.prepare(each, hand_made.params(), QUIET).planned for each in (inputs, fewer)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (planned([5.0], sector=["business"]), "do not say which cells"),
        (planned([0.0], institution=["A"]), "missing or below 1"),
        (planned([np.nan], institution=["A"]), "missing or below 1"),
        (planned([5.0, 6.0], institution=["A", "A"]), "two planning sizes"),
    ],
)
def test_that_a_wrong_file_of_sizes_is_refused_in_words(inputs: Inputs, sentence: str) -> None:
    found = SPEC.problems(inputs, hand_made.params())
    assert [sentence in problem.what for problem in found] == [True]


def test_that_a_file_without_people_is_refused() -> None:
    inputs = planned([5.0], institution=["A"])
    file = inputs.companions["planning"]
    columns = {"institution": file.columns["institution"]}
    found = SPEC.problems(replace(inputs, companions={"planning": replace(file, columns=columns)}), hand_made.params())
    assert "no column “people”" in found[0].what
