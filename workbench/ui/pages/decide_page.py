"""Decide: what the machine checked under the policy in force, what people said, and the word of who sits here."""

from __future__ import annotations

from workbench.core.findings import Finding, Status
from workbench.core.people import could_be_one
from workbench.review.decide.desk import Desk, overspends
from workbench.review.decide.gates import gates
from workbench.review.decide.voices import missing_reason, voices_of
from workbench.review.session import ReviewSession
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.voices import Voices
from workbench.ui.pages.exception_card import ExceptionCard
from workbench.ui.pages.page import Page, beside
from workbench.ui.pages.stacked import Stacked
from workbench.ui.pages.voice_card import Said, VoiceCard
from workbench.ui.policy_dialog import show_policy
from workbench.ui.widgets.card import Card, CardColumn
from workbench.ui.widgets.findings_view import FindingsList
from workbench.ui.widgets.icons import TextButton
from workbench.ui.widgets.voices import VoicesList

_GRAVITY = (Status.FAIL, Status.WARN, Status.INFO, Status.PASS)


class DecidePage(Page):
    def __init__(self, jobs: Jobs, editor: Editor, voices: Voices, file: ProjectFile) -> None:
        super().__init__(jobs, editor)
        self._voices, self._file = voices, file
        self.gate_card = Card("Machine checks", "Automatic checks before the decision.", grows=True)
        self.policy_button = TextButton("Policy…", role="link")
        self.policy_button.clicked.connect(lambda: show_policy(self.window(), file, voices))
        self.gate_card.add_action(self.policy_button)
        self.gates = FindingsList()
        self.gate_card.add(self.gates, stretch=1)
        self.history_card = Card("Votes and decisions", "Permanent; a later entry supersedes earlier ones.", grows=True)
        self.history = VoicesList()
        self.history_card.add(self.history, stretch=1)
        self._left = Stacked(self.gate_card, self.gates, self.history_card, below=self.history)
        self.overspend, self.voice = ExceptionCard(), VoiceCard()
        self._take_over(self.voice)
        self.desk: Desk | None = None
        self._asked: tuple[object, ...] = ()
        self._judged: tuple[str, list[Status]] = ("", [])
        self._drafts: dict[tuple[str, str], tuple[str, str]] = {}
        self._written_for: tuple[tuple[str, str], int] = (("", ""), 0)
        voices.desk_ready.connect(self._show_desk)
        file.changed.connect(self._session_changed)  # a plan that was saved makes votes stale
        jobs.occupied_changed.connect(lambda occupied: self.overspend.set_free(not occupied))
        self.overspend.granted.connect(lambda reason: voices.signed(lambda: voices.waive(reason)))
        right = CardColumn(self.overspend, self.voice)
        self.fill(beside(self._left, right, sizes=(500, 460)))
        self.setTabOrder(self.reject, self.policy_button)  # what is seldom wanted comes last

    def _take_over(self, voice: VoiceCard) -> None:
        """The fields a reviewer fills in are the page's own, as for every other page."""
        self.comment, self.public_comment = voice.comment, voice.public_comment
        self.approve, self.changes, self.reject = voice.approve, voice.changes, voice.reject
        self.why_not, self.who = voice.why_not, voice.who
        voice.said.connect(self._speak)
        voice.mode_changed.connect(lambda: self._show_voice(self.session) if self.session is not None else None)
        voice.sign.setChecked(self._voices.signs)
        voice.signing.connect(self._signing_changed)

    def _signing_changed(self, on: bool) -> None:
        self._voices.signs = on

    def _speak(self, said: Said) -> None:
        voices = self._voices
        session = self.session
        if session is not None and (missing := missing_reason(session, said.choice, said.comment)):
            self.jobs.show_problems((missing,))  # before anybody is asked for a passphrase
            self.comment.setFocus()
            return
        if said.decision:
            voices.signed(
                lambda: voices.decide(
                    said.choice.value,
                    comment=said.comment,
                    public_comment=said.public_comment,
                    declares=said.declares,
                )
            )
            return
        voices.signed(
            lambda: voices.vote(
                said.choice.value, comment=said.comment, public_comment=said.public_comment, declares=said.declares
            )
        )

    def _show_draft(self, session: ReviewSession) -> None:
        """A comment belongs to one release and one word: another release has its own, speaking uses it up."""
        project = self._file.view
        release = (str(project.path) if project is not None else "", session.release_id)
        spoken = self._voices.spoken
        if (release, spoken) == self._written_for:
            return
        before, self._written_for = self._written_for[0], (release, spoken)
        if before != release:
            self._drafts[before] = (self.comment.toPlainText(), self.public_comment.toPlainText())
        comment, public = self._drafts.pop(release, ("", ""))
        self.comment.setPlainText(comment)
        self.public_comment.setPlainText(public)

    def refresh(self, session: ReviewSession) -> None:
        self._show_draft(session)
        self._ask_for_desk(session)
        self._show_gates(gates(session, session.budget))
        self._show_voice(session)

    def _ask_for_desk(self, session: ReviewSession) -> None:
        """Read anew only where it may have changed: another release, person, draw, plan or word."""
        voices = self._voices
        asked = (session.release_id, self._file.person, session.evidence, session.saved_plan, voices.spoken,
                 len(session.decisions), session.budget)  # fmt: skip
        if self.desk is not None and self.desk.release_id != session.release_id:
            self._show_desk(None)
        if not _same(asked, self._asked):
            self._asked = asked
            voices.look_at_desk()

    def _show_desk(self, desk: Desk | None) -> None:
        self.desk = desk
        voices = voices_of(desk) if desk is not None else ()
        self.history.set_voices(voices)
        self.history_card.setVisible(bool(voices))  # as long as nobody spoke, the checks have all the room
        self.gate_card.set_subtitle(_policy_words(desk))
        self._left.fit()
        if self.session is not None:
            self._show_voice(self.session)

    def _show_voice(self, session: ReviewSession) -> None:
        you = self._file.person
        author = could_be_one(you, session.preparer)
        broken = "" if session.closed or not session.evidence_fresh else overspends(session.budget)
        self.overspend.show_overspend(broken, self.desk, writable=self._file.writable, author=author)
        self.voice.show_desk(self.desk, you=you, preparer=session.preparer)
        self.voice.key_words.setText(self._voices.key_words)
        budget = session.budget
        self.voice.ask(budget.declarations if budget else (), budget.confirmations if budget else ())
        why = self._why_not(session)
        against = self._against(session) if not why and self.voice.deciding else ()
        if session.closed:
            self.voice.close_with(why, session.preparer, self.desk)
        else:
            self.voice.refuse_with(why or " ".join(("An approval would be refused.", *against) if against else ()))
        for button in self.voice.buttons():
            self.allow(button, not why)
        self.allow(self.approve, not (why or against or (broken and self.voice.deciding)))

    def _against(self, session: ReviewSession) -> tuple[str, ...]:
        """Reasons that no comment can answer, as far as the desk has been looked at since the last change."""
        desk = self.desk
        return desk.against if desk is not None and desk.release_id == session.release_id else ()

    def _why_not(self, session: ReviewSession) -> str:
        if not self._file.writable:
            return f"The project is open read-only: {self._file.why_read_only}"
        if session.closed:
            return f"The release is {session.state} and cannot be changed. To revise it, use File, Duplicate release."
        if session.evidence is None or not session.evidence_fresh:
            return "There is no current audit. Draw and audit the release first."
        if could_be_one(self._file.person, session.preparer):
            return "The preparer of a release cannot decide on it. Ask another reviewer to decide."
        return self.desk.too_close if self.desk is not None and self.desk.viewer == self._file.person else ""

    def _show_gates(self, found: tuple[Finding, ...]) -> None:
        """The gravest first, and looked at first whenever the judgement is another one."""
        found = tuple(sorted(found, key=lambda gate: _GRAVITY.index(gate.status)))
        judged = (self.session.release_id if self.session is not None else "", [gate.status for gate in found])
        if judged != self._judged:
            self._judged = judged
            self.gates.set_findings(())
        if found != self.gates.findings():
            self.gates.set_findings(found)
            self._left.fit()


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Results are told apart as objects: comparing their values may mean to look at confidential ones."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(a is b or (isinstance(a, str | int) and a == b) for a, b in pairs)


def _policy_words(desk: Desk | None) -> str:
    """Which policy is in force, and what it asks of reviewers."""
    if desk is None:
        return "Automatic checks before the decision."
    name = f"Policy: {desk.policy}" if desk.policy else "No policy set; the program's defaults apply"
    rules = desk.profile.review
    count = "1 reviewer" if desk.voting.needed == 1 else f"{desk.voting.needed} reviewers"
    extras = [count, "blinded" if rules.blinded else "", "unanimous" if rules.unanimous else ""]
    return f"{name} · {', '.join(part for part in extras if part)}"
