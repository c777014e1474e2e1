"""The toys. Each is a module of its own and a line here; nothing else knows of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.contract import toy_fit, toy_means, toy_records
from tests.contract.samples import SAMPLES
from tests.contract.toy import Toy
from workbench.products import registry

TOYS: tuple[Toy, ...] = (toy_means.TOY, toy_fit.TOY, toy_records.TOY)


@contextmanager
def registered() -> Iterator[None]:
    """While it lasts, the program and the contract suite know the toys like any other product."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(registry, "PRODUCTS", (*registry.PRODUCTS, *(toy.product for toy in TOYS)))
        for toy in TOYS:
            patched.setitem(SAMPLES, toy.product.id, toy.sample)
        yield
