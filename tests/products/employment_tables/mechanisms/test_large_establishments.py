"""A private number beside the table: what it counts, what one step moves it by, its claim, its ledger and its audit."""

from __future__ import annotations

import csv
import io
import itertools
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables.test_selection import SMALL, params, prepared, strong_steps, weak_steps
from workbench.accounting.entries import entries_of
from workbench.accounting.implied import read_under
from workbench.accounting.totals import in_sequence
from workbench.audit import black_box, exact_loss
from workbench.audit.contract import Subject
from workbench.core.claims import Definition, of_values
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience, Status
from workbench.core.params import parse, problems_of, to_plain
from workbench.core.progress import QUIET
from workbench.core.quantities import factor, show
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.products.employment_tables.mechanisms import laplace, node_truncation
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.drawn import beside_of, drawn_values
from workbench.products.employment_tables.mechanisms.large_establishments import (
    LargeEstablishmentsParams,
    exact_number,
)
from workbench.products.employment_tables.product import SPEC as PRODUCT
from workbench.products.employment_tables.words import JOBS

ASKED = LargeEstablishmentsParams(epsilon=Decimal("0.2"), above=3)
OFFER = [each for each in PRODUCT.mechanisms if hasattr(each.params, "large_establishments")]
TABLES = [
    params({}),
    params({}, worker=("sex",)),
    params({"sex": ("F",)}),
    params({"place": ("town", "city")}),
    params({"place": ("town",), "sex": ("F",)}, worker=()),
]


def number(rows: Any, made: Any, asked: LargeEstablishmentsParams = ASKED) -> int:
    sizes = prepared(rows, made).sizes
    assert sizes is not None
    return int(exact_number(sizes, asked).reveal()[0])


def with_number(mechanism: Any, asked: LargeEstablishmentsParams = ASKED, **more: Any) -> Any:
    return mechanism.params(large_establishments=asked, **more)


def subject(mechanism: Any, chosen: Any, made: Any = TABLES[0]) -> Subject:
    return Subject(prepared=prepared(SMALL, made), mechanism=mechanism, params=chosen, words=JOBS)


def test_that_all_jobs_of_an_establishment_count_whatever_the_table_selects() -> None:
    sizes = [sum(jobs) for _, _, _, jobs in SMALL]
    for above in (1, 3, 5, 10):
        asked = replace(ASKED, above=above)
        assert number(SMALL, TABLES[0], asked) == sum(size > above for size in sizes)
        assert number(SMALL, TABLES[2], asked) == number(SMALL, TABLES[0], asked)  # women only: still by all jobs
    here = [sum(jobs) for _, place, _, jobs in SMALL if place in (2, 3)]
    assert number(SMALL, TABLES[3]) == sum(size > ASKED.above for size in here)


@pytest.mark.parametrize("made", TABLES)
def test_that_a_step_of_any_definition_moves_the_number_by_one_at_most(made: Any) -> None:
    before = {above: number(SMALL, made, replace(ASKED, above=above)) for above in (1, 3, 5)}
    without_one = [[*SMALL[:place], *SMALL[place + 1 :]] for place in range(len(SMALL))]
    for after in itertools.chain(without_one, strong_steps(), weak_steps()):
        for above, exact in before.items():
            assert abs(number(after, made, replace(ASKED, above=above)) - exact) <= 1


@pytest.mark.parametrize("mechanism", OFFER, ids=lambda each: each.id)
def test_that_every_mechanism_claims_table_and_number_together(mechanism: Any) -> None:
    plain, chosen = mechanism.params(), with_number(mechanism)
    alone, claim = mechanism.claim(None, plain), mechanism.claim(None, chosen)
    assert claim.epsilon == alone.epsilon + ASKED.epsilon
    assert of_values(claim).epsilon == alone.epsilon
    assert "establishments with more than 3 jobs" in claim.sentence
    assert alone.sentence.startswith("Whatever is published")
    assert "Whatever is published" not in claim.sentence, (
        "the table's factor does not hold for what is published beside"
    )
    assert (
        f"that the table's claim speaks of by {factor(claim.epsilon, claim.delta)} (ε = {show(claim.epsilon)})"
        in claim.sentence
    )
    assert to_plain(plain).get("large_establishments") is None  # plans from before keep their digest
    entries = entries_of(claim)
    assert len({entry.part for entry in entries}) == len(entries)  # what the ledger asks for
    own = in_sequence(read_under(claim.definition, entries))
    assert own.epsilon == claim.epsilon  # the number counts once, though it is entered under two definitions
    assert in_sequence(read_under(Definition.NODE, entries)).epsilon >= ASKED.epsilon


