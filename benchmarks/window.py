"""The window: how long until it shows, and how long it ever keeps a person waiting while 10.9 million jobs load.

Start: a bare program that imports PySide6 and pyqtgraph and shows an empty window, against ours, taken in turns, best
of several. Responsiveness: the longest time between two turns of the event loop while the real window loads the twin,
tabulates two tables and draws, audits and compares one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JOBS = 10_900_000
ROUNDS = 6
START_RATIO = 1.5
LONGEST_GAP_MS = 50.0

_BARE = """
import time; begun = time.perf_counter()
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph
app = QApplication([]); window = QMainWindow(); window.resize(1500, 880); window.show(); app.processEvents()
print(time.perf_counter() - begun, flush=True)
import os; os._exit(0)
"""
_OURS = """
import time; begun = time.perf_counter()
from workbench.ui.app import make_app
from workbench.ui.main_window import MainWindow
from workbench.ui.settings import Settings
from workbench.ui import theme
app = make_app(); theme.apply(app, theme.Mode.LIGHT); window = MainWindow(Settings()); window.show()
app.processEvents()
print(time.perf_counter() - begun, flush=True)
import os; os._exit(0)
"""


def _seconds(program: str) -> float:
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.split()[-1])


def start() -> bool:
    import compileall

    import workbench

    # Where bytecode is never written, every start would compile our own modules; an installed program has them.
    compileall.compile_dir(str(Path(workbench.__file__).parent), quiet=1)
    bare, ours = [], []
    for _ in range(ROUNDS):
        bare.append(_seconds(_BARE))
        ours.append(_seconds(_OURS))
    ratio = min(ours) / min(bare)
    good = ratio <= START_RATIO
    print(f"start of the window: {min(ours):.2f} s against {min(bare):.2f} s bare: {ratio:.2f} (at most {START_RATIO})"
          f"  {'ok' if good else 'MISSED'}")  # fmt: skip
    return good


class _Watch:
    """Notes the longest time between two turns of the event loop, by name of what was going on."""

    def __init__(self) -> None:
        from PySide6.QtCore import QTimer

        self.longest: dict[str, float] = {}
        self.what = ""
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._turn)
        self._timer.start()

    def begin(self, what: str) -> None:
        self.what, self._last = what, time.perf_counter()
        self.longest.setdefault(what, 0.0)

    def _turn(self) -> None:
        now = time.perf_counter()
        self.longest[self.what] = max(self.longest.get(self.what, 0.0), 1000 * (now - self._last))
        self._last = now


def responsiveness(jobs: int = JOBS) -> bool:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from dataclasses import replace

    from workbench.core.progress import QUIET
    from workbench.review.plan.plan_text import read_plan
    from workbench.review.publish.samples import write_sample
    from workbench.ui.tour import Tour

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"writing the twin of {jobs:,} jobs …", flush=True)
        write_sample("employment_tables", folder, twin={"jobs": jobs}, seed=1, context=QUIET)
        plan = read_plan(folder / "plan.toml")
        trip = Tour(folder)
        controller = trip.window.controller
        trip.window.warm_up()
        trip.wait(lambda: trip.window.warmed_up)
        trip.window.open_project(folder / "review.dwb", create=True)
        trip.wait(lambda: controller.file.view is not None)
        controller.releases.new(plan.product.id, plan.release.title)
        trip.wait(lambda: controller.editor.session is not None)
        controller.editor.edit("the sample's plan", **{name: getattr(plan, name) for name in type(plan).__slots__})
        session = controller.editor.session
        assert session is not None
        trip.window.navigation.go_to("data")
        trip.settle()
        watch = _Watch()
        watch.begin("load")
        controller.run.load()
        trip.wait(lambda: session.data_fresh)
        watch.begin("tabulate place × sector × ownership")
        trip.wait(lambda: session.prepared_fresh)
        watch.begin("show the release page")
        trip.window.navigation.go_to("release")
        trip.settle()
        watch.begin("tabulate with sex × education")
        wider = replace(session.plan.product.params, worker=("sex", "education"))
        controller.editor.edit("the table", product=replace(session.plan.product, params=wider))
        trip.wait(lambda: session.prepared_fresh)
        trip.settle()
        watch.begin("draw, audit, compare 64,000 cells")
        controller.editor.edit("the table", product=plan.product)
        trip.wait(lambda: session.prepared_fresh)
        controller.run.draw()
        trip.wait(lambda: session.evidence_fresh)
        watch.begin("show the audit")
        trip.settle()
        found = dict(watch.longest)
        watch._timer.stop()
        trip.end()
    good = True
    for what, gap in found.items():
        if not what:
            continue
        fine = gap < LONGEST_GAP_MS
        good = good and fine
        print(f"longest gap while: {what:<40} {gap:6.1f} ms (below {LONGEST_GAP_MS:.0f})  {'ok' if fine else 'MISSED'}")
    return good


def main() -> int:
    return 0 if all([start(), responsiveness()]) else 1


if __name__ == "__main__":
    sys.exit(main())
