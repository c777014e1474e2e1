"""A small table made by hand: every fact of it is added up in plain Python from a list of establishments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from workbench.core.confidential import Confidential
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Fingerprint, Microdata
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Contributions, Domain

SECRET_COUNT = 98_765
SECRET_NAME = "SECRET-EMPLOYER"
PLACES = ("hamlet", "village", "town", "city")
SECTORS = ("11", "22", "33")
SEXES = ("F", "M")
POPULATIONS = (50, 5000, 50_000, 500_000)
ROLES = {
    "employer": Role.ESTABLISHMENT,
    "place": Role.GEOGRAPHY,
    "sector": Role.WORKPLACE,
    "sex": Role.PERSON,
    "note": Role.IGNORE,
}
Jobs = tuple[str, int, int, tuple[int, ...]]  # identifier, place, sector, jobs by sex


def establishments(seed: int = 5, number: int = 60) -> list[Jobs]:
    """Skewed sizes, some workplace cells with one establishment only, one cell with none, and one secret giant."""
    rng = np.random.Generator(np.random.PCG64(seed))
    made: list[Jobs] = [(SECRET_NAME, 3, 0, (SECRET_COUNT, 7))]
    for i in range(number):
        place, sector = int(rng.integers(4)), int(rng.integers(3))
        if (place, sector) in {(0, 2), (3, 0)}:
            continue
        size = int(np.ceil(rng.pareto(1.2) * 4 + 0.01))
        women = int(rng.binomial(size, 0.4)) if (place, sector) != (0, 0) else 0
        made.append((f"E{i:04d}", place, sector, (women, size - women)))
    made.append(("ALONE-1", 0, 1, (1, 0)))
    return made


def cells(
    rows: Iterable[Jobs] | None = None,
    *,
    worker: bool = True,
    populations: bool = True,
    most_jobs: int | None = None,
    from_data: tuple[str, ...] = (),
) -> Cells:
    """The table place × sector (× sex) of these establishments, all combinations listed."""
    listed = list(establishments() if rows is None else rows)
    domain = _domain(worker=worker, populations=populations, from_data=from_data)
    per_cell: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for number, (_, place, sector, by_sex) in enumerate(listed):
        for person, jobs in enumerate(by_sex if worker else (sum(by_sex),)):
            if jobs:
                cell = (place * len(SECTORS) + sector) * domain.worker_combinations + person
                per_cell[cell].append((number, jobs, sum(by_sex)))
    return _cells(domain, listed, per_cell, most_jobs)


def _domain(*, worker: bool, populations: bool, from_data: tuple[str, ...]) -> Domain:
    grid = [(place, sector) for place in range(len(PLACES)) for sector in range(len(SECTORS))]
    return Domain(
        workplace=(
            Attribute(
                name="place",
                values=PLACES,
                title="Place",
                populations=POPULATIONS if populations else (),
            ),
            Attribute(name="sector", values=SECTORS, labels=("Farming", "Utilities", "Factories"), title="Sector"),
        ),
        worker=(Attribute(name="sex", values=SEXES, labels=("Women", "Men")),) if worker else (),
        workplace_cells=np.array(grid, dtype=np.int32),
        from_data=from_data,
    )


def _cells(
    domain: Domain, listed: list[Jobs], per_cell: dict[int, list[tuple[int, int, int]]], most_jobs: int | None
) -> Cells:
    def column(values: Iterable[int]) -> Confidential[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        return Confidential(np.array(list(values), dtype=np.int64))

    members = [per_cell.get(cell, []) for cell in range(domain.cells)]
    sizes = [[total for _, _, total in cell] for cell in members]
    entries = [(cell, number, jobs) for cell, inside in enumerate(members) for number, jobs, _ in inside]
    combinations = domain.worker_combinations
    return Cells(
        domain=domain,
        count=column(sum(jobs for _, jobs, _ in cell) for cell in members),
        establishments=column(len(cell) for cell in members),
        largest=column(max((jobs for _, jobs, _ in cell), default=0) for cell in members),
        largest_total=column(max(cell, key=lambda one: one[1])[2] if cell else 0 for cell in members),
        workplace_largest=column(
            max((s for cell in sizes[start : start + combinations] for s in cell), default=0)
            for start in range(0, domain.cells, combinations)
        ),
        jobs=sum(jobs for _, _, jobs in entries),
        establishments_total=len(listed),
        most_jobs_of_a_worker=most_jobs,
        contributions=Confidential(
            Contributions(
                cell=np.array([cell for cell, _, _ in entries], dtype=np.int64),
                establishment=np.array([number for _, number, _ in entries], dtype=np.int32),
                jobs=np.array([jobs for _, _, jobs in entries], dtype=np.int64),
                identifiers=tuple(identifier for identifier, *_ in listed),
            )
        ),
    )


def microdata(rows: Iterable[Jobs] | None = None) -> Microdata:
    """The same establishments as one row per job, in an order that says nothing."""
    listed = list(establishments() if rows is None else rows)
    jobs = [
        (e, place, sector, sex)
        for e, (_, place, sector, by) in enumerate(listed)
        for sex in (0, 1)
        for _ in range(by[sex])
    ]
    table = np.array(jobs, dtype=np.int32)
    np.random.Generator(np.random.PCG64(1)).shuffle(table)
    names = [identifier for identifier, *_ in listed]
    order = np.argsort(names).argsort()
    columns = {
        "employer": _column("employer", order[table[:, 0]], tuple(sorted(names))),
        "place": _column("place", _sorted_codes(table[:, 1], PLACES), tuple(sorted(PLACES)), words=PLACES, people=True),
        "sector": _column("sector", table[:, 2], SECTORS, words=("Farming", "Utilities", "Factories")),
        "sex": _column("sex", table[:, 3], SEXES, words=("Women", "Men")),
        "note": _column("note", np.zeros(len(table)), ("n",)),
    }
    return Microdata(name="jobs", rows=len(table), columns=columns, fingerprint=Fingerprint(file="f", content="c"))


def _sorted_codes(codes: np.ndarray[Any, Any], values: tuple[str, ...]) -> np.ndarray[Any, Any]:
    return np.array([sorted(values).index(value) for value in values])[codes]


def _column(
    name: str,
    codes: np.ndarray[Any, Any],
    values: tuple[str, ...],
    *,
    words: tuple[str, ...] = (),
    people: bool = False,
) -> CodedColumn:
    return CodedColumn(
        name=name,
        codes=Confidential(codes.astype(np.int32)),
        values=values,
        labels=dict(zip(PLACES if people else values, words, strict=False)),
        populations=dict(zip(PLACES, POPULATIONS, strict=True)) if people else {},
        title=name.title(),
    )
