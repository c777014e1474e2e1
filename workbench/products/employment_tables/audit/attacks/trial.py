"""Run every attack on one published table and count who is exposed, judged by the truth.

An attacker answers where, under noise infusion, the answer would be certain to the asked closeness: rounding and
redrawn small cells leave no more room. So every answer is right on current SDL, and how often the same answers
are right on another table shows whether anybody could rely on them there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.core.arrays import Bools, Floats, Integers
from workbench.core.progress import Context, Part
from workbench.products.employment_tables.audit.attacks import permitted
from workbench.products.employment_tables.audit.attacks.known_cell import shares, size_bounds
from workbench.products.employment_tables.audit.attacks.lone_holder import lone_holders, named_columns
from workbench.products.employment_tables.audit.attacks.nothing_known import FactorRange, sizes_left, sizes_left_rounded
from workbench.products.employment_tables.audit.attacks.scene import Scene
from workbench.products.employment_tables.noise_infusion import SMALL_CELL_LIMIT

_LONGEST_SEARCH = 500  # largest smallest count for which integer ratios are looked for
_ROUNDING = 1e-9


class Attack(StrEnum):
    READ = "size, from the published count"
    SHAPE = "shape"
    KNOWN = "size, with one count known"
    UNKNOWN = "size, with no prior knowledge"
    WORKERS = "workers' attributes"


class KnownCell(StrEnum):
    LARGEST = "largest"
    SMALLEST = "smallest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When an answer counts as right, and what a formal guarantee would permit."""

    factors: FactorRange
    known: KnownCell
    tolerance: float
    few: int
    alpha: float
    epsilon: float
    delta: float
    promised: frozenset[Attack] = frozenset(Attack)  # what the claim protects against


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome:
    """One attack on one table. `places` are the workplace cells where the answer is right.

    `judged_right` of the right answers are about establishments large enough to judge; of the answers about those
    `permitted` may be right, chance included. The bound holds for every published value, so answers may be picked.
    """

    attack: Attack
    tried: int = 0
    answered: int = 0
    right: int = 0
    judged_right: int = 0
    permitted: float = 0.0
    establishments: int = 0
    workers: int = 0
    places: Integers
    why_not: str = ""  # why the attack does not apply to this table, where it does not

    @property
    def reliable(self) -> float:
        """Share of the answers that are right: what an attacker can count on."""
        return self.right / self.answered if self.answered else 0.0

    @property
    def beyond(self) -> bool:
        """More right answers than permitted."""
        return self.judged_right > self.permitted


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Answers:
    """Per establishment that is alone: tried, answered, right, and the chance of a right guess beforehand."""

    tried: Bools
    answered: Bools
    right: Bools
    prior: Floats
    wide: Bools  # large enough to judge
    steps: int = 1  # neighbour steps between two candidates


def run_attacks(scene: Scene, published: Floats, rules: Rules, *, exact: bool, context: Context) -> tuple[Outcome, ...]:
    """All attacks on one table; `exact` where its values are published unrounded."""
    table = scene.rows(published)
    own = table[scene.alone]
    context.step(0.0, "attack: sizes and shapes")
    single = scene.counts.shape[1] < 2
    found = [_counted(Attack.READ, scene, _read(scene, own, rules), rules)]
    if single:
        found.append(_not_applied(Attack.SHAPE, "the table has no worker attributes, so it shows no shape"))
        found.append(_not_applied(Attack.KNOWN, "the table has no worker attributes: the one count is the size itself"))
    else:
        found.append(_counted(Attack.SHAPE, scene, _shape(scene, own, rules, exact=exact), rules))
        found.append(_counted(Attack.KNOWN, scene, _known(scene, own, rules, exact=exact), rules))
    unknown = _unknown(scene, own, rules, exact=exact, context=Part(context, 0.1, 0.8))
    found.append(_counted(Attack.UNKNOWN, scene, unknown, rules))
    context.step(0.8, "attack: attributes of single workers")
    found.append(_workers(scene, table, rules))
    context.step(1.0, "attacks done")
    return tuple(found)


def _read(scene: Scene, own: Floats, rules: Rules) -> _Answers:
    """The published total, taken for the size. The gap around 1 is there to make exactly this wrong.

    Tried on establishments with enough neighbouring sizes: a tiny one is guessed without any table.
    """
    size, guess = scene.own.sum(axis=1), own.sum(axis=1)
    tried = permitted.wide_window(size, alpha=rules.alpha)
    return _sized(size, guess, tried=tried, answered=tried & (guess > 0), rules=rules)


def _known(scene: Scene, own: Floats, rules: Rules, *, exact: bool) -> _Answers:
    true, size = scene.own, scene.own.sum(axis=1)
    known = _known_cells(true, rules.known)
    value = np.take_along_axis(true, known[:, None], axis=1)[:, 0]
    tried = (value > SMALL_CELL_LIMIT) & (value < size)  # somebody who knows the only count needs no attack
    low, high = size_bounds(own, known, value, exact=exact)
    guess = (low + high) / 2.0
    answered = tried & (high - low <= 2.0 * rules.tolerance * low)  # false where they are not numbers
    return _sized(size, guess, tried=tried, answered=answered, rules=rules)


