"""Noisy flows from data to file: fitted without the data, whole populations, odd homes, and refusals in a sentence."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience as Shown
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.commuting_flows.facts import facts
from workbench.products.commuting_flows.flows.structures import BLOCK, POPULATION, SIZES, PopulationList
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams
from workbench.products.commuting_flows.noisy_flows.counts import shape_of, true_counts
from workbench.products.commuting_flows.noisy_flows.extents import SPLIT
from workbench.products.commuting_flows.noisy_flows.fit import fit
from workbench.products.commuting_flows.noisy_flows.layout import layout_of
from workbench.products.commuting_flows.noisy_flows.measure import measure
from workbench.products.commuting_flows.noisy_flows.mechanism import finished, question
from workbench.products.commuting_flows.noisy_flows.params import Unit
from workbench.products.commuting_flows.noisy_flows.places import CELLS, block_people
from workbench.products.commuting_flows.noisy_flows.rounding import Homes, in_cells
from workbench.products.commuting_flows.params import Outside, Sizes
from workbench.products.commuting_flows.product import SPEC as PRODUCT
from workbench.report.model import Audience, parameters_of

JOB = NoisyFlowsParams()
HOME = NoisyFlowsParams(unit=Unit.HOME)
_ALONE = """
import pickle, sys
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.commuting_flows.noisy_flows.mechanism import finished
layout, measured = pickle.load(open(sys.argv[1], "rb"))
made = finished(layout, measured, StudyRandom(8), QUIET)
parts = [column.codes if hasattr(column, "codes") else column.integers for column in made.columns]
pickle.dump(parts, open(sys.argv[2], "wb"))
"""


def test_that_the_file_is_made_in_a_process_without_the_data(tmp_path: Path) -> None:
    prepared = made.listed()
    layout = layout_of(prepared, QUIET)
    measured, _ = measure(shape_of(layout), true_counts(prepared, layout), question(JOB), StudyRandom(2), QUIET)
    (tmp_path / "public").write_bytes(pickle.dumps((layout, measured)))
    assert b"Confidential" not in (tmp_path / "public").read_bytes()
    subprocess.run([sys.executable, "-c", _ALONE, str(tmp_path / "public"), str(tmp_path / "file")], check=True)
    there = pickle.loads((tmp_path / "file").read_bytes())
    here = finished(layout, measured, StudyRandom(8), QUIET)
    for column, other in zip(here.columns, there, strict=True):
        assert np.array_equal(getattr(column, "codes", getattr(column, "integers", None)), other)


def test_that_estimation_takes_public_facts_and_drawn_numbers_only() -> None:
    assert tuple(inspect.signature(fit).parameters) == ("layout", "measured", "context")
    assert tuple(inspect.signature(finished).parameters) == ("layout", "measured", "rng", "context")


@pytest.mark.parametrize("params", [JOB, HOME, NoisyFlowsParams(unit=Unit.HOME, epsilon=Epsilon(6), reports=True)])
def test_that_rows_add_up_to_noisy_sizes_or_to_public_ones(params: NoisyFlowsParams) -> None:
    prepared = made.listed()
    release = SPEC.release(prepared, params, ReleaseRandom(), QUIET)
    assert prepared.row_rule(release).kept
    told = np.bincount(release.coded(POPULATION).codes, release.values, prepared.populations)
    drawn = [answer.drawn for answer in release.answers if answer.name == SIZES]
    assert np.array_equal(told, np.maximum(drawn[0], 0) if params.unit is Unit.JOB else prepared.size)
    table = PRODUCT.public_table(prepared, release)
    assert table.values.sum() == told.sum()


def test_that_every_run_of_blocks_is_within_a_worker_of_what_is_expected() -> None:
    """Expected flows written out block by block, in the order of the file's rounding."""
    prepared = made.listed()
    layout = layout_of(prepared, QUIET)
    measured, _ = measure(shape_of(layout), true_counts(prepared, layout), question(HOME), StudyRandom(2), QUIET)
    fitted = fit(layout, measured, QUIET)
    some = np.flatnonzero(fitted.workers > 0)
    blocks = np.arange(len(layout.geography.blocks))
    people = block_people(layout.geography)
    likely = people / np.bincount(layout.point_of_block, people)[layout.point_of_block]
    for uniform in (0.0, 0.3, 1.0 - 2.0**-53):
        workers = in_cells(fitted, some, np.full(len(some), uniform))
        of = np.repeat(workers.place, workers.many)
        home = Homes(layout, fitted).of(some, workers)
        assert np.array_equal(np.bincount(of), fitted.workers[some])
        for number, population in enumerate(some):
            area = int(layout.area_of[population])
            there = layout.cells_of(np.full(len(blocks), area), blocks)
            tract = layout.tract_of_area[area]
            expected = likely * fitted.pattern[tract, layout.point_of_block] * fitted.cells[population, there]
            expected /= fitted.shares[layout.slot(np.full(len(blocks), area), there)]
            assert expected.sum() == pytest.approx(fitted.workers[population])
            split = layout.pieces.settled[tract, layout.point_of_block] == SPLIT
            order = np.lexsort((blocks, layout.point_of_block, split, there))
            counts = np.bincount(home[of == number], minlength=len(blocks))
            gap = np.cumsum((counts - expected)[order])
            assert np.abs(gap[:, None] - gap[None, :]).max() < 1.0 + 1e-6


