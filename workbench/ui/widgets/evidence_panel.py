"""EvidencePanel: at the right of the window, what one look must tell: the next step, the claim, the loss, the budget.

panel.set_evidence(EvidenceView(
    claim=claim,                                       # a core Claim, or None before a mechanism is chosen
    spent=Spent(epsilon=2.0),                          # from the exact audit; None: not audited yet
    budget=BudgetView(spent=Decimal("6.2"), adds=Decimal("2"), cap=Decimal("10")),     # cap None: no cap set
    next_step=NextStep("audit", "Run the audit", "The exact loss is not known yet."),
    facts=(("cells", "64,344"), ("drawn", "once")),
    no_claim="…"))                                     # why there is no claim, where there is none
panel.next_step                                        # Signal(str): the id of the step whose button was pressed
panel.ledger_wanted                                    # Signal(): somebody wants to see where the budget went
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from workbench.core.claims import Claim, Standing
from workbench.review.decide.evidence import BudgetView, EvidenceView, loss_pairs
from workbench.ui import theme
from workbench.ui.widgets.card import Card, CardColumn, Scrolling, wrapped
from workbench.ui.widgets.disclosure import Disclosure
from workbench.ui.widgets.gauge import BudgetGauge
from workbench.ui.widgets.icons import FittingButton, IconLabel, TextButton
from workbench.ui.widgets.pairs import Pairs

_LOOKS = {
    Standing.UNKNOWN: ("muted", ("info", "muted")),
    Standing.PROVED: ("pass", ("check", "passed")),
    Standing.PROVED_IF: ("", ("info", "accent")),
    Standing.NOT_FORMAL: ("warn", ("warning", "warn")),
}


class ClaimCard(Card):
    """The promise: definition, sentence, formal or not, and what it assumes."""

    def __init__(self) -> None:
        super().__init__("The claim in words")
        self._sentence = wrapped()
        self._formal_icon, self._formal = IconLabel(), wrapped()
        formal = QHBoxLayout()
        formal.setSpacing(8)
        formal.addWidget(self._formal_icon, 0, Qt.AlignmentFlag.AlignTop)
        formal.addWidget(self._formal, 1)
        self._lines: tuple[str, ...] | None = None
        self._more = Disclosure()
        self._assumed = QVBoxLayout(self._more.body)
        self._assumed.setContentsMargins(8, 0, 0, 0)
        self.add(self._sentence)
        self.add_layout(formal)
        self.add(self._more)

    def set_claim(
        self, claim: Claim | None, why_not: str = "", *, standing: Standing = Standing.UNKNOWN, words: str = ""
    ) -> None:
        self.set_subtitle(str(claim.definition) if claim else "")
        self._sentence.setText(claim.sentence if claim else why_not)
        theme.set_role(self._sentence, "" if claim else "muted")
        for widget in (self._formal, self._formal_icon):
            widget.setVisible(claim is not None)
        if claim is not None:
            role, icon = _LOOKS[standing]
            self._formal.setText(words or f"{standing.value.capitalize()}.")
            theme.set_role(self._formal, role)
            self._formal_icon.set_icon(*icon)
        self._set_assumptions((f"Protects {claim.unit}.", *claim.assumptions, claim.composition) if claim else ())

    def _set_assumptions(self, lines: tuple[str, ...]) -> None:
        if lines == self._lines:  # labels are slow to make, and the claim seldom changes
            return
        self._lines = lines
        while (item := self._assumed.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for line in lines:
            self._assumed.addWidget(wrapped(f"•  {line}", "small"))
        self._more.set_title(f"Protects and assumes ({len(lines)})")
        self._more.setVisible(bool(lines))


class EvidencePanel(QFrame):
    """By importance: next step, loss and budget, claim, facts. Scrolls where the window is too low for all of them."""

    next_step = Signal(str)
    ledger_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(220)
        self.setAccessibleName("Evidence")
        self._step = ""
        self._next, self._claim = Card("What to do next", role="card-next"), ClaimCard()
        self._why = wrapped()
        self._button = FittingButton("", "arrow-right", role="primary", ink="on_accent", after=True)
        self._button.clicked.connect(lambda: self.next_step.emit(self._step))
        self._next.add(self._why)
        self._next.add(self._button)
        self._loss, self._loss_pairs = Card("Privacy loss and budget"), Pairs()
        self._gauge, self._budget_words = BudgetGauge(), wrapped()
        self._loss.add(self._loss_pairs)
        self._loss.add(self._gauge)
        self._loss.add(self._budget_words)
        self.ledger_button = TextButton("Ledger", role="link")
        self.ledger_button.setToolTip("Where the budget of these data went (Ctrl+L)")
        self.ledger_button.clicked.connect(lambda: self.ledger_wanted.emit())
        self._gauge.clicked.connect(self.ledger_wanted)
        self._loss.add_action(self.ledger_button)
        self._facts = wrapped("", "muted")
        self._facts.setContentsMargins(theme.PADDING + 1, 0, theme.PADDING + 1, 0)  # under what the cards hold
        column = CardColumn(self._next, self._loss, self._claim, self._facts)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(Scrolling(column, "Evidence"))
        self.set_evidence(EvidenceView())

    def set_evidence(self, view: EvidenceView) -> None:
        step = view.next_step
        self._step = step.id if step else ""
        self._next.setVisible(step is not None)
        self._button.set_words(step.action if step else "")
        self._button.setVisible(bool(step and step.action))
        self._why.setText(step.why if step else "")
        self._why.setVisible(bool(step and step.why))
        self._claim.set_claim(view.claim, view.no_claim, standing=view.standing, words=view.standing_words)
        self._loss_pairs.set_pairs(loss_pairs(view))
        self._loss.setVisible(view.claim is not None)
        self._show_budget(view.budget, view.no_budget)
        counts = " · ".join(f"{name} {value}" for name, value in view.facts[:-1])
        last = " ".join(view.facts[-1]) if view.facts else ""  # a name may be long: on a line of its own
        self._facts.setText("\n".join(filter(None, (counts, last))))
        self._facts.setVisible(bool(view.facts))

    def _show_budget(self, budget: BudgetView | None, why_none: str) -> None:
        self._budget_words.setVisible(budget is not None or bool(why_none))
        self._gauge.setVisible(budget is not None and budget.cap is not None)
        if budget is None:
            self._budget_words.setText(why_none)
            theme.set_role(self._budget_words, "muted")
            return
        if budget.cap is not None:
            self._gauge.set_values(budget.spent, budget.adds, budget.cap)
        self._gauge.setAccessibleName(budget.sentence())
        self._budget_words.setText(f"Budget of these data: {budget.sentence()}")
        exceeded = budget.cap is not None and self._gauge.exceeded()
        theme.set_role(self._budget_words, "fail" if exceeded else "muted")
