"""Noise infusion: what is distorted, what is kept, what is redrawn, and where the key stays."""

from __future__ import annotations

import dataclasses
import math
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.baselines.alternatives import CellValues
from workbench.baselines.secret_key import KEY_VARIABLE, key_for
from workbench.core.errors import Defect, UserProblem
from workbench.core.params import problems_of, to_plain
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.noise_infusion import SPEC, NoiseInfusionParams
from workbench.tabulation.factors import Shape, quantile, uniforms_of

EXACT = NoiseInfusionParams(rounded=False)


@pytest.fixture(autouse=True)
def no_key_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


def test_that_each_cell_is_the_sum_of_its_distorted_establishments(tmp_path: Path) -> None:
    """Added up again in plain Python, one establishment at a time: integers of billionths, so to the last digit."""
    params = dataclasses.replace(EXACT, key_file=_key(tmp_path))
    data = hand_made.cells()
    values = SPEC.protect(data, params, StudyRandom(1), QUIET).values.reveal()
    key = key_for(params.key_file, StudyRandom(1))
    count = data.count.reveal()
    expected = [0] * len(count)
    for identifier, place, sector, by_sex in hand_made.establishments():
        uniform = uniforms_of([identifier], key, QUIET)
        factor = float(quantile(uniform, least=0.05, most=0.15, shape=Shape.RAMP)[0])
        for sex, jobs in enumerate(by_sex):
            expected[(place * 3 + sector) * 2 + sex] += round(factor * 10**9) * jobs
    large = count >= 3
    assert values[large].tolist() == [total / 10**9 for total, kept in zip(expected, large, strict=True) if kept]


def test_that_zero_stays_zero_and_small_cells_hold_one_or_two() -> None:
    data = hand_made.cells()
    count, values = data.count.reveal(), SPEC.protect(data, EXACT, StudyRandom(1), QUIET).values.reveal()
    assert np.any(count == 0)
    assert np.any((count > 0) & (count < 2.5))
    assert np.all(values[count == 0] == 0)
    assert set(values[(count > 0) & (count < 2.5)].tolist()) <= {1.0, 2.0}


@pytest.mark.parametrize(("limit", "redrawn"), [("0", ()), ("1", ()), ("1.5", (1,)), ("2.5", (1, 2)), ("3", (1, 2))])
def test_that_the_small_cell_limit_says_which_counts_are_redrawn(limit: str, redrawn: tuple[int, ...]) -> None:
    """Others keep their distorted value, and the expected error is that of one factor."""
    chosen = dataclasses.replace(EXACT, small_cell_limit=Decimal(limit))
    data = hand_made.cells([(f"E{jobs}", 0, jobs - 1, (jobs, 0)) for jobs in (1, 2, 3)])
    values = SPEC.protect(data, chosen, StudyRandom(2), QUIET).values
    assert isinstance(values, CellValues)
    for jobs in (1, 2, 3):
        cell = 2 * (jobs - 1)
        value, error = float(values.reveal()[cell]), float(values.expected_error.mean[cell])
        if jobs in redrawn:
            assert value in {1.0, 2.0}
            assert error == pytest.approx({1: 0.3, 2: 0.4}[jobs])
        else:
            assert 0.05 - 1e-9 <= abs(value / jobs - 1.0) <= 0.15 + 1e-9
            assert error == pytest.approx(jobs * 0.25 / 3)  # (B + 2A)/3


def test_that_a_limit_without_a_row_of_probabilities_is_refused() -> None:
    assert problems_of(dataclasses.replace(EXACT, small_cell_limit=Decimal("3.5")))
    assert not problems_of(EXACT)
    assert "small_cell_limit" not in to_plain(EXACT)


def test_that_no_establishment_alone_in_a_cell_shows_its_true_size() -> None:
    data = hand_made.cells()
    alone = (data.establishments.reveal() == 1) & (data.count.reveal() >= 3)
    ratio = SPEC.protect(data, EXACT, StudyRandom(4), QUIET).values.reveal()[alone] / data.count.reveal()[alone]
    assert np.all((np.abs(ratio - 1) >= 0.05 - 1e-12) & (np.abs(ratio - 1) <= 0.15 + 1e-12))


def test_that_rounding_gives_whole_jobs() -> None:
    values = SPEC.protect(hand_made.cells(), NoiseInfusionParams(), StudyRandom(1), QUIET).values.reveal()
    assert np.array_equal(values, np.rint(values))


@pytest.mark.parametrize(("true", "share"), [(1, 0.7), (2, 0.4)])
def test_that_small_cells_are_redrawn_from_the_row_of_their_count(true: int, share: float) -> None:
    data = hand_made.cells([("E1", 0, 0, (true, 0))])
    rng = StudyRandom(8)
    ones = sum(SPEC.protect(data, EXACT, rng, QUIET).values.reveal()[0] == 1.0 for _ in range(4000))
    assert abs(ones / 4000 - share) < 5 * math.sqrt(share * (1 - share) / 4000)