def test_that_the_exact_counts_hold_every_job_in_a_listed_cell() -> None:
    prepared = made.listed()
    layout = layout_of(prepared, QUIET)
    truth = true_counts(prepared, layout)
    assert truth.workers.sum() == sum(workers for _, _, workers in made.FLOWS)
    assert (truth.cell < layout.listed[truth.population]).all()
    assert np.array_equal(truth.sizes(prepared.populations), prepared.size)
    assert layout.cell.max() == CELLS - 1, "unknown homes have a cell of their own"


@pytest.mark.parametrize("home", ["", "0000", made.SECRET_HOME, "0412", "0102"])
def test_that_moving_anywhere_changes_no_size_no_list_and_no_message(home: str) -> None:
    moved = made.listed((*made.FLOWS[:3], ("0102", home, 1), *made.FLOWS[4:]))
    here = made.listed()
    assert np.array_equal(moved.size, here.size)
    assert moved.work_area == here.work_area
    assert SPEC.problems(moved, HOME) == SPEC.problems(here, HOME) == ()
    assert SPEC.claim(moved, HOME) == SPEC.claim(here, HOME)
    reports = NoisyFlowsParams(unit=Unit.HOME, epsilon=Epsilon(6), reports=True)
    layout = layout_of(moved, QUIET)
    measured, _ = measure(shape_of(layout), true_counts(moved, layout), question(reports), StudyRandom(2), QUIET)
    told = np.repeat(np.arange(moved.populations), layout.listed)
    seen = np.bincount(told, measured.cells, moved.populations)
    assert np.array_equal(seen[measured.reported], moved.size[measured.reported])


def test_that_nothing_public_depends_on_sizes_where_they_are_protected() -> None:
    """Sizes of populations are confidential in the job unit: what anybody sees is the same for quite other ones."""
    here, there = made.listed(), made.listed(tuple((work, home, 7 * many + 3) for work, home, many in made.FLOWS))
    assert not np.array_equal(here.size, there.size)
    assert pickle.dumps(layout_of(here, QUIET)) == pickle.dumps(layout_of(there, QUIET))
    assert SPEC.claim(here, JOB) == SPEC.claim(there, JOB)
    assert SPEC.problems(here, JOB) == SPEC.problems(there, JOB) == ()
    seen = [[told for told in facts(each) if told.audience is Shown.PUBLIC] for each in (here, there)]
    assert seen[0] == seen[1] != []
    assert "size=" not in repr(here)
    assert NoisyFlowsParams(epsilon=Epsilon(6), reports=True).check(), "who reports would be told by true size"


def test_that_empty_populations_people_and_negative_counts_give_a_finite_file() -> None:
    nobody = [(*block[:6], 0) for block in made.BLOCKS]
    inputs = made.inputs((("0101", "0101", 1),), places=made.geography((*nobody, made.UNKNOWN_HOME)))
    prepared = PRODUCT.prepare(inputs, made.listed_params(), QUIET)
    layout = layout_of(prepared, QUIET)
    for params in (JOB, HOME):
        measured, _ = measure(shape_of(layout), true_counts(prepared, layout), question(params), StudyRandom(2), QUIET)
        measured.cells[...] = -50
        measured.tract_flows[...] = -50
        fitted = fit(layout, measured, QUIET)
        assert np.isfinite(fitted.cells).all()
        least = 0.5 if params is JOB else 0.0
        assert np.allclose(fitted.cells.sum(axis=1), np.maximum(fitted.workers, least))
        assert finished(layout, measured, StudyRandom(3), QUIET).values.sum() == fitted.workers.sum()


