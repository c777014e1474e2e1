"""Projects and releases as files: open, make, choose, duplicate, withdraw, encrypt, merge, verify, try the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from workbench.core.progress import Context
from workbench.project.file.encryption import Passphrase, PassphraseNeeded, WrongPassphrase, is_encrypted
from workbench.review.plan.plan import DataPlan, blank
from workbench.review.session import ReviewSession
from workbench.review.views import BudgetAhead, OpenedReview, ProjectView
from workbench.ui.bridge import JobBridge
from workbench.ui.editing import Editing
from workbench.ui.questions import PassphraseQuestion

_WRONG = "This passphrase does not fit the project. Mind capitals and the keyboard, and type it again."


@dataclass(frozen=True, slots=True)
class Opened:
    view: ProjectView
    encrypted: bool


@dataclass(frozen=True, slots=True)
class Locked:
    """The file is encrypted; `wrong` where a passphrase was given and did not fit."""

    wrong: bool


class Filing(Editing):
    stage_wanted = Signal(str)
    project_opened = Signal()  # another project is open
    passphrase_wanted = Signal(object)  # PassphraseQuestion
    outside_wanted = Signal(object)  # OutsideQuestion
    question_wanted = Signal(object)  # Question
    told = Signal(object)  # Told

    def __init__(self, bridge: JobBridge, *, identity: str, parent: QObject | None = None) -> None:
        super().__init__(bridge, identity=identity, parent=parent)
        self._opening = ""
        self._passphrase: Passphrase | None = None  # of the open project: asked for once, forgotten with it
        self.encrypted = False
        self.opened_data = DataPlan()  # of the release in view, as the project file had it

    # Opening
    def open_project(
        self,
        path: Path,
        *,
        create: bool = False,
        then: Callable[[], None] | None = None,
        passphrase: Passphrase | None = None,
    ) -> None:
        self._leave()
        person, before, known = self.identity, self.project, self._passphrase

        def work(_context: Context) -> Opened | Locked:
            here = path.resolve()
            secret = passphrase
            if before is not None and here == before.path and not create:
                self.workspace.close()  # its own lock would make the second one read-only
                secret = known if passphrase is None else passphrase
            try:
                view = self.workspace.open(here, create=create, person=person, passphrase=secret)
            except PassphraseNeeded:
                return Locked(wrong=False)
            except WrongPassphrase:
                return Locked(wrong=True)
            return Opened(view, is_encrypted(here))

        def opened(result: Opened | Locked) -> None:
            if isinstance(result, Locked):
                self._ask_passphrase(path, then, wrong=result.wrong)
                return
            given = known if passphrase is None else passphrase
            self._passphrase = given if result.encrypted else None
            self.encrypted = result.encrypted
            self._show_opened(result.view)
            if then is not None:
                then()

        self._do(work, opened, "Opening the project")

    def _ask_passphrase(self, path: Path, then: Callable[[], None] | None, *, wrong: bool) -> None:
        self.passphrase_wanted.emit(
            PassphraseQuestion(
                title="Encrypted project",
                words=f"{path.name} is encrypted. It opens with its passphrase, which is asked once.",
                wrong=_WRONG if wrong else "",
                answer=lambda given: self.open_project(path, then=then, passphrase=given),
            )
        )

    def _show_opened(self, view: ProjectView) -> None:
        self.project, self.budget, self._opening = view, None, ""
        self._turn_to(None)
        self._half_typed.clear()
        self.show_problems(())
        self.project_changed.emit()
        self.project_opened.emit()
        self.changed.emit()
        if view.releases:
            self.select_release(view.releases[0].id)

    def while_closed(self, work: Callable[[Passphrase | None], Any], then: Callable[[Any], None], sentence: str, *,
                     secret: Callable[[], Passphrase | None] | None = None) -> None:  # fmt: skip
        """Do something for which nobody may have the file open, and open it again whatever comes of it.

        `secret` gives the passphrase that opens the file afterwards, where the work changes it.
        """
        if self.project is None or self.occupied:
            return
        self.save()
        path, person, known = self.project.path, self.identity, self._passphrase
        after = secret() if secret is not None else known

        def job(_context: Context) -> tuple[Any, ProjectView]:
            self.workspace.close()
            opens_with = known
            try:
                result = work(known)
                opens_with = after
            finally:
                view = self.workspace.open(path, person=person, passphrase=opens_with)
            return result, view

        def done(result: tuple[Any, ProjectView]) -> None:
            self._passphrase = after
            self.encrypted = after is not None
            self.project = result[1]
            self.project_changed.emit()
            then(result[0])

        self._do(job, done, sentence)

    # Releases
    def select_release(self, release_id: str) -> None:
        """Show a release. Whoever changes their mind while one is being opened gets the last one chosen."""
        if self.session is not None and self.session.release_id == release_id:
            self._opening = ""
            return
        self._leave()
        self._opening = release_id

        def opened(review: OpenedReview) -> None:
            if self._opening == release_id:
                self._opened_review(review)

        self._do(lambda _context: self.workspace.open_release(release_id), opened, "Opening the release")

    def new_release(self, product_id: str, title: str) -> None:
        from workbench.products import registry

        plan, preparer = blank(registry.product(product_id), title=title), self.identity
        self._create(lambda _context: self.workspace.new_release(plan, preparer))

    def duplicate(self, release_id: str = "") -> None:
        """A new release with the plan of this one, or of the one in view: the way to change what was approved."""
        source = release_id or (self.session.release_id if self.session is not None else "")
        preparer = self.identity

        def work(_context: Context) -> OpenedReview:
            plan = self.workspace.open_release(source).plan
            titled = replace(plan.release, title=f"{plan.release.title} (copy)")
            return self.workspace.new_release(replace(plan, release=titled), preparer)

        if source:
            self._create(work)

    def withdraw(self, release_id: str) -> None:
        """Take a release that was never approved off the list; it stays in the file."""
        actor = self.identity

        def withdrawn(view: ProjectView) -> None:
            self.project = view
            self._turn_to(None)
            self.project_changed.emit()
            self.changed.emit()
            if view.releases:
                self.select_release(view.releases[0].id)

        def work(_context: Context) -> ProjectView:
            self.workspace.project.withdraw(release_id, actor=actor, reason="withdrawn in the window")
            return self.workspace.view()

        self._do(work, withdrawn, "Withdrawing the release")

    def _create(self, work: Callable[[Context], OpenedReview]) -> None:
        self._leave()
        self._opening = ""

        def created(review: OpenedReview) -> None:
            self._opened_review(review)
            self.refresh_releases()
            self.stage_wanted.emit("data")

        self._do(work, created, "Creating the release")

    def _opened_review(self, review: OpenedReview) -> None:
        self._opening = ""
        self._half_typed.clear()
        self._turn_to(review.session())
        self.budget = review.budget
        self.opened_data = review.plan.data
        self.show_problems(())
        self.changed.emit()

    def _turn_to(self, session: ReviewSession | None) -> None:
        """Another release, or none: the data of the one before leave the memory."""
        if self.session is not None:
            self.session.let_go()
        self.session = session

    def look_ahead(self) -> None:
        """What was spent on the loaded data already, and what may be: worth knowing before anything is drawn."""
        session = self.session
        if session is None or session.loaded is None:
            return
        data = session.loaded.microdata.fingerprint

        def known(ahead: BudgetAhead) -> None:
            session.ahead = ahead
            self.changed.emit()

        self._quietly(lambda _context: self.workspace.budget_ahead(data), known)

    def reload_release(self) -> None:
        """What the project file says of the release in view, after something else than an edit changed it."""
        session = self.session
        if session is None:
            return
        self.look_ahead()

        def read(review: OpenedReview) -> None:
            if session is self.session:
                session.decisions, session.state, self.budget = review.decisions, review.state, review.budget
                self.changed.emit()

        release_id = session.release_id
        self._quietly(lambda _context: self.workspace.open_release(release_id), read)
