"""Tables of any length, and truth, SDL and private values side by side."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.findings import Table
from workbench.core.side_by_side import Beside, Compared, Marks, Side, SideBySide
from workbench.ui.widgets.key_index import KeyIndex
from workbench.ui.widgets.tables.side_by_side import SideBySideModel, SideBySideView
from workbench.ui.widgets.tables.side_columns import between, relative_error, share
from workbench.ui.widgets.tables.table_model import ArrayTableModel, Column, shown
from workbench.ui.widgets.tables.table_views import TableView, divided, in_two_lines, small_table


def sample(rows: int = 200) -> SideBySide:
    rng = np.random.default_rng(3)
    true = rng.integers(0, 500, rows).astype(np.float64)
    baseline = true * 1.1
    baseline[0] = np.nan
    private = true + rng.integers(-9, 10, rows)
    flagged = np.zeros(rows, dtype=np.bool_)
    flagged[[5, 50, 150]] = True
    places = tuple(f"36{row % 40:05d}" for row in range(rows))
    sectors = tuple(("Health", "Retail", "Mining")[row % 3] for row in range(rows))
    return SideBySide(
        key_titles=("place", "sector"), keys=(places, sectors), compared=(compared("jobs", true, baseline, private),),
        flagged=Confidential(flagged), flag_rule="too far off",
    )  # fmt: skip


def compared(name: str, true: Floats, today: Floats, private: Floats, **more: Any) -> Compared:
    sides = (Side.CONFIDENTIAL, Side.SDL, Side.RELEASE)
    columns = tuple(
        Beside(side=side, values=Confidential(values))
        for side, values in zip(sides, (true, today, private), strict=True)
    )
    return Compared(name=name, unit=more.pop("unit", name), columns=columns, **more)


@pytest.fixture
def view(qtbot: QtBot) -> SideBySideView:
    made = SideBySideView()
    qtbot.addWidget(made)
    made.resize(800, 400)
    made.set_tables((sample(),))
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_that_the_table_models_keep_qts_rules(qtmodeltester: Any) -> None:
    plain = ArrayTableModel((Column("a", lambda row: row, number=True), Column("b", str)), 5)
    qtmodeltester.check(plain)
    plain.set_order(np.array([4, 2], dtype=np.intp))
    qtmodeltester.check(plain)
    flagged = SideBySideModel()
    flagged.flagged = np.array([True, False])
    flagged.set_table((Column("a", lambda row: row),), 2)
    qtmodeltester.check(flagged)


def test_that_a_table_of_ten_million_rows_asks_only_for_what_is_seen(qtbot: QtBot) -> None:
    asked: set[int] = set()

    def cell(row: int) -> object:
        asked.add(row)
        return row

    table = TableView()
    qtbot.addWidget(table)
    table.set_table((Column("row", cell, number=True),), 10_900_000)
    table.resize(300, 300)
    with qtbot.waitExposed(table):
        table.show()
    table.go_to(10_899_999)
    qtbot.waitUntil(lambda: 10_899_999 in asked)
    assert len(asked) < 500


def test_that_cells_are_shown_for_people() -> None:
    assert [shown(value) for value in (1234567, -5, 0.25, float("nan"), None, True, np.float64(12.0))] == [
        "1,234,567", "−5", "0.25", "–", "–", "yes", "12",
    ]  # fmt: skip


def test_that_columns_fill_the_width_and_numbers_are_never_cut() -> None:
    assert divided([100, 100], [True, False], 301) == [150, 151]
    assert divided([200, 100], [True, False], 240) == [140, 100]
    assert divided([150, 100], [True, False], 100) == [84, 100]


def test_that_copied_rows_carry_their_titles(qtbot: QtBot) -> None:
    table = TableView()
    qtbot.addWidget(table)
    table.set_table((Column("name", "xyz".__getitem__), Column("n", [1, 2, 3000].__getitem__, number=True)), 3)
    table.selectRow(2)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "name\tn\nz\t3,000\n"


def test_that_a_findings_table_aligns_its_numbers(qtbot: QtBot) -> None:
    table = small_table(Table(title="t", columns=("who", "ln BF"), rows=(("individuals", 2.0), ("shape", 4.5))))
    qtbot.addWidget(table)
    right = table.table.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert Qt.AlignmentFlag(right) & Qt.AlignmentFlag.AlignRight
    assert table.table.index(1, 1).data() == "4.5"


def test_that_errors_are_relative_and_zero_truth_is_said(view: SideBySideView) -> None:
    errors = relative_error(np.array([0.0, 3.0, 11.0]), np.array([0.0, 0.0, 10.0]))
    assert [share(error) for error in errors] == ["0.0 %", "true 0", "10 %"]
    assert view._model.index(0, 3).data() == "–"


def test_that_f3_goes_round_the_flagged_rows_in_both_directions(view: SideBySideView, qtbot: QtBot) -> None:
    view._view.setFocus()
    visited: list[int] = []
    view.row_selected.connect(visited.append)
    for _ in range(4):
        qtbot.keyClick(view._view, Qt.Key.Key_F3)
    qtbot.keyClick(view._view, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert visited == [5, 50, 150, 5, 150]


def test_that_a_flag_is_an_icon_and_a_word_besides_the_ground(view: SideBySideView) -> None:
    index = view._model.index(5, 0)
    assert index.data(Qt.ItemDataRole.DecorationRole) is not None
    assert "flagged" in str(index.data(Qt.ItemDataRole.AccessibleTextRole))
    assert "too far off" in str(index.data(Qt.ItemDataRole.ToolTipRole))
    assert view._model.index(6, 0).data(Qt.ItemDataRole.DecorationRole) is None


def test_that_headings_sort_down_then_up_then_not_at_all(view: SideBySideView) -> None:
    heads = view._view.horizontalHeader()
    true = sample().compared[0].true.reveal()
    heads.sectionClicked.emit(2)
    assert view._model.source_row(0) in np.flatnonzero(true == true.max())
    assert view._model.headerData(2, Qt.Orientation.Horizontal) == "confidential ↓"
    heads.sectionClicked.emit(2)
    assert view._model.source_row(0) in np.flatnonzero(true == true.min())
    heads.sectionClicked.emit(2)
    assert view._model.source_row(0) == 0
    assert view._model.headerData(2, Qt.Orientation.Horizontal) == "confidential"


def test_that_sorting_by_error_puts_the_worst_first_and_next_flagged_follows_it(view: SideBySideView) -> None:
    view.sort_by("error of this release")
    (rows,) = sample().compared
    true, private = rows.true.reveal(), rows.private
    size = np.abs(private - true) / np.maximum(true, 1)
    shown_sizes = [size[view._model.source_row(row)] for row in range(200)]
    assert shown_sizes == sorted(shown_sizes, reverse=True)
    assert view.next_flagged()
    assert view.current_row() in {5, 50, 150}


def test_that_every_word_of_the_filter_must_occur(view: SideBySideView, qtbot: QtBot) -> None:
    view.set_filter("3600005 retail")
    qtbot.waitUntil(lambda: not view.filtering())
    places, sectors = sample().keys
    expected = [row for row in range(200) if places[row] == "3600005" and sectors[row] == "Retail"]
    assert [view._model.source_row(row) for row in range(view._model.rowCount())] == expected
    assert f"{len(expected)} of 200 rows" in view._summary.text()
    view.set_filter("")
    assert view._model.rowCount() == 200


def test_that_the_key_index_sorts_and_finds_as_plain_python_does() -> None:
    rng = np.random.default_rng(5)
    words = np.array(["Ärzte", "bau", "Bau 2", "Chemie", "zoo"])
    keys = tuple(tuple(str(word) for word in words[rng.integers(0, 5, 150_000)]) for _ in range(2))
    index = KeyIndex(keys)
    steps = 1
    while not index.go_on():
        steps += 1
    assert steps > 4
    assert index.order(0).tolist() == sorted(range(150_000), key=keys[0].__getitem__)
    wanted = [row for row in range(150_000) if all(any(w in k[row].lower() for k in keys) for w in ("bau", "ä"))]
    assert np.flatnonzero(index.matching("BAU ä")).tolist() == wanted


def test_that_one_compared_column_needs_no_list_to_choose_from(view: SideBySideView) -> None:
    assert not view._columns.isVisible()
    assert view._model.headerData(6, Qt.Orientation.Horizontal) == "error of\nthis\nrelease"


def test_that_several_compared_columns_can_be_chosen_and_keep_the_filter(view: SideBySideView, qtbot: QtBot) -> None:
    slope = np.full(200, -0.5)
    second = compared("slope", slope, slope + 0.25, slope - 1, unit="ranks", decimals=3, relative=False)
    view.set_tables((replace(sample(), compared=(*sample().compared, second)),))
    assert view._columns.isVisible()
    view.set_filter("retail")
    qtbot.waitUntil(lambda: not view.filtering())
    few = view._model.rowCount()
    view.sort_by("confidential")
    view.choose("slope")
    assert view._model.rowCount() == few < 200
    assert [view._model.index(0, column).data() for column in range(2, 7)] == [
        "−0.500", "−0.250", "−1.500", "0.250", "1.000",
    ]  # fmt: skip
    assert "ranks" in str(view._model.headerData(6, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole))
    view.choose("jobs")
    assert "%" in str(view._model.index(1, 6).data())


def test_that_every_method_stands_in_its_place_with_its_error(view: SideBySideView) -> None:
    (first,) = sample().compared
    truth, today, release = first.columns
    source = replace(release, side=Side.SOURCE, about="Log-Laplace noise")
    wide = replace(first, columns=(truth, replace(today, title="suppressed"), source, release))
    view.set_tables((replace(sample(), compared=(wide,)),))
    titles = [str(view._model.headerData(column, Qt.Orientation.Horizontal)).replace("\n", " ") for column in range(9)]
    assert titles[2:] == [
        "confidential", "suppressed", "source's method", "this release",
        "error of suppressed", "error of source's method", "error of this release",
    ]  # fmt: skip
    tip = view._model.headerData(4, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "Log-Laplace noise (jobs)"


def test_that_a_suppressed_cell_shows_its_bounds_and_tells_reviewers_why(view: SideBySideView) -> None:
    (first,) = sample().compared
    truth, today, release = first.columns
    gone = np.isnan(today.values.reveal())
    marks = Marks(codes=Confidential(gone.astype(np.int8)), words=("below the threshold",))
    low, high = (np.where(gone, bound, today.values.reveal()) for bound in (0.0, 2.0))
    pattern = replace(today, title="suppressed", low=Confidential(low), high=Confidential(high), marks=marks)
    view.set_tables((replace(sample(), compared=(replace(first, columns=(truth, pattern, release)),)),))
    cell = view._model.index(0, 3)
    assert cell.data() == "[0, 2]"
    said = "Suppressed: below the threshold. An attacker finds a value from 0 to 2. For reviewers only."
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == said
    assert view._model.index(1, 3).data(Qt.ItemDataRole.ToolTipRole) is None
    assert "[" not in str(view._model.index(1, 3).data())


def test_that_an_estimate_is_followed_by_its_interval() -> None:
    assert between(0.5, 0.25, 0.75, shown) == "0.5 ± 0.25"
    assert between(0.5, 0.25, 1.0, shown) == "0.5 [0.25, 1]"  # uneven: both bounds are written
    assert between(7.0, 7.0, 7.0, shown) == "7"
    assert between(np.nan, 0.0, np.inf, shown) == "[0, ∞]"
    assert between(np.nan, -np.inf, np.inf, shown) == "–"


def test_that_tables_with_rows_of_their_own_can_be_chosen(view: SideBySideView) -> None:
    few = np.array([0.25, 0.75])
    shares = SideBySide(
        title="Share of yes by region", key_titles=("region",), keys=(("North", "South"),),
        compared=(compared("share", few, few, few, unit="", decimals=2),),
        flagged=Confidential(np.zeros(2, np.bool_)), flag_rule="",
    )  # fmt: skip
    view.set_tables((sample(), shares))
    view.choose("Share of yes by region: share")
    assert view._model.rowCount() == 2
    assert [view._model.index(1, column).data() for column in range(3)] == ["South", "0.75", "0.75"]
    view.choose("jobs")
    assert view._model.rowCount() == 200


def test_that_words_too_long_for_a_finding_s_table_go_on_in_a_second_line_and_are_whole_in_the_tool_tip(
    qtbot: QtBot,
) -> None:
    words = "one worker with one job, taken out of the smallest cell that is not empty"
    table = Table(
        title="Events",
        columns=("Neighbours", "Direction", "Lower bound on ε"),
        rows=((words, "first over second", 0.97), ("short", "second over first", 0.9)),
    )
    view = small_table(table)
    qtbot.addWidget(view)
    view.resize(420, 300)
    with qtbot.waitExposed(view):
        view.show()
    assert view.rowHeight(0) > view.rowHeight(1)
    assert view.sizeHint().height() > view.rowHeight(0) + view.rowHeight(1)
    assert all(view.columnWidth(column) >= 90 for column in range(3))
    assert view.table.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == words
    assert view.table.index(0, 2).data(Qt.ItemDataRole.ToolTipRole) is None


def test_that_a_long_heading_is_broken_where_its_lines_are_most_alike() -> None:
    assert in_two_lines("Lower bound on ε") == "Lower\nbound on ε"
    assert in_two_lines("Direction") == "Direction"
    assert in_two_lines("Donaudampfschifffahrt") == "Donaudampfschifffahrt"


def test_that_a_table_writes_small_and_large_numbers_as_the_rest_of_the_window_does() -> None:
    cells = (1e-6, Decimal("0.000001"), 5.18e21, 1234.56, -0.00002)
    assert [shown(cell) for cell in cells] == ["10⁻⁶", "10⁻⁶", "5.2 × 10²¹", "1,234.6", "−2 × 10⁻⁵"]


def test_that_a_finding_s_table_never_breaks_or_shortens_a_word(qtbot: QtBot) -> None:
    rows = (("10,000–100,000 people", 42.55, 41.9, 59), ("100,000 people and more", 45.95, 44.8, 577))
    view = small_table(Table(title="Errors", columns=("Stratum", "Closed form", "Mean of trials", "Today"), rows=rows))
    qtbot.addWidget(view)
    view.resize(300, 200)
    with qtbot.waitExposed(view):
        view.show()
    assert view.columnWidth(0) >= view.fontMetrics().horizontalAdvance("10,000–100,000") + 16
    assert view.rowHeight(0) > 28


def test_that_short_names_of_rows_stay_whole_side_by_side(qtbot: QtBot) -> None:
    """“Univer…” would stand for every university; a long name gives way, and numbers never do."""
    view = SideBySideView()
    qtbot.addWidget(view)
    table = view._view
    table._wanted, table._tight, table._headings = [108, 240, 90, 110], [100, 230, 90, 110], [60] * 4
    table._shrinkable = lambda: [True, True, False, False]  # type: ignore[method-assign]
    assert table._divided(400) == [108, 92, 90, 110]
    assert table._divided(300) == [108, 74, 90, 110]
    table._wanted[0] += 22  # the room of the flag beside a name of the same length
    assert table._divided(300) == [130, 74, 90, 110]


def test_that_three_codes_and_every_value_are_seen_in_the_narrowest_window(qtbot: QtBot) -> None:
    """Work tract, characteristic and home tract were “03…00”, “Characte” and “03…00”, and it scrolled all the same."""
    tracts = tuple(f"{3001000100 + 100 * row:011d}" for row in range(40))
    value = np.arange(40.0)
    flows = SideBySide(
        key_titles=("Work tract", "Characteristic", "Home tract"),
        keys=(tracts, ("Goods producing",) * 40, tracts[::-1]),
        compared=(compared("jobs", value, value, value),),
        flagged=Confidential(np.zeros(40, dtype=np.bool_)),
        flag_rule="",
    )
    made = SideBySideView()
    qtbot.addWidget(made)
    made.resize(690, 400)
    made.set_tables((flows,))
    with qtbot.waitExposed(made):
        made.show()
    table = made._view
    letters = table.fontMetrics()
    for column, what in ((0, "03001004000"), (1, "Characteristic"), (2, "03001004000")):
        assert table.columnWidth(column) >= letters.horizontalAdvance(what) + 8
    assert sum(table.columnWidth(column) for column in range(6)) <= table.viewport().width(), "what is released is seen"
