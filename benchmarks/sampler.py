"""The exact integer sampler beside numpy's laplace plus rounding, and the exact audit beside passes of np.exp."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable
from decimal import Decimal

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.mechanisms.contract import AnyMechanism
from workbench.noise.exact_cdf import draw, draw_placed
from workbench.noise.placements import Logarithmic
from workbench.noise.tail_laws import LaplaceTail, PowerTail
from workbench.products.employment_tables.mechanisms.cell import log_laplace, smooth_gamma, smooth_laplace
from workbench.products.employment_tables.mechanisms.neighbour_cells import OneCell, repeated
from workbench.products.employment_tables.tabulation.cells import Cells

CELLS = 430_000
AUDITED = 64_000
PASSES = 50.0  # of np.exp over the audited cells
AUDITS: tuple[AnyMechanism, ...] = (log_laplace.SPEC, smooth_gamma.SPEC, smooth_laplace.SPEC)
ROUNDS = 7
MOST = 20.0  # times numpy's laplace plus rounding


def best(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def audited() -> Cells:
    """Cells with the skewed sizes of real tables."""
    generator = np.random.Generator(np.random.PCG64(2))
    largest = np.ceil(generator.pareto(1.2, AUDITED) * 4).astype(np.int64)
    one = OneCell(count=1, establishments=1, largest=1, largest_total=1)
    cells = repeated(one, AUDITED).reveal()
    return dataclasses.replace(cells, count=Confidential(largest * 2), largest=Confidential(largest))


def audits() -> bool:
    """The exact loss of every cell, per mechanism."""
    cells, values = audited(), np.linspace(0.0, 1.0, AUDITED)
    one_pass = best(lambda: np.exp(values))
    print(f"Exact audit of {AUDITED:,} cells; one pass of np.exp {one_pass * 1e6:.0f} µs")
    good = True
    for mechanism in AUDITS:
        params = mechanism.params()
        taken = best(lambda mechanism=mechanism, params=params: mechanism.exact_loss(cells, params, QUIET))  # type: ignore[misc]
        good &= taken / one_pass <= PASSES
        print(f"  {mechanism.id:24} {taken * 1000:7.1f} ms {taken / one_pass:6.1f} passes (at most {PASSES:.0f})")
    return good


def main() -> bool:
    """Measure and print; true where every target holds."""
    generator = np.random.Generator(np.random.PCG64(1))
    largest = np.ceil(generator.pareto(1.2, CELLS) * 4).astype(np.int64)
    center = largest * 2
    scale = 1.142 * np.maximum(0.1 * largest, 1.0)
    samplers: dict[str, Callable[[], object]] = {
        "smooth-gamma": lambda: draw(center, scale, PowerTail(4), ReleaseRandom(), QUIET),
        "smooth-gamma, tail 3.5": lambda: draw(center, scale, PowerTail(Decimal("3.5")), ReleaseRandom(), QUIET),
        "smooth-laplace": lambda: draw(center, scale, LaplaceTail(), ReleaseRandom(), QUIET),
        "log-laplace": lambda: draw_placed(Logarithmic(center, 10.0, 0.0477), ReleaseRandom(), QUIET),
    }
    plain = best(lambda: np.rint(center + generator.laplace(0.0, scale)).astype(np.int64))
    print(f"Exact integer noise for {CELLS:,} cells; numpy laplace plus rounding {plain * 1000:.1f} ms")
    good = True
    for name, work in samplers.items():
        taken = best(work)
        good &= taken / plain <= MOST
        print(f"  {name:24} {taken * 1000:7.1f} ms {taken / plain:6.1f} times numpy (at most {MOST:.0f})")
    good &= audits()
    print(f"  {'all targets hold' if good else 'NOT all targets hold'}")
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
