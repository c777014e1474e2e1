"""Which checks the audit runs, and with which settings."""

from __future__ import annotations

from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.pages.choice_rows import ChoiceRow, ChoiceRows
from workbench.ui.pages.spec_form import offered_columns
from workbench.ui.widgets.card import Card


class ChecksCard(Card):
    """`show_session(session)` after every change. The order of the checks is the product's."""

    def __init__(self, editor: Editor) -> None:
        super().__init__("Checked by", "What the audit looks at. Leaving one out is recorded in the plan.")
        self.choices = ChoiceRows()
        self.choices.picked.connect(lambda checks: editor.edit("choose the checks", checks=checks))
        self.choices.turned.connect(lambda name, checks: editor.edit(f"change the check {name}", checks=checks))
        self.add(self.choices)

    @property
    def rows(self) -> dict[str, ChoiceRow]:
        return self.choices.rows

    def show_session(self, session: ReviewSession) -> None:
        self.choices.offer(product_of(session.plan).checks, session.plan.checks, offered_columns(session))
