"""An attribute made from the size of the workforce is refused, and no other one is."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.resources import sample_folder
from workbench.microdata.inputs import Inputs
from workbench.microdata.roles import Role
from workbench.microdata.table import CodedColumn, Microdata
from workbench.products.employment_tables.params import EmploymentTablesParams
from workbench.products.employment_tables.product import SPEC
from workbench.products.employment_tables.size_codes import follows_order
from workbench.products.employment_tables.twin.employment import as_microdata, make_employment_twin
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.opening import load_data
from workbench.review.run.prepare import prepare

CLASSES = ("1-9", "10-49", "50-99", "100+")
CUTS = (10, 50, 100)
TWIN_ROLES = {
    "establishment": Role.ESTABLISHMENT, "place": Role.GEOGRAPHY, "sector": Role.WORKPLACE,
    "ownership": Role.WORKPLACE, "sex": Role.PERSON, "education": Role.PERSON,
}  # fmt: skip


@pytest.fixture(scope="module")
def twin() -> Microdata:
    return as_microdata(make_employment_twin(jobs=20_000, seed=3, context=QUIET, worker_ids=False))


def with_code(data: Microdata, of_establishment: np.ndarray, key: str = "establishment") -> Microdata:
    """The same data with one more column, “code”, which is one per establishment."""
    column = data.coded(key)
    names = tuple(f"C{value:04d}" for value in range(int(of_establishment.max()) + 1))
    codes = of_establishment.astype(np.int32)[column.codes.reveal()]
    code = CodedColumn(name="code", codes=Confidential(codes), values=names, labels={name: name for name in names})
    return dataclasses.replace(data, columns={**data.columns, "code": code})


def sizes(data: Microdata, key: str = "establishment") -> np.ndarray:
    return np.bincount(data.coded(key).codes.reveal(), minlength=len(data.coded(key).values))


def problems(data: Microdata, role: Role = Role.WORKPLACE) -> list[str]:
    """What is said against a table by place and code; nothing where it is made."""
    worker = ("code",) if role is Role.PERSON else ()
    params = EmploymentTablesParams(workplace=("place", *(() if worker else ("code",))), worker=worker)
    try:
        SPEC.prepare(Inputs(microdata=data, roles={**TWIN_ROLES, "code": role}), params, QUIET)
    except UserProblem as refused:
        return [problem.sentence() for problem in refused.problems]
    return []


@pytest.mark.parametrize("role", [Role.WORKPLACE, Role.PERSON])
def test_that_a_size_class_is_refused_whatever_role_it_has(twin: Microdata, role: Role) -> None:
    (said,) = problems(with_code(twin, np.searchsorted(CUTS, sizes(twin), side="right")), role)
    assert "“code”" in said
    assert not any(character.isdigit() for character in said)


@pytest.mark.parametrize("cuts", [(2,), (50,), (20, 500), tuple(range(1, 2000))])
def test_that_it_does_not_matter_where_classes_are_cut_or_how_they_are_named(twin: Microdata, cuts: tuple[int]) -> None:
    classes = np.searchsorted(cuts, sizes(twin), side="right")
    renamed = np.random.default_rng(2).permutation(int(classes.max()) + 1)[classes]
    assert problems(with_code(twin, renamed))


def test_that_a_few_exceptions_do_not_hide_a_size_class(twin: Microdata) -> None:
    rng = np.random.default_rng(4)
    classes = np.searchsorted(CUTS, sizes(twin), side="right")
    other = rng.random(len(classes)) < 0.01
    classes[other] = rng.integers(4, size=int(other.sum()))
    assert problems(with_code(twin, classes))


def test_that_the_attributes_of_the_twin_are_no_size_codes(twin: Microdata) -> None:
    params = EmploymentTablesParams(workplace=("place", "sector", "ownership"), worker=("sex", "education"))
    assert SPEC.prepare(Inputs(microdata=twin, roles=TWIN_ROLES), params, QUIET).jobs == 20_000


def test_that_the_sample_is_made_as_before() -> None:
    folder = sample_folder("employment_tables")
    plan = read_plan(folder / "plan.toml")
    assert prepare(load_data(plan, base=folder, context=QUIET), plan, QUIET).value.jobs


def test_that_a_size_of_another_time_is_no_size_code(twin: Microdata) -> None:
    then = sizes(twin) * np.exp(np.random.default_rng(6).normal(0, 0.4, len(sizes(twin))))
    assert not problems(with_code(twin, np.searchsorted(CUTS, then, side="right")))


@pytest.mark.parametrize("values", [2, 3, 20, 300])
@pytest.mark.parametrize("seed", range(3))
def test_that_random_codes_are_no_size_codes(twin: Microdata, values: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(values, 0.3))
    assert not problems(with_code(twin, rng.choice(values, len(sizes(twin)), p=shares)))


def test_that_one_value_nearly_everywhere_is_no_size_code(twin: Microdata) -> None:
    rare = np.zeros(len(sizes(twin)), dtype=np.int64)
    rare[np.random.default_rng(1).choice(len(rare), 5, replace=False)] = 1
    assert not problems(with_code(twin, rare))


def test_that_a_code_for_every_establishment_is_no_size_code(twin: Microdata) -> None:
    assert not problems(with_code(twin, np.arange(len(sizes(twin)))))


def test_that_codes_in_the_order_of_the_file_are_no_size_code_where_all_are_of_one_size() -> None:
    data = hand_made.microdata([(f"E{i:03d}", i % 4, 0, (1, 1)) for i in range(200)])
    data = with_code(data, np.arange(200) // 50, "employer")
    roles = {**hand_made.ROLES, "code": Role.WORKPLACE}
    params = EmploymentTablesParams(workplace=("place", "code"))
    assert SPEC.prepare(Inputs(microdata=data, roles=roles), params, QUIET).jobs == 400


def test_that_nothing_is_said_of_too_few_establishments() -> None:
    assert not follows_order(np.repeat([0, 1], 12))
    assert follows_order(np.repeat([0, 1], 13))


def test_that_random_orders_are_almost_never_taken_for_size() -> None:
    rng = np.random.default_rng(8)
    for establishments in (25, 40, 100):
        for _ in range(700):
            shares = rng.dirichlet(np.full(int(rng.integers(2, 9)), 0.5))
            assert not follows_order(rng.choice(len(shares), establishments, p=shares))


def test_that_half_a_million_establishments_take_no_time() -> None:
    values = np.random.default_rng(3).integers(5200, size=527_000)
    start = time.process_time()
    assert not follows_order(values)
    assert time.process_time() - start < 1.0
