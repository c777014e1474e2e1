"""Studies can be repeated, and their parts do not share their numbers."""

from __future__ import annotations

import numpy as np

from workbench.core.randomness import StudyRandom
from workbench.utility.streams import stream


def test_that_a_stream_repeats_for_its_seed_and_purpose_alone() -> None:
    first = stream(1, "a").generator.random(1000)
    assert np.array_equal(first, stream(1, "a").generator.random(1000))
    for other in (stream(1, "b"), stream(2, "a"), StudyRandom(1)):
        assert abs(np.corrcoef(first, other.generator.random(1000))[0, 1]) < 0.2
