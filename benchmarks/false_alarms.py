"""How often "noise by draws" accuses honest noise: once, and after a failed test was repeated on draws of its own.

Every mechanism that declares a law, at small and at very large ε, with the operating system's randomness. The number of
runs for each setting can be given: `python -m benchmarks.false_alarms 200`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.contract.samples import WORDS, sample_of
from tests.products.employment_tables import hand_made
from workbench.audit.contract import Subject
from workbench.audit.declared_law.draws import watch
from workbench.audit.declared_law.judgement import judged
from workbench.audit.declared_law.trial import trial_of
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.noise.declared.contract import DeclaresLaws
from workbench.products.registry import PRODUCTS

EPSILONS = ("0.5", "1", "2", "4", "8", "20", "50")
RUNS, DRAWS, CALLS = 100, 100_000, 200
MOST = 0.01


def settings() -> Iterator[tuple[str, Subject]]:
    """Employment tables over ε, by workplace and with workers; the other products as their contract judges them."""
    for product in PRODUCTS:
        for mechanism in product.mechanisms:
            if not isinstance(mechanism, DeclaresLaws):
                continue
            if product.id != "employment_tables":
                sample = sample_of(product)
                made: Any = Subject(
                    words=WORDS,
                    prepared=sample.prepared(),
                    mechanism=mechanism,
                    params=sample.settings(mechanism),
                )
                yield mechanism.id, made
                continue
            for worker in (False, True):
                for epsilon in EPSILONS:
                    params = mechanism.params(epsilon=Epsilon(epsilon))
                    cells = hand_made.cells(worker=worker)
                    name = f"{mechanism.id} at ε {epsilon}{' with workers' if worker else ''}"
                    yield name, Subject(words=WORDS, prepared=cells, mechanism=mechanism, params=params)


def failures(subject: Subject, trial: Any, seed: int) -> set[tuple[str, str]]:
    """Answer and name of every test that fails on one set of draws."""
    calls = CALLS if subject.mechanism.traits.few_draws else None
    seen = watch(subject, trial, draws=DRAWS, seed=seed, context=QUIET, most_calls=calls)
    pools = {name: pool for name, pool in seen.pools.items() if pool.evidence}
    return {
        (name, test.name) for name, pool in pools.items() for test in judged(pool, trial, seen.calls, len(pools)).failed
    }


def main(runs: int = RUNS) -> int:
    all_runs, once, twice, worst = 0, 0, 0, ("", 0)
    for name, subject in settings():
        trial, own, own_twice, names = trial_of(subject), 0, 0, Counter[str]()
        for run in range(runs):
            try:
                failed = failures(subject, trial, 2 * run)
            except UserProblem:  # this mechanism refuses so small an ε
                break
            all_runs += 1
            if not failed:
                continue
            own += 1
            names.update(test for _, test in failed)
            own_twice += bool(failed & failures(subject, trial, 2 * run + 1))
        once, twice = once + own, twice + own_twice
        worst = max(worst, (name, own_twice), key=lambda pair: pair[1])
        if own:
            print(f"{name}: {own} of {runs} fail once, {own_twice} twice; {dict(names)}", flush=True)
    print(f"{all_runs:,} runs of honest noise: {once} fail once, {twice} twice; at most {MOST:.0%} may be accused")
    print(f"most often accused: {worst[0] or 'none'}, {worst[1]} of {runs}")
    return 1 if twice > MOST * all_runs or worst[1] > max(2, 3 * MOST * runs) else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
