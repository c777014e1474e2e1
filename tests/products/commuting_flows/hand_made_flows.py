"""A small region made by hand: twelve blocks, six tracts, near and far, and the flows between them in sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Column, Fingerprint, Microdata, NumericColumn
from workbench.products.commuting_flows.flows.structures import PopulationList
from workbench.products.commuting_flows.params import CommutingFlowsParams, Outside
from workbench.products.commuting_flows.product import SPEC

SECRET_COUNT = 4_819
SECRET_HOME = "SECRET-HOME"
ROLES = {"work": Role.GEOGRAPHY, "home": Role.PERSON, "jobs": Role.OUTCOME}
# code, tract, PUMA, Super-PUMA, latitude, longitude, population; one degree of latitude is about 69 miles
BLOCKS = (
    ("0101", "011", "P1", "S1", 40.00, -98.00, 30),
    ("0102", "011", "P1", "S1", 40.01, -98.01, 10),
    ("0121", "012", "P1", "S1", 40.05, -98.02, 25),
    ("0122", "012", "P1", "S1", 40.06, -98.03, 0),
    ("0211", "021", "P2", "S1", 40.20, -97.90, 40),
    ("0212", "021", "P2", "S1", 40.21, -97.91, 15),
    ("0221", "022", "P2", "S1", 40.30, -97.95, 20),
    ("0222", "022", "P2", "S1", 40.31, -97.96, 20),
    ("0311", "031", "P3", "S2", 42.20, -98.00, 50),
    ("0312", "031", "P3", "S2", 42.21, -98.01, 50),
    ("0411", "041", "P4", "S3", 48.00, -98.00, 70),
    ("0412", "041", "P4", "S3", 48.01, -98.01, 30),
)
FLOWS: tuple[tuple[str, str, float], ...] = (
    ("0101", "0101", SECRET_COUNT),
    ("0101", "0211", 7),
    ("0101", "0311", 1),
    ("0102", "0121", 1),
    ("0121", "0101", 3),
    ("0121", "0102", 2),
    ("0121", "0222", 1),
    ("0121", SECRET_HOME, 4),
    ("0211", "0211", 2),
    ("0211", "0412", 1),
    ("0222", "0101", 12),
    ("0222", "0221", 9),
)
PRIOR: tuple[tuple[str, str, float], ...] = (
    ("011", "011", 60), ("011", "012", 20), ("011", "021", 12), ("011", "031", 3),
    ("012", "011", 8), ("012", "012", 9), ("012", "022", 2),
    ("021", "021", 5), ("021", "022", 5),
)  # fmt: skip


def coded(name: str, texts: Sequence[str]) -> CodedColumn:
    """A column of texts; an empty one is missing."""
    values = tuple(sorted({text for text in texts if text}))
    codes = np.array([values.index(text) if text else -1 for text in texts], dtype=np.int32)
    return CodedColumn(name=name, codes=Confidential(codes), values=values, missing=int((codes < 0).sum()))


def numbers(name: str, values: Sequence[float]) -> NumericColumn:
    held = np.array(values, dtype=np.float64)
    return NumericColumn(name=name, numbers=Confidential(held), missing=int(np.isnan(held).sum()))


def table(name: str, columns: Mapping[str, Sequence[Any]]) -> Microdata:
    """Columns of texts are codes, columns of numbers are numbers."""
    made: dict[str, Column] = {
        key: coded(key, values) if all(isinstance(value, str) for value in values) else numbers(key, values)
        for key, values in columns.items()
    }
    rows = len(next(iter(columns.values())))
    return Microdata(name=name, rows=rows, columns=made, fingerprint=Fingerprint(file=name, content=name))


def geography(blocks: Sequence[Sequence[Any]] = BLOCKS) -> Microdata:
    names = ("block", "tract", "puma", "super_puma", "latitude", "longitude", "people")
    return table("blocks.csv", dict(zip(names, map(list, zip(*blocks, strict=True)), strict=True)))


def prior(flows: Sequence[tuple[str, str, float]] = PRIOR) -> Microdata:
    work, home, jobs = zip(*flows, strict=True)
    return table("last_year.csv", {"work": work, "home": home, "jobs": jobs})


def flows(rows: Sequence[tuple[str, str, float]] = FLOWS) -> Microdata:
    work, home, jobs = zip(*rows, strict=True)
    return table("flows.csv", {"work": work, "home": home, "jobs": [float(count) for count in jobs]})


def inputs(
    rows: Sequence[tuple[str, str, float]] = FLOWS, *, known: Microdata | None = None, places: Microdata | None = None
) -> Inputs:
    beside = {"geography": geography() if places is None else places, "prior": prior() if known is None else known}
    return Inputs(microdata=flows(rows), roles=ROLES, companions=beside)


def params(**changed: Any) -> CommutingFlowsParams:
    settings: dict[str, Any] = {
        "work": "work", "home": "home", "jobs": "jobs", "block": "block", "tract": "tract", "puma": "puma",
        "super_puma": "super_puma", "latitude": "latitude", "longitude": "longitude", "population": "people",
        "prior_work": "work", "prior_home": "home", "prior_jobs": "jobs", "outside": Outside.LEAVE_OUT,
        "value_name": "workers",
    }  # fmt: skip
    return CommutingFlowsParams(**(settings | changed))


def prepared() -> Any:
    return SPEC.prepare(inputs(), params(), QUIET)


UNKNOWN_HOME = ("9999", "099", "P9", "S9", 50.00, -98.00, 0)


def listed_inputs(rows: Sequence[tuple[str, str, float]] = FLOWS) -> Inputs:
    """The same with a point for unknown homes."""
    return inputs(rows, places=geography((*BLOCKS, UNKNOWN_HOME)))


def listed_params(**changed: Any) -> CommutingFlowsParams:
    """Populations of every block, jobs of unknown homes at their own point: what noisy flows ask for."""
    listed: dict[str, Any] = {
        "outside": Outside.UNKNOWN, "unknown_home": UNKNOWN_HOME[0], "populations": PopulationList.ALL,
    }  # fmt: skip
    return params(**(listed | changed))


def listed(rows: Sequence[tuple[str, str, float]] = FLOWS, **changed: Any) -> Any:
    return SPEC.prepare(listed_inputs(rows), listed_params(**changed), QUIET)


def settings(mechanism: Any) -> Any:
    """What its mechanisms are judged with: a loss that draws can show, and populations on either side of small."""
    own = {"small_limit": 3} if mechanism.id == "noisy-flows" else {"min_p": Decimal("0.25")}
    return mechanism.params(epsilon=Epsilon("1.5"), **own)
