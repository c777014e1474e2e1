"""Chosen words tell the truth behind every cell: nothing drawn with them can leave the audit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tests.contract.samples import sample_of
from workbench.audit.chosen_words import ChosenWords
from workbench.core.errors import Defect
from workbench.core.progress import QUIET
from workbench.core.published import Columns
from workbench.core.randomness import ReleaseRandom
from workbench.mechanisms.contract import AnyMechanism, Rehearsal, Release
from workbench.products.registry import PRODUCTS

QUICK = [(p, mechanism) for p in PRODUCTS for mechanism in p.mechanisms if not mechanism.traits.slow]


def varied(first: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.random.Generator(np.random.PCG64(first + 7)).integers(0, 2**64, size=count, dtype=np.uint64)


@pytest.mark.parametrize(("product", "mechanism"), QUICK, ids=[f"{p.id}-{m.id}" for p, m in QUICK])
def test_that_a_rehearsal_can_be_neither_stored_nor_exported_nor_shown(
    product: object, mechanism: AnyMechanism
) -> None:
    sample = sample_of(product)
    prepared, params = sample.prepared(), sample.settings(mechanism)
    words = ChosenWords(varied)
    drawn = mechanism.release(prepared, params, words, QUIET)  # type: ignore[arg-type]
    assert words.handed, "every mechanism draws from the words it is given"
    assert isinstance(drawn, Rehearsal)
    assert not isinstance(drawn, Release | Columns)
    assert "confidential" in repr(drawn) == str(drawn) == f"{drawn}"
    with pytest.raises(Defect):
        pickle.dumps(drawn)
    with pytest.raises(AttributeError):
        product.public_table(prepared, drawn)  # type: ignore[attr-defined]
    assert isinstance(mechanism.release(prepared, params, ReleaseRandom(), QUIET), Release)


def test_that_a_source_that_only_looks_like_the_real_one_makes_no_release() -> None:
    class Pretender(ReleaseRandom):
        """Somebody's own words under the name of the real source."""

    product, mechanism = QUICK[0]
    sample = sample_of(product)
    drawn = mechanism.release(sample.prepared(), sample.settings(mechanism), Pretender(), QUIET)
    assert isinstance(drawn, Rehearsal)


def test_that_chosen_words_cannot_be_kept() -> None:
    with pytest.raises(Defect):
        pickle.dumps(ChosenWords(varied))
