"""Cancel, pressed at any step of any stage: nothing is stored, and the project is as it was."""

from __future__ import annotations

import contextlib
import inspect
import io
from pathlib import Path
from types import CodeType

import pytest

from tests.cli.said import dwb, files_in
from tests.cli.small import PLAN, write_small
from tests.contract.contexts import CancelAt, Listener
from workbench.cli.commands import run as run_command
from workbench.cli.main import main
from workbench.core.errors import Cancelled
from workbench.core.findings import Audience
from workbench.review.plan.plan_text import read_plan
from workbench.review.publish.samples import write_sample
from workbench.review.run.run import run_plan
from workbench.review.workspace import Workspace

ALL_CHECKS = PLAN.replace(
    'checks = ["exact-loss"]',
    'checks = ["exact-loss", "black-box", "integers"]\n\n[audit.black-box]\ndraws = 10000\nrelease_draws = 1000',
)


class _Pressed(CancelAt):
    def done(self) -> None:
        """The progress line of a terminal; nobody sees one here."""


class _Places(Listener):
    """Remembers the first and the last step of every place in the program, with its callers, that asks for leave."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: dict[tuple[tuple[CodeType, int], ...], list[int]] = {}

    def step(self, fraction: float, sentence: str) -> None:
        super().step(fraction, sentence)
        place, frame = [], inspect.currentframe()
        while frame := frame and frame.f_back:
            place.append((frame.f_code, frame.f_lineno))
        self._steps.setdefault(tuple(place), []).append(len(self.sentences))

    @property
    def steps(self) -> list[int]:
        return sorted({end for steps in self._steps.values() for end in (steps[0], steps[-1])})


def _steps(folder: Path) -> Listener:
    listener = Listener()
    run_plan(read_plan(folder / "plan.toml"), base=folder, context=listener)
    return listener


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cancel")
    plan = write_small(folder, plan=ALL_CHECKS)
    assert dwb("run", plan, "--project", folder / "kept.dwb", "--preparer", "Ana").code == 0
    return folder


def test_that_progress_moves_forward_through_every_stage(prepared: Path) -> None:
    heard = _steps(prepared)
    loaded = heard.sentences.index("Loaded")
    assert heard.fractions[loaded:] == sorted(heard.fractions[loaded:])
    assert (min(heard.fractions), heard.fractions[-1]) == (0.0, 1.0)
    assert max(heard.fractions[:loaded]) <= heard.fractions[loaded]
    said = " ".join(heard.sentences)
    for part in ("Opening the data file", "Describing the table", "Check: ", "Measure: ", "side by side", "Done"):
        assert part in said


def test_that_cancel_is_heard_at_every_step(prepared: Path) -> None:
    """At every place that asks, as it is first and last come to: between them the same lines run again."""
    plan, asked = read_plan(prepared / "plan.toml"), _Places()
    run_plan(plan, base=prepared, context=asked)
    assert len(asked.steps) > 100
    for step in asked.steps:
        with pytest.raises(Cancelled):
            run_plan(plan, base=prepared, context=CancelAt(step))


def test_that_a_cancelled_run_leaves_everything_as_it_was(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step in the middle of each stage, in a project that exists and in one that would have been made."""
    heard = _steps(prepared)
    before = files_in(prepared)
    at = {heard.sentences.index(sentence) + 1 for sentence in heard.sentences}
    chosen = sorted(at)[:: max(1, len(at) // 12)]
    for step in chosen:
        for project in ("kept.dwb", "new.dwb"):
            monkeypatch.setattr(run_command, "Terminal", lambda step=step: _Pressed(step))
            err = io.StringIO()
            with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()) as out:
                code = main(["run", str(prepared / "plan.toml"), "--project", str(prepared / project)])
            assert (code, err.getvalue(), out.getvalue()) == (130, "Cancelled; nothing was stored.\n", "")
            assert files_in(prepared) == before
    assert dwb("verify", prepared / "kept.dwb").code == 0


def test_that_a_cancelled_export_writes_nothing(prepared: Path, tmp_path: Path) -> None:
    workspace = Workspace()
    workspace.open(prepared / "kept.dwb", person="Ana")
    try:
        paths = {(Audience.INTERNAL, "json"): tmp_path / "a.json", (Audience.INTERNAL, "html"): tmp_path / "a.html"}
        listener = Listener()
        workspace.export("R-0001", paths, actor="Ana", context=listener)
        exports = len(workspace.project.exports("R-0001"))
        for path in tmp_path.iterdir():
            path.unlink()
        for step in range(1, len(listener.fractions) + 1):
            with pytest.raises(Cancelled):
                workspace.export("R-0001", paths, actor="Ana", context=CancelAt(step))
            assert list(tmp_path.iterdir()) == []
        assert len(workspace.project.exports("R-0001")) == exports
    finally:
        workspace.close()


def test_that_a_cancelled_twin_leaves_no_half_a_file(tmp_path: Path) -> None:
    listener = Listener()
    write_sample("employment_tables", tmp_path / "whole", twin={"jobs": 400}, seed=1, context=listener)
    whole = files_in(tmp_path / "whole")
    for step in range(1, len(listener.fractions) + 1):
        folder = tmp_path / f"cancelled {step}"
        with pytest.raises(Cancelled):
            write_sample("employment_tables", folder, twin={"jobs": 400}, seed=1, context=CancelAt(step))
        for name, content in files_in(folder).items():
            assert content == whole[name], f"{name} was left by half"
