"""How the window looks: light and dark, one set of tokens, one style sheet made from them.

    theme.apply(app)                     follow the system, and keep following it
    theme.apply(app, Mode.DARK)          stay dark
    theme.tokens()                       the colours in force; painting code reads them at paint time
    theme.GAP, theme.PADDING             spacing in device-independent pixels
    widget.setProperty("role", "muted")  words the style sheet knows: title, heading, muted, small, card, primary …

Whoever paints by hand repaints by itself: a new style sheet sends every widget a StyleChange event.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from workbench.core import palette as palette_of
from workbench.core.resources import resource

GAP = 12
PADDING = 16
RADIUS = 8
_SMALLEST_BASE = 13  # pixels; a larger system font is respected


class Mode(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Every colour in use. Text on its background has a contrast of at least 4.5, control borders at least 3."""

    dark: bool
    background: str
    surface: str
    raised: str
    border: str
    border_strong: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    accent_fill: str
    on_accent: str
    accent_soft: str
    passed: str
    passed_soft: str
    warn: str
    warn_soft: str
    fail: str
    fail_soft: str
    stale: str
    stale_soft: str
    grid: str
    handle: str
    series: tuple[str, ...]
    ramp: tuple[str, ...]


LIGHT = Tokens(
    dark=False, background="#f4f6f9", surface="#ffffff", raised="#eef2f6", border="#dce2e9", border_strong="#8592a1",
    text="#18212c", muted="#556170", accent="#1f5fae", accent_hover="#194f92", accent_fill="#1f5fae",
    on_accent="#ffffff", accent_soft="#e5eefa", passed="#17703f", passed_soft="#e4f4ea", warn="#8a5300",
    warn_soft="#fdf1dc", fail="#b3261e", fail_soft="#fdebe9", stale="#6a4a9c", stale_soft="#f0eaf8",
    grid="#e6ebf0", handle="#b3bdc8",
    series=palette_of.LIGHT, ramp=palette_of.LIGHT_RAMP,
)  # fmt: skip
DARK = Tokens(
    dark=True, background="#12161b", surface="#1b2128", raised="#262e37", border="#323c47", border_strong="#75838f",
    text="#e7ecf2", muted="#a5b1be", accent="#79b0f5", accent_hover="#3474c8", accent_fill="#2d6cbf",
    on_accent="#ffffff", accent_soft="#1d3352", passed="#63c793", passed_soft="#173626", warn="#e8b64c",
    warn_soft="#3a2e12", fail="#f4928a", fail_soft="#43201f", stale="#bda4ea", stale_soft="#30264a",
    grid="#2b343e", handle="#4b5763",
    series=palette_of.DARK, ramp=palette_of.DARK_RAMP,
)  # fmt: skip


class _InForce:
    """What was applied last. Plain values only, so that it outlives any application object."""

    mode = Mode.SYSTEM
    tokens = LIGHT
    base = _SMALLEST_BASE
    following = False


def tokens() -> Tokens:
    """The colours in force."""
    return _InForce.tokens


def mode() -> Mode:
    """What was asked for last."""
    return _InForce.mode


def base_size() -> int:
    """Height of ordinary text in pixels; headings and small print are one or two more or less."""
    return _InForce.base


def apply(app: QApplication, mode: Mode = Mode.SYSTEM) -> None:
    """Put the theme in force. With SYSTEM the window follows every later change of the system's scheme."""
    hints = app.styleHints()
    if not _InForce.following:
        _InForce.following = True
        app.setStyle("Fusion")
        hints.colorSchemeChanged.connect(partial(_follow, app))
        app.destroyed.connect(_forget)
    _InForce.mode = mode
    wanted = {
        Mode.SYSTEM: Qt.ColorScheme.Unknown,
        Mode.LIGHT: Qt.ColorScheme.Light,
        Mode.DARK: Qt.ColorScheme.Dark,
    }[mode]
    hints.setColorScheme(wanted)
    dark = mode is Mode.DARK or (mode is Mode.SYSTEM and hints.colorScheme() is Qt.ColorScheme.Dark)
    _put_in_force(app, DARK if dark else LIGHT)


def _follow(app: QApplication, scheme: Qt.ColorScheme) -> None:
    if _InForce.mode is Mode.SYSTEM:
        _put_in_force(app, DARK if scheme is Qt.ColorScheme.Dark else LIGHT)


def _forget() -> None:
    _InForce.following = False


def _put_in_force(app: QApplication, chosen: Tokens) -> None:
    font = ui_font()
    base = font.pixelSize()
    sheet = style_sheet(chosen, base)
    _InForce.tokens, _InForce.base = chosen, base
    if app.styleSheet() and app.styleSheet() != sheet:
        app.setStyleSheet("")  # taking one off and putting the next on is four times as fast as exchanging them
    app.setPalette(palette(chosen))
    if app.font() != font:
        app.setFont(font)
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)


def ui_font() -> QFont:
    """The system's own interface font; on Linux desktops without one worth the name, Inter where it is installed."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    drawn = QFontInfo(font)
    if drawn.family() in {"DejaVu Sans", "Bitstream Vera Sans", "Sans Serif"} and "Inter" in QFontDatabase.families():
        font = QFont("Inter")
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setPixelSize(max(_SMALLEST_BASE, drawn.pixelSize()))
    return font


def palette(chosen: Tokens) -> QPalette:
    """The same tokens for whatever Qt paints without asking the style sheet."""
    made = QPalette()
    role = QPalette.ColorRole
    for key, colour in {
        role.Window: chosen.background, role.WindowText: chosen.text, role.Base: chosen.surface,
        role.AlternateBase: chosen.raised, role.Text: chosen.text, role.Button: chosen.surface,
        role.ButtonText: chosen.text, role.ToolTipBase: chosen.surface, role.ToolTipText: chosen.text,
        role.PlaceholderText: chosen.muted, role.Highlight: chosen.accent_fill,
        role.HighlightedText: chosen.on_accent, role.Link: chosen.accent, role.LinkVisited: chosen.accent,
        role.Accent: chosen.accent_fill, role.Mid: chosen.border, role.Dark: chosen.border_strong,
    }.items():  # fmt: skip
        made.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, key, QColor(chosen.border_strong))
    return made


def style_sheet(chosen: Tokens, base: int) -> str:
    """The one style sheet, from its template and the tokens."""
    template = Template(resource("style", "workbench.qss").read_text(encoding="utf-8"))
    words = {item.name: str(getattr(chosen, item.name)) for item in fields(chosen)}
    return template.substitute(
        words, base=f"{base}px", small=f"{base - 1}px", heading=f"{base + 1}px", title=f"{base + 5}px",
        radius=f"{RADIUS}px", images=resource("style").as_posix(),
    )  # fmt: skip


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role in the style sheet, now."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
