"""Every registered product keeps the contract."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.contract.contexts import CancelAt, Listener
from tests.contract.findings_contract import judge_findings
from tests.contract.samples import SAMPLES, Sample, by_column, sample_of, studied, today
from tests.contract.specs_contract import SpecContract
from tests.published import with_values
from workbench.baselines.alternatives import ProtectedFile, Rival, cells_of
from workbench.core.confidential import Confidential
from workbench.core.errors import Cancelled
from workbench.core.params import outline_of
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.microdata.roles import Role
from workbench.microdata.suggest import Facts
from workbench.products.contract import AnyProduct
from workbench.products.registry import PRODUCTS

_COLUMNS = {"estab": 40, "pik": 900, "sex": 2, "place": 30, "S000": 60, "wage": 700, "zzz": 1000, "area": 3, "year": 5}


class ProductContract(SpecContract):
    """Give the fixtures `spec`, `registry` and `sample`."""

    @pytest.fixture
    def sample(self) -> Sample:
        raise NotImplementedError

    @pytest.fixture
    def source(self, sample: Sample) -> Any:
        return sample.source()

    @pytest.fixture
    def valid_params(self, source: Any) -> Any:
        return source[1]

    @pytest.fixture
    def prepared(self, spec: Any, source: Any) -> Any:
        return spec.prepare(*source, QUIET)

    @pytest.fixture
    def release(self, spec: Any, prepared: Any) -> Any:
        mechanism = spec.mechanisms[0]
        return mechanism.release(prepared, mechanism.params(), ReleaseRandom(), QUIET)

    def test_that_it_offers_a_mechanism_checks_and_measures(self, spec: AnyProduct) -> None:
        """A baseline is no must: not everything that is released has a disclosure limitation of today."""
        assert all((spec.mechanisms, spec.checks, spec.measures))
        for offered in (spec.mechanisms, spec.baselines, spec.checks, spec.measures):
            assert len({plug_in.id for plug_in in offered}) == len(offered)

    def test_that_good_data_are_no_problem(self, spec: Any, source: Any) -> None:
        assert spec.problems(*source) == ()

    def test_that_missing_roles_are_named_before_anything_is_tabulated(self, spec: Any, source: Any) -> None:
        inputs, params = source
        nothing = dataclasses.replace(inputs, roles=dict.fromkeys(inputs.roles, Role.IGNORE))
        problems = spec.problems(nothing, params)
        assert problems
        assert all(problem.do for problem in problems)

    def test_that_it_offers_the_roles_its_settings_name_and_suggests_no_others(self, spec: Any) -> None:
        offered = {*spec.roles, Role.IGNORE}
        assert all(role.help for role in spec.roles)
        for plug_in in (spec, *spec.mechanisms, *spec.baselines):
            named = [field.roles for _, field in outline_of(plug_in.params) if field.roles]
            assert all(set(roles) & offered for roles in named)
        facts = [Facts(name=name, rows=1000, distinct=distinct, missing=0) for name, distinct in _COLUMNS.items()]
        found = spec.suggest_roles(facts)
        assert set(found) == set(_COLUMNS)
        assert {each.role for each in found.values()} <= offered
        assert all(each.reason for each in found.values())

    def test_that_the_live_count_is_the_size_of_the_release(self, spec: Any, source: Any, release: Any) -> None:
        assert spec.size(*source) in (None, release.rows)

    def test_that_prepared_data_answer_what_everybody_may_ask(self, prepared: Any, release: Any) -> None:
        assert prepared.rows in (None, release.rows)
        assert all(title.strip() and count >= 0 for title, count in prepared.units)
        rule = prepared.row_rule(release)
        assert (rule is None) == (prepared.rows is not None)
        assert rule is None or rule.kept

    def test_that_its_files_have_names_of_their_own_and_the_csv_comes_first(
        self, spec: Any, prepared: Any, release: Any
    ) -> None:
        table = spec.public_table(prepared, release)
        files = spec.outputs(table)
        assert (files[0].kind, files[0].lasting) == ("csv", True)
        for told in ("name", "kind"):
            assert len({getattr(file, told) for file in files}) == len(files)
        for file in files:
            assert file.title.strip()
            assert "/" in file.media_type
            assert file.write() == file.write() != b""

    def test_that_preparing_again_gives_the_same(self, spec: Any, source: Any, sample: Sample) -> None:
        first, again = (sample.truth(spec.prepare(*source, QUIET)) for _ in range(2))
        assert np.array_equal(first, again)

    def test_that_nothing_made_of_the_data_outlives_them(self, spec: Any, sample: Sample) -> None:
        """Whatever is kept in order to answer faster is as confidential as the rows: it goes when they go."""
        inputs, params = sample.source()
        inputs = dataclasses.replace(inputs, microdata=dataclasses.replace(inputs.microdata))  # nobody else has it
        rows = weakref.ref(inputs.microdata)
        spec.size(inputs, params)
        spec.prepare(inputs, params, QUIET)
        del inputs
        gc.collect()
        assert rows() is None

    def test_that_the_hand_made_data_come_out_as_they_went_in(self, prepared: Any, sample: Sample) -> None:
        assert sorted(sample.truth(prepared).tolist()) == sorted(sample.truth(sample.prepared()).tolist())

    def test_that_its_facts_are_complete_and_hold_no_secret(self, spec: Any, prepared: Any, sample: Sample) -> None:
        judge_findings(spec.describe(prepared), sample.secrets)

    def test_that_every_mechanism_and_baseline_takes_what_it_prepares(self, spec: Any, prepared: Any) -> None:
        for mechanism in spec.mechanisms:
            assert mechanism.problems(prepared, mechanism.params()) == ()
            mechanism.study(prepared, mechanism.params(), StudyRandom(1), QUIET)
        for baseline in spec.baselines:
            baseline.protect(prepared, baseline.params(), StudyRandom(1), QUIET)

    def test_that_the_public_table_holds_the_released_values_and_nothing_else(
        self, spec: Any, prepared: Any, release: Any
    ) -> None:
        table = spec.public_table(prepared, release)
        assert np.array_equal(table.values, release.values)
        if not table.records:
            names = zip(*(key.texts() for key in table.keys), strict=True)
            assert len(set(names)) == table.rows, "two rows have the same name"
        assert all(name.strip() for name in table.names)
        assert {field.name for field in dataclasses.fields(table)} == {"columns", "records", "beside", "notes"}
        assert all(note.strip().endswith(".") for note in table.notes), "a note is a sentence"

    def test_that_whatever_is_compared_has_a_column_for_every_rival(
        self, spec: Any, prepared: Any, release: Any
    ) -> None:
        """Row by row or as estimates of its own: nothing that a plan compares with is forgotten."""
        rivals = rivals_of(spec, prepared)
        tables = spec.side_by_side(prepared, spec.public_table(prepared, release), rivals)
        assert tables
        assert len({table.title for table in tables}) == len(tables), "two tables have the same title"
        for table in tables:
            assert isinstance(table.flagged, Confidential)
            assert table.flag_rule.strip().endswith(".")
            for compared in table.compared:
                assert compared.name.strip()
                assert len(compared.columns) == len(rivals) + 2
                for rival in rivals:
                    assert any(rival.title in column.about for column in compared.columns[1:-1])
                assert np.isfinite(compared.true.reveal()).all()

    def test_that_rows_of_the_release_are_compared_with_the_true_ones(
        self, spec: Any, prepared: Any, release: Any, sample: Sample
    ) -> None:
        """Where rows have true values. Drawn rows are laid out coarsely, records are compared by their estimates."""
        rivals, table = rivals_of(spec, prepared), spec.public_table(prepared, release)
        beside = spec.side_by_side(prepared, table, rivals)[0]
        if table.records:
            return
        if prepared.rows is None:
            (column,) = beside.compared
            assert column.true.reveal().sum() == sample.truth(prepared).sum()
            assert column.private.sum() == release.values.sum()
            for rival, laid in zip(rivals, column.columns[1:-1], strict=True):
                file = rival.gives.published.reveal().values if isinstance(rival.gives, ProtectedFile) else None
                given = cells_of(rival.gives).reveal() if file is None else file
                assert np.nansum(laid.values.reveal()) == np.nansum(given)
        else:
            assert len(beside.compared) == len(table.value_columns)
            for place, column in enumerate(beside.compared):
                declared = table.value_columns[place]
                truth = by_column(sample.truth(prepared), place) / 10.0**declared.decimals
                assert np.array_equal(column.true.reveal(), truth)
                assert np.array_equal(column.private, declared.numbers(), equal_nan=True)
                assert column.decimals == declared.decimals
                for rival, laid in zip(rivals, column.columns[1:-1], strict=True):
                    if not isinstance(rival.gives, ProtectedFile):
                        given = by_column(cells_of(rival.gives).reveal(), place)
                        assert np.array_equal(laid.values.reveal(), given, equal_nan=True)

    def test_that_true_records_would_give_the_true_estimates(
        self, spec: Any, prepared: Any, release: Any, sample: Sample
    ) -> None:
        """Estimates are made of the truth and of any file alike."""
        table = spec.public_table(prepared, release)
        if table.records and prepared.rows is not None:
            (exact,) = spec.side_by_side(prepared, with_values(table, sample.truth(prepared)), ())
            for column in exact.compared:
                assert np.array_equal(column.private, column.true.reveal(), equal_nan=True)

    def test_that_nothing_confidential_can_be_printed(self, spec: Any, prepared: Any, sample: Sample) -> None:
        for secret in sample.secrets:
            assert secret not in repr(prepared)

    @pytest.mark.parametrize("step", [1, 2])
    def test_that_cancel_is_obeyed(self, spec: Any, sample: Sample, step: int) -> None:
        with pytest.raises(Cancelled):
            spec.prepare(*sample.source(), CancelAt(step))

    def test_that_progress_is_a_share(self, spec: Any, sample: Sample) -> None:
        listener = Listener()
        spec.prepare(*sample.source(), listener)
        assert listener.fractions
        assert all(0 <= fraction <= 1 for fraction in listener.fractions)

    def test_that_progress_only_grows_once_the_data_are_arranged(self, spec: Any, source: Any) -> None:
        spec.prepare(*source, QUIET)
        listener = Listener()
        spec.prepare(*source, listener)
        assert listener.fractions == sorted(listener.fractions)


def rivals_of(product: AnyProduct, prepared: Any) -> tuple[Rival, ...]:
    """Every baseline, and every other mechanism drawn for study, or the only one, in the order they stand in."""
    baselines = [today(baseline, prepared) for baseline in product.baselines]
    others = [studied(product, mechanism, prepared) for mechanism in product.mechanisms[1:] or product.mechanisms]
    return tuple(sorted((*baselines, *others), key=lambda rival: rival.side.place))


def test_that_there_is_a_product_and_sample_data_for_each() -> None:
    assert {product.id for product in PRODUCTS} == set(SAMPLES)


@pytest.mark.parametrize("case", PRODUCTS, ids=[product.id for product in PRODUCTS])
class TestEveryProduct(ProductContract):
    @pytest.fixture
    def spec(self, case: Any) -> AnyProduct:
        product: AnyProduct = case
        return product

    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return PRODUCTS

    @pytest.fixture
    def sample(self, case: Any) -> Sample:
        return sample_of(case)
