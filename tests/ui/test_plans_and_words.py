"""Plans leave the window and come back, as files and as Python; the data dictionary is edited where it is needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.ui.journeys.test_whole_review import (
    at_rest,
    choose_table,
    create_release,
    drop,
    load_sample,
    page_of,
    session_of,
)
from workbench.core.claims import Standing
from workbench.microdata.dictionary import read_csv
from workbench.review.decide.evidence import evidence_view
from workbench.review.decide.stages import Stage
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.dictionary_view import Entry
from workbench.ui.dictionary_dialog import DictionaryDialog
from workbench.ui.main_window import MainWindow
from workbench.ui.pages.data_page import DataPage
from workbench.ui.widgets.tables.entries_model import EntriesModel

_LONG = 60_000


def test_that_a_plan_leaves_the_window_and_comes_back(
    qtbot: QtBot, window: MainWindow, sample: Path, tmp_path: Path
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    (tmp_path / "elsewhere").mkdir()
    saved = tmp_path / "elsewhere" / "plan.toml"
    assert window.menus.save_plan.isEnabled()
    window.controller.releases.save_plan(saved)
    qtbot.waitUntil(saved.exists, timeout=_LONG)
    at_rest(qtbot, window)
    data = (sample / "jobs.csv").read_bytes()
    window.controller.releases.save_plan(sample / "jobs.csv")
    at_rest(qtbot, window)
    assert (sample / "jobs.csv").read_bytes() == data, "a plan never takes the place of the data"
    before = session_of(window).plan
    assert read_plan(saved).product == before.product
    window.controller.releases.from_plan(saved)
    qtbot.waitUntil(lambda: session_of(window).release_id == "R-0002", timeout=_LONG)
    at_rest(qtbot, window)
    again = session_of(window).plan
    assert (again.product, again.mechanism, again.data.roles) == (before.product, before.mechanism, before.data.roles)
    window.controller.run.load()
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)


def test_that_the_release_in_view_runs_as_python(qtbot: QtBot, window: MainWindow, sample: Path) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    load_sample(qtbot, window, sample)
    choose_table(qtbot, window, "all")
    window.menus.copy_python.trigger()
    code = QGuiApplication.clipboard().text()
    assert code.startswith("import workbench as wb\n")
    assert "P0000" not in code
    made: dict[str, Any] = {}
    exec(code, made)
    work, session = made["work"], session_of(window)
    assert (work.plan.product, work.plan.mechanism) == (session.plan.product, session.plan.mechanism)
    assert session.loaded is not None
    assert work.loaded.microdata.fingerprint == session.loaded.microdata.fingerprint
    assert work.loaded.words == session.loaded.words
    assert work.claim == session.claim()


def test_that_lists_are_declared_public_in_the_window_and_only_by_a_person(
    qtbot: QtBot, window: MainWindow, sample: Path
) -> None:
    create_release(qtbot, window, sample / "review.dwb")
    data = page_of(window, Stage.DATA, DataPage)
    drop(data, sample / "jobs.csv")
    qtbot.waitUntil(lambda: data.roles.rowCount() > 0, timeout=_LONG)
    qtbot.mouseClick(data.confirm_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
    at_rest(qtbot, window)

    def edited(*public: str) -> None:
        page = page_of(window, Stage.DATA, DataPage)
        at_rest(qtbot, window)
        qtbot.mouseClick(page.edit_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: page.findChild(DictionaryDialog) is not None, timeout=_LONG)
        dialog = page.findChild(DictionaryDialog)
        assert isinstance(dialog, DictionaryDialog)
        assert not dialog.draft["place"].public
        for name in public:
            dialog.columns.setCurrentRow(list(dialog.draft).index(name))
            dialog.public.setChecked(True)
        dialog.save(sample / "words.csv")
        qtbot.waitUntil(lambda: session_of(window).data_fresh, timeout=_LONG)
        at_rest(qtbot, window)
        qtbot.waitUntil(lambda: page.findChild(DictionaryDialog) is None, timeout=_LONG)

    edited()
    choose_table(qtbot, window, "all")
    claimed = evidence_view(session_of(window), Stage.RELEASE)
    assert claimed.standing is Standing.NOT_FORMAL, "a list taken from the data proves nothing"
    edited("place", "sector", "ownership", "sex", "education", "age", "race", "ethnicity")
    qtbot.waitUntil(lambda: session_of(window).prepared_fresh, timeout=_LONG)
    at_rest(qtbot, window)
    assert evidence_view(session_of(window), Stage.RELEASE).standing is not Standing.NOT_FORMAL
    written = read_csv(sample / "words.csv")
    assert not written.of("place").inside


def test_that_values_of_the_data_make_a_public_list_one_taken_from_them() -> None:
    from tests.tabulation.frames import coded
    from workbench.review.run.dictionary_view import ColumnDraft, filled_up

    listed = ColumnDraft(title="Place", public=True, entries=(Entry("01", "North"),))
    assert filled_up(listed, coded("place", ["01"])) == listed
    more = filled_up(listed, coded("place", ["01", "02"]))
    assert (more.public, [entry.value for entry in more.entries]) == (False, ["01", "02"])


def test_that_lines_of_a_spreadsheet_are_pasted_as_values(qtmodeltester: ModelTester) -> None:
    model = EntriesModel()
    model.show_entries([Entry("01", "North")])
    model.paste("02\tSouth\t1\t500\n03\tEast", model.index(-1, -1))
    assert model.entries == [Entry("01", "North"), Entry("02", "South", "1", "500"), Entry("03", "East")]
    model.paste("Norden\nSüden", model.index(0, 1))
    assert [entry.label for entry in model.entries] == ["Norden", "Süden", "East"]
    model.remove([1])
    assert [entry.value for entry in model.entries] == ["01", "03"]
    qtmodeltester.check(model)


def test_that_a_dictionary_that_cannot_be_written_is_told_line_by_line() -> None:
    from workbench.review.run.dictionary_view import ColumnDraft, problems_of_draft

    entries = (Entry("01", "a"), Entry("01", "b"), Entry("", "c"), Entry("02", "d", "", "many"))
    said = " ".join(problem.sentence() for problem in problems_of_draft({"place": ColumnDraft(entries=entries)}))
    assert "“01” is listed twice" in said
    assert "A label stands without a value" in said
    assert "The population of “02” is not a whole number" in said
    assert problems_of_draft({"place": replace(ColumnDraft(), title="x")})[0].what == "The dictionary lists nothing"
