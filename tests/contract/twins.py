"""Broken twins of a mechanism: they claim what the original claims and do something worse. Checks must catch them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tests.published import with_values
from workbench.core.claims import Claim, Definition
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.core.published import Column, Columns, Units
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.mechanisms.contract import AnyMechanism, ExactLoss, Release, one_value
from workbench.mechanisms.dial import setting, turned
from workbench.noise.exact_cdf import draw_placed
from workbench.noise.placements import Linear, Logarithmic
from workbench.products.employment_tables.mechanisms.cell.staircase_placement import StaircasePlacement


class Twin:
    """Everything is the original's, unless a subclass says otherwise."""

    def __init__(self, original: AnyMechanism) -> None:
        self.original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def laws(self, prepared: Any, params: Any) -> Any:
        """What the original declares; who declares nothing has no such question."""
        return self.original.laws(prepared, params)  # type: ignore[attr-defined]


class UnderNoised(Twin):
    """Draws with twice the budget it claims: half the noise. Its exact audit is honest about it."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        return self.original.release(prepared, self._doubled(params), rng, context)

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Confidential[Columns]:
        return self.original.study(prepared, self._doubled(params), rng, context)

    def exact_loss(self, prepared: Any, params: Any, context: Context) -> ExactLoss:
        return self.original.exact_loss(prepared, self._doubled(params), context)

    def _doubled(self, params: Any) -> Any:
        return turned(self.original, params, 2 * (setting(self.original, params) or 0))


class Floating(Twin):
    """Publishes floating-point numbers of the right spread."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        whole = self.original.release(prepared, params, rng, context)
        digits = rng.words(whole.values.size) / 2.0**64 - 0.5
        return with_values(whole, whole.values + digits.reshape(whole.values.shape))

    def study(self, prepared: Any, params: Any, rng: StudyRandom, context: Context) -> Any:
        whole = self.original.study(prepared, params, rng, context).reveal()
        return Confidential(with_values(whole, whole.values + rng.generator.random(whole.values.shape) - 0.5))


class Forgetful(Twin):
    """Leaves the last cell out of what it publishes."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        whole = self.original.release(prepared, params, rng, context)
        shorter = tuple(_cut(column) for column in whole.columns)
        return dataclasses.replace(whole, columns=shorter)


def _cut(column: Column) -> Column:
    if isinstance(column, Units):
        return dataclasses.replace(column, integers=column.integers[:-1])
    return dataclasses.replace(column, codes=column.codes[:-1])


class Misdrawn(Twin):
    """Cell by cell: the noise lies elsewhere than declared, or what is drawn is bent, or the words are."""

    def placed(self, prepared: Any, params: Any) -> Any:
        return self.original.placed(prepared, params)  # type: ignore[attr-defined]

    def bent(self, values: Any, placed: Any, prepared: Any) -> Any:
        return values

    def source(self, rng: UniformWords) -> UniformWords:
        return rng

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        placed = self.placed(prepared, params)
        values = self.bent(draw_placed(placed, self.source(rng), context), placed, prepared)
        return Release.of(one_value(values), self, rng)


class LessNoise(Misdrawn):
    """A share of the noise that was declared."""

    share = 0.98

    def placed(self, prepared: Any, params: Any) -> Any:
        placed = super().placed(prepared, params)
        if isinstance(placed, Logarithmic):
            return dataclasses.replace(placed, spread=self.share * placed.spread)
        if isinstance(placed, StaircasePlacement):
            scale = np.maximum(float(placed.law.alpha) * placed.largest, 1.0)
            return Linear(placed.center, self.share * scale, placed.law)
        return dataclasses.replace(placed, scale=self.share * placed.scale)


class ClearlyLessNoise(LessNoise):
    share = 0.95


class SecondLargest(Misdrawn):
    """Scaled by the second largest establishment of two."""

    def placed(self, prepared: Any, params: Any) -> Any:
        return rescaled(self.original, prepared, params, prepared.count.reveal() - prepared.largest.reveal())


class InTens(Misdrawn):
    """Scaled by the largest establishment rounded to tens."""

    def placed(self, prepared: Any, params: Any) -> Any:
        return rescaled(self.original, prepared, params, (prepared.largest.reveal() + 5) // 10 * 10)


class CutTail(Misdrawn):
    """No noise beyond thirty scales."""

    def bent(self, values: Any, placed: Any, prepared: Any) -> Any:
        most = np.floor(30 * placed.scale).astype(np.int64)
        return np.clip(values, placed.center - most, placed.center + most)


class Gap(Misdrawn):
    """No noise at all where the largest establishment has 40 to 60 workers."""

    def bent(self, values: Any, placed: Any, prepared: Any) -> Any:
        largest = prepared.largest.reveal()
        return np.where((largest >= 40) & (largest <= 60), placed.center, values)


class Even(Misdrawn):
    """Noise that is always even."""

    def bent(self, values: Any, placed: Any, prepared: Any) -> Any:
        return placed.center + (values - placed.center) // 2 * 2


class OneForAll(Misdrawn):
    """One standard variate for all cells of a release."""

    def source(self, rng: UniformWords) -> UniformWords:
        word = rng.words(2)[:1]

        class Same:
            def words(self, count: int) -> Any:
                return np.repeat(word, count)

        return Same()


MISDRAWN = (ClearlyLessNoise, LessNoise, SecondLargest, InTens, CutTail, Gap, Even, OneForAll)


def rescaled(original: Any, prepared: Any, params: Any, sizes: Any) -> Linear:
    """The original's noise with other sizes of establishments behind its scale."""
    placed = original.placed(prepared, params)
    honest = params.window.scale(prepared.largest.reveal())
    return dataclasses.replace(placed, scale=placed.scale / honest * params.window.scale(sizes))


class WeakClaimedStrong(Twin):
    """Protects every group of workers a little, and claims to protect whole workforces."""

    def claim(self, prepared: Any, params: Any) -> Claim:
        return dataclasses.replace(self.original.claim(prepared, params), definition=Definition.STRONG)


class NarrowBlocks(Twin):
    """Draws whole blocks with a little less noise than declared."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        original: Any = self.original

        class Narrow(type(original)):  # type: ignore[misc]
            __slots__ = ()

            def noise(self, params: Any, cells: int) -> Any:
                made = original.noise(params, cells)
                return dataclasses.replace(made, kappa=0.98 * made.kappa)

        made: Release = Narrow().release(prepared, params, rng, context)
        return made


class NoiselessQuery(Twin):
    """Asks for the size of the noise without any noise of its own."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        from unittest.mock import patch

        from workbench.products.employment_tables.mechanisms.block import scale_meter

        with patch.object(scale_meter, "exactly", lambda _: lambda sums, *_asked: sums.copy()):
            return self.original.release(prepared, params, rng, context)


class UndeclaredQuery(Twin):
    """Declares the law of the table and keeps silent about what else it asked."""

    def laws(self, prepared: Any, params: Any) -> Any:
        declared = super().laws(prepared, params)
        return {name: law for name, law in declared.items() if name != "how large the noise is"}


class Reused(Twin):
    """Draws every release with the same words."""

    def release(self, prepared: Any, params: Any, rng: ReleaseRandom, context: Context) -> Release:
        from workbench.core.randomness import StudyRandom

        same: Any = StudyRandom(77)
        drawn: Any = self.original.release(prepared, params, same, context)
        return Release.of(drawn.reveal(), self, rng)
