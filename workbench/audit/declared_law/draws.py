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
_MOST_CALLS = 20_000


@dataclass(slots=True)
class Pool:
    """Everything seen of one answer, call by call."""

    fixed: bool  # the same cells in every call
    evidence: list[Evidence] = field(default_factory=list)
    seen: dict[int, Floats] = field(default_factory=dict)
    expected: dict[int, Floats] = field(default_factory=dict)
    lattices: dict[int, tuple[Integers, Floats]] = field(default_factory=dict)
    law: Law | None = None
    values: int = 0

    def take(self, law: Law, drawn: Integers, inside: Floats) -> None:
        self.evidence.append(law.evidence(drawn, inside))
        self.values += len(drawn)
        noise = law.noise(drawn)
        for modulus in MODULI:
            if not self.fixed or modulus not in self.lattices:
                self.lattices[modulus] = law.lattice(modulus)
            places, expected = self.lattices[modulus]
            counted = np.bincount(noise[places] % modulus, minlength=modulus)
            self.seen[modulus] = self.seen.get(modulus, np.zeros(modulus)) + counted
            self.expected[modulus] = self.expected.get(modulus, np.zeros(modulus)) + expected


@dataclass(slots=True)
class Watched:
    """What was seen: one pool for each answer, and what was found that needs no statistics."""

    pools: dict[str, Pool] = field(default_factory=dict)
    undeclared: set[str] = field(default_factory=set)
    not_integers: bool = False
    misstated: set[str] = field(default_factory=set)
    calls: int = 0

    @property
    def values(self) -> int:
        """Of the answer that has most of them."""
        return max((pool.values for pool in self.pools.values()), default=0)


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
    """Release again and again until about so many values were drawn. The seed only breaks the ties of integers.

    There are two calls at least, so that noise that is used again shows.
    """
    prepared = trial.prepared.reveal()
    laws = declared_by(subject, prepared) or {}
    watched, study = Watched(), StudyRandom(seed)
    most = _MOST_CALLS if most_calls is None else most_calls
    for call in range(most):
        context.step(max(call / most, min(watched.values / draws, 1.0)), "drawing, to compare the noise with its law")
        made: Any = subject.mechanism.release(prepared, subject.params, source(), QUIET)  # type: ignore[arg-type]
        release: Release = made.reveal() if isinstance(made, Rehearsal) else made
        earlier: dict[str, Integers] = {}
        for answer in answers_of(release):
            _note(watched, answer, laws, earlier, study)
            earlier[answer.name] = np.asarray(answer.drawn).ravel()
        watched.calls += 1
        if watched.not_integers or (call and watched.values >= draws):
            break
    context.step(1.0, "noise drawn")
    return watched


def _note(
    watched: Watched,
    answer: Answer,
    laws: Mapping[str, Declared],
    earlier: Mapping[str, Integers],
    study: StudyRandom,
) -> None:
    drawn, declared = np.asarray(answer.drawn).ravel(), laws.get(answer.name)
    if drawn.dtype.kind != "i":
        watched.not_integers = True
        return
    if declared is None:
        watched.undeclared.add(answer.name)
        return
    pool = watched.pools.setdefault(answer.name, Pool(fixed=declared.exact is not None and not declared.after))
    exact = answer.exact.reveal()
    if declared.exact is not None and len(exact) and not np.array_equal(exact, declared.exact.reveal()):
        watched.misstated.add(answer.name)
    law = pool.law if pool.law is not None else law_for(answer, laws, earlier)
    if law is None or len(law) != len(drawn):
        watched.misstated.add(answer.name)
        return
    pool.law = law if pool.fixed else None
    pool.take(law, drawn, study.generator.random(len(law) // law.width))
