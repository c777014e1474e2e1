"""Recipe B, second half: seven tests of what was drawn, with levels that add up to less than half a percent.

These are the levels of a mechanism with one answer. With several, each is divided by their number, so that honest noise
of forty variables fails no more often than that of one.

Scale, pooled (two-sided 0.0005) and for every kind of cell and every size (beyond 5.2 standard errors); place (0.0005);
shape by χ² over 64 bins (0.0005); tails of one in 100, 1,000 and 10,000 by the binomial law (0.0005 in all), and
nothing seen where 6.67 were expected (0.0013); remainders by 2, 3, 5 and 10 (0.0005 in all); independence of sums over
calls and of neighbours, copies and calls (0.0005 in all).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.audit.declared_law.draws import MODULI, Pool
from workbench.audit.declared_law.trial import Trial
from workbench.core.arrays import Floats, Integers

LEVEL = 0.0005
_GROUP = 5.2
_BINS = 64
_TAILS = (1e-2, 1e-3, 1e-4)
_NONE_SEEN = 6.67
_FEWEST_OF_A_KIND = 100  # draws: the law of large numbers holds 5.2 standard errors out for no fewer
_FEWEST = 5.0  # expected in a class of a χ² test


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """One test: its name, its statistic or p-value in words, and whether it failed."""

    name: str
    said: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Of one answer: the tests, and the size of the noise as a share of what was declared, with twice its error."""

    tests: tuple[Tested, ...]
    scale: float
    error: float
    draws: int

    @property
    def failed(self) -> tuple[Tested, ...]:
        return tuple(test for test in self.tests if test.failed)

    def confirming(self, earlier: Judgement | None) -> Judgement:
        """A test fails for good where it failed on the earlier draws too."""
        before = set() if earlier is None else {test.name for test in earlier.failed}
        tests = (replace(test, failed=test.failed and test.name in before) for test in self.tests)
        return replace(self, tests=tuple(tests))


def judged(pool: Pool, trial: Trial, calls: int = 1, answers: int = 1) -> Judgement:
    """`calls` is how often the mechanism released: an answer may be asked for several times in each.

    `answers` is how many are judged in all, which share the risk of a false alarm.
    """
    level = LEVEL / answers
    evidence = pool.evidence
    uniform, scale, about_scale, place, about_place = (
        np.concatenate([getattr(part, name) for part in evidence])
        for name in ("uniform", "scale", "scale_information", "place", "place_information")
    )
    total, information = float(scale.sum()), float(about_scale.sum())
    tests = [
        _score("scale", scale, about_scale, level),
        *_groups(pool, trial, scale, about_scale),
        _score("place", place, about_place, level),
        _shape(uniform, level),
        *_tails(uniform, level),
        *_lattice(pool, level),
        *_independence(pool, trial, uniform, calls, level),
    ]
    log_scale, error = total / max(information, 1e-300), 2.0 / math.sqrt(max(information, 1e-300))
    return Judgement(
        tests=tuple(tests), scale=math.exp(max(min(log_scale, 50.0), -50.0)), error=error, draws=len(uniform)
    )


def _score(name: str, score: Floats, information: Floats, level: float) -> Tested:
    z = float(_errors(score.sum(), information.sum(), (score**2).sum()))
    return Tested(name=name, said=f"z = {z:.2f}", failed=_two_sided(z) < level)


def _errors(total: Any, expected: Any, seen: Any) -> Any:
    """Sums of scores in standard errors, by the larger of the expected and the seen squares.

    Both are the same where many draws tell something. Where noise is nearly always rounded to nothing a single draw can
    hold more than all that was expected: it then counts as the one draw that it is, and none at all as what was missed.
    """
    return total / np.sqrt(np.maximum(np.maximum(expected, seen), 1e-300))


def _two_sided(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2.0))


def _groups(pool: Pool, trial: Trial, scale: Floats, information: Floats) -> list[Tested]:
    """The scale of every kind of cell and of every size, where all calls had the same cells."""
    labels = {"scale by kind of cell": trial.kind, "scale by size": trial.size}
    if not pool.fixed:
        return []
    found = []
    for name, label in labels.items():
        group = np.tile(_per_draw(label, len(pool.evidence[0].uniform)), len(pool.evidence))
        z = _errors(*(np.bincount(group, values) for values in (scale, information, scale**2)))
        z = z[np.bincount(group) >= _FEWEST_OF_A_KIND]
        worst = float(np.abs(z).max(initial=0.0))
        said = f"largest |z| = {worst:.2f} of {len(z):,}" if len(z) else "too few draws of any"
        found.append(Tested(name=name, said=said, failed=worst > _GROUP))
    return found


