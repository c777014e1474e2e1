"""Broken twins of a mechanism: they claim what the original claims and do something worse. Checks must catch them."""

from __future__ import annotations

import dataclasses
from typing import Any

from tests.published import with_values
from workbench.core.confidential import Confidential
from workbench.core.progress import Context
from workbench.core.published import Column, Columns, Units
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.contract import AnyMechanism, ExactLoss, Release
from workbench.mechanisms.dial import setting, turned


class Twin:
    """Everything is the original's, unless a subclass says otherwise."""

    def __init__(self, original: AnyMechanism) -> None:
        self.original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


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
