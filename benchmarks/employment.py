"""Employment tables on the 10.9-million-job twin: all margins from one draw, worker cells, log-staircase, their time.

ε = 2, α = 0.1, strong, pure. Ratios are to the *expected* error of noise infusion with the ramp .1/.25; those to
.05/.15 stand beside. H2 is the twin with worker cells drawn anew: every employer has shares of its own (Dirichlet 10),
so that nothing is alike. Draws are seeded studies of the very sampler that publishes. Times are processor times, best
of several.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.microdata.roles import Role
from workbench.products.employment_tables.expected_distortion import expected_distortion
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.mechanisms.cell import log_staircase
from workbench.products.employment_tables.noise_infusion import NoiseInfusionParams
from workbench.products.employment_tables.params import DomainKind
from workbench.products.employment_tables.tabulation.cells import Cells, Contributions
from workbench.products.employment_tables.tabulation.engine import index, tabulate
from workbench.products.employment_tables.tabulation.margin_names import margins_of, title_of
from workbench.products.employment_tables.tabulation.margins import cells_in, margin_cells, margin_columns, sums
from workbench.products.employment_tables.twin.employment import as_microdata, make_employment_twin

JOBS, SMALL_JOBS = 10_900_000, 1_500_000
WORKPLACE, WORKER = ("place", "sector", "ownership"), ("sex", "education")
ROLES = {
    "establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sector": Role.WORKPLACE,
    "ownership": Role.WORKPLACE, "sex": Role.PERSON, "education": Role.PERSON,
}  # fmt: skip
WIDE = NoiseInfusionParams(least=Decimal("0.1"), most=Decimal("0.25"))
NARROW = NoiseInfusionParams(least=Decimal("0.05"), most=Decimal("0.15"))
BANDS = {  # lowest and highest ratio of each margin
    WORKPLACE: (0.33, 0.35), ("place", "sector"): (0.335, 0.355), ("place", "ownership"): (0.39, 0.41),
    ("place",): (0.39, 0.42), ("sector",): (0.0, 0.46), ("sector", "ownership"): (0.0, 0.46),
    ("ownership",): (0.0, 0.65), (): (0.0, 0.65),
}  # fmt: skip
MOST_STAIRCASE, MOST_LARGE, MOST_SMALL, MOST_TO_TODAY, MOST_TIME = 0.325, 1.66, 1.75, 1.03, 1.5


def tables(jobs: int) -> tuple[Cells, Cells]:
    """Without worker attributes, and with sex and education."""
    microdata = as_microdata(make_employment_twin(jobs=jobs, seed=1, context=QUIET, worker_ids=False))
    arranged = index(microdata, ROLES, QUIET)
    made = [
        tabulate(arranged, workplace=WORKPLACE, worker=worker, domain=DomainKind.ESTABLISHMENTS, context=QUIET,
                 contributions=True)
        for worker in ((), WORKER)
    ]  # fmt: skip
    return made[0], made[1]


def baseline(cells: Cells, params: NoiseInfusionParams) -> float:
    assert cells.contributions is not None
    width = cells.domain.worker_combinations
    return float(expected_distortion(cells.contributions.reveal(), cells.count.reveal(), params, width).mean.sum())


def errors(cells: Cells, draw: Callable[[int], Floats], margins: Sequence[tuple[str, ...]], draws: int) -> Floats:
    """Draws × margins: Σ|margin − true|."""
    placed = [cells_in(cells.domain, margin) for margin in margins]
    true = cells.count.reveal()
    return np.array(
        [
            [float(np.abs(sums(off, where, len(named))).sum()) for where, named in placed]
            for off in (draw(seed) - true for seed in range(draws))
        ]
    )


def judged(name: str, value: float, least: float, most: float, more: str = "") -> bool:
    good = least <= value <= most
    print(f"  {name}: {value:.3f} ({least:g} to {most:g}){'' if good else '  MISSED'}{more}", flush=True)
    return good


def margins(cells: Cells, draws: int) -> bool:
    every = (WORKPLACE, *margins_of(("all",), WORKPLACE))
    params = block_gamma.BlockGammaParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    stairs = log_staircase.LogStaircaseParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    found = errors(cells, lambda s: block_gamma.SPEC.study(cells, params, StudyRandom(s), QUIET).reveal().values,
                   every, draws)  # fmt: skip
    finest = errors(cells, lambda s: log_staircase.SPEC.study(cells, stairs, StudyRandom(s), QUIET).reveal().values,
                    every[:1], draws)  # fmt: skip
    good = True
    for number, margin in enumerate(every):
        table = cells if margin == WORKPLACE else margin_cells(cells, margin)
        wide, narrow = baseline(table, WIDE), baseline(table, NARROW)
        ratio = found[:, number] / wide
        more = f", spread of a draw {ratio.std():.3f}; to .05/.15 {found[:, number].mean() / narrow:.3f}"
        good &= judged(f"{title_of(margin)} ({table.domain.cells:,} cells)", ratio.mean(), *BANDS[margin], more)
    good &= judged("log-staircase, finest", finest.mean() / baseline(cells, WIDE), 0.0, MOST_STAIRCASE)
    return good


def ratio_of(cells: Cells, kind: PostProcessing, draws: int) -> tuple[float, float]:
    params = block_gamma.BlockGammaParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"), post_processing=kind)
    true = cells.count.reveal()
    found = [
        float(np.abs(block_gamma.SPEC.study(cells, params, StudyRandom(seed), QUIET).reveal().values - true).sum())
        for seed in range(draws)
    ]
    return float(np.mean(found)), float(np.std(found))


def worker_cells(name: str, cells: Cells, most: float, draws: int) -> bool:
    wide, narrow = baseline(cells, WIDE), baseline(cells, NARROW)
    mean, spread = ratio_of(cells, PostProcessing.COMPONENTS, draws)
    more = f", spread of a draw {spread / wide:.3f}; to .05/.15 {mean / narrow:.3f}"
    return judged(f"workload 3 by components, {name}", mean / wide, 0.0, most, more)


def all_different(cells: Cells) -> Cells:
    """The same establishments with the workers of each drawn anew from shares of its own."""
    assert cells.contributions is not None
    given, width = cells.contributions.reveal(), cells.domain.worker_combinations
    rng = np.random.Generator(np.random.PCG64(11))
    who, first = np.unique(given.establishment, return_index=True)
    total = np.bincount(given.establishment, weights=given.jobs).astype(np.int64)[who]
    place = given.cell[first] // width
    shares = rng.dirichlet(np.full(width, 10.0 / width), size=len(who))
    jobs = np.stack([rng.multinomial(t, p) for t, p in zip(total, shares, strict=True)])
    row, kind = np.nonzero(jobs)
    cell = place[row] * width + kind
    count = np.bincount(cell, weights=jobs[row, kind], minlength=cells.domain.cells).astype(np.int64)
    inside = Contributions(
        cell=cell, establishment=who[row].astype(np.int32), jobs=jobs[row, kind], identifiers=given.identifiers
    )
    return replace(cells, count=Confidential(count), contributions=Confidential(inside))


def against_today(cells: Cells, draws: int) -> bool:
    other = all_different(cells)
    today, ours = (ratio_of(other, kind, draws)[0] for kind in (PostProcessing.CONSISTENT, PostProcessing.COMPONENTS))
    return judged("components over consistent where all worker cells vary (H2)", ours / today, 0.0, MOST_TO_TODAY)


def fastest(work: Callable[[], object], rounds: int = 5) -> float:
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def speed(cells: Cells) -> bool:
    params = block_gamma.BlockGammaParams(epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    every = margins_of(("all",), WORKPLACE)

    def draw() -> Floats:
        return block_gamma.SPEC.study(cells, params, StudyRandom(1), QUIET).reveal().values

    alone = fastest(draw)
    together = fastest(lambda: margin_columns(cells.domain, every, draw(), name="jobs"))
    return judged("time of all margins over the finest alone", together / alone, 0.0, MOST_TIME)


def main() -> bool:
    """Measure and print; true where every target holds."""
    large = sys.argv[1:] != ["small"]
    plain, fine = tables(JOBS if large else SMALL_JOBS)
    print(f"{plain.jobs:,} jobs, {plain.domain.cells:,} workplace cells")
    good = margins(plain, 20)
    good &= speed(plain)
    if large:
        good &= worker_cells("10.9 million jobs", fine, MOST_LARGE, 4)
        good &= against_today(fine, 2)
        _, fine = tables(SMALL_JOBS)
    return good & worker_cells("1.5 million jobs", fine, MOST_SMALL, 6)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