def _per_draw(label: Integers, draws: int) -> Integers:
    """The label of each draw; a block that is several independent draws gives all of them its own."""
    return np.repeat(label, draws // len(label))


def _shape(uniform: Floats, level: float) -> Tested:
    bins = max(2, min(_BINS, len(uniform) // 10))
    seen = np.bincount(np.minimum((uniform * bins).astype(np.int64), bins - 1), minlength=bins)
    return _chi("shape", seen.astype(np.float64), np.full(bins, len(uniform) / bins), level)


def _chi(name: str, seen: Floats, expected: Floats, level: float) -> Tested:
    from scipy.special import chdtrc

    order = np.argsort(expected)
    seen, expected = seen[order], expected[order]
    few = int(np.searchsorted(np.cumsum(expected), _FEWEST)) + 1 if expected[0] < _FEWEST else 0
    if few:
        seen, expected = (np.append(values[few:], values[:few].sum()) for values in (seen, expected))
    if len(seen) < 2 or expected.min() <= 0.0:
        return Tested(name=name, said="too few classes", failed=False)
    statistic = float(((seen - expected) ** 2 / expected).sum())
    p = float(chdtrc(len(seen) - 1, statistic))
    return Tested(name=name, said=f"χ² = {statistic:.0f} in {len(seen)} classes", failed=p < level)


def _tails(uniform: Floats, level: float) -> list[Tested]:
    from scipy.special import bdtr, bdtrc

    draws, found = len(uniform), []
    away = np.abs(uniform - 0.5)
    for q in _TAILS:
        hits = int(np.count_nonzero(away > (1.0 - q) / 2.0))
        p = 2.0 * min(float(bdtr(hits, draws, q)), float(bdtrc(hits - 1, draws, q)) if hits else 1.0)
        said = f"{hits:,} where {draws * q:,.0f} are expected"
        found.append(Tested(name=f"tail of 1 in {round(1 / q):,}", said=said, failed=p < level / len(_TAILS)))
    q = min((_NONE_SEEN + math.log(LEVEL / level)) / draws, 1.0)
    none = not np.any(away > (1.0 - q) / 2.0)
    found.append(Tested(name="farthest tail", said="none seen" if none else "seen", failed=none))
    return found


def _lattice(pool: Pool, level: float) -> list[Tested]:
    return [
        _chi(f"remainders by {modulus}", pool.seen[modulus], pool.expected[modulus], level / len(MODULI))
        for modulus in MODULI
        if pool.expected[modulus].sum() > 0.0
    ]


def _independence(pool: Pool, trial: Trial, uniform: Floats, calls: int, level: float) -> list[Tested]:
    """Sums over times that an answer was asked for, and products of neighbours, of copies, of times and of releases."""
    from scipy.special import chdtrc

    g = math.sqrt(12.0) * (uniform - 0.5)
    products: list[tuple[str, NDArray[np.float64]]] = [("neighbours", g[1:] * g[:-1])]
    sums = []
    if len({len(part.uniform) for part in pool.evidence}) == 1:
        times = g.reshape(len(pool.evidence), -1)
        sums.append((float((times.sum(axis=1) ** 2).sum() / times.shape[1]), len(times)))
        apart, in_one = times.shape[1] // trial.copies, len(times) // calls
        if 0 < apart < times.shape[1]:
            products.append(("copies", (times[:, apart:] * times[:, :-apart]).ravel()))
        products.append(("calls", (times[1:] * times[:-1]).ravel()))
        if in_one > 1:
            products.append(("releases", (times[in_one:] * times[:-in_one]).ravel()))
    products = [(name, product) for name, product in products if len(product) > 1]
    level = level / max(len(sums) + len(products), 1)
    tests = []
    for statistic, many in sums:
        p, said = float(chdtrc(many, statistic)), f"χ² = {statistic:.0f} with {many} calls"
        tests.append(Tested(name="independence over calls", said=said, failed=p < level / 2.0 or 1.0 - p < level / 2.0))
    for name, product in products:
        z = float(product.sum() / math.sqrt(len(product)))
        tests.append(Tested(name=f"independence of {name}", said=f"z = {z:.2f}", failed=_two_sided(z) < level))
    return tests
