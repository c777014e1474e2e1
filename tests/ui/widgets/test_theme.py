"""Colours can be read, icons can be drawn, and the program survives its own signals."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.core.resources import resource
from workbench.ui import theme
from workbench.ui.widgets import icons


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tokens", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_that_every_text_can_be_read_on_every_ground_it_stands_on(tokens: theme.Tokens) -> None:
    grounds = (tokens.background, tokens.surface, tokens.raised, tokens.accent_soft)
    for ink in (tokens.text, tokens.muted):
        assert all(contrast(ink, ground) >= 4.5 for ground in grounds)
    for ink in (tokens.accent, tokens.passed, tokens.warn, tokens.fail, tokens.stale):
        assert contrast(ink, tokens.surface) >= 4.5
        assert contrast(ink, tokens.background) >= 4.5
    assert contrast(tokens.on_accent, tokens.accent_fill) >= 4.5
    assert contrast(tokens.on_accent, tokens.accent_hover) >= 4.5
    assert contrast(tokens.text, tokens.warn_soft) >= 4.5


@pytest.mark.parametrize("tokens", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_that_control_borders_and_focus_rings_stand_out(tokens: theme.Tokens) -> None:
    assert contrast(tokens.border_strong, tokens.surface) >= 3
    assert contrast(tokens.accent, tokens.surface) >= 3


@pytest.mark.parametrize("tokens", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_that_the_style_sheet_has_every_token_and_every_picture(tokens: theme.Tokens) -> None:
    sheet = theme.style_sheet(tokens, 13)
    assert not re.search(r"\$[a-z_]+", sheet.replace("$word", ""))
    pictures = re.findall(r'url\("([^"]+)"\)', sheet)
    assert pictures
    assert all(resource("style", name.rsplit("/", 1)[-1]).is_file() for name in pictures)


def test_that_dark_and_light_are_put_in_force_at_once(qapp: QApplication) -> None:
    theme.apply(qapp, theme.Mode.DARK)
    assert theme.tokens() is theme.DARK
    assert qapp.palette().window().color() == QColor(theme.DARK.background)
    theme.apply(qapp, theme.Mode.LIGHT)
    assert theme.tokens() is theme.LIGHT
    assert qapp.palette().window().color() == QColor(theme.LIGHT.background)


def test_that_the_system_is_followed_until_a_mode_is_chosen(qapp: QApplication) -> None:
    theme.apply(qapp, theme.Mode.SYSTEM)
    assert theme.mode() is theme.Mode.SYSTEM
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.tokens() is theme.DARK
    theme.apply(qapp, theme.Mode.LIGHT)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.tokens() is theme.LIGHT


@pytest.mark.parametrize(
    "name", sorted(file.stem for file in resource("icons").glob("*.svg") if file.stem != "workbench")
)
def test_that_every_icon_leaves_ink_in_the_colour_of_the_theme(name: str, qapp: QApplication) -> None:
    image = QImage(32, 32, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    icons.paint(painter, QRectF(0, 0, 32, 32), name, role="fail")
    painter.end()
    seen = {
        image.pixelColor(x, y).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() == 255
    }
    assert theme.LIGHT.fail in seen


def test_that_a_button_shortens_its_words_instead_of_growing(qtbot: QtBot) -> None:
    button = icons.FittingButton("", "arrow-right", role="primary", after=True)
    qtbot.addWidget(button)
    button.resize(140, 32)
    button.show()
    button.set_words("Look at the requirement on the shape of establishments")
    assert button.text().endswith("…")
    assert button.toolTip() == button.accessibleName() == button.words()


def test_that_ten_thousand_signals_do_not_kill_the_program() -> None:
    program = (
        "import workbench.ui.widgets\n"
        "from PySide6.QtCore import QObject, Signal\n"
        "class A(QObject):\n    s = Signal()\n"
        "a = A()\n"
        "for _ in range(10_000):\n    a.s.emit(); a.setObjectName('x')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
