"""Recipe B, first half: draw with the operating system's randomness and keep what every answer says about its law."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.audit.contract import Subject
from workbench.audit.declared_law.trial import Trial, answers_of, declared_by, law_for
from workbench.core.arrays import Floats, Integers
from workbench.core.progress import QUIET, Context
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import Answer, Rehearsal, Release
from workbench.noise.declared.contract import Declared, Evidence, Law

Source = Callable[[], UniformWords]
MODULI = (2, 3, 5, 10)


@dataclass(slots=True)
class Pool:
    """Everything seen of one answer, call by call."""

    fixed: bool  # the same cells in every call
    evidence: list[Evidence] = field(default_factory=list)
    seen: dict[int, Floats] = field(default_factory=dict)
    expected: dict[int, Floats] = field(default_factory=dict)
    lattices: dict[int, tuple[Integers, Floats]] = field(default_factory=dict)
    law: Law | None = None

    def take(self, law: Law, drawn: Integers, inside: Floats) -> None:
        self.evidence.append(law.evidence(drawn, inside))
        noise = law.noise(drawn)
        for modulus in MODULI:
            if not self.fixed or modulus not in self.lattices:
                self.lattices[modulus] = law.lattice(modulus)
            places, expected = self.lattices[modulus]
            counted = np.bincount(noise[places] % modulus, minlength=modulus)
            self.seen[modulus] = self.seen.get(modulus, np.zeros(modulus)) + counted
            self.expected[modulus] = self.expected.get(modulus, np.zeros(modulus)) + expected

    @property
    def draws(self) -> int:
        return sum(len(part.uniform) for part in self.evidence)


@dataclass(slots=True)
class Watched:
    """What was seen: one pool for each answer, and what was found that needs no statistics."""

    pools: dict[str, Pool] = field(default_factory=dict)
    undeclared: set[str] = field(default_factory=set)
    not_integers: bool = False
    misstated: set[str] = field(default_factory=set)


def watch(
    subject: Subject,
    trial: Trial,
    *,
    draws: int,
    seed: int,
    context: Context,
    source: Source = ReleaseRandom,
    most_calls: int | None = None,
) -> Watched:
    """Release again and again until about so many values were drawn. The seed only breaks the ties of integers."""
    prepared = trial.prepared.reveal()
    laws = declared_by(subject, prepared) or {}
    watched, study = Watched(), StudyRandom(seed)
    wanted = -(-draws // max(len(trial.kind) * trial.width, 1))
    wanted = wanted if most_calls is None else min(wanted, most_calls)
    for call in range(wanted):
        context.step(call / wanted, "drawing, to hold the noise against its law")
        made: Any = subject.mechanism.release(prepared, subject.params, source(), QUIET)  # type: ignore[arg-type]
        release: Release = made.reveal() if isinstance(made, Rehearsal) else made
        for answer in answers_of(release):
            _note(watched, answer, laws, study)
        if watched.not_integers:
            break
    context.step(1.0, "noise drawn")
    return watched


def _note(watched: Watched, answer: Answer, laws: Mapping[str, Declared], study: StudyRandom) -> None:
    drawn, declared = np.asarray(answer.drawn).ravel(), laws.get(answer.name)
    if drawn.dtype.kind != "i":
        watched.not_integers = True
        return
    if declared is None:
        watched.undeclared.add(answer.name)
        return
    pool = watched.pools.setdefault(answer.name, Pool(fixed=declared.exact is not None))
    exact = answer.exact.reveal()
    if declared.exact is not None and len(exact) and not np.array_equal(exact, declared.exact.reveal()):
        watched.misstated.add(answer.name)
    law = pool.law if pool.law is not None else law_for(answer, laws)
    if law is None or len(law) != len(drawn):
        watched.misstated.add(answer.name)
        return
    pool.law = law if pool.fixed else None
    pool.take(law, drawn, study.generator.random(len(law) // law.width))
