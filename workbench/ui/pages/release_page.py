"""Release: which product, which attributes, for whom; with what the table looks like before any noise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QWidget

from workbench.core.errors import placed
from workbench.review.plan.offers import products
from workbench.review.plan.plan import Choice
from workbench.review.plan.sections import ReleaseContext
from workbench.review.run.prepare import product_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.later import Later
from workbench.ui.pages.page import Page, beside
from workbench.ui.pages.spec_form import SpecForm, offered_columns
from workbench.ui.pages.stacked import Stacked
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.findings_view import FindingDetail, FindingsList
from workbench.ui.widgets.forms.params_form import ParamsForm


class ReleasePage(Page):
    def __init__(self, jobs: Jobs, editor: Editor) -> None:
        super().__init__(jobs, editor)
        self.product_card = Card("What is released")
        self.size_line = wrapped("", "muted")
        self.size_line.setMinimumHeight(self.size_line.fontMetrics().height() + 2)  # boxes below stay where they are
        self.product_card.add(self.size_line)
        self.product_form = SpecForm(products()[0])
        self.product_form.changed.connect(self._product_changed)
        self.product_form.unusable.connect(lambda problems: editor.hold("release", placed("product", problems)))
        self.product_card.add(self.product_form)
        self.context_form = ParamsForm(ReleaseContext)
        self.context_form.changed.connect(self._context_changed)
        context_card = Card("Context", "Who requests the release, for what purpose, and on what legal basis.")
        context_card.add(self.context_form)
        facts = Card("The table before any noise", "Confidential: for the reviewer's eyes only.", grows=True)
        self.facts, self.detail = FindingsList(), FindingDetail()
        self.detail.set_nothing(
            "The table has not been tabulated yet",
            "Load the data and choose the attributes on the left. Size, sparsity and dominance appear here.",
        )
        self.facts.selected.connect(Later(self, self.detail.show_gradually))
        facts.add(self.facts, stretch=1)
        forms = Scrolling(CardColumn(self.product_card, context_card))
        self._seen = Stacked(facts, self.facts, self.detail)
        self.fill(beside(forms, self._seen, sizes=(380, 580)))
        self._shown: object = None

    def _product_changed(self, params: Any) -> None:
        if self.session is not None:
            product = replace(self.session.plan.product, params=params)
            self.editor.edit(self.step_of(self.product_form.form), product=product)

    def _context_changed(self, context: ReleaseContext) -> None:
        self.editor.edit(self.step_of(self.context_form), release=context)

    def warm(self) -> None:
        self.detail.warm()
        super().warm()

    def refresh(self, session: ReviewSession) -> None:
        self._show_product(session)
        self.context_form.set_value(session.plan.release)
        self.size_line.setText(self._size(session))
        if session.prepared is not self._shown:
            self._shown = session.prepared
            findings = session.prepared.findings if session.prepared else ()
            self.facts.set_findings(findings or (session.evidence.of_stage("release") if session.evidence else ()))
        elif session.prepared is None and session.evidence is not None:
            self.facts.set_findings(session.evidence.of_stage("release"))
        self._seen.fit()

    def forms(self) -> tuple[QWidget, ...]:
        return (self.product_card, self.context_form)

    def _show_product(self, session: ReviewSession) -> None:
        choice = session.plan.product
        product = product_of(session.plan)
        self.product_card.set_title(product.title)
        self.product_card.set_subtitle(product.summary)
        self.product_form.show_spec(
            product,
            choice.params,
            session.release_problems(),
            columns=offered_columns(session),
            calm=choice == Choice.of(product),
        )

    def _size(self, session: ReviewSession) -> str:
        words = product_of(session.plan).words
        if not session.data_fresh:
            return f"Load the data to see how many {words.row[1]} would be released."
        if session.release_problems():
            return ""
        if session.rows is None or session.rows[0] != session.plan.prepared_digest():
            return "Counting the rows…"
        rows = session.rows[1]
        if rows is None:
            return f"The number of {words.row[1]} is known only after the draw."
        return f"{words.rows(rows)} would be released."
