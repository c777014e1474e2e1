"""Which homes noisy flows count by tract: those in the states of listed workplaces, by census codes."""

from __future__ import annotations

import numpy as np

from workbench.products.commuting_flows.flows.structures import Geography
from workbench.products.commuting_flows.noisy_flows.layout import points_of

# three Super-PUMAs, of two tracts each; the first two in state 11, the third in state 24
_CENSUS = tuple(f"{state}00{tract}0000001{block:03d}" for tract, state in enumerate((11, 11, 11, 11, 24, 24))
                for block in (1, 2))  # fmt: skip


def _geography(codes: tuple[str, ...]) -> Geography:
    tract = np.repeat(np.arange(6, dtype=np.int32), 2)
    names = tuple(map(str, range(6)))
    return Geography(
        blocks=codes, areas=(names, names, names[:3]), area_of=(tract, tract, tract // 2),
        latitude=np.linspace(38.0, 39.0, 12), longitude=np.linspace(-77.0, -76.0, 12),
        population=np.ones(12, dtype=np.int64),
    )  # fmt: skip


def test_that_every_tract_of_a_state_with_a_workplace_is_a_point() -> None:
    assert {len(code) for code in _CENSUS} == {15}
    assert points_of(_geography(_CENSUS), np.array([0], dtype=np.int32)).tolist() == [0, 1, 2, 3, 4, 4]
    both = points_of(_geography(_CENSUS), np.array([0, 5], dtype=np.int32))
    assert both.tolist() == [0, 1, 2, 3, 4, 5]


def test_that_a_super_puma_stands_for_the_state_where_codes_name_none() -> None:
    codes = tuple(f"b{place:02d}" for place in range(12))
    assert points_of(_geography(codes), np.array([0], dtype=np.int32)).tolist() == [0, 1, 2, 2, 3, 3]