def _sized(size: Integers, guess: Floats, *, tried: Bools, answered: Bools, rules: Rules) -> _Answers:
    distance = np.abs(np.where(answered, guess, np.inf) - size)
    return _Answers(
        tried=tried,
        answered=answered,
        right=distance <= rules.tolerance * size * (1.0 + _ROUNDING),
        prior=permitted.size_prior(size, tolerance=rules.tolerance, alpha=rules.alpha),
        wide=tried & permitted.wide_window(size, alpha=rules.alpha),
    )


def _shape(scene: Scene, own: Floats, rules: Rules, *, exact: bool) -> _Answers:
    """Answered where no cell was redrawn and rounding moves no share by more than the tolerance, relative to itself."""
    true = scene.own
    shown, real = shares(own), true / true.sum(axis=1, keepdims=True)
    clean = ((own > SMALL_CELL_LIMIT) | (own == 0)).all(axis=1)
    total, smallest = own.sum(axis=1), np.where(own > 0, own, np.inf).min(axis=1)
    blur = np.zeros(len(own)) if exact else 0.5 / smallest + (own > 0).sum(axis=1) / (2.0 * np.maximum(total, 1.0))
    answered = clean & (total > 0) & (blur <= rules.tolerance)
    distance = np.abs(np.where(np.isnan(shown), np.inf, shown) - real)
    close = distance <= rules.tolerance * real * (1.0 + _ROUNDING) + _ROUNDING
    return _Answers(
        tried=np.ones(len(own), dtype=np.bool_),
        answered=answered,
        right=answered & close.all(axis=1),
        prior=permitted.shape_prior(true, tolerance=rules.tolerance, alpha=rules.alpha),
        wide=permitted.wide_window(true.max(axis=1), alpha=rules.alpha),
        steps=2,
    )


def _unknown(scene: Scene, own: Floats, rules: Rules, *, exact: bool, context: Context) -> _Answers:
    size = scene.own.sum(axis=1)
    context.step(0.0, "attack: integer ratios")
    if exact:
        left = sizes_left(own, rules.factors, largest=_LONGEST_SEARCH, context=context)
    else:
        left = sizes_left_rounded(own, rules.factors)
    answered = (left.number > 0) & (left.number <= rules.few)
    return _Answers(
        tried=np.ones(len(size), dtype=np.bool_),
        answered=answered,
        right=answered & left.hold(size),
        prior=permitted.few_prior(size, number=rules.few, alpha=rules.alpha),
        wide=permitted.wide_window(size, alpha=rules.alpha),
    )


def _workers(scene: Scene, table: Floats, rules: Rules) -> Outcome:
    if sum(size > 1 for size in scene.attribute_sizes) < 2:
        return _not_applied(Attack.WORKERS, "the table has fewer than two worker attributes, so nothing else is shown")
    holders = lone_holders(scene.counts, scene.attribute_sizes)
    named = named_columns(table, holders)
    right = named == holders.column
    cells = np.unique((holders.row * scene.counts.shape[1] + holders.column)[right])
    return Outcome(
        attack=Attack.WORKERS,
        tried=len(named),
        answered=int((named >= 0).sum()),
        right=int(right.sum()),
        judged_right=int(right.sum()),
        permitted=_most(Attack.WORKERS, 1.0 / holders.others[named >= 0], rules, steps=2),
        establishments=len(np.unique(scene.employer[cells])),
        workers=len(cells),
        places=np.unique(holders.row[right]),
    )


def _known_cells(true: Integers, known: KnownCell) -> Integers:
    if known is KnownCell.LARGEST:
        return np.asarray(np.argmax(true, axis=1), dtype=np.int64)
    enough = np.where(true > SMALL_CELL_LIMIT, true, np.iinfo(np.int64).max)
    return np.asarray(np.argmin(enough, axis=1), dtype=np.int64)


def _most(attack: Attack, prior: Floats, rules: Rules, *, steps: int) -> float:
    """What the claim permits; guessing alone where it promises nothing.

    `steps` neighbour steps lie between the candidates: replacing workers means that some leave and some come.
    """
    steps = steps if attack in rules.promised else 0
    bounds = permitted.posterior_bound(prior, epsilon=steps * rules.epsilon, delta=min(steps * rules.delta, 1.0))
    return permitted.most_right(bounds)


def _counted(attack: Attack, scene: Scene, found: _Answers, rules: Rules) -> Outcome:
    right = int(found.right.sum())
    return Outcome(
        attack=attack,
        tried=int(found.tried.sum()),
        answered=int(found.answered.sum()),
        right=right,
        judged_right=int((found.right & found.wide).sum()),
        permitted=_most(attack, found.prior[found.wide & found.answered], rules, steps=found.steps),
        establishments=right,
        workers=int(scene.own[found.right].sum()),
        places=scene.alone[found.right],
    )


def _not_applied(attack: Attack, why: str) -> Outcome:
    return Outcome(attack=attack, places=np.zeros(0, dtype=np.int64), why_not=why)
