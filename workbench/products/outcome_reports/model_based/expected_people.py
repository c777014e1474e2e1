"""How many people are expected where the number is known with a normal error: no fewer than one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.arrays import Floats

_LIKELY = (np.arange(15) + 0.5) / 15.0  # shares of a law at which it is averaged


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Expected number of each cell, and the expected 1/n."""

    number: Floats
    inverse: Floats


def expected(people: Floats, sd: Floats) -> People:
    """Of a normal law without its part below half a person; at least one person where a mean is asked for."""
    from scipy.special import ndtr, ndtri

    spread = np.maximum(sd, 1e-6)
    below = ndtr((0.5 - people) / spread)[..., None]
    drawn = people[..., None] + spread[..., None] * ndtri(below + (1.0 - below) * _LIKELY)
    likely = np.maximum(np.nan_to_num(drawn, posinf=1.0, neginf=1.0), 1.0)
    return People(number=likely.mean(axis=-1), inverse=(1.0 / likely).mean(axis=-1))
