"""What the release is compared with: current SDL, and other mechanisms drawn for study."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.review.plan.sections import StudyParams
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.pages.choice_rows import ChoiceRows
from workbench.ui.pages.page import folded
from workbench.ui.pages.spec_form import offered_columns
from workbench.ui.widgets.card import Card, wrapped
from workbench.ui.widgets.forms.params_form import ParamsForm

_RIVALS = "Drawn from a fixed seed and shown beside the release. They are never released or stored."


def _with_note(rows: ChoiceRows, note: str) -> QWidget:
    both = QWidget()
    column = QVBoxLayout(both)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(wrapped(note, "small"))
    column.addWidget(rows)
    return both


class ComparisonCard(Card):
    """`show_session(session)` after every change. A product with baselines is always compared with one of them."""

    def __init__(self, editor: Editor) -> None:
        super().__init__("Compared with")
        self.baselines, self.rivals, self.study_form = ChoiceRows(least=1), ChoiceRows(), ParamsForm(StudyParams)
        self.baselines.picked.connect(lambda chosen: editor.edit("choose the baselines", baselines=chosen))
        self.baselines.turned.connect(lambda name, all_: editor.edit(f"change the baseline {name}", baselines=all_))
        self.rivals.picked.connect(lambda chosen: editor.edit("choose other mechanisms", rivals=chosen))
        self.rivals.turned.connect(lambda name, all_: editor.edit(f"change the rival {name}", rivals=all_))
        self.others = folded("Other mechanisms", _with_note(self.rivals, _RIVALS))
        self.add(self.baselines)
        self.add(self.others)
        self.add(folded("How it is studied", self.study_form))

    def show_session(self, session: ReviewSession) -> None:
        product, plan = product_of(session.plan), session.plan
        self.baselines.setVisible(bool(product.baselines))
        self.baselines.offer(product.baselines, plan.baselines, offered_columns(session))
        others = tuple(spec for spec in product.mechanisms if spec.id != plan.mechanism.id)
        self.others.setVisible(bool(others))
        self.rivals.offer(others, plan.rivals, offered_columns(session))
        self.set_subtitle(
            "Current SDL, for comparison only."
            if product.baselines
            else "This product has no current SDL to compare with."
        )
        self.study_form.set_value(plan.study)
