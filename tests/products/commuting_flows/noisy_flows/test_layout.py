"""The public layout by a second route, and the law of distance that noisy flows correct."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows import noisy_flows
from workbench.products.commuting_flows.flows.distances import EARTH_RADIUS, unit_vectors
from workbench.products.commuting_flows.flows.grid import POINTS, placed, workplaces
from workbench.products.commuting_flows.flows.structures import BLOCK, POPULATION, WORKERS
from workbench.products.commuting_flows.noisy_flows import layout as layout_module
from workbench.products.commuting_flows.noisy_flows import pieces as pieces_module
from workbench.products.commuting_flows.noisy_flows import public_prior
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.extents import SPLIT
from workbench.products.commuting_flows.noisy_flows.fit import calibrated, totals_by_distance
from workbench.products.commuting_flows.noisy_flows.layout import layout_of
from workbench.products.commuting_flows.noisy_flows.measure import measure
from workbench.products.commuting_flows.noisy_flows.mechanism import finished, question
from workbench.products.commuting_flows.noisy_flows.params import NoisyFlowsParams
from workbench.products.commuting_flows.noisy_flows.places import CELLS, Atoms, Workplaces
from workbench.products.commuting_flows.noisy_flows.rounding import Homes
from workbench.products.commuting_flows.study.prepared import prepared_twin, twin_inputs


@pytest.fixture(scope="module")
def sample() -> Any:
    return prepared_twin(twin_inputs(state="", jobs=6_000, seed=3, context=QUIET))


def test_that_cells_are_those_of_the_slides_grid(sample: Any) -> None:
    layout = layout_of(sample, QUIET)
    latitude, longitude = workplaces(sample)
    geography = sample.geography
    for area in range(0, len(latitude), 7):
        here = layout.atoms.cells(layout.work, np.array([area]), layout.atoms.of_block)
        _, there = placed(latitude[area], longitude[area], geography.latitude, geography.longitude)
        assert np.array_equal(here, there)
        listed = layout.cell[layout.cell_start[area] : layout.cell_start[area + 1]]
        assert listed.tolist() == np.unique(there).tolist()


def test_that_a_table_of_cells_is_what_pairs_have_one_by_one(sample: Any) -> None:
    """Also at a workplace's own block, on an edge of the grid, and past the date line."""
    layout = layout_of(sample, QUIET)
    areas, atoms = np.arange(len(layout.work.latitude)), np.arange(len(layout.atoms.weight))
    found = layout.atoms.table(layout.work, areas, atoms)
    assert np.array_equal(found, layout.atoms.cells(layout.work, areas[:, None], atoms[None, :]))
    assert (found == 0).any()
    some = np.array([3, 1, 8])
    assert np.array_equal(layout.atoms.table(layout.work, some, atoms[::3]), found[some][:, ::3])

    work = Workplaces(vectors=unit_vectors(*_AT), latitude=_AT[0], longitude=_AT[1])
    north, east = np.meshgrid(np.linspace(-1e-13, 1e-13, 21), [180.0, -180.0, -179.9, 179.8])
    edge = np.degrees(1.0 / EARTH_RADIUS)  # one mile north, and a hair to either side
    latitude = np.concatenate([north.ravel() + edge, north.ravel()])
    longitude = np.tile(east.ravel(), 2)
    homes = replace(
        layout.atoms,
        vectors=unit_vectors(latitude, longitude),
        latitude=latitude,
        longitude=longitude,
        unknown=np.arange(len(latitude)) == 5,
    )
    pairs = np.arange(len(_AT[0])), np.arange(len(latitude))
    alone = homes.cells(work, pairs[0][:, None], pairs[1][None, :])
    assert np.array_equal(homes.table(work, *pairs), alone)
    assert len(np.unique(alone[0, : len(latitude) // 2])) > 2


def test_that_held_draws_give_the_same_file_as_pairs_one_by_one(sample: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def file() -> list[Any]:
        monkeypatch.setattr(layout_module, "_LAST", [None])
        held = noisy_flows.SPEC.study(sample, NoisyFlowsParams(), StudyRandom(5), QUIET).reveal()
        population, block = (held.coded(name).codes.tolist() for name in (POPULATION, BLOCK))
        return [population, block, held.units(WORKERS).integers.tolist()]

    fast = file()
    one_by_one = lambda atoms, work, area, atom: atoms.cells(work, area[:, None], atom[None, :])  # noqa: E731
    monkeypatch.setattr(Atoms, "table", one_by_one)
    assert file() == fast


_AT = np.array([0.0, 0.0]), np.array([180.0, -179.95])


def test_that_shares_of_pieces_and_priors_add_up(sample: Any) -> None:
    layout = layout_of(sample, QUIET)
    assert np.allclose(layout.prior.sum(axis=1), 1.0)
    assert (layout.prior > 0).all()
    pieces = layout.pieces
    whole = (pieces.settled != SPLIT)[layout.tract_of_area].astype(np.float64)
    np.add.at(whole, (pieces.area, pieces.point), pieces.share)
    assert np.allclose(whole, 1.0)


def test_that_points_said_to_lie_in_one_cell_do_so_block_by_block(sample: Any) -> None:
    layout = layout_of(sample, QUIET)
    assert 0.3 < (layout.pieces.settled != SPLIT).mean() < 1.0
    blocks = np.arange(len(layout.geography.blocks))
    for area in range(0, len(layout.work.latitude), 5):
        alone = layout.atoms.cells(layout.work, np.array([area]), layout.atoms.of_block)
        assert np.array_equal(layout.cells_of(np.full(len(blocks), area), blocks), alone)
        held = np.zeros((CELLS, layout.points))
        np.add.at(held, (alone, layout.point_of_block), layout.atoms.weight[layout.atoms.of_block])
        held /= held.sum(axis=0)
        mine = layout.pieces.area == area
        own = held[layout.pieces.cell[mine], layout.pieces.point[mine]]
        assert np.allclose(own, layout.pieces.share[mine])
        assert (own > 0).all()


@pytest.mark.parametrize(
    ("run", "at_once", "few"), [(1, 65_536, 0), (3, 500, 0), (32, 65_536, 0), (32, 65_536, 16), (3, 500, 10**6)]
)
def test_that_every_piece_is_there_however_workplaces_stand_together(
    sample: Any, monkeypatch: pytest.MonkeyPatch, run: int, at_once: int, few: int
) -> None:
    """Home by home: each workplace's cells of each point of several cells, no other, with their share of its people."""
    monkeypatch.setattr(pieces_module, "_RUN", run)
    monkeypatch.setattr(pieces_module, "_FEW", few)
    monkeypatch.setattr(pieces_module, "_AT_ONCE", at_once)
    monkeypatch.setattr(pieces_module, "_SETTLED_AT_ONCE", 2 * at_once)
    for populations in (sample, made.listed()):
        layout = layout_of(replace(populations, area_of=populations.area_of.copy()), QUIET)
        atoms, pieces = layout.atoms, layout.pieces
        expected: dict[tuple[int, int, int], float] = {}
        for area in range(len(layout.tract_of_area)):
            cells = atoms.cells(layout.work, np.array([area]), np.arange(len(atoms.weight)))
            apart = pieces.settled[layout.tract_of_area[area]][atoms.point] == SPLIT
            for atom in np.flatnonzero(apart).tolist():
                key = area, int(cells[atom]), int(atoms.point[atom])
                expected[key] = expected.get(key, 0.0) + float(atoms.weight[atom])
        people = np.bincount(atoms.point, atoms.weight)
        found = list(zip(pieces.area.tolist(), pieces.cell.tolist(), pieces.point.tolist(), strict=True))
        assert found == sorted(expected)
        assert np.allclose(pieces.share, [expected[key] / people[key[2]] for key in found], rtol=1e-12)


def test_that_a_layout_is_made_once_for_all_who_ask_in_a_row(sample: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert layout_of(sample, QUIET) is layout_of(replace(sample, size=sample.size), QUIET)
    other = replace(sample, area_of=sample.area_of.copy())
    first = layout_of(sample, QUIET)
    assert layout_of(other, QUIET) is not first
    monkeypatch.setattr(layout_module, "_MOST_REMEMBERED", 0)
    layout_of(sample, QUIET)
    assert layout_of(sample, QUIET) is not layout_of(sample, QUIET)


def test_that_unknown_homes_have_a_cell_of_their_own_wherever_they_lie() -> None:
    prepared = made.listed()
    layout = layout_of(prepared, QUIET)
    atom = layout.atoms.of_block[[prepared.unknown_home]]
    assert layout.atoms.cells(layout.work, np.array([0]), atom).tolist() == [POINTS]


def test_that_whole_tracts_serve_where_workplaces_and_blocks_are_too_many(
    sample: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout_module, "_MOST_PAIRS", 10)
    layout = layout_of(sample, QUIET)
    assert layout.coarse
    truth = true_counts(sample, layout)
    assert (truth.cell < layout.listed[truth.population]).all()
    measured, _ = measure(shape_of(layout), truth, question(NoisyFlowsParams()), StudyRandom(2), QUIET)
    file = finished(layout, measured, StudyRandom(3), QUIET)
    assert file.values.sum() == np.maximum(measured.sizes, 0).sum()


def test_that_a_prior_without_far_commutes_is_corrected_and_a_right_one_stays(sample: Any) -> None:
    layout = layout_of(sample, QUIET)
    held = np.full(layout.tracts, 3_000.0)
    true = layout.prior
    measured, _ = measure(
        shape_of(layout), true_counts(sample, layout), question(NoisyFlowsParams()), StudyRandom(2), QUIET
    )
    rng = np.random.default_rng(4)
    flows = rng.poisson(true * held[:, None])
    noise = rng.geometric(0.6, flows.shape) - rng.geometric(0.6, flows.shape)
    measured = replace(measured, tract_flows=flows + noise)
    far = layout.bins >= 15
    wrong = np.where(far, 0.1, 1.0) * true
    wrong /= wrong.sum(axis=1, keepdims=True)
    seen = totals_by_distance(layout, measured, np.arange(layout.tracts))
    mended = calibrated(layout, wrong, seen, held)
    share = [float((each * far).sum(axis=1).mean()) for each in (true, wrong, mended)]
    assert abs(share[2] - share[0]) < 0.35 * abs(share[1] - share[0])
    kept = calibrated(layout, true, seen, held)
    assert 0.5 * np.abs(kept - true).sum(axis=1).max() < 0.05


def test_that_bins_of_distance_are_found_by_the_first_bits_of_a_number() -> None:
    """Also beside every limit, and at the two ends of the globe."""
    edges = (2.0 * np.sin(np.array(public_prior.BINS) / (2.0 * EARTH_RADIUS))) ** 2
    beside = [edges * (1.0 + sign * 2.0**-power) for sign in (-1, 1) for power in range(2, 53)]
    square = np.concatenate([edges, *beside, np.geomspace(1e-18, 4.0, 20_000), [0.0, 4.0, 4.0 - 1e-15]])
    found = public_prior.bins_of(square, edges, public_prior.guide_of(edges))
    assert found.tolist() == np.searchsorted(edges, square, side="right").tolist()


def test_that_the_strength_of_the_prior_comes_from_gamma_functions() -> None:
    rng = np.random.default_rng(4)
    count = np.concatenate([rng.integers(1, 40, 300).astype(float), rng.uniform(0.1, 9.0, 50)])
    share = 10.0 ** rng.uniform(-9, -1, len(count))
    for kappa in (10.0, 1e3, 1e5):
        plain = sum(
            math.lgamma(c + kappa * s) - math.lgamma(kappa * s)
            for c, s in zip(count.tolist(), share.tolist(), strict=True)
        )
        assert public_prior.Rising(count, share).of(kappa) == pytest.approx(plain, rel=1e-12)


def test_that_blocks_of_many_points_are_found_where_the_running_people_say() -> None:
    """More points than two bytes can number in steps, of one block to many, some next to empty."""
    rng = np.random.default_rng(5)
    blocks = rng.permutation(np.repeat(np.arange(900), rng.integers(1, 60, 900)))
    people = np.where(rng.random(len(blocks)) < 0.3, 0, rng.integers(1, 3_000, len(blocks)))
    layout: Any = SimpleNamespace(
        point_of_block=blocks, points=900, geography=SimpleNamespace(population=people), own_start=np.zeros(1, np.int64)
    )
    fitted: Any = SimpleNamespace(own=np.zeros(0))
    homes = Homes(layout, fitted)
    point, inside = rng.integers(0, 900, 20_000), np.append(rng.random(19_998), [0.0, 1.0])
    found = homes.anywhere(point, inside)
    assert np.array_equal(blocks[found], point)
    weight = np.maximum(people.astype(float), 0.01)
    for place in range(0, 20_000, 37):
        mine = np.flatnonzero(blocks == point[place])
        running = np.cumsum(weight[mine])
        assert found[place] == mine[min(np.searchsorted(running, inside[place] * running[-1]), len(mine) - 1)]
