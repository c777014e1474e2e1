"""From files to the published table, neighbour by neighbour: what the data move, and what they may not move.

Every number that is drawn is recorded with its exact value and scale and answered by a fixed one, whatever the data
say. So the loss is added up from what the code really measured, and the file of two neighbours must be the same bytes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn
from workbench.noise import randomised_response
from workbench.noise.discrete_laplace import spent
from workbench.products.commuting_flows.flows.structures import Level
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams, measure
from workbench.products.commuting_flows.noisy_flows.budget import budget_of
from workbench.products.commuting_flows.noisy_flows.mechanism import drawn
from workbench.products.commuting_flows.noisy_flows.params import Unit
from workbench.products.commuting_flows.product import SPEC as PRODUCT

Job = tuple[str, str, str]  # workplace, home, sector
LIMIT = 2
JOB = NoisyFlowsParams(small_limit=LIMIT)
HOME = NoisyFlowsParams(unit=Unit.HOME, small_limit=LIMIT)
TOLD = NoisyFlowsParams(unit=Unit.HOME, small_limit=LIMIT, epsilon=Epsilon(6), reports=True)
JOBS: tuple[Job, ...] = (
    ("0101", "0101", "a"), ("0101", "0211", "a"), ("0101", "0311", "b"), ("0102", "0121", "a"),
    ("0121", "0101", "b"), ("0121", "0412", "b"), ("0121", "9999", "b"), ("0211", "0211", "a"),
)  # fmt: skip
HOMES = ("0412", "0101", "9999", "", "nowhere")


def inputs_of(jobs: Sequence[Job]) -> Inputs:
    work, home, sector = zip(*jobs, strict=True)
    table = made.table("jobs.csv", {"work": work, "home": home, "sector": sector})
    column = table.columns["sector"]
    assert isinstance(column, CodedColumn)
    declared = dataclasses.replace(column, labels={value: value for value in "abc"})
    return Inputs(
        microdata=dataclasses.replace(table, columns={**table.columns, "sector": declared}),
        roles={"work": Role.GEOGRAPHY, "home": Role.PERSON, "sector": Role.WORKPLACE},
        companions={"geography": made.geography((*made.BLOCKS, made.UNKNOWN_HOME)), "prior": made.prior()},
    )


def prepared_of(jobs: Sequence[Job], **changed: Any) -> Any:
    params = made.listed_params(**({"jobs": "", "characteristics": ("sector",)} | changed))
    return PRODUCT.prepare(inputs_of(jobs), params, QUIET)


@dataclass
class Watched:
    """Exact values and scales in the order they were asked, and who reported what among how many."""

    sizes: tuple[int, ...] = ()  # drawn sizes to answer with, where sizes are drawn
    noisy: list[tuple[np.ndarray[Any, Any], float]] = field(default_factory=list)
    reports: list[tuple[list[int], int, int]] = field(default_factory=list)

    def answer(self, exact: Any, scale: float, _rng: Any, _context: Any) -> Any:
        first = bool(self.sizes) and not self.noisy
        self.noisy.append((exact.copy(), scale))
        return np.array(self.sizes) if first else np.random.default_rng(len(self.noisy)).integers(-2, 5, len(exact))

    def report(self, cells: Any, many: int, kept: int, _rng: Any) -> Any:
        self.reports.append((sorted(cells.tolist()), many, kept))
        return np.arange(len(cells)) % many


def run(
    prepared: Any, params: NoisyFlowsParams, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> tuple[Watched, tuple[Any, ...]]:
    watched = Watched(sizes)
    monkeypatch.setattr(measure, "noisy", watched.answer)
    monkeypatch.setattr(measure.randomised_response, "draw", watched.report)
    columns, _ = drawn(prepared, params, StudyRandom(4), QUIET)
    monkeypatch.undo()
    table = PRODUCT.public_table(prepared, columns)
    said = SPEC.claim(prepared, params), SPEC.problems(prepared, params)
    return watched, (*said, repr(table.columns), bytes_of(table))


def bytes_of(table: Any) -> bytes:
    parts = [getattr(column, "codes", getattr(column, "integers", None)) for column in table.columns]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def loss(one: Watched, other: Watched) -> Fraction:
    """Σ |shift|/scale of everything drawn; infinite where scales, lists or numbers of reports differ."""
    total = Fraction(0)
    assert len(one.noisy) == len(other.noisy)
    for (mine, scale), (theirs, same) in zip(one.noisy, other.noisy, strict=True):
        assert scale == same
        assert mine.shape == theirs.shape
        total += spent(int(np.abs(mine - theirs).sum()), scale)
    for (cells, many, kept), (others, known, same) in zip(one.reports, other.reports, strict=True):
        assert (many, kept, len(cells)) == (known, same, len(others))
        apart = np.abs(np.bincount(cells, minlength=many) - np.bincount(others, minlength=many)).sum() // 2
        total += int(apart) * Fraction(randomised_response.exact_loss(kept, many))
    return total


def sizes_around(first: Any, second: Any) -> list[tuple[int, ...]]:
    """Drawn sizes that make every changed population small or larger, in all combinations."""
    base = np.where(np.arange(first.populations) % 2, LIMIT, LIMIT + 3)
    changed = np.flatnonzero(first.size != second.size) if first.populations == second.populations else []
    found = []
    for kinds in product((LIMIT, LIMIT + 1), repeat=len(changed)):
        base[changed] = kinds
        found.append(tuple(base.tolist()))
    return found


def worst(pairs: Sequence[tuple[Sequence[Job], Sequence[Job]]], params: NoisyFlowsParams, patch: Any) -> Fraction:
    """The largest loss of these pairs; everything that is published is the same for the same drawn numbers."""
    most = Fraction(0)
    for one, other in pairs:
        first, second = prepared_of(one), prepared_of(other)
        for sizes in sizes_around(first, second) if params.unit is Unit.JOB else [()]:
            seen, shown = run(first, params, sizes, patch)
            too, also = run(second, params, sizes, patch)
            assert shown == also, (one, other)
            most = max(most, loss(seen, too))
    return most


def replaced(number: int, job: Job) -> tuple[Job, ...]:
    return (*JOBS[:number], job, *JOBS[number + 1 :])


def attained(found: Fraction, limit: Fraction) -> bool:
    return limit * (1 - Fraction(1, 10**9)) <= found <= limit


def test_that_one_job_more_or_less_costs_epsilon_and_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the first and the last of a population, at a declared value nobody had, and with an unknown home."""
    pairs = [(JOBS, JOBS[:i] + JOBS[i + 1 :]) for i in (0, 2, 3, 6)]
    pairs += [(JOBS, (*JOBS, (work, home, "c"))) for work, home in (("0222", "0101"), ("0101", ""), ("0312", "0411"))]
    assert attained(worst(pairs, JOB, monkeypatch), Fraction(4))


