"""A whole window with settings of its own, closed and gone at the end of every test."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from workbench.core.params import fields_of
from workbench.core.progress import QUIET
from workbench.review.plan.plan import Choice
from workbench.review.publish.samples import write_sample
from workbench.ui import theme
from workbench.ui.main_window import MainWindow
from workbench.ui.settings import Settings

_FEW = {"draws": 4000, "release_draws": 1000, "law_draws": 10_000, "turns": 2}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def window(qtbot: QtBot, qapp: object, settings: Settings) -> Iterator[MainWindow]:
    theme.apply(qapp, theme.Mode.LIGHT)  # type: ignore[arg-type]
    made = MainWindow(settings)
    made.controller.file.person = "Ana"
    made.controller.voices.signs = False  # the key of whoever runs the tests is nobody else's business
    defects: list[str] = []
    made.controller.jobs.defect.connect(defects.append)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    yield made
    made.close()
    assert not defects, defects


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The sample's folder, at a path with accents and spaces."""
    folder = tmp_path / "échantillon 1"
    write_sample("employment_tables", folder, twin={"jobs": 3000}, seed=3, context=QUIET)
    return folder


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """New releases are audited with few draws, in tests that ask nothing of what an audit by draws finds."""
    whole = Choice.of

    def of(spec: Any, params: Any = None) -> Choice:
        choice = whole(spec, params)
        known = {each.name for each in fields_of(spec.params)} if params is None else set()
        few = {name: few for name, few in _FEW.items() if name in known}
        return dataclasses.replace(choice, params=dataclasses.replace(choice.params, **few)) if few else choice

    monkeypatch.setattr(Choice, "of", staticmethod(of))
