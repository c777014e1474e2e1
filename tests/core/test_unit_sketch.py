"""Sketches tell how many units two data sets share, and nothing about who they are."""

from __future__ import annotations

import hashlib
import struct

import pytest

from workbench.core.unit_sketch import SKETCH_SIZE, UnitSketch, common


def sketch(people: range, *, unit: str = "worker", mark: str = "a") -> UnitSketch:
    hashes = sorted(
        int.from_bytes(hashlib.blake2b(f"w{each}".encode(), digest_size=8).digest(), "little") for each in people
    )
    kept = hashes[:SKETCH_SIZE]
    return UnitSketch(unit=unit, key_mark=mark, hashes=struct.pack(f"<{len(kept)}Q", *kept))


@pytest.mark.parametrize("there", [range(60_000), range(15_000, 75_000), range(30_000, 90_000), range(42_000, 90_000)])
def test_that_the_share_of_the_smaller_data_set_is_estimated(there: range) -> None:
    here = range(60_000)
    true = len(set(here) & set(there)) / min(len(here), len(there))
    found = common(sketch(here), sketch(there))
    assert found is not None
    assert abs(float(found.share) - true) < 5 * 0.008, "five standard errors"
    assert found.compared > 3_000


def test_that_small_data_sets_are_compared_exactly() -> None:
    found = common(sketch(range(100)), sketch(range(60, 400)))
    assert found is not None and (float(found.share), found.compared) == (0.4, 100)


def test_that_a_part_of_a_large_data_set_is_found_in_it() -> None:
    found = common(sketch(range(200_000)), sketch(range(5_000)))
    assert found is not None and found.share == 1


def test_that_other_keys_and_other_units_are_not_compared() -> None:
    here = sketch(range(50))
    assert common(here, sketch(range(50), mark="b")) is None
    assert common(here, sketch(range(50), unit="establishment")) is None
    assert common(here, sketch(range(0))) is None