@pytest.mark.parametrize(
    ("changed", "params", "said"),
    [
        ({"outside": Outside.LEAVE_OUT}, JOB, "jobs of homes outside the geography are left out"),
        ({"outside": Outside.LEAVE_OUT}, HOME, "jobs of homes outside the geography are left out"),
        ({"minimum_size": 5}, JOB, "small populations are left out"),
    ],
)
def test_that_rules_that_look_at_jobs_are_refused(changed: dict[str, Any], params: NoisyFlowsParams, said: str) -> None:
    (problem,) = SPEC.problems(made.listed(**changed), params)
    assert said in problem.what
    assert problem.do


def test_that_small_populations_can_be_left_out_where_sizes_are_public() -> None:
    assert SPEC.problems(made.listed(minimum_size=5), HOME) == ()


def test_that_distorted_sizes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"sixteen bytes or more of chance")
    distorted = made.listed(sizes=Sizes.NOISE_INFUSED, key_file=str(tmp_path / "key"), populations=PopulationList.DATA)
    (problem,) = SPEC.problems(distorted, HOME)
    assert "sizes are distorted" in problem.what


def test_that_reports_that_would_tell_nothing_are_refused_in_a_sentence() -> None:
    (problem,) = SPEC.problems(
        made.listed(), NoisyFlowsParams(unit=Unit.HOME, epsilon=Epsilon("1.8"), reports=True, small_limit=5)
    )
    assert "too small for reports" in problem.what


def test_that_a_geography_without_a_point_for_unknown_homes_is_refused() -> None:
    (problem,) = PRODUCT.problems(made.inputs(), made.params(outside=Outside.UNKNOWN))
    assert problem.what == "The geography has no point for unknown homes"
    with pytest.raises(UserProblem, match="has no block “9999” for unknown homes"):
        PRODUCT.prepare(made.inputs(), made.listed_params(), QUIET)


def register(*codes: str) -> Any:
    import dataclasses

    listed = made.table("register.csv", {"work": codes})
    return dataclasses.replace(
        made.listed_inputs(), companions={**made.listed_inputs().companions, "workplaces": listed}
    )


def test_that_a_register_lists_its_workplaces_with_or_without_jobs() -> None:
    codes = ("0101", "0102", "0121", "0122", "0211", "0222")
    params = made.listed_params(populations=PopulationList.REGISTER)
    assert PRODUCT.problems(register(*codes), params) == ()
    prepared = PRODUCT.prepare(register(*codes), params, QUIET)
    assert prepared.work_area == codes
    assert prepared.size.tolist()[3] == 0
    claim = SPEC.claim(prepared, JOB)
    assert any("register.csv is public" in each for each in claim.provided)
    with pytest.raises(UserProblem, match="workplaces that the list does not have"):
        PRODUCT.prepare(register(*codes[1:]), params, QUIET)
    with pytest.raises(UserProblem, match="not in the geography"):
        PRODUCT.prepare(register(*codes, "7777"), params, QUIET)
    (missing,) = PRODUCT.problems(made.listed_inputs(), params)
    assert "No register of workplaces" in missing.what


def test_that_plans_written_before_lists_keep_their_digests() -> None:
    """Fields that came later are not written while they have their defaults."""
    from workbench.core.params import to_plain

    plain = to_plain(made.params())
    assert "populations" not in plain
    assert "unknown_home" not in plain
    assert to_plain(made.listed_params())["populations"] == "all"
    assert any(row.label == "List of populations" for row in parameters_of(made.params(), Audience.INTERNAL))


def test_that_a_known_pattern_comes_through_with_much_epsilon() -> None:
    prepared = made.listed()
    drawn = SPEC.study(prepared, NoisyFlowsParams(epsilon=Epsilon(40)), StudyRandom(2), QUIET).reveal()
    told = np.zeros((prepared.populations, len(prepared.geography.blocks)))
    np.add.at(told, (drawn.coded(POPULATION).codes, drawn.coded(BLOCK).codes), drawn.values)
    tract = prepared.geography.area_of[0]
    flows = prepared.flows.reveal()
    true = np.zeros_like(told)
    np.add.at(true, (flows.population, flows.block), flows.workers)
    by_tract = [np.stack([np.bincount(tract, row) for row in table]) for table in (told, true)]
    assert np.abs(by_tract[0] - by_tract[1]).sum() <= 0.02 * true.sum()
