"""What an index refuses, says and keeps to itself."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from tests.products.employment_tables.tabulation.frames import ROLES, coded, microdata
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled, UserProblem
from workbench.core.progress import QUIET
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Microdata
from workbench.products.employment_tables.tabulation.engine import (
    DomainKind,
    JobIndex,
    Route,
    count_cells,
    index,
    tabulate,
)
from workbench.products.employment_tables.twin.employment import as_microdata, make_employment_twin

TEXTS: dict[str, list[str | None]] = {
    "worker": ["w1", "w2", "w3", "w4"],
    "establishment": ["secret-a", "secret-a", "secret-b", "secret-b"],
    "place": ["0100001", "0100001", "0100002", "0100002"],
    "sector": ["11", "11", "22", "22"],
    "sex": ["F", "M", "F", "F"],
    "education": ["E1", "E1", "E2", "E2"],
}


def _data(**changed: list[str | None]) -> Microdata:
    return microdata({name: coded(name, texts) for name, texts in (TEXTS | changed).items()})


def _problem(data: Microdata, roles: dict[str, Role] | None = None) -> UserProblem:
    with pytest.raises(UserProblem) as caught:
        index(data, ROLES if roles is None else roles, QUIET)
    assert "secret" not in str(caught.value)
    return caught.value


def test_that_an_establishment_in_two_places_names_the_columns_and_not_the_establishment() -> None:
    made = index(
        _data(place=["0100001", "0100002", "0100002", "0100002"], sector=["11", "22", "22", "22"]), ROLES, QUIET
    )
    said = " ".join(problem.sentence() for problem in made.problems_with(["place", "sector"]))
    assert "“place”" in said
    assert "“sector”" in said
    assert "0100001" not in said
    assert "secret" not in said


def test_that_an_attribute_that_varies_within_an_establishment_hinders_only_tables_with_it() -> None:
    made = index(_data(sector=["11", "22", "22", "22"]), ROLES, QUIET)
    assert set(made.workplace) == {"place"}
    assert not made.problems_with(["place", "sex"])
    table = tabulate(made, workplace=["place"], worker=[], domain=DomainKind.ALL, context=QUIET)
    assert int(table.count.reveal().sum()) == 4
    with pytest.raises(UserProblem, match="more than one value of “sector”"):
        tabulate(made, workplace=["place", "sector"], worker=[], domain=DomainKind.ALL, context=QUIET)


@pytest.mark.parametrize(
    ("code", "said"), [("100001", "differ in leading zeros"), ("0100009", "Add the missing codes")]
)
def test_that_codes_that_lost_their_zeros_are_told(code: str, said: str) -> None:
    listed = {"0100001": "one", "0100002": "two"}
    place = replace(coded("place", [code, code, "0100002", "0100002"]), labels=listed)
    data = _data()
    made = index(replace(data, columns={**data.columns, "place": place}), ROLES, QUIET)
    sentence = " ".join(problem.sentence() for problem in made.problems_with(["place"]))
    assert said in sentence
    assert code not in sentence


def test_that_missing_values_of_all_identifiers_are_named_together() -> None:
    data = _data(establishment=["secret-a", "secret-a", None, "secret-b"], worker=["1", None, "3", "4"])
    wrong = _problem(data)
    assert [problem.where for problem in wrong.problems] == [
        "jobs.csv, column “establishment”", "jobs.csv, column “worker”",
    ]  # fmt: skip


def test_that_an_attribute_with_gaps_hinders_only_the_tables_that_ask_for_it() -> None:
    made = index(_data(sex=["F", None, "F", "F"], sector=["11", None, "22", "22"]), ROLES, QUIET)
    assert count_cells(made, ("place",), ("education",), DomainKind.ALL) == 4
    with pytest.raises(UserProblem) as caught:
        count_cells(made, ("place", "sector"), ("sex",), DomainKind.ALL)
    assert [problem.where for problem in caught.value.problems] == [
        "jobs.csv, column “sector”", "jobs.csv, column “sex”",
    ]  # fmt: skip


def test_that_a_missing_value_in_an_ignored_column_is_no_problem() -> None:
    roles = ROLES | {"sex": Role.IGNORE}
    assert "sex" not in index(_data(sex=["F", None, "F", "F"]), roles, QUIET).worker


def test_that_a_value_outside_its_dictionary_names_the_column_and_not_the_value() -> None:
    columns = dict(_data().columns) | {"sex": coded("sex", TEXTS["sex"], {"M": "Men", "X": "Unknown"})}
    data = microdata({name: column for name, column in columns.items() if isinstance(column, CodedColumn)})
    with pytest.raises(UserProblem) as caught:
        count_cells(index(data, ROLES, QUIET), ("place",), ("sex",), DomainKind.ALL)
    assert "“sex”" in str(caught.value)
    assert "dictionary" in str(caught.value)
    assert "“F”" not in str(caught.value)


@pytest.mark.parametrize("change", [{"establishment": Role.IGNORE}, {"place": Role.ESTABLISHMENT}])
def test_that_exactly_one_column_identifies_establishments(change: dict[str, Role]) -> None:
    assert "establishment" in str(_problem(_data(), ROLES | change))


def test_that_two_worker_columns_are_a_problem() -> None:
    assert "worker" in str(_problem(_data(), ROLES | {"sex": Role.WORKER}))


def test_that_no_rows_are_a_problem() -> None:
    empty = {name: coded(name, []) for name in TEXTS}
    assert "no jobs" in str(_problem(microdata(empty)))


def test_that_values_taken_from_the_data_are_reported() -> None:
    columns = {name: coded(name, texts) for name, texts in TEXTS.items()}
    columns["sex"] = coded("sex", TEXTS["sex"], {"F": "Women", "M": "Men", "X": "Unknown"})
    columns["place"] = coded("place", TEXTS["place"], populations={"0100001": 5, "0100002": 9})
    made = index(microdata(columns), ROLES, QUIET)
    cells = tabulate(made, workplace=("place",), worker=("sex",), domain=DomainKind.ALL, context=QUIET)
    assert cells.domain.from_data == ("place",)
    sex = cells.domain.worker[0]
    assert (sex.values, sex.labels, sex.title) == (("F", "M", "X"), ("Women", "Men", "Unknown"), "Sex")
    assert cells.domain.workplace[0].populations == (5, 9)
    assert cells.count.reveal().tolist() == [1, 1, 0, 2, 0, 0]


def test_that_without_a_worker_column_the_most_jobs_of_a_worker_are_unknown() -> None:
    made = index(_data(), ROLES | {"worker": Role.IGNORE}, QUIET)
    assert made.most_jobs_of_a_worker is None


def test_that_an_attribute_of_the_wrong_role_is_refused_with_what_could_be_meant() -> None:
    made = index(_data(), ROLES, QUIET)
    with pytest.raises(UserProblem, match=r"“sectr” does not have the role “workplace attribute”.*“sector”"):
        count_cells(made, ("sectr",), (), DomainKind.ALL)
    with pytest.raises(UserProblem, match="twice"):
        count_cells(made, ("sector", "sector"), (), DomainKind.ALL)


def test_that_a_table_too_large_is_refused_before_it_is_counted() -> None:
    rows = 400
    columns = {"establishment": coded("establishment", [f"e{n}" for n in range(rows)])}
    columns |= {name: coded(name, [f"{n:03}" for n in range(rows)]) for name in ("a", "b", "c")}
    roles = {"establishment": Role.ESTABLISHMENT, "a": Role.PERSON, "b": Role.PERSON, "c": Role.PERSON}
    made = index(microdata(columns), roles, QUIET)
    assert count_cells(made, (), ("a", "b", "c"), DomainKind.ALL) == rows**3
    with pytest.raises(UserProblem, match=r"64,000,000 cells.*Choose fewer attributes"):
        tabulate(made, workplace=(), worker=("a", "b", "c"), domain=DomainKind.ALL, context=QUIET)


def test_that_workplace_products_beyond_64_bits_still_tell_cells_apart() -> None:
    rows, names = 300, [f"a{n}" for n in range(9)]
    rng = np.random.default_rng(1)
    columns = {"establishment": coded("establishment", [f"e{n:03}" for n in range(rows)])}
    columns |= {name: coded(name, [f"{v:03}" for v in rng.integers(0, 300, rows)]) for name in names}
    roles = {"establishment": Role.ESTABLISHMENT} | dict.fromkeys(names, Role.WORKPLACE)
    made = index(microdata(columns), roles, QUIET)
    cells = tabulate(made, workplace=tuple(names), worker=(), domain=DomainKind.ESTABLISHMENTS, context=QUIET)
    texts = zip(*([columns[n].values[c] for c in columns[n].codes.reveal()] for n in names), strict=True)
    assert cells.domain.keys(range(rows)) == sorted(texts)
    assert cells.count.reveal().tolist() == [1] * rows


def test_that_neither_index_nor_cells_print_what_they_hold() -> None:
    made = index(_data(), ROLES, QUIET)
    cells = tabulate(made, workplace=("place",), worker=(), domain=DomainKind.ALL, context=QUIET, contributions=True)
    assert "secret" not in repr(made) + repr(cells) + repr(made.arrangement)
    assert isinstance(cells.contributions, Confidential)


class _CancelAfter:
    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self, fraction: float, sentence: str) -> None:
        assert 0 <= fraction <= 1
        self.left -= 1
        if self.left < 0:
            raise Cancelled


@pytest.fixture(scope="module")
def twin_index() -> JobIndex:
    twin = make_employment_twin(jobs=600_000, seed=1, context=QUIET, worker_ids=False)
    roles = {"establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sector": Role.WORKPLACE,
             "ownership": Role.WORKPLACE, "sex": Role.PERSON, "education": Role.PERSON, "age": Role.PERSON}  # fmt: skip
    return index(as_microdata(twin), roles, QUIET)


@pytest.mark.parametrize("route", list(Route))
def test_that_a_cancel_is_answered_in_the_middle_and_leaves_nothing_running(twin_index: JobIndex, route: Route) -> None:
    chosen = {"workplace": ("place", "sector"), "worker": ("sex", "age"), "domain": DomainKind.ESTABLISHMENTS}
    with pytest.raises(Cancelled):
        tabulate(twin_index, **chosen, context=_CancelAfter(2), route=route)
    assert not [thread for thread in threading.enumerate() if "DuckDB" in thread.name]
    tabulate(twin_index, **chosen, context=_CancelAfter(10_000), route=route)


def test_that_routes_agree_on_a_twin_of_realistic_shape(twin_index: JobIndex) -> None:
    tables = [
        tabulate(twin_index, workplace=("sector", "place"), worker=("age", "sex"), domain=DomainKind.ESTABLISHMENTS,
                 context=QUIET, route=route)
        for route in Route
    ]  # fmt: skip
    for table in tables[1:]:
        for part in ("count", "establishments", "largest", "largest_total", "workplace_largest"):
            assert np.array_equal(getattr(tables[0], part).reveal(), getattr(table, part).reveal())
    assert int(tables[0].count.reveal().sum()) == 600_000
