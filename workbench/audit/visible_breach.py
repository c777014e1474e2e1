"""The smallest breach that pooled events would see, from the laws themselves and not from draws.

If the noise were c times what is declared, the event of suspected share c₀ has probabilities p and q under two
neighbours, and Z is about √N·(p − e^ε·q)/√(p(1−p) + e^{2ε}·q(1−q)). The smallest c for which some event's Z passes the
level by 1.645 is seen with probability 0.95; what it loses is the smallest visible breach. An event that no output can
meet is no test: which these are is known beforehand, and the risk of a false alarm is shared by the others.
"""

from __future__ import annotations

import math

import numpy as np

from workbench.audit.pooled_events import DIRECTIONS, SUSPECTED, TESTS, WatchedPair, critical
from workbench.core.arrays import Floats
from workbench.noise.declared.pairs import shifted
from workbench.noise.declared.scalar import Rounded
from workbench.noise.declared.shapes import Shape, below

_POWER = 1.645
_GRID = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 4000)])
_WEAKEST, _CLOSE = 0.2, 1e-4  # shares of the noise


def event(shape: Shape, *, shift: float, ratio: float, suspected: float, epsilon: float, grown: bool) -> list[Floats]:
    """Intervals of outputs, in units of the smaller noise, that tell by more than ε with noise `suspected` times it."""
    u = np.unique(np.concatenate([-_GRID, _GRID, shift - _GRID, shift + _GRID]))

    def telling(at: Floats) -> Floats:
        log = (
            shape.log_density(at / suspected) - shape.log_density((at - shift) / (suspected * ratio)) + math.log(ratio)
        )
        return (-log if grown else log) - epsilon

    inside = telling(u) > 0.0
    turns = np.flatnonzero(np.diff(inside.astype(int)))
    edges = [-np.inf] if inside[0] else []
    for place in turns:
        low, high = u[place], u[place + 1]
        for _ in range(60):
            middle = (low + high) / 2.0
            same = bool(telling(np.array([middle]))[0] > 0.0) == bool(inside[place])
            low, high = (middle, high) if same else (low, middle)
        edges.append(float(low))
    edges += [np.inf] if inside[-1] else []
    return [np.array(edges[i : i + 2]) for i in range(0, len(edges), 2)]


def possible_tests(pairs: tuple[WatchedPair, ...], epsilon: float) -> tuple[tuple[str, float], ...]:
    """Of the six those whose event some output of some pair could meet, by the laws alone; all where none could."""
    found = tuple(test for test in TESTS if any(_can_happen(pair, test, epsilon) for pair in pairs))
    return found or tuple(TESTS)


def _can_happen(pair: WatchedPair, test: tuple[str, float], epsilon: float) -> bool:
    known = step_of(pair)
    if known is None:
        return True
    shape, shift, ratio = known
    grown = (test[0] == DIRECTIONS[0]) == (float(pair.laws[0].scale[0]) >= float(pair.laws[1].scale[0]))  # type: ignore[attr-defined]
    return bool(event(shape, shift=shift, ratio=ratio, suspected=test[1], epsilon=epsilon, grown=grown))


def step_of(pair: WatchedPair) -> tuple[Shape, float, float] | None:
    """Shape, shift in units of the smaller noise and ratio of scales, where one value of continuous noise is drawn."""
    first, second = pair.laws
    if not (isinstance(first, Rounded) and isinstance(second, Rounded)) or len(first) != pair.copies:
        return None
    small, large = sorted((float(first.scale[0]), float(second.scale[0])))
    return first.shape, abs(int(first.center[0]) - int(second.center[0])) / small, large / small


def chances(
    shape: Shape, intervals: list[Floats], *, shift: float, ratio: float, true: float, grown: bool
) -> tuple[float, float]:
    """p and q of the event where the noise is really `true` times what is declared."""
    first = sum(float(np.diff(_upto(shape, ends / true))[0]) for ends in intervals)
    second = sum(float(np.diff(_upto(shape, (ends - shift) / (true * ratio)))[0]) for ends in intervals)
    return (second, first) if grown else (first, second)


def _upto(shape: Shape, z: Floats) -> Floats:
    found: Floats = np.where(np.isinf(z), z > 0, below(shape, np.where(np.isinf(z), 0.0, z)))
    return found


def expected_z(p: float, q: float, epsilon: float, draws: int) -> float:
    odds = math.exp(epsilon)
    return math.sqrt(draws) * (p - odds * q) / math.sqrt(max(p * (1 - p) + odds**2 * q * (1 - q), 1e-300))


def smallest_visible(
    shape: Shape, *, shift: float, ratio: float, epsilon: float, draws: int, risk: float
) -> float | None:
    """The loss, over ε, of the weakest noise that would be seen in 19 of 20 runs; None where even a fifth is not."""
    limit = critical(risk) + _POWER
    known = [
        (event(shape, shift=shift, ratio=ratio, suspected=suspected, epsilon=epsilon, grown=grown), grown)
        for suspected in SUSPECTED
        for grown in (True, False)
    ]

    def seen(share: float) -> bool:
        return any(
            expected_z(*chances(shape, intervals, shift=shift, ratio=ratio, true=share, grown=grown), epsilon, draws)
            >= limit
            for intervals, grown in known
            if intervals
        )

    low, high = _WEAKEST, 1.0
    if not seen(low):
        return None
    while high - low > _CLOSE:
        middle = (low + high) / 2.0
        low, high = (middle, high) if seen(middle) else (low, middle)
    one = np.ones(1)
    loss, _ = shifted(shape, shift * one / low, (one, ratio * one), epsilon)
    return float(loss[0]) / epsilon
