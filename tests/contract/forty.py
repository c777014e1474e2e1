"""The toy of survey records with forty questions, each with a line in the table of settings: only data and a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from tests.contract import toy_records
from tests.contract.toys import registered

QUESTIONS = tuple(f"q{number}" for number in range(40))
PEOPLE = 50


@contextmanager
def forty_questions() -> Iterator[None]:
    with registered(), pytest.MonkeyPatch.context() as patched:
        for name in QUESTIONS:
            patched.setitem(toy_records.ANSWERS, name, ("no", "yes"))
        yield


def csv() -> str:
    said = np.random.Generator(np.random.PCG64(9)).integers(0, 2, (PEOPLE, len(QUESTIONS)))
    lines = [",".join(("no", "yes")[code] for code in row) for row in said.tolist()]
    return "\n".join((",".join(QUESTIONS), *lines)) + "\n"


def plan(epsilon: str = "0.1", **other: str) -> str:
    """Every question at the same ε but those that are named."""
    roles = "\n".join(f'{name} = "answer"' for name in QUESTIONS)
    table = "\n\n".join(
        f"[mechanism.variables.{name}]\nepsilon = {other.get(name, epsilon)}" for name in QUESTIONS
    )  # fmt: skip
    listed = ", ".join(f'"{name}"' for name in QUESTIONS)
    return f"""version = 1

[release]
title = "Forty answers"
requester = "Planning office"
purpose = "A file for research."
authority = "Statistics Act"
period = "2026"
smallest_geography = "none"

[data]
path = "answers.csv"

[data.roles]
{roles}

[product]
id = "toy_records"
answers = [{listed}]

[mechanism]
id = "toy-response"

{table}

[baseline]
id = "toy-swapping"

[audit]
checks = ["exact-loss", "integers"]

[policy]
budget = 10.0
"""
