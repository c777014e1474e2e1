"""Suppressed tables of a survey: small cells are withheld everywhere, and no table gives another's away."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import optimize

from tests.products.survey_microdata import hand_made
from workbench.baselines.alternatives import Rival
from workbench.core.confidential import Confidential
from workbench.core.findings import Audience, Status
from workbench.core.progress import QUIET
from workbench.core.published import Column, Published, Units
from workbench.core.randomness import StudyRandom
from workbench.core.side_by_side import Side
from workbench.products.survey_microdata import suppressible
from workbench.products.survey_microdata.estimation.crosstabs import corrected, corrected_alone, true_tables
from workbench.products.survey_microdata.estimation.shares import estimates, true_estimates
from workbench.products.survey_microdata.local.krr_laplace import SPEC as KRR
from workbench.products.survey_microdata.product import SPEC
from workbench.products.survey_microdata.suppressed_tables import SPEC as SUPPRESSED
from workbench.products.survey_microdata.suppressed_tables import SuppressedTablesParams
from workbench.products.survey_microdata.survey_data import Otherwise, SurveyData
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


RARE = respondents(60)
FEW = SUPPRESSED.protect(RARE, SuppressedTablesParams(threshold=THRESHOLD), StudyRandom(1), QUIET)


def test_that_all_tables_together_tell_no_more_than_is_said() -> None:
    """With one-way cells withheld every table bounds them: one programme over all tables, written here."""
    assert FEW.withheld is not None
    low, high, codes = (each.reveal() for each in (FEW.withheld.low, FEW.withheld.high, FEW.withheld.reason))
    sizes = RARE.categories.tolist()
    starts = 1 + np.concatenate([[0], np.cumsum(sizes)])
    assert codes[1 : starts[-1]].any()
    rows: list[tuple[int, list[int]]] = [
        (0, list(range(int(start), int(start) + size))) for start, size in zip(starts, sizes, strict=False)
    ]
    following = int(starts[-1])
    for i, j in combinations(range(len(sizes)), 2):
        cells = following + np.arange(sizes[i] * sizes[j]).reshape(sizes[i], sizes[j])
        following += cells.size
        rows += [(int(starts[i]) + at, cells[at].tolist()) for at in range(sizes[i])]
        rows += [(int(starts[j]) + at, cells[:, at].tolist()) for at in range(sizes[j])]
    hidden = np.flatnonzero(codes)
    values = _true_cells(RARE)
    place = {cell: at for at, cell in enumerate(hidden.tolist())}
    matrix = np.zeros((len(rows), len(hidden)))
    for number, (whole, parts) in enumerate(rows):
        for cell, sign in ((whole, 1.0), *((part, -1.0) for part in parts)):
            if cell in place:
                matrix[number, place[cell]] = sign
    right = matrix @ values[hidden]
    for cell in np.flatnonzero(codes[: starts[-1]]).tolist():
        goal = np.eye(len(hidden))[place[cell]]
        ends = [optimize.linprog(sign * goal, A_eq=matrix, b_eq=right, bounds=(1, None)) for sign in (1, -1)]
        assert low[cell] == pytest.approx(np.ceil(ends[0].fun - 1e-6), abs=1e-6)
        assert high[cell] == pytest.approx(np.floor(-ends[1].fun + 1e-6), abs=1e-6)


def _true_cells(data: SurveyData) -> np.ndarray:
    classed, sizes = data.classed.reveal(), data.categories.tolist()
    alone = [np.bincount(classed[:, at], minlength=size) for at, size in enumerate(sizes)]
    return np.concatenate([[len(classed)], *alone, true_tables(data)]).astype(np.float64)


def test_that_empty_cells_are_printed() -> None:
    cells, truth = corrected(RARE.variables, FEW.published.reveal()), true_tables(RARE)
    assert cells is not None and (truth == 0).any()
    assert not cells[truth == 0].any()


def test_that_withheld_shares_show_their_bounds_and_why() -> None:
    rival = Rival(id="suppressed-tables", title="Suppressed tables", side=Side.SDL, gives=FEW)
    (shares, *_) = SPEC.side_by_side(RARE, FEW.published.reveal(), (rival,))
    column = shares.compared[0].columns[1]
    values = column.values.reveal()
    assert column.low is not None and column.high is not None and column.marks is not None
    gone = np.flatnonzero(np.isnan(values))
    truth = true_estimates(RARE).shares
    assert len(gone)
    for row in gone.tolist():
        assert column.low.reveal()[row] <= truth[row] <= column.high.reveal()[row]
        assert column.marks.said(row)


def test_that_it_says_what_it_withholds_and_stands_in_the_comparison() -> None:
    loss, kept = GIVEN.remarks
    assert kept.status is Status.PASS and loss.figures
    assert loss.values["two_way_cells_withheld"] > 0  # type: ignore[operator]
    assert "replay recovered 37 %" in (loss.does_not_prove or "")
    assert SUPPRESSED in SPEC.baselines


def test_that_a_release_loses_by_the_same_numbers_beside_suppressed_tables() -> None:
    """The suppressed tables laid beside themselves, then with two cells changed, counted by hand."""
    assert FEW.beside is not None
    tables, truth, first = FEW.published.reveal(), true_tables(RARE), 1 + int(RARE.categories.sum())
    (same,) = FEW.beside(tables)
    cells = corrected(RARE.variables, tables)
    assert cells is not None
    gone = float(np.isnan(cells).mean())
    assert 0 < gone < 1
    assert same.values["suppressed_share"] == same.values["release_withheld_share"] == pytest.approx(gone)
    assert same.values["release_far_share"] == 0
    column = tables.units("estimate")
    moved, empty, large = column.integers.copy(), int(np.flatnonzero(truth == 0)[0]), int(np.argmax(truth))
    moved[first + empty], moved[first + large] = 50, round(120 * truth[large])
    (told,) = FEW.beside(replace(tables, columns=_with(tables, replace(column, integers=moved))))
    assert told.audience is Audience.INTERNAL
    assert told.values["release_far_share"] == pytest.approx(2 / len(truth))
    assert told.values["release_far_value_share"] == pytest.approx(truth[large] / truth.sum())
    one, two = told.tables[0].rows
    assert one[:2] == ("one-way", first - 1) and two[:2] == ("two-way", len(truth))
    assert one[4] == 0 and two[4] == pytest.approx(200 / len(truth))


def test_that_one_way_counts_of_a_file_are_its_shares_times_its_records() -> None:
    """By the second route of the estimates; numbers under Laplace noise have no counts."""
    file = SPEC.public_table(DATA, KRR.study(DATA, KRR.params(), StudyRandom(3), QUIET).reveal())
    counts, shares = corrected_alone(DATA.variables, file), estimates(DATA.variables, file).shares
    assert counts is not None
    number = np.repeat([each.number for each in DATA.variables], DATA.categories)
    assert np.isnan(counts[number]).all()
    assert np.allclose(counts[~number], shares / 100 * file.rows)
    assert GIVEN.beside is not None
    (told,) = GIVEN.beside(file)
    assert told.tables[0].rows[0][3] == pytest.approx(100 * number.mean())


def _with(tables: Published, changed: Units) -> tuple[Column, ...]:
    return tuple(changed if column.name == changed.name else column for column in tables.columns)


def settled(texts: list[str]) -> SurveyData:
    return replace(DATA, otherwise=tuple(Otherwise(text, Confidential(frozenset({"", text, "?"}))) for text in texts))


def test_that_answers_settled_in_different_ways_are_groupings_of_their_own() -> None:
    """Where missing answers count as the first category in one plan and as the last in another, both are larger."""
    last = [variable.texts[-1] for variable in DATA.variables]
    one, same, other = (settled(each).suppressible() for each in (last, last, [DATA.variables[0].texts[0], *last[1:]]))
    assert one is not None and same is not None and other is not None
    assert [each.name for each in one.dimensions] == [each.name for each in same.dimensions]
    differ = [a.name != b.name for a, b in zip(one.dimensions, other.dimensions, strict=True)]
    assert differ == [True, *(False for _ in last[1:])]
    assert [each.column for each in one.dimensions] == [each.column for each in other.dimensions] == [*DATA.names]
    assert np.array_equal(one.values.reveal(), true_tables(DATA))
    category = next(place for place, variable in enumerate(DATA.variables) if not variable.number)
    assert one.dimensions[category].extents[last[category]] == {"", last[category], "?"}


def test_that_too_many_cells_are_not_looked_at_across_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [variable.texts[0] for variable in DATA.variables]
    assert settled(texts).suppressible() is not None
    monkeypatch.setattr(suppressible, "MOST_CELLS", 10)
    assert settled(texts).suppressible() is None
