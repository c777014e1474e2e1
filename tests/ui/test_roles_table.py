"""The roles of the columns: facts that do not fit, and the reason of a suggestion, are in the tool tip."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.review.run.data_view import ColumnRow
from workbench.ui.pages.roles_table import RolesTable


def column(name: str, role: str) -> ColumnRow:
    seen = ("00823", "09365", "07288")
    return ColumnRow(
        name=name, role=role, type="text", distinct=145, missing=3, reason=f"“{name}” in the name", examples=seen
    )


def shown(qtbot: QtBot, width: int, *, confirmed: bool) -> RolesTable:
    table = RolesTable()
    qtbot.addWidget(table)
    table.resize(width, 300)
    with qtbot.waitExposed(table):
        table.show()
    columns = (column("establishment", "establishment"), column("place", "geography"))
    offered = (("establishment", "Identifies the workplace."), ("geography", "Where it is."))
    table.set_columns(columns, offered, confirmed=confirmed)
    return table


def test_that_no_column_of_the_roles_hides_behind_a_scroll_bar(qtbot: QtBot) -> None:
    for width in (310, 420, 700):
        table = shown(qtbot, width, confirmed=True)
        bar = table.horizontalScrollBar()
        qtbot.waitUntil(lambda bar=bar: bar.maximum() == 0, timeout=2_000)  # type: ignore[misc]
    assert not table.isColumnHidden(5)


def test_that_every_suggestion_tells_its_reason(qtbot: QtBot) -> None:
    table = shown(qtbot, 420, confirmed=False)
    item = table.item(0, 0)
    assert item is not None
    told = "establishment\ntext · 145 distinct · 3 missing\n“establishment” in the name\n00823, 09365, 07288"
    assert item.toolTip() == told
    assert table.box("place").toolTip() == "Suggested: “place” in the name"


def test_that_values_are_in_view_beside_every_role_that_is_to_be_confirmed(qtbot: QtBot) -> None:
    for width in (430, 700):
        table = shown(qtbot, width, confirmed=False)
        beside, under = table.item(1, 2), table.item(1, 0)
        assert beside is not None
        assert under is not None
        assert ("00823" in under.text()) == table.isColumnHidden(2)
        assert "00823" in (under.text() if table.isColumnHidden(2) else beside.text())
        assert list(table.roles()) == ["establishment", "place"]
    table.resize(430, 300)
    assert "00823" in under.text()
    table.resize(700, 300)
    assert under.text() == "place"


def test_that_a_very_narrow_table_still_names_its_columns_before_roles_are_confirmed(qtbot: QtBot) -> None:
    """As on a screen at 150 %: nobody can choose a role for a column whose name is cut to a letter."""
    table = shown(qtbot, 380, confirmed=False)
    bar = table.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0, timeout=2_000)
    assert not table.isColumnHidden(6), "what becomes of gaps is asked all the same"
    for row in range(table.rowCount()):
        item = table.item(row, 0)
        assert item is not None
        name = item.text().split("\n")[0]
        assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(name) + 8
    table.resize(700, 300)
    qtbot.waitUntil(lambda: table.columnWidth(1) == 200, timeout=2_000)
