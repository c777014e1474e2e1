"""A review that is killed: prepare, run, vote, decide, export, over and over, saying after each that it is done.

Imports everything at the top: the server that the killed processes are forked from loads it once.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb  # noqa: F401
import pyarrow.csv  # noqa: F401
import scipy.stats  # noqa: F401
import sqlite_utils  # noqa: F401
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from workbench.core.confidential import Confidential
from workbench.core.findings import Audience
from workbench.core.passphrase import Passphrase
from workbench.core.progress import QUIET
from workbench.project.signing.keys import Signer
from workbench.project.store import Project, create, open_project
from workbench.review.plan.plan_text import from_text
from workbench.review.run.run import run_plan
from workbench.review.workspace import Workspace

PLAN = """version = 1
[release]
title = "Jobs by place and sector"
requester = "Planning office"
purpose = "A yearly table."
authority = "Statistics Act"
period = "2026"
smallest_geography = "place"
[data]
path = "jobs.csv"
[data.roles]
worker = "worker"
establishment = "establishment"
place = "geography"
sector = "workplace attribute"
[product]
id = "employment_tables"
workplace = ["place", "sector"]
[mechanism]
id = "laplace"
epsilon = 0.5
[study]
trials = 2
[audit]
checks = ["exact-loss"]
[policy]
budget = 1000.0
"""


@dataclass(frozen=True)
class Scene:
    """Where the review happens, with which keys. Everything a killed process needs, and picklable."""

    folder: Path
    vera: bytes
    rita: bytes
    secret: str = ""

    @property
    def path(self) -> Path:
        return self.folder / "review.dwb"

    @property
    def said(self) -> Path:
        """One line per action that was done, written after the program said so."""
        return self.folder / "said.txt"

    @property
    def passphrase(self) -> Passphrase | None:
        return Passphrase(self.secret) if self.secret else None


def new_scene(folder: Path, secret: str) -> Scene:
    folder.mkdir(parents=True)
    lines = ["worker,establishment,place,sector"]
    lines += [f"W{i:05d},E{i % 24:04d},{'ABC'[i % 24 % 3]},{'xy'[i % 24 // 3 % 2]}" for i in range(240)]
    (folder / "jobs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Scene(folder, secrets.token_bytes(32), secrets.token_bytes(32), secret)


def signer(name: str, raw: bytes) -> Signer:
    private = Ed25519PrivateKey.from_private_bytes(raw)
    return Signer(name, private.public_key().public_bytes_raw().hex(), Confidential(private))


def review(scene: Scene, rounds: int) -> None:
    """The script. Each action is said only after the call that did it has returned."""
    said = os.open(scene.said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def done(words: str) -> None:
        os.write(said, f"{words}\n".encode())

    done("started")
    with _opened(scene) as project:
        done("opened")
        for _ in range(rounds):
            _one_release(project, scene, done)
    done("finished")
    os.close(said)


def _opened(scene: Scene) -> Project:
    if scene.path.exists():
        return open_project(scene.path, person="Paula", passphrase=scene.passphrase)
    return create(scene.path, person="Paula", passphrase=scene.passphrase)


def _one_release(project: Project, scene: Scene, done: Callable[[str], None]) -> None:
    workspace, plan = Workspace(project), from_text(PLAN)
    whole = run_plan(plan, base=scene.folder, context=QUIET)
    code = workspace.new_release(plan, "Paula").release_id
    done(f"release {code}")
    stored = workspace.store_run(
        code, plan, loaded=whole.loaded, prepared=whole.prepared, outcome=whole.outcome, actor="Paula"
    )
    done(f"run {stored.run_id}")
    project.sign_as(signer("Vera", scene.vera))
    made = project.vote(code, vote="approve", reviewer="Vera", comment="seen")
    done(f"vote {made.id}")
    project.sign_as(signer("Rita", scene.rita))
    decided = workspace.decide(code, decision="approve", reviewer="Rita", comment="fine")
    done(f"decision {decided.id}")
    table, report = scene.folder / f"{code}.csv", scene.folder / f"{code}.json"
    workspace.export(code, {(Audience.PUBLIC, "json"): report}, files={"csv": table}, actor="Rita", context=QUIET)
    for file in (table, report):
        done(f"export {file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}")
