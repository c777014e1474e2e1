"""Bounding is enforced: whatever rows a person brings, one history moves the sums of one block by L a year at most."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from tests.products.outcome_reports.hand_made import CAP, Row
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.noise.history_norm import HistoryNorm
from workbench.products.outcome_reports.mechanisms import history
from workbench.products.outcome_reports.mechanisms.history_sums import cell_units
from workbench.products.outcome_reports.mechanisms.too_wide import log_most_points, too_wide
from workbench.products.outcome_reports.outcomes import Outcomes
from workbench.products.outcome_reports.params import Institutions
from workbench.products.outcome_reports.product import SPEC

NOBODY = hand_made.rows(60, seed=9)
ODD: dict[str, list[Row]] = {
    "two rows in a year": [("X", "A", "faculty", "business", "1", 5e4), ("X", "A", "faculty", "university", "1", 6e4)],
    "the same row twice": [("X", "A", "faculty", "business", "1", 5e4)] * 2,
    "two titles": [("X", "A", "faculty", "business", "1", 5e4), ("X", "A", "student", "business", "2", 9e4)],
    "two institutions": [("X", "A", "faculty", "business", "1", 5e4), ("X", "B", "faculty", "business", "1", 4e4)],
    "negative pay": [("X", "A", "faculty", "business", "1", -500.0), ("X", "A", "faculty", "business", "2", -1.0)],
    "pay above the cap": [("X", "A", "faculty", "business", "1", 9e9), ("X", "A", "faculty", "university", "2", 9e9)],
    "no pay known": [("X", "A", "faculty", "business", "1", float("nan"))],
    "a gap in years": [("X", "B", "student", "business", "2", 7e4)],
    "a year outside the list": [("X", "B", "student", "business", "7", 7e4)],
    "a sector that is not listed": [("X", "B", "student", "space", "1", 7e4)],
    "an institution that is not listed": [("X", "C", "student", "business", "1", 7e4)],
    "no identifier": [(None, "B", "student", "business", "1", 7e4), (None, "A", "student", "business", "1", 7e4)],
    "half dollars": [("X", "A", "faculty", "business", "1", 100.5), ("X", "A", "faculty", "business", "2", 0.5)],
}


def prepared(rows: list[Row], **changes: Any) -> Outcomes:
    return SPEC.prepare(hand_made.inputs_of(rows), hand_made.params(**changes), QUIET)


def moved(rows: list[Row], more: list[Row], units: int, **changes: Any) -> np.ndarray:
    """What the rows of one more person change: institution × title × year × coordinates of the block."""
    sides = []
    for each in (rows, rows + more):
        data = prepared(each, **changes)
        pair = cell_units(data.count.reveal(), data.total.reveal(), cap=CAP, units=units)
        sides.append(np.stack(pair, axis=-1).reshape(2, 2, 2, 2, 2))  # institution, title, sector, year, (U, V)
    return (sides[1] - sides[0]).transpose(0, 1, 3, 2, 4).reshape(2, 2, 2, 4)


def test_that_somebody_with_rows_in_two_years_is_one_contributor_to_their_sum() -> None:
    """As cell suppression sees it; odd rows change nothing in who stands behind a cell."""
    rows = [*NOBODY, *(row for odd in ODD.values() for row in odd)]
    given = prepared(rows).suppressible()
    shares = given.contributions.reveal()
    counted = np.bincount(shares.cell, weights=shares.amount, minlength=len(given.keys))
    assert np.array_equal(counted, given.values.reveal()) and not given.own_numbers
    behind = {key: set(shares.holder[shares.cell == cell].tolist()) for cell, key in enumerate(given.keys)}
    first, second = (behind["B", "faculty", "business", year] for year in ("1", "2"))
    assert first & second  # the person with the same job in both years
    assert len(set(shares.holder.tolist())) <= len({row[0] for row in rows})
    assert given.names is not None
    named = {given.names.reveal()[holder] for holder in first & second}
    both = [{row[0] for row in rows if row[1:5] == ("B", "faculty", "business", year)} for year in ("1", "2")]
    assert named <= both[0] & both[1]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("one_row", ["highest pay", "first", "sum"])
@pytest.mark.parametrize("units", [1, 7, 20])
def test_that_one_person_moves_one_block_by_the_unit_of_a_year(odd: str, one_row: str, units: int) -> None:
    for base in (NOBODY, NOBODY[:2]):
        change = moved(base, ODD[odd], units, one_row=hand_made_rule(one_row))
        assert (change >= 0).all()
        by_year = change.sum(axis=-1)
        assert set(np.unique(by_year).tolist()) <= {0, units}
        assert int((by_year.max(axis=-1) > 0).sum()) <= 1


def hand_made_rule(word: str) -> Any:
    from workbench.products.outcome_reports.params import OneRow

    return OneRow(word)


def test_that_the_change_is_the_unit_for_every_pay_and_every_total_before() -> None:
    """From the code's own function: the largest and the smallest change of U + V, and none below zero."""
    cap, units = 30, 7
    for count in range(4):
        for total in range(count * cap + 1):
            before = cell_units(np.array([count]), np.array([total]), cap=cap, units=units)
            for pay in range(cap + 1):
                after = cell_units(np.array([count + 1]), np.array([total + pay]), cap=cap, units=units)
                change = [int(b[0] - a[0]) for a, b in zip(before, after, strict=True)]
                assert min(change) >= 0
                assert sum(change) == units


