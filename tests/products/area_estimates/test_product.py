"""The product from rows to published columns: exact sums, odd rows, claims, and neighbours through all of it."""

from __future__ import annotations

import dataclasses
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.products.area_estimates import hand_made
from workbench.accounting.coverage import divisions, serves
from workbench.accounting.entries import entries_of
from workbench.audit.contract import Subject
from workbench.core.claims import Definition, Standing
from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience
from workbench.core.params import Rows, problems_of
from workbench.core.progress import QUIET
from workbench.core.published import MISSING
from workbench.core.quantities import Epsilon
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.mechanisms.observed_sensitivity import losses
from workbench.microdata.table import CodedColumn, Microdata, NumericColumn
from workbench.products.area_estimates.area_data import AreaData, TableSums
from workbench.products.area_estimates.audit import observed_sensitivity
from workbench.products.area_estimates.fractional_sums import contributions, totals
from workbench.products.area_estimates.line import lines_of
from workbench.products.area_estimates.mechanisms import fractional_table, mos
from workbench.products.area_estimates.params import AreaEstimatesParams, Outside
from workbench.products.area_estimates.people import People, grid_of
from workbench.products.area_estimates.power_sums import power_sums
from workbench.products.area_estimates.product import SPEC


def numbers(name: str, values: np.ndarray) -> dict[str, Any]:
    return {name: NumericColumn(name=name, numbers=Confidential(values))}


def test_that_the_sums_of_a_cell_are_what_its_people_contribute() -> None:
    prepared = hand_made.prepared()
    people, table = prepared.people.reveal(), prepared.table.reveal()
    added = contributions(*(grid_of(values).astype(np.int64) for values in (people.x, people.y[0])))
    assert np.array_equal(table.sums[0], totals(added.sums, people.cell, 4))
    assert np.array_equal(table.x_moment, totals(added.x_moment, people.cell, 4))
    assert np.array_equal(table.y_moment[0], totals(added.y_moment, prepared.places.pool[people.cell], 2))


@pytest.mark.parametrize("most", [30, 3000], ids=["two sums a pass", "one sum a pass"])
def test_that_sums_of_powers_are_exact_by_either_way(most: int) -> None:
    """Against additions one by one; a cell of 3,000 people is too large for two sums in one pass."""
    random = np.random.default_rng(3)
    cell = np.repeat(np.arange(3, dtype=np.int32), [most, 5, 0])
    x, y, z = (random.integers(0, 1_000_001, len(cell)).astype(np.int32) for _ in range(3))
    found = power_sums(People(cell=cell, x=x, y=(y, z)), 3)
    on_grid = [grid_of(values).astype(np.int64) for values in (x, y, z)]
    for got, values in (
        (found.x, on_grid[0]),
        (found.xx, on_grid[0] ** 2),
        *zip(found.y, on_grid[1:], strict=True),
        *zip(found.yy, (values**2 for values in on_grid[1:]), strict=True),
        *zip(found.xy, (on_grid[0] * values for values in on_grid[1:]), strict=True),
    ):
        assert got.tolist() == [int(values[cell == place].sum()) for place in range(3)]


def test_that_weights_multiply_whole_contributions() -> None:
    weight = np.arange(83) % 7 / 2
    inputs = hand_made.inputs(numbers("w", weight))
    inputs = dataclasses.replace(inputs, roles={**inputs.roles, "w": "weight"})
    prepared = SPEC.prepare(inputs, hand_made.params(weight="w", most_weight=2, typical_weight=Decimal(2)), QUIET)
    people, table = prepared.people.reveal(), prepared.table.reveal()
    added = contributions(*(grid_of(values).astype(np.int64) for values in (people.x, people.y[0])))
    units = np.minimum(np.rint(weight * 100), 200).astype(np.int64)
    assert np.array_equal(table.sums[0], totals(added.sums * units[:, None], people.cell, 4))
    assert np.abs(added.sums * units[:, None]).sum(axis=1).max() == prepared.most_weight * 1000**2
    assert mos.SPEC.problems(prepared, mos.MosParams())


