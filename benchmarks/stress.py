"""kill -9 at random instants of a review: nothing that was said to be done is lost, and the file always opens.

Half of the instants fall anywhere in the script, half shortly after an action, where the writing is. Every second
project is encrypted. After each kill the file must verify (chain, rows, signatures, damage) and open for writing, every
action said to be done must be in it, and every exported file must be whole.

`python -m benchmarks stress [--kills N]`
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmarks.stress_review import Scene, new_scene, review
from workbench.project.history.verify import verify
from workbench.project.store import Project, open_project

KILLS = 200
PER_PROJECT = 10  # then a fresh file, so that creation is killed too
ROUNDS = 3
LONGEST = 120.0


@dataclass
class Tally:
    """What happened, for whoever reads the result."""

    kills: int = 0
    finished: int = 0  # the script was quicker than the instant: not counted as a kill
    actions: int = 0
    last: Counter[str] = field(default_factory=Counter)  # the last action said before the kill
    cut_off: int = 0  # a rollback journal was left: the kill fell into a transaction
    losses: list[str] = field(default_factory=list)


def stress(kills: int, folder: Path, seed: int = 20261105) -> Tally:
    """Kill a scripted review this many times and check the project after each."""
    chance, tally, context = random.Random(seed), Tally(), _context()
    scene = new_scene(folder / "0", "")
    length = _undisturbed(context, folder / "undisturbed")
    attempt = 0
    while tally.kills < kills and len(tally.losses) < kills:
        if attempt and attempt % PER_PROJECT == 0:
            secret = "a passphrase for the stress" if (attempt // PER_PROJECT) % 2 else ""
            scene = new_scene(folder / str(attempt), secret)
        _one_kill(context, scene, chance, length=length, tally=tally)
        _check(scene, tally)
        attempt += 1
    return tally


def _context() -> BaseContext:
    """Forked from a server that has imported everything; where there is no fork, started afresh."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.stress_review"])
    return context


def _started(context: BaseContext, scene: Scene) -> BaseProcess:
    process = context.Process(target=review, args=(scene, ROUNDS), daemon=True)  # type: ignore[attr-defined]
    process.start()
    return process  # type: ignore[no-any-return]


def _undisturbed(context: BaseContext, folder: Path) -> float:
    """How long the script takes from its first line on."""
    scene = new_scene(folder, "")
    process = _started(context, scene)
    _wait_for(scene, process, 1)
    start = time.monotonic()
    process.join(LONGEST)
    if process.exitcode != 0:
        raise SystemExit("the script does not run through undisturbed")
    return time.monotonic() - start


def _one_kill(context: BaseContext, scene: Scene, chance: random.Random, *, length: float, tally: Tally) -> None:
    before = len(_said(scene))
    process = _started(context, scene)
    if chance.random() < 0.5:
        _wait_for(scene, process, before + 1)
        process.join(chance.uniform(0.0, length))
    else:
        _wait_for(scene, process, before + chance.randrange(2, 2 + 6 * ROUNDS))
        process.join(chance.uniform(0.0, 0.03))
    alive = process.is_alive()
    process.kill()
    process.join(LONGEST)
    said = _said(scene)
    finished = said[-1:] == ["finished"]
    if not alive and not finished:
        tally.losses.append(f"{scene.path}: the script stopped by itself (exit code {process.exitcode})")
    tally.kills += alive and not finished
    tally.finished += finished
    tally.actions += len(said) - before
    tally.last[said[-1].split()[0] if len(said) > before else "nothing"] += 1
    tally.cut_off += scene.path.with_name(scene.path.name + "-journal").exists()


def _wait_for(scene: Scene, process: BaseProcess, lines: int) -> None:
    end = time.monotonic() + LONGEST
    while len(_said(scene)) < lines and process.is_alive() and time.monotonic() < end:
        time.sleep(0.001)


def _said(scene: Scene) -> list[str]:
    """Whole lines only: the last one may itself have been cut off."""
    if not scene.said.exists():
        return []
    text = scene.said.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1].splitlines()


def _check(scene: Scene, tally: Tally) -> None:
    said = _said(scene)
    if not scene.path.exists():
        if "opened" in said:
            tally.losses.append(f"{scene.path}: the project is gone")
        return
    tally.losses += [f"{scene.path}: {problem}" for problem in verify(scene.path, passphrase=scene.passphrase).problems]
    with open_project(scene.path, person="Checker", passphrase=scene.passphrase) as project:
        if project.read_only:
            tally.losses.append(f"{scene.path}: {project.read_only_reason}")
        have = _facts(project)
        tally.losses += [f"{scene.path}: {words} is lost" for words in said if _of_project(words) and words not in have]
        approvals = [words for words in have if words.startswith("decision")]
        if len(project.ledger()) != len(approvals):
            tally.losses.append(f"{scene.path}: an approval without its ledger entry")
        tally.losses += _half_exports(scene, project, said)


def _of_project(words: str) -> bool:
    return words.split()[0] in ("release", "run", "vote", "decision")


def _facts(project: Project) -> set[str]:
    codes = [release.id for release in project.releases()]
    have = {f"release {code}" for code in codes}
    have |= {f"run {run.id}" for code in codes for run in project.runs(code)}
    have |= {f"vote {vote.id}" for code in codes for vote in project.votes(code)}
    return have | {f"decision {made.id}" for code in codes for made in project.decisions(code)}


def _half_exports(scene: Scene, project: Project, said: list[str]) -> list[str]:
    """A file under its final name is whole; one that was said to be exported is in the journal, too."""
    losses = []
    journalled = {
        (name, digest)
        for release in project.releases()
        for export in project.exports(release.id)
        for name, digest in export.files.items()
    }
    for words in said:
        if words.startswith("export "):
            _, name, digest = words.split()
            if (name, digest) not in journalled:
                losses.append(f"{scene.path}: the export of {name} is not in the journal")
            if hashlib.sha256((scene.folder / name).read_bytes()).hexdigest() != digest:
                losses.append(f"{scene.folder / name} is not what was exported")
    losses += [
        f"{file} is half-written"
        for file in scene.folder.glob("R-*.csv")
        if not file.read_bytes().endswith(b"\n") or file.stat().st_size == 0
    ]
    return losses


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    kills = parser.parse_args().kills
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        tally = stress(kills, Path(folder))
        taken = time.monotonic() - start
    print(f"{tally.kills} kills in {taken:.0f} s; {tally.actions} actions were said to be done before them")
    print(f"{tally.cut_off} kills left a cut-off action to undo; {tally.finished} more came after the script's end")
    print("last said before the kill: " + ", ".join(f"{name} {n}" for name, n in sorted(tally.last.items())))
    for loss in tally.losses:
        print(f"LOST {loss}")
    print("nothing was lost, every file opened and verified" if not tally.losses else f"{len(tally.losses)} losses")
    return 1 if tally.losses else 0


if __name__ == "__main__":
    sys.exit(main())
