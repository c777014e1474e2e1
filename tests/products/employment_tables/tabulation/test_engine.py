"""Every route gives exactly what counting by hand gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.products.employment_tables.tabulation.frames import ROLES, Row, coded, microdata, slow_cells, slow_keys
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.products.employment_tables.tabulation.cells import Cells
from workbench.products.employment_tables.tabulation.engine import (
    DomainKind,
    JobIndex,
    Route,
    count_cells,
    index,
    tabulate,
)
from workbench.tabulation.units import layout
from workbench.tabulation.units.arrangement import Arrangement

PLACES, SECTORS, SEXES, EDUCATIONS = ("p1", "p2", "p3"), ("11", "22"), ("F", "M"), ("E1", "E2", "E3")
VALUES = {"place": PLACES, "sector": SECTORS, "sex": SEXES, "education": EDUCATIONS}
MARGINALS = [
    ((), ()),
    (("place",), ()),
    (("place", "sector"), ("sex", "education")),
    (("sector", "place"), ("education",)),
    (("sector",), ("education", "sex")),
    ((), ("sex",)),
]


@st.composite
def job_rows(draw: st.DrawFn) -> list[Row]:
    """Establishments with a place and a sector each, and jobs at them; some establishments may get none."""
    employers = draw(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(SECTORS)), min_size=1, max_size=9))
    job = st.tuples(st.integers(0, len(employers) - 1), st.sampled_from(SEXES), st.sampled_from(EDUCATIONS))
    jobs = draw(st.lists(job, min_size=1, max_size=60))
    return [
        {"worker": f"w{number // 2}", "establishment": f"e{e}", "place": employers[e][0], "sector": employers[e][1],
         "sex": sex, "education": education}
        for number, (e, sex, education) in enumerate(jobs)
    ]  # fmt: skip


def _index(rows: list[Row], **limits: int) -> JobIndex:
    columns = {
        name: coded(name, [row[name] for row in rows], {value: value for value in VALUES.get(name, ())})
        for name in ROLES
    }
    return index(microdata(columns), ROLES, QUIET, **limits)


def _table(cells: Cells) -> dict[tuple[str, ...], tuple[int, int, int, int]]:
    keys = cells.domain.keys(range(cells.domain.cells))
    parts = (cells.count, cells.establishments, cells.largest, cells.largest_total)
    return dict(zip(keys, zip(*(part.reveal().tolist() for part in parts), strict=True), strict=True))


@pytest.mark.parametrize(("workplace", "worker"), MARGINALS)
@settings(max_examples=15, deadline=None)
@given(rows=job_rows(), everything=st.booleans(), chunk=st.integers(1, 20))
def test_that_every_route_counts_as_by_hand(
    rows: list[Row], everything: bool, chunk: int, workplace: tuple[str, ...], worker: tuple[str, ...]
) -> None:
    domain = DomainKind.ALL if everything else DomainKind.ESTABLISHMENTS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "CHUNK", chunk)
        patch.setattr(layout, "BLOCK", 7)
        made = _index(rows)
    by_hand = slow_cells(rows, workplace + worker)
    keys = slow_keys(rows, workplace, worker, VALUES, everything)
    expected = {key: by_hand.get(key, (0, 0, 0, 0)) for key in keys}
    for route in Route:
        cells = tabulate(
            made, workplace=workplace, worker=worker, domain=domain, context=QUIET, contributions=True, route=route
        )
        assert cells.domain.keys(range(cells.domain.cells)) == keys
        assert _table(cells) == expected
        assert count_cells(made, workplace, worker, domain) == len(keys) == cells.domain.cells
        assert cells.most_jobs_of_a_worker == max(Counter(row["worker"] for row in rows).values())
        assert (cells.jobs, cells.establishments_total) == (len(rows), len({row["establishment"] for row in rows}))
        _check_contributions(cells, rows, workplace + worker)
        _check_workplace_largest(cells, rows, workplace)


def _check_contributions(cells: Cells, rows: list[Row], names: tuple[str, ...]) -> None:
    assert cells.contributions is not None
    found = cells.contributions.reveal()
    keys = cells.domain.keys(found.cell.tolist())
    who = [str(found.identifiers[position]) for position in found.establishment]
    by_hand = Counter((tuple(row[name] for name in names), row["establishment"]) for row in rows)
    assert len(found.cell) == len(by_hand)
    assert dict(zip(zip(keys, who, strict=True), found.jobs.tolist(), strict=True)) == by_hand


def _check_workplace_largest(cells: Cells, rows: list[Row], workplace: tuple[str, ...]) -> None:
    total = Counter(row["establishment"] for row in rows)
    combinations = cells.domain.worker_combinations
    for number, largest in enumerate(cells.workplace_largest.reveal().tolist()):
        here = cells.domain.keys([number * combinations])[0][: len(workplace)]
        inside = [total[row["establishment"]] for row in rows if tuple(row[name] for name in workplace) == here]
        assert largest == max(inside, default=0)


def test_that_without_room_for_a_copy_the_same_table_comes_from_duckdb() -> None:
    rng = np.random.default_rng(2)
    rows: list[Row] = [
        {"worker": f"w{n}", "establishment": f"e{e:02}", "place": PLACES[e % 3], "sector": SECTORS[e % 2],
         "sex": SEXES[n % 2], "education": EDUCATIONS[int(rng.integers(3))]}
        for n, e in enumerate(rng.integers(0, 40, 2_000).tolist())
    ]  # fmt: skip
    small, roomy = _index(rows, sorted_copy_limit=0), _index(rows)
    assert isinstance(small.arrangement, Arrangement)
    assert small.arrangement.contents.reveal().sorted is None
    tables = [
        _table(tabulate(made, workplace=("place",), worker=("sex",), domain=DomainKind.ALL, context=QUIET))
        for made in (small, roomy)
    ]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("route", list(Route))
def test_that_equal_contributions_give_the_larger_establishment(route: Route) -> None:
    jobs = [("a", "F"), ("a", "F"), ("a", "M"), ("b", "F"), ("b", "F"), ("b", "M"), ("b", "M"), ("c", "F")]
    rows: list[Row] = [
        {"worker": str(n), "establishment": e, "place": "p1", "sector": "11", "sex": sex, "education": "E1"}
        for n, (e, sex) in enumerate(jobs)
    ]
    made = _index(rows)
    cells = tabulate(
        made, workplace=("place",), worker=("sex",), domain=DomainKind.ESTABLISHMENTS, context=QUIET, route=route
    )
    assert _table(cells) == {("p1", "F"): (5, 3, 2, 4), ("p1", "M"): (3, 2, 2, 4)}
    assert cells.workplace_largest.reveal().tolist() == [4]


def test_that_many_worker_combinations_take_the_sparse_route_and_agree() -> None:
    rng = np.random.default_rng(3)
    jobs = 5_000
    employer = rng.integers(0, 300, jobs)
    columns = {
        "establishment": coded("establishment", [f"e{e:03}" for e in employer]),
        "place": coded("place", [f"p{e % 7}" for e in employer]),
        "job": coded("job", [f"j{j:03}" for j in rng.integers(0, 200, jobs)]),
        "home": coded("home", [f"h{h:02}" for h in rng.integers(0, 30, jobs)]),
    }
    roles = {"establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "job": Role.PERSON, "home": Role.PERSON}
    made = index(microdata(columns), roles, QUIET)
    tables = [
        _table(
            tabulate(
                made, workplace=("place",), worker=("job", "home"), domain=DomainKind.ALL, context=QUIET, route=route
            )
        )
        for route in (None, *Route)
    ]
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert sum(row[0] for row in tables[0].values()) == jobs


def test_that_totals_and_contributions_do_not_show_in_a_repr() -> None:
    rows = [{"worker": f"w{i}", "establishment": "e1", "place": "p1", "sector": "11", "sex": "F", "education": "E1"}
            for i in range(4711)]  # fmt: skip
    cells = tabulate(
        _index(rows), workplace=("place",), worker=(), domain=DomainKind.ALL, contributions=True, context=QUIET
    )
    assert cells.contributions is not None
    assert "4711" not in repr(cells) + repr(cells.contributions.reveal())
    assert "most_jobs" not in repr(cells)