def test_that_a_worker_with_several_jobs_can_move_the_number_as_often() -> None:
    claim = laplace.SPEC.claim(None, with_number(laplace.SPEC, jobs_per_worker=3))
    assert claim.epsilon == 1 + 3 * ASKED.epsilon
    assert in_sequence(read_under(Definition.EDGE, entries_of(claim))).epsilon == claim.epsilon


def test_that_two_claims_of_one_number_are_two() -> None:
    claim = block_gamma.SPEC.claim(None, with_number(block_gamma.SPEC))
    both = (*entries_of(claim), *entries_of(claim))
    assert in_sequence(read_under(Definition.STRONG, both)).epsilon == 2 * claim.epsilon
    node = node_truncation.SPEC.claim(None, with_number(node_truncation.SPEC))
    mixed = (*entries_of(node), *entries_of(claim))
    assert in_sequence(read_under(Definition.STRONG, mixed)).epsilon == 2 * node.epsilon + claim.epsilon


@pytest.mark.parametrize("mechanism", OFFER, ids=lambda each: each.id)
@pytest.mark.parametrize("margins", [(), ("place", "total")])
def test_that_the_number_leaves_in_a_file_of_its_own(mechanism: Any, margins: tuple[str, ...]) -> None:
    cells, chosen = prepared(SMALL, params({}, marginals=margins)), with_number(mechanism)
    release = mechanism.release(cells, chosen, ReleaseRandom(), QUIET)
    table = PRODUCT.public_table(cells, release)
    files = {file.kind: file.write().decode("utf-8") for file in PRODUCT.outputs(table) if file.name.endswith(".csv")}
    [row] = csv.DictReader(io.StringIO(files["establishments"]))
    beside = beside_of(release)
    assert beside is not None
    assert beside.large is not None
    assert row == {
        "number": "establishments with more than 3 jobs",
        "establishments": str(beside.large.drawn[0]),
        "margin_of_error": "23",
    }
    assert ("margins" in files) == bool(margins)
    if margins:
        rows = list(csv.DictReader(io.StringIO(files["margins"])))
        assert "establishments" not in rows[0]
        assert rows[-1]["margin"] == "total"
        assert rows[-1]["jobs"] == str(beside.units("value").integers.sum())
    assert "establishments.csv" in files["code-book"]
    study = mechanism.study(cells, chosen, StudyRandom(1), QUIET).reveal()
    assert PRODUCT.public_table(cells, study).published_beside is not None


@pytest.mark.parametrize("mechanism", [block_gamma.SPEC, laplace.SPEC, node_truncation.SPEC], ids=lambda each: each.id)
def test_that_exact_loss_judges_the_table_the_number_and_both(mechanism: Any) -> None:
    both, alone = exact_loss.SPEC.run(subject(mechanism, with_number(mechanism)), exact_loss.ExactLossParams(), QUIET)
    claim = mechanism.claim(None, with_number(mechanism))
    assert both.values["whole_claimed_epsilon"] == claim.epsilon
    assert both.loss is not None
    assert float(of_values(claim).epsilon) < both.loss.epsilon <= float(claim.epsilon) * (1 + 1e-9)
    assert alone.status is Status.PASS
    assert alone.audience is Audience.PUBLIC
    assert alone.loss is None
    assert alone.values["claimed_epsilon"] == ASKED.epsilon


