"""Between widgets and verbs, in parts: a slot reads a form, a part starts one verb of `review/`, the result comes back.

Everything that touches the disk runs on the worker thread, the project file included; the session is changed on the
main thread only. A page is handed the parts it uses.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.ui.bridge import JobBridge
from workbench.ui.controller.editor import Editor
from workbench.ui.controller.jobs import Jobs
from workbench.ui.controller.linking import Linking
from workbench.ui.controller.project_file import ProjectFile
from workbench.ui.controller.publishing import Publishing
from workbench.ui.controller.questions import Questions
from workbench.ui.controller.releases import Releases
from workbench.ui.controller.run import Run
from workbench.ui.controller.voices import Voices
from workbench.ui.controller.waiting import WaitingReleases
from workbench.ui.controller.words import DictionaryWords

_PATIENCE_SECONDS, _HURRY_SECONDS = 60.0, 5.0


class Controller:
    """The parts of one window, each knowing only those before it."""

    def __init__(self, bridge: JobBridge, *, person: str, parent: QObject | None = None) -> None:
        self.jobs = Jobs(bridge, parent)
        self.questions = Questions(parent)
        self.file = ProjectFile(self.jobs, self.questions, person=person, parent=parent)
        self.editor = Editor(self.jobs, self.file, parent)
        self.releases = Releases(self.jobs, self.file, self.editor, parent)
        self.linking = Linking(self.jobs, self.editor, parent)
        self.run = Run(self.jobs, self.questions, self.file, self.editor, parent)
        self.words = DictionaryWords(self.jobs, self.editor, self.run, parent)
        self.voices = Voices(self.jobs, self.questions, self.file, self.editor, parent)
        self.publishing = Publishing(self.jobs, self.questions, self.file, self.editor, parent)
        self.waiting = WaitingReleases(self.jobs, self.file, self.editor, parent)
        # In this order: no release of the project before, then the list of the new one, then its first release.
        self.file.opened.connect(lambda: self.editor.show(None))
        self.file.opened.connect(self.file.changed)
        self.file.opened.connect(self.releases.select_first)

    def finish(self) -> None:
        """Before the window closes: save what is unsaved, let the save complete, close the file, forget every secret.

        A save waits behind work that cannot be cut short, such as setting a report; it is worth waiting for.
        """
        unsaved = self.editor.unsaved
        self.editor.save()
        self.file.close()
        self.voices.keyring.forget()
        self.jobs.finish(_PATIENCE_SECONDS if unsaved else _HURRY_SECONDS)