def test_that_small_cells_give_away_what_the_published_table_says(golden: Any) -> None:
    """The rows of the params are those of the table: posterior odds follow from them by Bayes' rule."""
    table = golden("small_cell")
    for case in table["cases"]:
        rows, prior = case["inputs"]["R"], case["inputs"]["prior"]
        params = NoiseInfusionParams(one_stays_one=Decimal(str(rows[0][0])), two_becomes_one=Decimal(str(rows[1][0])))
        kept = [float(params.one_stays_one), float(params.two_becomes_one)]
        for shown, name in ((0, "posterior_given_1"), (1, "posterior_given_2")):
            likelihood = [p if shown == 0 else 1 - p for p in kept]
            joint = [p * weight for p, weight in zip(prior, likelihood, strict=True)]
            assert [j / sum(joint) for j in joint] == pytest.approx(case["expected"][name], rel=table["rtol"])
        loss = max(abs(math.log(kept[0] / kept[1])), abs(math.log((1 - kept[0]) / (1 - kept[1]))))
        assert loss == pytest.approx(case["expected"]["loss_1_vs_2"], rel=table["rtol"])


def test_that_a_key_file_fixes_the_factors_whatever_the_seed(tmp_path: Path) -> None:
    params = dataclasses.replace(EXACT, key_file=_key(tmp_path))
    data = hand_made.cells()
    large = data.count.reveal() >= 3
    first, second = (SPEC.protect(data, params, StudyRandom(seed), QUIET).values.reveal()[large] for seed in (1, 2))
    assert np.array_equal(first, second)
    studied = [SPEC.protect(data, EXACT, StudyRandom(seed), QUIET).values.reveal()[large] for seed in (1, 2)]
    assert not np.array_equal(studied[0], studied[1])


def test_that_the_environment_may_name_the_key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = _key(tmp_path)
    monkeypatch.setenv(KEY_VARIABLE, named)
    assert key_for("", StudyRandom(1)) == key_for(named, StudyRandom(2))


def test_that_a_key_that_cannot_serve_is_a_problem_without_its_content(tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.write_bytes(b"hush")
    for path in (short, tmp_path / "absent", tmp_path):
        with pytest.raises(UserProblem) as caught:
            key_for(str(path), StudyRandom(1))
        assert caught.value.problems[0].where == "key_file"
        assert "hush" not in str(caught.value)


def test_that_a_relative_key_file_is_refused_wherever_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be another file for whoever starts the program elsewhere, and with it other factors."""
    _key(tmp_path)
    monkeypatch.chdir(tmp_path)
    (problem,) = problems_of(NoiseInfusionParams(key_file="key"))
    assert problem.where == "key_file"
    assert KEY_VARIABLE in problem.do
    with pytest.raises(UserProblem):
        key_for("key", StudyRandom(1))
    monkeypatch.setenv(KEY_VARIABLE, "key")
    with pytest.raises(UserProblem):
        key_for("", StudyRandom(1))
    assert problems_of(NoiseInfusionParams(key_file=str(tmp_path / "key"))) == ()


def test_that_hashed_uniforms_are_uniform_and_depend_on_key_and_name_alone() -> None:
    from scipy.stats import kstest

    names = [f"E{i}" for i in range(50_000)]
    uniforms = uniforms_of(names, b"k" * 32, QUIET)
    assert kstest(uniforms, "uniform").pvalue > 1e-4
    assert 0 < uniforms.min() < uniforms.max() < 1
    assert np.array_equal(uniforms, uniforms_of(np.array(names), b"k" * 32, QUIET))
    assert np.array_equal(uniforms[::-1], uniforms_of(names[::-1], b"k" * 32, QUIET))
    assert not np.any(uniforms == uniforms_of(names, b"l" * 32, QUIET))


@pytest.mark.heavy
def test_that_half_a_million_establishments_are_hashed_in_steps_a_person_can_stop() -> None:
    from tests.contract.contexts import Listener

    listener = Listener()
    names = np.array([f"E{i:07d}" for i in range(527_000)])
    start = time.perf_counter()
    uniforms_of(names, b"k" * 32, listener)
    assert len(listener.sentences) >= 20
    assert time.perf_counter() - start < 15  # some ten times what it takes alone: only a blunder exceeds it


def test_that_bounds_in_the_wrong_order_are_refused_with_the_nearest_value() -> None:
    (problem,) = problems_of(NoiseInfusionParams(least=Decimal("0.2"), most=Decimal("0.1")))
    assert "0.2" in problem.do


def test_that_a_table_without_contributions_is_a_defect() -> None:
    with pytest.raises(Defect):
        SPEC.protect(dataclasses.replace(hand_made.cells(), contributions=None), EXACT, StudyRandom(1), QUIET)


def _key(folder: Path) -> str:
    path = folder / "key"
    path.write_bytes(bytes(range(64)))
    return str(path)