@pytest.mark.parametrize("odd", ODD)
def test_that_shape_labels_and_claim_stay_whatever_a_person_brings(odd: str) -> None:
    first, second = prepared(NOBODY), prepared(NOBODY + ODD[odd])
    params = hand_made.settings(history.SPEC)
    assert first.layout == second.layout
    assert history.SPEC.claim(first, params) == history.SPEC.claim(second, params)
    assert history.SPEC.problems(first, params) == history.SPEC.problems(second, params) == ()
    tables = [
        SPEC.public_table(data, history.SPEC.study(data, params, StudyRandom(1), QUIET).reveal())
        for data in (first, second)
    ]
    assert [column.name for column in tables[0].columns] == [column.name for column in tables[1].columns]
    assert [key.texts() for key in tables[0].keys] == [key.texts() for key in tables[1].keys]


def test_that_bounded_rows_are_those_chosen_by_hand() -> None:
    """A second route: plain Python over the rows of each person."""
    data = prepared(hand_made.rows())
    rows = [row for row in hand_made.rows() if row[0] is not None]
    best: dict[str, Row] = {}
    for row in rows:
        key = str(row[0])
        if key not in best or row[5] > best[key][5]:
            best[key] = row
    kept: dict[tuple[str, str], Row] = {}
    for row in rows:
        if row[1:3] != best[str(row[0])][1:3]:
            continue
        place = (str(row[0]), row[4])
        if place not in kept or row[5] > kept[place][5]:
            kept[place] = row
    counts = Counter((row[1], row[2], row[3], row[4]) for row in kept.values())
    names = list(zip(*data.layout.names(), strict=True))
    assert data.count.reveal().tolist() == [counts[name] for name in names]
    totals: Counter[Any] = Counter()
    for row in kept.values():
        totals[row[1:5]] += int(min(max(row[5], 0), CAP))
    assert data.total.reveal().tolist() == [totals[name] for name in names]
    for place, name in enumerate(names):
        pay = sorted(min(row[5], CAP) for row in kept.values() if row[1:5] == name)
        expected = [pay[max(int(np.ceil(q * len(pay))) - 1, 0)] if pay else 0 for q in (0.25, 0.5, 0.75)]
        assert data.percentiles()[place].tolist() == expected


def test_that_every_institution_costs_its_own_epsilon_where_people_are_in_all() -> None:
    one, every = prepared(NOBODY), prepared(NOBODY, institutions=Institutions.ALL)
    params = hand_made.settings(history.SPEC)
    claims = [history.SPEC.claim(data, params) for data in (one, every)]
    assert (claims[1].epsilon, claims[0].epsilon) == (2 * claims[0].epsilon, params.epsilon)
    assert claims[0].coverage is not None
    assert claims[0].coverage.values == ("A", "B")
    assert claims[1].coverage is None
    assert history.SPEC.exact_loss(every, params, QUIET).epsilon == pytest.approx(3.0)
    twice = moved(NOBODY, ODD["two institutions"], 5, institutions=Institutions.ALL)
    assert int((twice.sum(axis=(-1, -2)) > 0).sum()) == 2


def test_that_the_ledger_counts_a_person_once_and_reports_of_other_institutions_apart() -> None:
    from workbench.accounting.coverage import divisions
    from workbench.accounting.entries import entries_of

    params = hand_made.settings(history.SPEC)
    claim = history.SPEC.claim(prepared(NOBODY), params)
    (entry,) = entries_of(claim)
    assert (entry.epsilon, entry.coverage) == (params.epsilon, claim.coverage)
    assert sum(part.epsilon for part in claim.parts) == 2 * params.epsilon
    assert "ε = 1.5 for each institution" in claim.workings
    elsewhere = dataclasses.replace(entry, coverage=dataclasses.replace(entry.coverage, values=("C",)))
    apart = divisions((entry, elsewhere))[1]
    assert max(sum(each.epsilon for each in group) for group in apart.groups) == params.epsilon
    again = divisions((entry, entry))[1]  # a later year of the same people
    assert max(sum(each.epsilon for each in group) for group in again.groups) == 2 * params.epsilon


@pytest.mark.parametrize("name", hand_made.LISTS)
def test_that_a_list_taken_from_the_data_is_no_list(name: str) -> None:
    """It would lose a cell with its last person: no claim is proved by it, so nothing is drawn for it."""
    inputs = hand_made.inputs_of(NOBODY)
    assert SPEC.problems(inputs, hand_made.params()) == ()
    columns = dict(inputs.microdata.columns)
    columns[name] = dataclasses.replace(columns[name], labels_inside=True)
    taken = dataclasses.replace(inputs, microdata=dataclasses.replace(inputs.microdata, columns=columns))
    (problem,) = SPEC.problems(taken, hand_made.params())
    assert problem.where == name
    assert "taken from the data" in problem.do


def test_that_noise_whose_numbers_leave_floats_is_refused_before_it_is_drawn() -> None:
    """Twenty sectors in twenty bins over ten years: the points of a year are more than a float can count."""
    assert too_wide(3 * 64, 10, Decimal(4)) == ()
    (problem,) = too_wide(400, 10, Decimal(4))
    assert "400 values in a year" in problem.what
    (small,) = too_wide(400, 10, Decimal("0.5"))
    assert small.where == "epsilon"
    for each, half in ((3, 4), (5, 2), (8, 9)):
        law = HistoryNorm(Fraction(1), 1, each)
        largest = max(law._points_with(half, half, m) for m in range(each + 1))
        assert log_most_points(each, 2 * half) == pytest.approx(math.log(largest))
