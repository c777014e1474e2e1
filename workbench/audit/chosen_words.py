"""Random words that an audit chooses: the third kind of randomness, which nobody but the audit may make.

With chosen words every integer that a sampler gives can be foreseen from the law that was declared, so that one
difference is a proof (recipe A). For the same reason a draw with them tells the truth behind every cell: what `release`
returns with them is a `Rehearsal`, which cannot be stored, exported or shown. An import contract keeps this module
inside the audit.
"""

from __future__ import annotations

from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import Defect

Words = NDArray[np.uint64]
_MIDDLE = np.uint64(2**63)  # further bits of a uniform whose first ones were chosen: as if it were its middle


class Pattern(Protocol):
    """Says which word a sampler gets at each place."""

    def __call__(self, first: int, count: int) -> Words: ...


class ChosenWords:
    """Hands out the words of a pattern and remembers them, request by request.

    A single word is what exact samplers ask for when the first bits cannot decide; it gets the middle and is not
    remembered as a value's own. So whoever rehearses a sampler gives it at least two values.
    """

    __slots__ = ("_pattern", "handed", "refined")

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self.handed: list[Words] = []
        self.refined = 0

    def words(self, count: int) -> Words:
        if count == 1:
            self.refined += 1
            return np.array([_MIDDLE])
        made = self._pattern(sum(map(len, self.handed)), count)
        self.handed.append(made)
        return made.copy()

    def bytes(self, count: int) -> bytes:
        return self.words(-(-count // 8) + 1).tobytes()[:count]

    def __reduce__(self) -> NoReturn:
        raise Defect("chosen words were about to be pickled")
