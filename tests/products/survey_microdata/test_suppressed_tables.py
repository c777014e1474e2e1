"""Suppressed tables of a survey: small cells are withheld everywhere, and no table gives another's away."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import optimize

from tests.products.survey_microdata import hand_made
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.survey_microdata.estimation.crosstabs import corrected, true_tables
from workbench.products.survey_microdata.estimation.shares import estimates, true_estimates
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.suppressed_tables import SPEC as SUPPRESSED
from workbench.products.survey_microdata.suppressed_tables import SuppressedTablesParams
from workbench.products.survey_microdata.survey_data import SurveyData
from workbench.products.survey_microdata.usefulness.estimate_error import rms

THRESHOLD = 10


def respondents(many: int) -> SurveyData:
    """The variables of the hand-made survey with many respondents; high answers are rare."""
    data, random = hand_made.prepared(), np.random.default_rng(12)
    columns = []
    for variable in data.variables:
        share = 0.35 ** np.arange(variable.domain) if not variable.number else np.ones(variable.domain)
        columns.append(variable.lower + random.choice(variable.domain, many, p=share / share.sum()))
    return replace(data, answers=Confidential(np.stack(columns, axis=1).astype(np.int64)))


DATA = respondents(900)
GIVEN = SUPPRESSED.protect(DATA, SuppressedTablesParams(threshold=THRESHOLD), StudyRandom(1), QUIET)
TABLES = GIVEN.published.reveal()


def two_way() -> tuple[np.ndarray, np.ndarray]:
    cells = corrected(DATA.variables, TABLES)
    assert cells is not None
    return cells, true_tables(DATA)


def test_that_printed_cells_are_exact_and_small_ones_are_withheld() -> None:
    cells, truth = two_way()
    shown = np.isfinite(cells)
    assert np.array_equal(cells[shown], truth[shown])
    assert not shown[(truth > 0) & (truth < THRESHOLD)].any()
    assert shown[truth == 0].all()
    assert not shown.all()
    one = estimates(DATA.variables, TABLES).shares
    assert rms(one - true_estimates(DATA).shares) == pytest.approx(0.0, abs=1e-2)


def test_that_no_small_cell_is_known_closer_than_its_level() -> None:
    """Each table with its printed margins by linear programmes written here; a small cell may be 1 … threshold."""
    cells, truth = two_way()
    sizes, start, looked = DATA.categories.tolist(), 0, 0
    shares = estimates(DATA.variables, TABLES).shares
    assert np.isfinite(shares).all()  # so that all one-way margins are printed here
    for i, j in combinations(range(len(sizes)), 2):
        own = slice(start, start + sizes[i] * sizes[j])
        start = own.stop
        shown, exact = cells[own].reshape(sizes[i], sizes[j]), truth[own].reshape(sizes[i], sizes[j])
        hidden = np.argwhere(np.isnan(shown))
        for place, (row, column) in enumerate(hidden.tolist()):
            if exact[row, column] >= THRESHOLD:
                continue
            looked += 1
            low, high = _ends(hidden, exact, place)
            assert high >= exact[row, column] + 1 - 1e-6
            assert low <= max(exact[row, column] - 1, 1) + 1e-6
    assert looked


def _ends(hidden: np.ndarray, exact: np.ndarray, place: int) -> tuple[float, float]:
    rows, columns = exact.shape
    matrix = np.zeros((rows + columns, len(hidden)))
    for number, (row, column) in enumerate(hidden.tolist()):
        matrix[row, number] = matrix[rows + column, number] = 1.0
    right = matrix @ np.array([exact[row, column] for row, column in hidden.tolist()])
    goal = np.zeros(len(hidden))
    goal[place] = 1.0
    ends = [
        optimize.linprog(sign * goal, A_eq=matrix, b_eq=right, bounds=[(1, None)] * len(hidden), method="highs").fun
        for sign in (1, -1)
    ]
    return float(ends[0]), -float(ends[1])


def test_that_it_says_what_it_withholds_and_stands_in_the_comparison() -> None:
    (loss,) = GIVEN.remarks
    assert loss.values["two_way_cells_withheld"] > 0  # type: ignore[operator]
    assert "replay recovered 37 %" in (loss.does_not_prove or "")
    assert SUPPRESSED in SPEC.baselines