def test_that_no_weight_in_a_file_moves_the_table_further_than_declared() -> None:
    """One person beside 82 others, with weights at, above and far above the largest, negative, missing and infinite."""
    others = np.arange(83) % 7 / 2

    def table(weight: float) -> TableSums:
        inputs = hand_made.inputs(numbers("w", np.concatenate([[weight], others[1:]])))
        inputs = dataclasses.replace(inputs, roles={**inputs.roles, "w": "weight"})
        params = hand_made.params(weight="w", most_weight=3, typical_weight=Decimal(2))
        prepared: AreaData = SPEC.prepare(inputs, params, QUIET)
        return prepared.table.reveal()

    nobody = table(0.0)
    moves = {}
    for weight in (-1e9, -1.0, -0.006, np.nan, np.inf, 0.004, 2.994, 2.996, 3.0, 3.006, 4.0, 1e9):
        found = table(weight)
        moves[weight] = int(np.abs(found.sums - nobody.sums).sum())
        for moment in (found.x_moment - nobody.x_moment, found.y_moment - nobody.y_moment):
            assert np.abs(moment).sum() <= 300 * 1000**2 // 2
    assert [moves[weight] for weight in (-1e9, -1.0, -0.006, 0.004)] == [0] * 4
    assert moves[2.994] == 299 * 1000**2
    assert all(moves[weight] == 300 * 1000**2 for weight in (2.996, 3.0, 3.006, 4.0, 1e9))
    assert max(moves.values()) == 300 * 1000**2, "W·m², W in units of its grid"


@pytest.mark.parametrize("typical", [None, Decimal(3)], ids=["not declared", "above the largest"])
def test_that_weights_need_a_typical_weight_up_to_the_largest(typical: Decimal | None) -> None:
    """Without weights it is not asked for."""
    found = problems_of(hand_made.params(weight="w", most_weight=2, typical_weight=typical))
    assert [problem.place.field for problem in found] == ["typical_weight"]
    assert not problems_of(hand_made.params(weight="w", most_weight=2, typical_weight=Decimal("1.5")))
    assert not problems_of(hand_made.params())


@pytest.mark.parametrize(
    ("outside", "counted"), [(Outside.LEAVE_OUT, 29), (Outside.CLIP, 30)], ids=["left out", "clipped"]
)
def test_that_a_value_outside_its_bounds_is_treated_as_declared(outside: Outside, counted: int) -> None:
    rank = hand_made.rows()[2].copy()
    rank[0] = 1.2
    prepared = SPEC.prepare(hand_made.inputs(numbers("parent", rank)), hand_made.params(outside=outside), QUIET)
    assert prepared.lines.reveal()[0].size[0] == counted
    assert prepared.facts.reveal().outside == 30 - counted


def test_that_missing_and_unlisted_rows_contribute_nothing() -> None:
    _, area, _, child = hand_made.rows()
    child[0], area[1] = np.nan, "T9"
    changed = {**numbers("child", child), "tract": hand_made.coded("tract", area)}
    prepared = SPEC.prepare(hand_made.inputs(changed), hand_made.params(), QUIET)
    assert prepared.lines.reveal()[0].size.tolist() == [28, 8, 45, 0]
    assert prepared.facts.reveal().unlisted == 2


def test_that_a_person_has_one_row_in_its_first_area() -> None:
    names, *_ = hand_made.rows()
    names[40] = names[3]  # a row in T3 of somebody who is in T1
    prepared = SPEC.prepare(hand_made.inputs({"person": hand_made.coded("person", names)}), hand_made.params(), QUIET)
    assert prepared.lines.reveal()[0].size.tolist() == [30, 8, 44, 0]


def people_without(who: list[int], **changes: np.ndarray) -> Any:
    """The hand-made file without some people and with other numbers."""
    names, area, rank, child = hand_made.rows()
    rank, child = changes.get("parent", rank), changes.get("child", child)
    kept = [place for place in range(len(names)) if place not in who]
    columns: dict[str, Any] = {
        "person": hand_made.coded("person", [names[place] for place in kept]),
        "tract": hand_made.coded("tract", [area[place] for place in kept]),
        **numbers("parent", rank[kept]),
        **numbers("child", child[kept]),
    }
    inputs = hand_made.inputs()
    return dataclasses.replace(inputs, microdata=dataclasses.replace(inputs.microdata, columns=columns, rows=len(kept)))