def test_that_a_home_costs_what_is_printed_wherever_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = zip((0, 2, 4, 6, 0), HOMES, strict=True)
    pairs = [(JOBS, replaced(i, (JOBS[i][0], home, JOBS[i][2]))) for i, home in moved]
    assert attained(worst(pairs, JOB, monkeypatch), 2 * budget_of(JOB).home_epsilon)
    assert attained(worst(pairs, HOME, monkeypatch), Fraction(4))
    reports = worst(pairs, TOLD, monkeypatch)
    assert 6 * (1 - Fraction(1, 10**8)) <= reports <= 6


def test_that_another_workplace_sector_or_record_costs_twice_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    others = (("0222", "0101", "a"), ("0101", "0101", "c"), ("0312", "nowhere", "b"))
    assert attained(worst([(JOBS, replaced(0, other)) for other in others], JOB, monkeypatch), Fraction(8))


def test_that_two_jobs_cost_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [(JOBS, JOBS[2:]), (JOBS, (*JOBS[:3], *JOBS[5:]))]
    assert attained(worst(gone, JOB, monkeypatch), Fraction(8))
    moved = (("0101", "0412", "a"), ("0101", "0412", "a"), *JOBS[2:])
    assert attained(worst([(JOBS, moved)], JOB, monkeypatch), 4 * budget_of(JOB).home_epsilon)
    assert attained(worst([(JOBS, moved)], HOME, monkeypatch), Fraction(8))


def test_that_the_last_job_of_a_population_listed_by_the_data_is_told_and_called_conditional() -> None:
    from workbench.products.commuting_flows.flows.structures import PopulationList

    here, gone = (prepared_of(jobs, populations=PopulationList.DATA) for jobs in (JOBS, JOBS[:-1]))
    assert here.populations == gone.populations + 1
    claim = SPEC.claim(here, JOB)
    assert not claim.formal
    assert "taken from these data" in claim.sentence
    assert SPEC.claim(here, HOME).formal, "sizes are public there, and so is the list"
    assert "Nobody's presence is protected" in " ".join(SPEC.claim(here, HOME).assumptions)


def test_that_the_corrected_prior_is_a_function_of_what_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law of distance is corrected by noisy totals: with tract flows taken away it is the public prior again."""
    from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
    from workbench.products.commuting_flows.noisy_flows.fit import calibrated, totals_by_distance
    from workbench.products.commuting_flows.noisy_flows.layout import layout_of

    prepared = prepared_of(JOBS)
    layout = layout_of(prepared, QUIET)
    asked = measure.Question(budget=budget_of(JOB), reports=False, epsilon=Fraction(4))
    made_, _ = measure.measure(shape_of(layout), true_counts(prepared, layout), asked, StudyRandom(1), QUIET)
    held = np.full(layout.tracts, 40.0)
    expected = np.rint(layout.prior * held[:, None]).astype(np.int64)
    same = dataclasses.replace(made_, tract_flows=expected)
    some = np.arange(layout.tracts)
    assert np.allclose(calibrated(layout, layout.prior, totals_by_distance(layout, same, some), held), layout.prior)
    far = expected.copy()
    far[:, -1] += 4000
    seen = totals_by_distance(layout, dataclasses.replace(made_, tract_flows=far), some)
    assert calibrated(layout, layout.prior, seen, held)[0, -1] > layout.prior[0, -1]
    assert layout.geography.areas[Level.TRACT]
