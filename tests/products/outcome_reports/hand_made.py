"""Some hundred histories at two institutions, with movers, second jobs and gaps, small enough to count by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata, NumericColumn
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.params import OutcomeReportsParams
from workbench.products.outcome_reports.product import SPEC

SECRET_NAME = "P-98765"
SECRET_PAY = 87_654
SECRETS = (SECRET_NAME, str(SECRET_PAY), f"{SECRET_PAY:,}")
CAP = 100_000
ROLES = {
    "person": Role.PERSON_KEY,
    "institution": Role.INSTITUTION,
    "title": Role.TITLE,
    "sector": Role.SECTOR,
    "year": Role.YEAR,
    "pay": Role.EARNINGS,
}
LISTS = {
    "institution": ("A", "B"),
    "title": ("faculty", "student"),
    "sector": ("business", "university"),
}
Row = tuple[str | None, str, str, str, str, float]


def rows(people: int = 120, seed: int = 5) -> list[Row]:
    """Person, institution, title, sector, year, pay. Nearly half the people are in the first block."""
    random = np.random.default_rng(seed)
    made: list[Row] = [(SECRET_NAME, "B", "faculty", "business", year, float(SECRET_PAY)) for year in ("1", "2")]
    for number in range(people):
        person = f"P-{number:05d}"
        institution = "A" if random.random() < 0.7 else "B"
        title = "faculty" if random.random() < 0.6 else "student"
        for year in ("1", "2", "3"):
            if random.random() < 0.1:
                continue
            sector = str(random.choice(LISTS["sector"]))
            made.append((person, institution, title, sector, year, float(round(random.lognormal(10.6, 0.5)))))
            if random.random() < 0.1:
                made.append((person, institution, title, sector, year, 1_000.0))
    return made


def inputs_of(listed: list[Row]) -> Inputs:
    names = list(ROLES)
    columns: dict[str, Any] = {}
    for place, name in enumerate(names[:-1]):
        texts = [row[place] for row in listed]
        values = tuple(sorted({str(text) for text in texts if text is not None}))
        codes = np.array([-1 if text is None else values.index(str(text)) for text in texts], dtype=np.int32)
        columns[name] = CodedColumn(
            name=name,
            codes=Confidential(codes),
            values=values,
            labels={value: value for value in LISTS.get(name, ())},
            missing=sum(text is None for text in texts),
        )
    columns["pay"] = NumericColumn(name="pay", numbers=Confidential(np.array([row[5] for row in listed])))
    prints = Fingerprint(file="f", content="c")
    microdata = Microdata(name="histories", rows=len(listed), columns=columns, fingerprint=prints)
    return Inputs(microdata=microdata, roles=ROLES)


def inputs() -> Inputs:
    return inputs_of(rows())


def params(**changes: Any) -> OutcomeReportsParams:
    settings: dict[str, Any] = {
        "person": "person",
        "institution": "institution",
        "titles": ("title",),
        "sectors": ("sector",),
        "year": "year",
        "years": ("1", "2"),
        "earnings": "pay",
        "cap": CAP,
    }
    return OutcomeReportsParams(**{**settings, **changes})


def prepared() -> Outcomes:
    return SPEC.prepare(inputs(), params(), QUIET)


def settings(mechanism: Any) -> Any:
    """An ε that few draws can see, and few bins, so that what is published tells nearly all that was drawn."""
    return mechanism.params(epsilon=Epsilon("1.5"), **({"bins": 3} if mechanism.id == "history-histogram" else {}))