@pytest.mark.parametrize("case", ["last of a cell", "missing", "outside", "nobody at all"])
def test_that_neighbours_publish_the_same_shape_labels_and_claim(case: str) -> None:
    """First and last person of a cell, odd values, an empty file: same exit, same rows, same words."""
    _, _, rank, child = hand_made.rows()
    other = rank.copy()
    other[5] = {"missing": np.nan, "outside": 7.0}.get(case, rank[5])
    gone = {"last of a cell": list(range(30, 38)), "nobody at all": list(range(83))}.get(case, [])
    data = [SPEC.prepare(hand_made.inputs(), hand_made.params(), QUIET)]
    data.append(SPEC.prepare(people_without(gone, parent=other, child=child), hand_made.params(), QUIET))
    mechanism, params = fractional_table.SPEC, fractional_table.FractionalTableParams()
    tables = [SPEC.public_table(each, mechanism.release(each, params, ReleaseRandom(), QUIET)) for each in data]
    assert tables[0].names == tables[1].names
    assert [key.texts() for key in tables[0].keys] == [key.texts() for key in tables[1].keys]
    gaps = [[int((~column.given()).sum()) for column in table.value_columns] for table in tables]
    assert gaps == [[0] * 16] * 2
    assert mechanism.claim(data[0], params) == mechanism.claim(data[1], params)


def test_that_the_default_is_proved_and_carries_a_witness() -> None:
    prepared, params = hand_made.prepared(), fractional_table.FractionalTableParams()
    claim = fractional_table.SPEC.claim(prepared, params)
    assert claim.standing is Standing.PROVED
    assert claim.coverage is not None
    assert claim.coverage.values == hand_made.AREAS
    assert serves(claim.coverage, Definition.CENTRAL)
    without = SPEC.prepare(hand_made.inputs(), hand_made.params(person=""), QUIET)
    assert fractional_table.SPEC.claim(without, params).standing is Standing.PROVED_IF
    assert fractional_table.SPEC.claim(without, params).coverage is None


def test_that_releases_for_other_areas_count_once() -> None:
    """The witness in the ledger's arithmetic: of disjoint areas the dearest counts, of overlapping ones the sum."""
    prepared = hand_made.prepared()
    params = fractional_table.FractionalTableParams()

    def entry(areas: tuple[str, ...]) -> Any:
        some = dataclasses.replace(prepared.places, areas=areas, larger_of=np.zeros(len(areas), np.int64))
        return entries_of(fractional_table.SPEC.claim(dataclasses.replace(prepared, places=some), params))[0]

    apart = divisions([entry(("T1", "T2")), entry(("T3", "T4"))])[1]
    assert sorted(len(group) for group in apart.groups) == [1, 1]
    together = divisions([entry(("T1", "T2")), entry(("T2", "T3"))])[1]
    assert max(len(group) for group in together.groups) == 2


def test_that_every_column_says_what_it_holds_and_which_kind_of_estimate_it_is() -> None:
    prepared = hand_made.prepared()
    told = {}
    for mechanism in (fractional_table.SPEC, mos.SPEC):
        release = mechanism.release(prepared, mechanism.params(), ReleaseRandom(), QUIET)
        table = SPEC.public_table(prepared, release)
        told[mechanism.id] = table.notes
        titles = {column.name: column.title for column in table.columns}
        assert titles["p25"] == "child at parent 0.25: direct estimate"
        assert titles["p75_model"] == "child at parent 0.75: model-based estimate"
        assert titles["p25_model_margin_of_error"] == "Margin of error of p25_model, 90 of 100"
        assert (titles["count"], titles["slope"]) == ("Number of people", "Slope of child by parent: direct estimate")
        assert (table.units("p25").unit, table.units("slope").unit) == ("child", "child per unit of parent")
    (label,), (empty,) = told["fractional-table"], told["mos"]
    assert "not unbiased for a single one" in label
    assert "not published by this method" in empty


def test_that_two_outcomes_share_epsilon_to_the_digit() -> None:
    child = (hand_made.rows()[3] > 0.5).astype(float)
    inputs = hand_made.inputs(numbers("birth", child))
    inputs = dataclasses.replace(inputs, roles={**inputs.roles, "birth": "outcome"})
    both = Rows({"child": hand_made.OUTCOME, "birth": hand_made.OUTCOME})
    prepared = SPEC.prepare(inputs, hand_made.params(outcomes=both), QUIET)
    params = fractional_table.FractionalTableParams(epsilon=Epsilon("1.3"))
    exact = fractional_table.SPEC.exact_loss(prepared, params, QUIET)
    assert exact.epsilon == pytest.approx(1.3, rel=1e-12)
    assert exact.epsilon <= 1.3
    table = SPEC.public_table(prepared, fractional_table.SPEC.study(prepared, params, StudyRandom(1), QUIET).reveal())
    assert table.rows == 8
    assert table.keys[0].texts() == ["child"] * 4 + ["birth"] * 4
    assert mos.SPEC.claim(prepared, mos.MosParams()).epsilon == 40


