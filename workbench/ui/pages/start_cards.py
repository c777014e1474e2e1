"""What the start page offers beside the buttons: every sample with its story, and the way of a review."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel

from workbench.review.decide.stages import TITLES, Stage
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.icons import TextButton

# Words of the window, because the products themselves are not loaded before the first paint.
STORIES = {
    "employment_tables": ("Employment tables", "20,000 jobs by place, sector and ownership, with employers protected."),
    "commuting_flows": ("Commuting flows", "Where the workers of 127 workplace blocks live, for planning bus routes."),
    "model_fits": ("Model fits", "One curve from 2,000 people: being married by years of education."),
    "area_estimates": ("Area estimates", "How children of poor parents do in each of 80 tracts, some of them small."),
    "survey_microdata": ("Survey microdata", "A public-use file of 15,000 respondents and 40 variables."),
    "outcome_reports": ("Outcome reports", "Employment and pay of 3,000 people who left university research."),
}
STEPS = {
    Stage.DATA: "Choose the file and confirm what each column means.",
    Stage.RELEASE: "Say what is published, for whom and why.",
    Stage.MECHANISM: "Set the protection and its budget.",
    Stage.AUDIT: "Test the privacy that is claimed.",
    Stage.COMPARE: "See the error beside current SDL.",
    Stage.DECIDE: "Another person approves or sends it back.",
    Stage.REPORT: "Export the report and the released files.",
}


class SamplesCard(Card):
    """One line for each sample: a button with its name, and what it is about."""

    chosen = Signal(str)

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__("Try a sample", "Synthetic data with a finished plan, written into a folder you choose.")
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self.buttons: dict[str, TextButton] = {}
        for row, name in enumerate(names):
            title, story = STORIES.get(name, (name.replace("_", " ").capitalize(), ""))
            button = TextButton(f"{title}…".replace("&", "&&"), "play", role="link")
            button.setAccessibleDescription(story)
            button.clicked.connect(lambda _checked=False, chosen=name: self.chosen.emit(chosen))
            self.buttons[name] = button
            grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(wrapped(story, "muted"), row, 1, Qt.AlignmentFlag.AlignVCenter)
        self.add_layout(grid)


class StepsCard(Card):
    """The seven stages in one line each, with the way to the guide and the glossary."""

    guide_wanted = Signal()
    glossary_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("The way of a review")
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for row, stage in enumerate(Stage):
            number = QLabel(f"{row + 1}")
            number.setProperty("role", "muted")
            grid.addWidget(number, row, 0, Qt.AlignmentFlag.AlignTop)
            step = wrapped(f"<b>{TITLES[stage].replace('&', '&amp;')}</b><br>{STEPS[stage]}")
            step.setTextFormat(Qt.TextFormat.RichText)
            grid.addWidget(step, row, 1)
        self.add_layout(grid)
        links = QHBoxLayout()
        for words, signal in (("Guide", self.guide_wanted), ("Glossary", self.glossary_wanted)):
            button = TextButton(words, role="link")
            button.clicked.connect(lambda _checked=False, wanted=signal: wanted.emit())
            links.addWidget(button)
        links.addStretch(1)
        self.add_layout(links)
