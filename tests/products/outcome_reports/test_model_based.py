"""Model-based estimates: nearer to the truth than direct ones where the model holds, and intervals that mostly hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.published import Published
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.outcome_reports.layout import Listed
from workbench.products.outcome_reports.mechanisms import history, history_histogram
from workbench.products.outcome_reports.mechanisms.history_sums import block_law, noise_of_blocks
from workbench.products.outcome_reports.mechanisms.means_of_bins import flat_means
from workbench.products.outcome_reports.model_based import earnings
from workbench.products.outcome_reports.model_based.averaging import averaged, likely_sizes
from workbench.products.outcome_reports.model_based.counts import modelled_counts
from workbench.products.outcome_reports.model_based.earnings import modelled_earnings
from workbench.products.outcome_reports.model_based.expected_people import expected
from workbench.products.outcome_reports.model_based.joint_noise import Cells, published_cap, steadied
from workbench.products.outcome_reports.model_based.noise_within_blocks import NONE, possible
from workbench.products.outcome_reports.model_based.report import modelled
from workbench.products.outcome_reports.model_based.within_bins import worth
from workbench.products.outcome_reports.product import SPEC
from workbench.products.outcome_reports.published_outcomes import NAMES

CAP = 250_000.0
SHAPE = (20, 2, 3, 8)  # institutions, titles, sectors, years


def simulated_counts(random: np.random.Generator) -> np.ndarray:
    level = random.lognormal(4.0, 0.8, SHAPE[:3])[..., None]
    steps = random.normal(0, 1, SHAPE) * np.sqrt(0.05 * level)
    found: np.ndarray = np.maximum(level + np.cumsum(steps, axis=3), 0) * 0.96 ** np.arange(SHAPE[3])
    return found


def test_that_modelled_counts_are_nearer_and_their_intervals_hold() -> None:
    random = np.random.default_rng(3)
    truth = simulated_counts(random)
    noise = 6.0
    direct = truth + random.normal(0, noise, SHAPE)
    model, sd = modelled_counts(direct, np.full(SHAPE, noise))
    assert np.abs(model - truth).mean() < 0.75 * np.abs(direct - truth).mean()
    assert 0.88 < (np.abs(model - truth) <= 1.96 * sd).mean() < 0.99
    assert (model >= 0).all()


def test_that_little_noise_is_left_alone_and_one_year_is_the_published_value() -> None:
    truth = simulated_counts(np.random.default_rng(4))
    model, _ = modelled_counts(truth, np.full(SHAPE, 0.01))
    assert model == pytest.approx(truth, abs=0.2)
    single, sd = modelled_counts(truth[..., :1], np.full((*SHAPE[:3], 1), 3.0))
    assert np.array_equal(single, truth[..., :1])
    assert (sd == 3.0).all()


def test_that_modelled_earnings_are_nearer_also_where_values_are_missing() -> None:
    random = np.random.default_rng(5)
    shape = (30, 6, 8)
    pooled = 50_000 * (1 + 0.03 * np.arange(8)) * random.uniform(0.8, 1.3, (6, 1))
    truth = pooled * (1 + random.normal(0, 0.1, (30, 1, 1)) + random.normal(0, 0.03, (30, 6, 1)))
    sd = random.uniform(2_000, 20_000, shape)
    direct = truth + sd * random.normal(0, 1, shape)
    direct[random.random(shape) < 0.1] = np.nan
    model, left = modelled_earnings(direct, sd, np.full(shape, 100.0))
    known = np.isfinite(direct)
    assert np.abs(model - truth)[known].mean() < 0.45 * np.abs(direct - truth)[known].mean()
    assert np.isfinite(model).all()
    assert np.abs(model / truth - 1)[~known].mean() < 0.08
    assert (np.abs(model - truth) <= 1.96 * left).mean() > 0.85


def test_that_margins_of_the_histogram_hold_the_truth() -> None:
    """Counts to their word; means and percentiles, which are formulas to first order, at least in 85 of 100."""
    random = np.random.default_rng(6)
    data = hand_made.prepared()
    layout = replace(data.layout, institution=Listed(name="i", values=tuple(map(str, range(40)))), titles=())
    rows, people = layout.rows, 150
    pay = np.sort(random.lognormal(10.7, 0.5, (rows, people)).clip(0, 250_000).astype(np.int64), axis=1)
    large = replace(
        data, layout=layout, cap=250_000, count=Confidential(np.full(rows, people)),
        pay=Confidential(pay.reshape(-1)),
    )  # fmt: skip
    params = history_histogram.HistoryHistogramParams(epsilon=Epsilon("3"), planned=people)
    drawn = [history_histogram.SPEC.study(large, params, StudyRandom(s), QUIET).reveal().values for s in range(6)]
    off = np.abs(np.stack(drawn)[:, :, :5] - large.truth.reveal()[:, :5])
    held = (off <= np.stack(drawn)[:, :, 5:] + 0.5).mean(axis=(0, 1))
    assert 0.92 < held[0] < 0.98
    assert (held[1:] > 0.85).all()


def drawn_sums(random: np.random.Generator, people: np.ndarray, share: np.ndarray, sd: float, shared: float) -> Cells:
    """Counts and means of two sectors × years from four noisy sums a year, equally correlated, as one draw has them."""
    sums = np.stack([people * share, people * (1 - share)], axis=-1)  # … × sectors × years × 2
    spread = np.linalg.cholesky((1 - shared) * np.eye(4) + shared)
    noise = random.normal(0, sd, (*people.shape[:-2], people.shape[-1], 4)) @ spread.T
    noisy = sums + noise.reshape(*people.shape[:-2], people.shape[-1], 2, 2).swapaxes(-2, -3)
    count = noisy.sum(axis=-1)
    p = noisy[..., 0] / count
    mean_sd = CAP * sd * np.sqrt((1 - p) ** 2 + p**2 - 2 * shared * p * (1 - p)) / count
    return Cells(
        count=count, count_sd=np.full(people.shape, sd * np.sqrt(2 + 2 * shared)), mean=CAP * p, mean_sd=mean_sd,
        model=CAP * share, left=np.zeros(people.shape), people=people,
    )  # fmt: skip


def test_that_a_known_mean_takes_the_foreseen_part_of_the_noise_out_of_a_count() -> None:
    """Best linear weights of the four sums of a year, worked out apart, give the variance that is reached and told."""
    random, sd, shared = np.random.default_rng(8), 10.0, -0.135
    people, share = np.full((4000, 2, 3), 900.0), np.broadcast_to(np.array([[0.2], [0.3]]), (4000, 2, 3))
    cells = drawn_sums(random, people, share, sd, shared)
    counts = 2 * shared / (1 + shared)  # the correlation of two counts of a year
    better, told = steadied(cells, CAP, counts)
    law = sd**2 * ((1 - shared) * np.eye(4) + shared)
    design = np.array([[0.2, 0], [0.8, 0], [0, 0.3], [0, 0.7]])
    best = np.sqrt(np.diag(np.linalg.inv(design.T @ np.linalg.inv(law) @ design)))
    for sector in range(2):
        off = better[:, sector] - people[:, sector]
        assert abs(off.mean()) < 0.5
        assert off.std() == pytest.approx(best[sector], rel=0.03)
        assert told[:, sector].mean() == pytest.approx(best[sector], rel=0.02)
        assert off.std() < 0.95 * (cells.count - people)[:, sector].std()


def test_that_unknown_means_and_small_counts_are_left_as_they_are() -> None:
    people = np.full((5, 2, 3), 2.0)
    cells = drawn_sums(np.random.default_rng(9), people, np.full(people.shape, 0.25), 10.0, 0.0)
    better, told = steadied(cells, CAP, 0.0)
    assert np.array_equal(better, cells.count)
    assert told == pytest.approx(cells.count_sd)
    gone = replace(cells, mean=np.full(people.shape, np.nan), people=people * 100, count=cells.count + 198)
    assert np.array_equal(steadied(gone, CAP, -0.2)[0], gone.count)


def test_that_the_cap_is_read_from_the_published_sums_and_only_there() -> None:
    data = hand_made.prepared()
    sums = history.SPEC.study(data, history.HistoryParams(epsilon=Epsilon("50")), StudyRandom(3), QUIET).reveal()
    table = SPEC.public_table(data, sums)
    found = published_cap(table, table.units("mean_earnings").numbers())
    assert found == pytest.approx(hand_made.CAP, rel=0.001)
    assert published_cap(replace(table, beside=None), table.units("mean_earnings").numbers()) is None
    assert set(modelled(table).values) == {"count", "mean_earnings"}


def held(table: Published, truth: np.ndarray) -> dict[str, float]:
    """Share of cells with somebody whose margin, as it is published, holds the truth."""
    found, there = modelled(table), truth[:, 0] > 0
    return {
        name: float((np.abs(np.rint(value) - truth[:, place]) <= np.rint(found.margins[name]))[there].mean())
        for place, name in enumerate(NAMES)
        if (value := found.values.get(name)) is not None
    }


@pytest.mark.parametrize("mechanism", [history, history_histogram], ids=lambda each: each.SPEC.id)
def test_that_intervals_hold_where_few_institutions_and_years_are_published(mechanism: Any) -> None:
    """Three institutions, one sector and three years: little to pool, and noise of years that moves together."""
    random, data = np.random.default_rng(12), hand_made.prepared()
    listed = [Listed(name=name, values=("1", "2", "3")) for name in ("institution", "title", "year")]
    layout = replace(data.layout, institution=listed[0], titles=(listed[1],), sectors=(), year=listed[2])
    shares = []
    for seed in range(4):
        people = np.repeat(random.integers(80, 400, 9), 3)
        level = 10.6 + np.repeat(random.normal(0, 0.1, 3), 9) + np.tile(np.repeat([-0.2, 0.0, 0.2], 3), 3)
        pay = [np.sort(np.exp(mean + random.normal(0, 0.45, n))) for mean, n in zip(level, people, strict=True)]
        cells = replace(
            data, layout=layout, cap=250_000, count=Confidential(people),
            pay=Confidential(np.concatenate(pay).clip(0, 250_000).astype(np.int64)),
        )  # fmt: skip
        params = mechanism.SPEC.params(epsilon=Epsilon("2"))
        drawn = mechanism.SPEC.study(cells, params, StudyRandom(seed), QUIET).reveal()
        shares.append(held(SPEC.public_table(cells, drawn), cells.truth.reveal()))
    assert len(shares[0]) == (5 if mechanism is history_histogram else 2)
    assert all(np.mean([each[name] for each in shares]) > 0.88 for name in shares[0])


def test_that_the_estimate_is_the_best_linear_one_of_all_values_together() -> None:
    """A second route: one large system with a prior of endless width where nothing is known."""
    random = np.random.default_rng(13)
    shape = (3, 2, 2, 3)  # institutions, blocks, cells, years
    load, same_year, between = random.uniform(0.02, 0.1, shape), -0.2, 0.3
    lasting = random.uniform(0.05, 0.2, shape)
    values = earnings.Deviations(
        value=random.normal(0, 0.2, shape), noise=random.uniform(0.02, 0.05, shape),
        each=1.0 / random.uniform(5, 50, shape), lasting=lasting,
        shared=earnings.Shared(load=load, same_year=same_year, between=between),
    )  # fmt: skip
    logs = np.log([0.1, 0.05, 0.3, 0.04, 0.2, 0.07, 0.2])
    a, b, s, g, h, k, v = np.exp(logs)
    i, block, cell, t = (each.reshape(-1) for each in np.indices(shape))
    same = [each[:, None] == each[None, :] for each in (i, block, cell, t)]
    together = same[1] & same[2]
    each, root = same[0] & together, np.sqrt(values.each.reshape(-1))
    staying = (1 - v) ** np.abs(t[:, None] - t)
    own = each * (b**2 + s**2 * np.outer(root, root) * staying) + np.diag(g**2 + h**2 * root**2)
    prior = own + a**2 * same[0] + together * 1e2 + same[3] * 1e2 + k**2 * (together & same[3])
    shared = same[0] & same[1] & ~np.eye(i.size, dtype=bool)
    outer = np.outer(load.reshape(-1), load.reshape(-1))
    noise = np.diag(values.noise.reshape(-1)) + shared * outer * np.where(same[3], same_year, between)
    noise += each * staying * np.outer(lasting.reshape(-1), lasting.reshape(-1))
    gain = prior @ np.linalg.inv(prior + noise)
    estimate, variance = earnings._estimated(values, earnings._solved(values, logs))
    assert estimate.reshape(-1) == pytest.approx(gain @ values.value.reshape(-1), abs=1e-4)
    assert variance.reshape(-1) == pytest.approx(np.diag(prior - gain @ prior), rel=1e-3, abs=1e-6)


def test_that_averaging_finds_the_moments_of_sizes_that_only_matter_together() -> None:
    """A normal posterior whose two logarithms are correlated, and one that falls off to one side only."""
    spread = np.array([[0.16, 0.1], [0.1, 0.09]])
    inverse = np.linalg.inv(spread)
    low, high = np.full(2, -9.0), np.full(2, 9.0)
    found = likely_sizes(lambda logs: float(-0.5 * logs @ inverse @ logs), np.zeros(2), low, high)
    mean = sum(each.weight * each.logs for each in found)
    second = sum(each.weight * np.outer(each.logs, each.logs) for each in found)
    assert mean == pytest.approx(np.zeros(2), abs=0.05)
    assert second == pytest.approx(spread, abs=0.02)
    size = likely_sizes(lambda logs: float(logs[0] - np.exp(logs[0])), np.zeros(1), low[:1], high[:1])
    assert sum(each.weight * np.exp(each.logs[0]) for each in size) == pytest.approx(1.0, abs=0.05)  # exponential law
    assert all((each.logs <= 0.5).all() for each in likely_sizes(lambda _: 0.0, np.zeros(2), low, np.full(2, 0.5)))


def test_that_estimates_that_differ_widen_the_interval() -> None:
    estimate, variance = averaged([(0.5, np.array([1.0]), np.array([2.0])), (0.5, np.array([3.0]), np.array([4.0]))])
    assert (estimate.tolist(), variance.tolist()) == ([2.0], [4.0])


def test_that_the_correlation_within_a_block_is_that_of_drawn_noise() -> None:
    data = hand_made.prepared()  # two sectors, two years
    table = SPEC.public_table(
        data, history.SPEC.study(data, history.HistoryParams(epsilon=Epsilon("1")), StudyRandom(1), QUIET).reveal()
    )
    alone, together, apart = possible(table, 2, 2)
    law = block_law(data, Fraction(1), each=2)
    noise = noise_of_blocks(law, 8_000, 2, StudyRandom(4), QUIET).sum(axis=-1)  # blocks × sectors × years
    drawn = np.corrcoef(noise.reshape(-1, 4).T)
    assert drawn[0, 2] == pytest.approx(together.same_year, abs=0.04)
    assert drawn[0, 1] == pytest.approx(together.same_cell, abs=0.04)
    assert drawn[0, 3] == pytest.approx(together.neither, abs=0.04)
    assert (alone.same_year, alone.neither) == (0.0, 0.0)
    assert apart == NONE
    single = noise_of_blocks(law, 8_000, 2, StudyRandom(5), QUIET).transpose(0, 2, 1, 3).reshape(-1, 8)
    drawn = np.corrcoef(single.T)  # years × cells × coordinates
    assert drawn[0, 1] == pytest.approx(together.coordinates, abs=0.04)
    assert drawn[0, 2] == pytest.approx(together.coordinates, abs=0.04)
    assert drawn[0, 4] == pytest.approx(together.coordinates_between, abs=0.04)
    assert drawn[0, 6] == pytest.approx(together.coordinates_between, abs=0.04)
    counts = history.HistoryParams(epsilon=Epsilon("1"), statistics=history.Statistics.COUNT)
    assert (
        possible(SPEC.public_table(data, history.SPEC.study(data, counts, StudyRandom(1), QUIET).reveal()), 2, 2)[-1]
        == NONE
    )


def kept_programme(random: np.random.Generator) -> Any:
    """16 institutions, two titles, three sectors, eight years: the same people in all years until they leave."""
    data = hand_made.prepared()
    listed = {
        name: Listed(name=name, values=tuple(str(place) for place in range(many)))
        for name, many in (("institution", 16), ("title", 2), ("sector", 3), ("year", 8))
    }
    layout = replace(
        data.layout, institution=listed["institution"], titles=(listed["title"],), sectors=(listed["sector"],),
        year=listed["year"],
    )  # fmt: skip
    count, pay = [], []
    for _ in range(16):
        size, level = random.lognormal(3.3, 1.0), 10.9 + random.normal(0, 0.1)
        for title, sector in np.ndindex(2, 3):
            own = level + 0.2 * title + 0.1 * sector + random.normal(0, 0.45, 1 + random.poisson(size))
            stays = random.geometric(0.05, len(own))
            for year in range(8):
                here = own[stays > year]
                count.append(len(here))
                pay.append(np.sort(np.exp(here + 0.03 * year + random.normal(0, 0.12, len(here)))))
    return replace(
        data, layout=layout, cap=250_000, count=Confidential(np.array(count)),
        pay=Confidential(np.concatenate(pay).clip(0, 250_000).astype(np.int64)),
    )  # fmt: skip


@pytest.mark.parametrize("mechanism", [history, history_histogram], ids=lambda each: each.SPEC.id)
def test_that_margins_hold_in_every_size_class_also_at_a_small_epsilon(mechanism: Any) -> None:
    """Ratios of noisy sums held 91 of 100 here where cells are below 100 people, and means of bins 86 in large ones."""
    random, held_in = np.random.default_rng(21), {name: np.zeros((3, 2)) for name in NAMES[:2]}
    for seed in range(3):
        cells = kept_programme(random)
        truth = cells.truth.reveal()
        drawn = mechanism.SPEC.study(cells, mechanism.SPEC.params(epsilon=Epsilon("1")), StudyRandom(seed), QUIET)
        found = modelled(SPEC.public_table(cells, drawn.reveal()))
        for place, name in enumerate(NAMES[:2]):
            inside = np.abs(np.rint(found.values[name]) - truth[:, place]) <= np.rint(found.margins[name])
            for which, (low, high) in enumerate(((5, 19), (20, 99), (100, 10**6))):
                there = (truth[:, 0] >= low) & (truth[:, 0] <= high) & np.isfinite(found.margins[name])
                held_in[name][which] += inside[there].sum(), there.sum()
        some = np.isnan(found.margins["mean_earnings"])
        assert 0.02 < some.mean() < 0.6
        assert (found.values["count"] - found.margins["count"] / 1.96 < 5.0)[some].all()
        assert np.isfinite(found.values["mean_earnings"]).all()
    assert all((held[:, 0] / held[:, 1] > 0.93).all() for held in held_in.values())


def test_that_people_are_expected_where_noise_leaves_fewer_than_none() -> None:
    """A second route: the moments of a normal law cut off at half a person, by many draws."""
    random = np.random.default_rng(22)
    people, sd = np.array([-4.0, 3.0, 40.0]), np.array([6.0, 5.0, 4.0])
    found = expected(people, sd)
    for place in range(3):
        drawn = random.normal(people[place], sd[place], 400_000)
        drawn = np.maximum(drawn[drawn > 0.5], 1.0)
        assert found.number[place] == pytest.approx(drawn.mean(), rel=0.03)
        assert found.inverse[place] == pytest.approx((1.0 / drawn).mean(), rel=0.03)


def test_that_bins_are_worth_what_pay_around_them_says() -> None:
    """Log-normal pay: mean pay within inner bins is found to a third of the error of an even spread."""
    random = np.random.default_rng(23)
    pay = np.exp(random.normal(11.0, 0.5, 400_000))
    edges = np.exp(np.linspace(9.8, 12.2, 7))
    pay = pay[(pay > edges[0]) & (pay < edges[-1])]
    people, _ = np.histogram(pay, edges)
    true = np.histogram(pay, edges, weights=pay)[0] / people
    found = worth(edges, people[None, :].astype(np.float64), np.zeros(1, dtype=np.int64))
    flat = flat_means(edges)
    inner = slice(1, -1)
    assert (np.abs(found.mean[0] - true)[inner] < 0.35 * np.abs(flat - true)[inner] + 1e-3 * true[inner]).all()
    assert found.mean[0, [0, -1]].tolist() == pytest.approx(flat[[0, -1]].tolist())
    assert abs((people * (found.mean[0] - true)).sum() / people.sum()) < found.alike[0]