def test_that_observed_sensitivity_claims_what_it_does_not_keep() -> None:
    prepared = hand_made.prepared()
    claim = mos.SPEC.claim(prepared, mos.MosParams())
    assert claim.epsilon == 24
    assert claim.standing is Standing.NOT_FORMAL
    assert claim.definition is Definition.CONDITIONAL
    assert "Not differentially private" in claim.sentence
    drawn = mos.SPEC.release(prepared, mos.MosParams(), ReleaseRandom(), QUIET)
    assert (drawn.units("p25").integers == MISSING).tolist() == [False, True, False, True]
    dearer = mos.SPEC.claim(prepared, mos.MosParams(errors=True, slope=True))
    assert dearer.epsilon == 8 * 7


def test_that_a_pool_of_one_cell_is_refused_for_observed_sensitivity() -> None:
    inputs = hand_made.inputs()
    states = hand_made.coded("state", ["Here", "Here", "Here", "There"])
    file = inputs.companions["areas"]
    alone = dataclasses.replace(file, columns={**file.columns, "state": states})
    prepared = SPEC.prepare(dataclasses.replace(inputs, companions={"areas": alone}), hand_made.params(), QUIET)
    assert "single cell" in mos.SPEC.problems(prepared, mos.MosParams())[0].what
    assert fractional_table.SPEC.problems(prepared, fractional_table.FractionalTableParams()) == ()


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"lower": None}, "lower"),
        ({"upper": Decimal(-1)}, "upper"),
        ({"ranks": ("2",)}, "ranks"),
        ({"ranks": ("0.25", "0.25")}, "ranks"),
        ({"ranks": ("low",)}, "ranks"),
        ({"outcomes": Rows({})}, "outcomes"),
        ({"cell": ""}, "cell"),
        ({"latitude": "lat"}, "latitude"),
    ],
)
def test_that_settings_that_cannot_be_are_named(changes: dict[str, Any], place: str) -> None:
    assert place in {problem.where for problem in problems_of(hand_made.params(**changes))}


def test_that_a_list_of_areas_is_asked_for() -> None:
    inputs = dataclasses.replace(hand_made.inputs(), companions={})
    (problem, *_) = SPEC.problems(inputs, hand_made.params(pool=""))
    assert problem.where == "cell"
    listed = hand_made.coded("tract", hand_made.rows()[1], {name: name for name in hand_made.AREAS})
    assert isinstance(listed, CodedColumn)
    declared = dataclasses.replace(hand_made.inputs({"tract": listed}), companions={})
    params: AreaEstimatesParams = hand_made.params(pool="")
    assert SPEC.problems(declared, params) == ()
    columns = {
        name: dataclasses.replace(column, labels_inside=True) if isinstance(column, CodedColumn) else column
        for name, column in declared.microdata.columns.items()
    }
    taken = dataclasses.replace(declared, microdata=dataclasses.replace(declared.microdata, columns=columns))
    assert "not taken from the data" in SPEC.problems(taken, params)[0].do
    assert SPEC.prepare(declared, params, QUIET).rows == 4


def with_dollars(ranks: list[float], dollars: list[float]) -> Any:
    columns: dict[str, Any] = {**numbers("rank", np.array(ranks)), **numbers("dollars", np.array(dollars))}
    file = Microdata(name="dollars.csv", rows=len(ranks), columns=columns, fingerprint=hand_made.PRINTS)
    inputs = hand_made.inputs()
    return dataclasses.replace(inputs, companions={**inputs.companions, "dollars": file})


def test_that_estimates_and_intervals_are_converted_into_dollars() -> None:
    inputs = with_dollars([0.0, 0.5, 1.0], [1000.0, 21_000.0, 61_000.0])
    prepared = SPEC.prepare(inputs, hand_made.params(), QUIET)
    params = fractional_table.FractionalTableParams(epsilon=Epsilon(20))
    drawn = fractional_table.SPEC.release(prepared, params, ReleaseRandom(), QUIET)
    for name in ("p25", "p75", "p25_model"):
        rank, margin = (drawn.units(each).numbers() for each in (name, f"{name}_margin_of_error"))
        for end, moved in (("", 0), ("_low", -1), ("_high", 1)):
            by_hand = np.interp(np.round(rank + moved * margin, 4), [0, 0.5, 1], [1000, 21_000, 61_000])
            assert drawn.units(f"{name}_dollars{end}").numbers() == pytest.approx(by_hand, abs=0.51)
    observed = mos.SPEC.release(prepared, mos.MosParams(), ReleaseRandom(), QUIET)
    assert observed.units("p25_dollars").given().tolist() == observed.units("p25").given().tolist()
    assert not observed.units("p25_dollars_low").given().any()
    table = SPEC.public_table(prepared, drawn)
    assert len(SPEC.side_by_side(prepared, table, ())[0].compared) == 16 + 12


