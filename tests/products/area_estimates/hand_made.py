"""Four listed areas in two states: one is small and one has nobody; small enough to work out by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.params import Rows
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata, NumericColumn
from workbench.products.area_estimates.area_data import AreaData
from workbench.products.area_estimates.columns import truth as exact_columns
from workbench.products.area_estimates.mechanisms.mos import MosParams, noise_scales
from workbench.products.area_estimates.mechanisms.plain_laplace import PlainLaplaceParams
from workbench.products.area_estimates.params import AreaEstimatesParams, OutcomeParams
from workbench.products.area_estimates.product import SPEC

SECRET_NAME = "P-98765"
AREAS = ("T1", "T2", "T3", "T4")
STATES = ("Here", "Here", "There", "There")
SIZES = (30, 8, 45, 0)
PRINTS = Fingerprint(file="f", content="c")
OUTCOME = OutcomeParams(lower=Decimal(0), upper=Decimal(1))


def coded(name: str, texts: list[str], labels: dict[str, str] | None = None) -> CodedColumn:
    values = tuple(sorted(set(texts)))
    codes = np.array([values.index(text) for text in texts], np.int32)
    return CodedColumn(name=name, codes=Confidential(codes), values=values, labels=labels or {})


def rows() -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """Names, areas, parents' ranks and children's ranks in thousandths."""
    random = np.random.default_rng(11)
    area = [name for name, size in zip(AREAS, SIZES, strict=True) for _ in range(size)]
    rank = random.integers(0, 1001, len(area)) / 1000
    child = np.clip(np.rint((0.3 + 0.35 * rank + random.normal(0, 0.2, len(area))) * 1000) / 1000, 0, 1)
    return [SECRET_NAME, *(f"P-{place:05d}" for place in range(1, len(area)))], area, rank, child


def areas_file() -> Microdata:
    columns: dict[str, Any] = {"tract": coded("tract", list(AREAS)), "state": coded("state", list(STATES))}
    return Microdata(name="areas.csv", rows=len(AREAS), columns=columns, fingerprint=PRINTS)


def inputs(changed: dict[str, Any] | None = None) -> Inputs:
    names, area, rank, child = rows()
    columns: dict[str, Any] = {
        "person": coded("person", names),
        "tract": coded("tract", area),
        "parent": NumericColumn(name="parent", numbers=Confidential(rank)),
        "child": NumericColumn(name="child", numbers=Confidential(child)),
        **(changed or {}),
    }
    microdata = Microdata(name="children", rows=len(names), columns=columns, fingerprint=PRINTS)
    roles = {
        "person": Role.PERSON_KEY,
        "tract": Role.CELL,
        "parent": Role.PREDICTOR,
        "child": Role.OUTCOME,
    }
    return Inputs(microdata=microdata, roles=roles, companions={"areas": areas_file()})


def params(**changes: Any) -> AreaEstimatesParams:
    settings: dict[str, Any] = {
        "cell": "tract",
        "pool": "state",
        "predictor": "parent",
        "lower": Decimal(0),
        "upper": Decimal(1),
        "person": "person",
        "outcomes": Rows({"child": OUTCOME}),
    }
    return AreaEstimatesParams(**{**settings, **changes})


def prepared() -> AreaData:
    return SPEC.prepare(inputs(), params(), QUIET)


def truth(data: AreaData) -> np.ndarray:
    """The exact estimates in units of their last decimal."""
    values: np.ndarray = exact_columns(data).values
    return values


def first_case(data: AreaData, settings: Any) -> tuple[Any, dict[str, Any]]:
    """The first cell's people and χ or N·LS, for methods whose noise follows them."""
    size = int(data.lines.reveal()[0].size[0])
    if isinstance(settings, PlainLaplaceParams):
        held = data.held.reveal() if data.held is not None else ()
        return settings, {"people": size, "chi": Decimal(float(held[0][0]) * size)} if held else {}
    if not isinstance(settings, MosParams):
        return settings, {}
    scale = noise_scales(data, settings)[1][0][0]
    return settings, {"people": size, "chi": Decimal(float(scale) * float(settings.epsilon) * size)}
