"""What a mechanism declares about its noise, so that one audit can judge every mechanism.

A mechanism that draws integers says, for each question it asks of the data, which law the drawn integers have around
the exact answer (`laws`). The audit then asks the law: what it makes of values that were drawn (`evidence`), which
integers chosen random words must give (`foreseen`), and how far two neighbours' laws lie apart (`loss`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential

PUBLISHED = "published values"  # the name of the one answer of a release that carries no transcript
DRAWN = "values before post-processing"
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Evidence:
    """What drawn values say about their law. All arrays have one entry for each independent draw.

    `uniform` is exactly uniform on (0, 1) under the law. `scale` and `place` are the scores, the derivatives of the log
    likelihood with respect to the logarithm of the scale and to the place; the information is the mean of their squares
    under the law.
    """

    uniform: Floats
    scale: Floats
    scale_information: Floats
    place: Floats
    place_information: Floats


class Law(Protocol):
    """The law of the integers drawn for one answer, value by value in their order."""

    @property
    def width(self) -> int:
        """How many neighbouring values are one draw: 1 where all are independent."""

    def __len__(self) -> int:
        """How many values there are."""

    def evidence(self, drawn: Integers, inside: Floats) -> Evidence:
        """What the values say, one entry a draw; `inside` holds a uniform for each, to break the ties of integers."""

    def log_density(self, drawn: Integers, factor: float) -> Floats:
        """The log density of each draw if the noise were `factor` times as large, up to what is common to all laws."""

    def noise(self, drawn: Integers) -> Integers:
        """What the lattice is about: the noise itself, where that has one law in many cells."""

    def lattice(self, modulus: int) -> tuple[Integers, Floats]:
        """At which places remainders of the noise can be foretold, and how often each is expected there."""


@runtime_checkable
class Comparable(Protocol):
    """A law whose loss against a neighbour's can be worked out."""

    def loss(self, other: Any, epsilon: float) -> tuple[Floats, Floats]:
        """For each draw the largest log ratio of the two densities, either way, and the δ at this ε."""


@runtime_checkable
class Foreseeable(Protocol):
    """A law that is drawn by inversion, so that the words decide every integer."""

    def foreseen(self, handed: Iterator[Words]) -> tuple[Integers, NDArray[np.bool_]]:
        """The integers that these words give, and for which of them double arithmetic is sure of it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Declared:
    """The law of one answer as a function of the exact answer; `exact` where the prepared data alone decide that.

    `by_words` is False where other questions take words before this one, so that words cannot be lined up with values.
    `rejects` is True where whole values are drawn again until they are accepted: words that come round again might
    never be accepted, so such a sampler is rehearsed with words that do not.
    `law` is called with the exact answer, and with the drawn values of the answer `after` where that is named.
    """

    law: Callable[..., Law]
    exact: Confidential[Integers] | None = None
    by_words: bool = True
    rejects: bool = False
    after: str = ""  # an earlier answer of the same release, from whose drawn values the law follows too


@runtime_checkable
class DeclaresLaws(Protocol):
    """A mechanism that says how its answers are drawn. Without it the only test by draws is a black box."""

    def laws(self, prepared: Any, params: Any) -> Mapping[str, Declared]:
        """One for each name that a release's answers have, or for `PUBLISHED` alone."""