@pytest.mark.parametrize(
    ("ranks", "dollars"), [([0.0, 0.5, 0.5], [1.0, 2.0, 3.0]), ([0.0, 1.0], [2.0, 1.0]), ([0.0, np.nan], [1.0, 2.0])]
)
def test_that_a_dollar_table_that_cannot_be_is_refused(ranks: list[float], dollars: list[float]) -> None:
    with pytest.raises(UserProblem):
        SPEC.prepare(with_dollars(ranks, dollars), hand_made.params(), QUIET)
    assert SPEC.problems(with_dollars(ranks, dollars), hand_made.params(dollar_column="euro"))


@pytest.mark.parametrize("policy", ["standard", "strict"])
def test_that_shipped_policies_cap_the_published_method_and_let_the_table_pass(policy: str) -> None:
    """What the product's page says of both, from the shipped files themselves."""
    file = Path(__file__).parents[3] / "resources" / "policies" / f"{policy}.toml"
    rules = tomllib.loads(file.read_text(encoding="utf-8"))
    prepared = hand_made.prepared()
    observed = mos.SPEC.claim(prepared, mos.MosParams())
    both = 1 - (1 - losses.joining_delta(21, 8.0)) ** 2  # two ranks, somebody joins a cell of 20
    assert float(observed.delta) == pytest.approx(both, abs=1e-4)
    assert both == pytest.approx(0.32, abs=0.005)
    assert observed.epsilon > Decimal(str(rules["epsilon"]["conditional"]))
    assert observed.delta > Decimal(str(rules["delta"]["conditional"]))
    assert rules["evidence"]["not_formal"] == {"standard": "exception", "strict": "refuse"}[policy]
    table = fractional_table.SPEC.claim(prepared, fractional_table.FractionalTableParams())
    assert table.formal
    assert table.epsilon <= Decimal(str(rules["epsilon"]["central"]))
    assert table.delta == 0


@pytest.mark.parametrize("constant", [0.5, 0.4])  # doubles hold .5 exactly and .4 not
def test_that_cells_left_out_are_named_for_reviewers_with_the_reason(constant: float) -> None:
    """T2 has 8 people and T4 nobody; a constant predictor in T3 leaves it without a line."""
    rank = hand_made.rows()[2].copy()
    rank[38:] = constant
    data = SPEC.prepare(hand_made.inputs(numbers("parent", rank)), hand_made.params(), QUIET)
    small = next(finding for finding in SPEC.describe(data) if finding.id == "areas.cells")
    assert small.audience is Audience.INTERNAL
    assert [(row[0], row[2]) for row in small.tables[0].rows] == [("T3", "constant predictor"), ("T4", "nobody")]
    found = observed_sensitivity.SPEC.run(
        Subject(words=SPEC.words, prepared=data, mechanism=mos.SPEC, params=mos.MosParams()),
        observed_sensitivity.ObservedSensitivityParams(), QUIET,
    )  # fmt: skip
    left = next(finding for finding in found if finding.id.endswith("left-out"))
    assert left.values["cells_left_out"] == 3
    assert left.tables[0].rows[0] == ("T2", 8, "fewer than 20 people")


@pytest.mark.parametrize("weighted", [False, True])
def test_that_a_constant_predictor_leaves_no_spread_whatever_it_is(weighted: bool) -> None:
    random = np.random.default_rng(3)
    constant = np.repeat(np.arange(1, 400) / 401, 50)
    cell = np.repeat(np.arange(399), 50)
    weight = random.uniform(0.01, 3, len(cell)) if weighted else None
    lines = lines_of(constant, random.random(len(cell)), cell, 399, weight)
    assert not lines.x_spread.any()
    constant[::50] += 1e-6  # a millionth is the least that predictors differ by
    assert lines_of(constant, random.random(len(cell)), cell, 399, weight).usable.all()


@pytest.mark.parametrize("missing", ["lower", "upper"])
def test_that_bounds_of_an_outcome_must_be_declared(missing: str) -> None:
    row = dataclasses.replace(hand_made.OUTCOME, **{missing: None})
    (problem,) = row.check()
    assert "bounds of the outcome are not declared" in problem.what
