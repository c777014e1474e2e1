"""Neighbours made up from the claim's definition: what exact loss, black box and law checks look at on any data.

A mechanism chooses neither the sizes nor the steps, so that it cannot leave out those on which it fails. For reviewers
the sizes of the data are tried besides; what anybody may read follows from the definition alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from workbench.core.arrays import Integers
from workbench.core.claims import Claim
from workbench.core.confidential import Confidential


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ClaimGrid:
    """Pairs of neighbours as two prepared data sets that line up, `width` values to a pair.

    `kind` says for each pair which of `words` describes its step, `size` which of the sizes it starts from and `form`
    what stands beside it. `chosen` gives the two sides of some pairs, the whole list repeated so many times, as data
    sets that have nothing to do with each other. `table` gives the first sides as one table with public attributes, in
    which whatever a mechanism asks about several cells together is asked.
    """

    before: Confidential[Any]
    after: Confidential[Any]
    kind: Integers
    size: Integers
    form: Integers
    words: tuple[str, ...]
    width: int
    chosen: Callable[[Integers, int], tuple[Confidential[Any], Confidential[Any]]]
    table: Callable[[Integers, int], Confidential[Any]]

    def __len__(self) -> int:
        return len(self.kind)

    def states(self) -> Integers:
        """Pairs whose first sides show every form at every size once."""
        return np.unique(np.stack([self.form, self.size]), axis=1, return_index=True)[1]


@runtime_checkable
class OffersClaimGrid(Protocol):
    """Prepared data of a product whose definitions can be turned into made-up neighbours."""

    def claim_grid(self, claim: Claim, *, of_data: bool = True) -> ClaimGrid | None:
        """The grid for this claim, or None where its definition says nothing about such data.

        Without `of_data` it is the same for all data: not even how many pairs there are may follow from these.
        """