class _Unsaid:
    """Publishes a number at five times the ε that its claim names."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def besides(self, prepared: Any, chosen: Any) -> Any:
        more = replace(chosen.large_establishments, epsilon=5 * chosen.large_establishments.epsilon)
        return self._own.besides(prepared, replace(chosen, large_establishments=more))


def test_that_a_number_dearer_than_claimed_fails() -> None:
    found = exact_loss.SPEC.run(
        subject(_Unsaid(laplace.SPEC), with_number(laplace.SPEC)), exact_loss.ExactLossParams(), QUIET
    )
    assert found[0].status is Status.FAIL
    assert "does not cover" in found[0].sentence


def test_that_the_black_box_watches_the_number_and_sees_too_little_noise() -> None:
    asked = replace(ASKED, epsilon=Decimal(1))
    [(_, honest)] = subject(laplace.SPEC, with_number(laplace.SPEC, asked)).besides()
    settings = black_box.BlackBoxParams(draws=20_000, release_draws=4000)
    assert all(each.status is Status.PASS for each in black_box.SPEC.run(honest, settings, QUIET))

    class Dearer:
        def __init__(self, own: Any) -> None:
            self._own = own

        def __getattr__(self, name: str) -> Any:
            if name == "besides":
                raise AttributeError(name)
            return getattr(self._own, name)

        def release(self, prepared: Any, chosen: Any, rng: Any, context: Any) -> Any:
            return self._own.release(prepared, replace(chosen, epsilon=2 * chosen.epsilon), rng, context)

    _, release = black_box.SPEC.run(replace(honest, mechanism=Dearer(honest.mechanism)), settings, QUIET)
    assert release.status is Status.FAIL


def test_that_the_number_is_drawn_as_declared() -> None:
    drawn = []
    cells = prepared(SMALL, TABLES[0])
    for _ in range(300):
        beside = beside_of(laplace.SPEC.release(cells, with_number(laplace.SPEC), ReleaseRandom(), QUIET))
        assert beside is not None
        assert beside.large is not None
        drawn.append(int(beside.large.drawn[0]) - int(beside.large.exact.reveal()[0]))
    assert abs(np.mean(drawn)) < 5 * np.sqrt(2 / 0.04 / 300)
    assert np.quantile(np.abs(drawn), 0.95) <= 23
    assert len(set(drawn)) > 15


def test_that_nothing_is_asked_where_the_plan_asks_for_nothing() -> None:
    cells = prepared(SMALL, TABLES[0])
    release = block_gamma.SPEC.release(cells, block_gamma.BlockGammaParams(), ReleaseRandom(), QUIET)
    assert release.answers == ()
    assert PRODUCT.public_table(cells, release).published_beside is None


def test_that_bad_settings_and_data_read_in_place_say_so() -> None:
    chosen = with_number(laplace.SPEC, replace(ASKED, epsilon=Decimal("0.0000001")))
    [problem] = problems_of(chosen)
    assert problem.where == "large_establishments.epsilon"
    with pytest.raises(UserProblem, match="above"):
        parse(laplace.LaplaceParams, {"large_establishments": {"epsilon": Decimal("0.1"), "above": 0}})
    elsewhere = replace(prepared(SMALL, TABLES[0]), sizes=None)
    [problem] = laplace.SPEC.problems(elsewhere, with_number(laplace.SPEC))
    assert "read in place" in problem.what


@pytest.mark.parametrize("margins", [(), ("all",)], ids=["alone", "margins"])
@pytest.mark.parametrize("mechanism", PRODUCT.mechanisms, ids=lambda each: each.id)
def test_that_files_follow_from_the_published_values_alone(mechanism: Any, margins: tuple[str, ...]) -> None:
    """Whatever the data: with the same values drawn from others, every file has the same bytes."""
    chosen = with_number(mechanism) if mechanism in OFFER else mechanism.params()
    giant = [*SMALL, ("F", 3, 2, (40_000, 60_000))]
    files = []
    for rows in (SMALL, giant):
        cells = prepared(rows, params({}, marginals=margins))
        drawn = mechanism.release(cells, chosen, ReleaseRandom(), QUIET)
        beside = beside_of(drawn)
        assert beside is not None
        values = np.arange(-5, len(drawn.units("value").integers) - 5)
        large = None if beside.large is None else (replace(beside.large, drawn=np.array([7])), beside.large_within)
        table = PRODUCT.public_table(cells, drawn_values(values, values + 3, margin=beside.margin, large=large))
        files.append({file.name: file.write() for file in PRODUCT.outputs(table) if file.media_type == "text/csv"})
    assert files[0] == files[1]
    assert ("establishments.csv" in files[0]) == (mechanism in OFFER)
