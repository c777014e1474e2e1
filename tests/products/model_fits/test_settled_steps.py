"""From which private step on the mean is taken: steps on their way are left out, settled ones are not."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.products.model_fits.mechanisms.settled_steps import settled_steps

_H = np.array([[40.0, 6.0], [6.0, 25.0]])


def steps(copies: int, way: list[float], spread: float = 3.0) -> np.ndarray:
    """Eight steps around 0 with noise of their own, moved along both coefficients by what is left of the way."""
    noise = np.random.default_rng(4).normal(0.0, spread, (8, copies, 2))
    landed: np.ndarray = np.einsum("ij,tcj->tci", np.linalg.inv(_H), noise)
    return landed + np.array(way)[:, None, None]


def found(visited: np.ndarray, spread: float = 3.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    copies = visited.shape[1]
    made = settled_steps(visited, np.broadcast_to(_H, (copies, 2, 2)), np.full(copies, spread))
    return made.mean, made.averaged, made.settled


def test_that_settled_steps_are_averaged_from_the_third_on_in_all_but_one_in_twenty() -> None:
    mean, averaged, settled = found(steps(20_000, [0.0] * 8))
    # χ² with two degrees exceeds 2 + 1.64·2 in 7.1 of 100 cases
    assert np.mean(averaged == 6) == pytest.approx(np.exp(-0.5 * (2 + 1.64 * 2)) * -1 + 1, abs=0.006)
    assert settled.mean() > 0.999
    assert np.abs(mean.mean(axis=0)).max() < 0.005


def test_that_steps_on_their_way_are_left_out_and_the_mean_is_not_pulled() -> None:
    way = [4.0, 3.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    visited = steps(2000, way)
    mean, averaged, settled = found(visited)
    assert np.mean(averaged <= 4) > 0.99
    assert settled.mean() > 0.99
    assert np.abs(mean.mean(axis=0)).max() < 0.02
    assert np.abs(visited[2:].mean(axis=(0, 1))).min() > 0.4, "the plain mean of six steps is pulled"


def test_that_steps_that_never_settle_are_averaged_from_the_third_on_and_told() -> None:
    visited = steps(50, [4.0, -4.0] * 4)
    mean, averaged, settled = found(visited)
    assert not settled.any()
    assert (averaged == 6).all()
    assert mean == pytest.approx(visited[2:].mean(axis=0))


def test_that_every_copy_is_judged_by_itself() -> None:
    still, moving = steps(3, [0.0] * 8), steps(3, [9.0, 9.0, 9.0, 9.0, 0.0, 0.0, 0.0, 0.0])
    together = found(np.concatenate([still, moving], axis=1))
    for part, alone in ((slice(0, 3), found(still)), (slice(3, 6), found(moving))):
        for whole, each in zip(together, alone, strict=True):
            assert np.array_equal(whole[part], each)
