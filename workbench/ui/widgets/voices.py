"""VoicesList: votes, decisions and exceptions of a release the latest on top, with their signatures.

voices = VoicesList(); voices.set_voices(voices_of(desk))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListView

from workbench.core.findings import Finding, Status
from workbench.core.states import Verdict
from workbench.project.records import DecisionRecord, ExceptionRecord, VoteRecord
from workbench.review.decide.desk import Desk
from workbench.ui.widgets.findings_view import FindingDelegate, FindingsModel

Index = QModelIndex | QPersistentModelIndex
_DECIDED = {Verdict.APPROVE: "approved", Verdict.CHANGES: "requested changes", Verdict.REJECT: "rejected"}
_VOTED = {Verdict.APPROVE: "approve", Verdict.CHANGES: "request changes", Verdict.REJECT: "reject"}
_STATUS = {Verdict.APPROVE: Status.PASS, Verdict.CHANGES: Status.WARN, Verdict.REJECT: Status.FAIL}


def voices_of(desk: Desk) -> tuple[Finding, ...]:
    """Everything that was said of a release, the latest first, in the form in which lists show findings."""
    said = [*_votes(desk), *_decisions(desk), *_exceptions(desk)]
    return tuple(voice for _when, voice in sorted(said, key=lambda pair: pair[0], reverse=True))


def _votes(desk: Desk) -> Iterator[tuple[str, Finding]]:
    for vote in desk.votes:
        said = "has voted" if vote.vote is None else f"votes: {_VOTED[vote.vote]}"
        status = Status.INFO if vote.vote is None or vote.stale else _STATUS[vote.vote]
        hidden = "what it says is shown once all have voted and you have" if vote.hidden else ""
        stale = "out of date: plan, draw or policy changed since" if vote.stale else ""
        made = _voice(desk, "vote", vote, f"{vote.reviewer} {said}", status)
        yield vote.voted_at, _with(made, vote.voted_at, hidden, stale, _comments(vote))


def _decisions(desk: Desk) -> Iterator[tuple[str, Finding]]:
    last = desk.decisions[-1].number if desk.decisions else 0
    for decision in desk.decisions:
        superseded = f"superseded by decision {decision.number + 1}" if decision.number < last else ""
        stale = "out of date: plan or draw changed since" if decision.stale and not superseded else ""
        status = Status.INFO if superseded or stale else _STATUS[decision.decision]
        title = f"Decision {decision.number}: {decision.reviewer} {_DECIDED[decision.decision]}"
        policy = f"under {decision.policy}" if decision.policy else ""
        made = _voice(desk, "decision", decision, title, status)
        yield decision.decided_at, _with(made, decision.decided_at, superseded, stale, policy, _comments(decision))


def _exceptions(desk: Desk) -> Iterator[tuple[str, Finding]]:
    for each in desk.exceptions:
        stale = "out of date: another draw or policy since" if each.stale else ""
        made = _voice(desk, "exception", each, f"{each.granted_by} granted an exception", Status.WARN)
        yield each.granted_at, _with(made, each.granted_at, stale, each.overspend.rstrip("."), each.reason)


def _voice(
    desk: Desk, kind: str, record: VoteRecord | DecisionRecord | ExceptionRecord, title: str, status: Status
) -> Finding:  # fmt: skip
    """The title, and whether it is signed; a signature that does not hold outweighs what was said."""
    signature = desk.signatures.get((kind, record.id))
    if signature is None:
        return Finding(id=f"{kind}-{record.id}", title=title, status=status, sentence="not signed")
    sealed = f"signed by {signature.name} ({signature.fingerprint})"
    if signature.holds:
        return Finding(id=f"{kind}-{record.id}", title=title, status=status, sentence=f"{sealed}, verified")
    said = f"{sealed}, but the signature {signature.words}"
    return Finding(id=f"{kind}-{record.id}", title=title, status=Status.FAIL, sentence=said)


def _with(voice: Finding, when: str, *more: str) -> Finding:
    at = f"{when[:16].replace('T', ' ')} UTC"
    return replace(voice, sentence=" · ".join(part for part in (at, voice.sentence, *more) if part))


def _comments(record: VoteRecord | DecisionRecord) -> str:
    public = f"public: “{record.public_comment}”" if record.public_comment else ""
    own = f"“{record.comment}”" if record.comment else ""
    return " · ".join(part for part in (own, public) if part)


class VoicesModel(FindingsModel):
    """What is read aloud names no status: the title already says what was said."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            voice = self.findings()[index.row()]
            return f"{voice.title}. {voice.sentence}"
        return super().data(index, role)


class VoicesList(QListView):
    """A list; rows get new heights with every new width."""

    def __init__(self) -> None:
        super().__init__()
        self._model = VoicesModel()
        self._model.setParent(self)
        self.setModel(self._model)
        self.setItemDelegate(FindingDelegate(self))
        self.setAccessibleName("Votes and decisions")
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def set_voices(self, voices: Sequence[Finding]) -> None:
        if tuple(voices) != self._model.findings():
            self._model.set_findings(voices)

    def voices(self) -> tuple[Finding, ...]:
        return self._model.findings()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
