"""A second file is linked as a left join would, rows never multiply, and what is wrong with keys is told in counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tabulation.frames import Frame, microdata, people, shuffled, sql
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience, Finding, Status
from workbench.microdata.shaping.linking import link_file
from workbench.microdata.shaping.params import Link, Unmatched
from workbench.microdata.table import CodedColumn, Microdata

SCHOOLS: Frame = {
    "institution": ["i0", "i1", "i2", "i3", "i3", "i9", None],
    "period": ["2020", "2021", "2020", "2022", "2022", "2020", "2020"],
    "kind": ["A", "B", None, "A", "A", "C", "D"],
    "pay": [1.5, None, 3.0, 4.0, 4.0, 9.0, 8.0],
}


def linked(frame: Frame, other: Frame, link: Link, *taken: str) -> tuple[Microdata, Finding]:
    made, (finding,) = link_file(microdata(frame), "schools", link, microdata(other), taken=taken)
    return made, finding


def texts(table: Microdata, name: str) -> list[Any]:
    column = table.columns[name]
    if isinstance(column, CodedColumn):
        return [None if code < 0 else column.values[code] for code in column.codes.reveal()]
    return [None if np.isnan(number) else number for number in column.numbers.reveal().tolist()]


@pytest.fixture
def frame() -> Frame:
    made = people(400, 3)
    made["institution"][5] = None
    return {name: made[name] for name in ("person", "institution", "year")}


@pytest.mark.parametrize("order", [0, 1, 2])
def test_that_a_link_is_a_left_join_whatever_the_order_of_either_file(frame: Frame, order: int) -> None:
    made, finding = linked(
        frame, shuffled(SCHOOLS, order), Link(key=("institution",), unmatched=Unmatched.KEEP), "kind", "pay"
    )
    kinds = {"i0": ("A", 1.5), "i1": ("B", None), "i2": (None, 3.0), "i3": ("A", 4.0)}
    expected = [kinds.get(place, (None, None)) for place in frame["institution"]]
    assert list(zip(texts(made, "kind"), texts(made, "pay"), strict=True)) == expected
    assert made.rows == 400
    unmatched = sum(place not in kinds for place in frame["institution"])
    assert (finding.values["unmatched"], finding.values["missing_keys"]) == (unmatched, 1)
    assert (finding.values["repeated_keys"], finding.values["disputed_keys"]) == (1, 0)
    assert (finding.status, finding.audience) == (Status.WARN, Audience.INTERNAL)


def test_that_a_key_of_two_columns_matches_both(frame: Frame) -> None:
    link = Link(key=("institution", "year"), their_key=("institution", "period"), unmatched=Unmatched.KEEP)
    made, _ = linked(frame, SCHOOLS, link, "kind")
    rows = zip(SCHOOLS["institution"], SCHOOLS["period"], SCHOOLS["kind"], strict=True)
    kinds = {(place, year): kind for place, year, kind in rows}
    wanted = [kinds.get(pair) for pair in zip(frame["institution"], frame["year"], strict=True)]
    wanted[5] = None
    assert texts(made, "kind") == wanted


def test_that_rows_without_a_match_are_left_out_where_that_is_asked_for(frame: Frame) -> None:
    made, finding = linked(frame, SCHOOLS, Link(key=("institution",), unmatched=Unmatched.LEAVE_OUT), "kind")
    kept = "SELECT count(*) FROM t WHERE institution IN ('i0', 'i1', 'i2', 'i3')"
    assert made.rows == sql(frame, kept)[0][0] == 400 - int(str(finding.values["unmatched"]))
    assert "i4" not in made.coded("institution").values


def test_that_rows_without_a_match_are_refused_unless_somebody_says_otherwise(frame: Frame) -> None:
    with pytest.raises(UserProblem, match=r"Some rows have no match in rows\.csv") as caught:
        linked(frame, SCHOOLS, Link(key=("institution",)), "kind")
    assert "i4" not in str(caught.value)


def test_that_a_key_with_two_meanings_matches_nobody_and_fails(frame: Frame) -> None:
    other = {**SCHOOLS, "kind": ["A", "B", None, "A", "B", "C", "D"]}
    made, finding = linked(frame, other, Link(key=("institution",), unmatched=Unmatched.KEEP), "kind")
    rows = frame["institution"].count("i3")
    assert finding.status is Status.FAIL
    assert (finding.values["ambiguous"], finding.values["disputed_keys"]) == (rows, 1)
    assert not any(kind for kind, place in zip(texts(made, "kind"), frame["institution"], strict=True) if place == "i3")


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (("a", "b", "b"), "the key appears there several times with different values. Give each key one row there, or"),
        (("a", "b", "c"), "the key is missing. Complete the key, or"),
        (("a", "c", "d"), "the key is missing or the key is not there. Complete the key. Complete rows.csv, or"),
    ],
)
def test_that_a_refused_link_says_why_rows_have_no_match(there: tuple[str, ...], said: str) -> None:
    gap = ["b"] if there == ("a", "b", "b") else [None]
    other: Frame = {"firm": list(there), "place": ["P", "Q", "R"]}
    with pytest.raises(UserProblem) as caught:
        linked({"firm": ["a", "b", *gap]}, other, Link(key=("firm",)), "place")
    assert said in str(caught.value)


def test_that_leading_zeros_that_keep_keys_apart_are_named() -> None:
    frame: Frame = {"state": ["01", "02", "10", "99", "2"]}
    other: Frame = {"state": ["1", "2", "10"], "name": ["Alabama", "Alaska", "Delaware"]}
    _, finding = linked(frame, other, Link(key=("state",), unmatched=Unmatched.KEEP), "name")
    assert finding.values["leading_zeros"] == 2
    assert "2 would match if keys were padded with zeros" in finding.sentence
    with pytest.raises(UserProblem, match=r"leading zeros \(01 and 1\): pad the keys"):
        linked(frame, other, Link(key=("state",)), "name")


def test_that_padded_keys_match_whatever_their_leading_zeros() -> None:
    frame: Frame = {"state": ["01", "02", "10", "99", "2", None, "A1"]}
    other: Frame = {"state": ["1", "2", "010", "A1"], "name": ["Alabama", "Alaska", "Delaware", "Army"]}
    made, finding = linked(frame, other, Link(key=("state",), unmatched=Unmatched.KEEP, pad=True), "name")
    assert texts(made, "name") == ["Alabama", "Alaska", "Delaware", None, "Alaska", None, "Army"]
    assert texts(made, "state") == frame["state"], "the data keep their codes"
    assert (finding.values["unmatched"], finding.values["leading_zeros"]) == (2, 0)


def test_that_two_codes_which_padding_makes_one_are_judged_as_one_key() -> None:
    frame: Frame = {"state": ["01", "1", "2"]}
    other: Frame = {"state": ["1", "01", "2"], "name": ["Alabama", "Alaska", "Delaware"]}
    made, finding = linked(frame, other, Link(key=("state",), unmatched=Unmatched.KEEP, pad=True), "name")
    assert texts(made, "name") == [None, None, "Delaware"]
    assert (finding.status, finding.values["disputed_keys"], finding.values["ambiguous"]) == (Status.FAIL, 1, 2)


@pytest.mark.parametrize(
    ("link", "taken", "said"),
    [
        (Link(key=("institutoin",)), ("kind",), "Did you mean “institution”?"),
        (Link(key=("institution",), their_key=("instituton",)), ("kind",), "Did you mean “institution”?"),
        (Link(key=("institution",)), ("knd",), "Did you mean “kind”?"),
        (Link(key=("institution", "year"), their_key=("institution",)), ("kind",), "different lengths"),
        (Link(), ("kind",), "No key is named"),
        (Link(key=("person",), their_key=("pay",)), ("kind",), "holds numbers"),
    ],
)
def test_that_a_wrong_link_says_what_to_do(frame: Frame, link: Link, taken: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserProblem) as caught:
        linked(frame, SCHOOLS, link, *taken)
    assert said in str(caught.value)


def test_that_a_column_of_both_files_is_never_overwritten(frame: Frame) -> None:
    other = {**SCHOOLS, "year": SCHOOLS["period"]}
    with pytest.raises(UserProblem, match="“year” is a column of both"):
        linked(frame, other, Link(key=("institution",), unmatched=Unmatched.KEEP), "year")


def test_that_millions_of_identifiers_are_linked_by_arrays() -> None:
    rng = np.random.default_rng(1)
    persons = [f"{n:07}" for n in range(30_000)]
    frame: Frame = {"person": [persons[n] for n in rng.integers(0, 30_000, 60_000)]}
    other: Frame = {"person": persons[::2], "kind": [str(n % 9) for n in range(15_000)]}
    made, finding = linked(frame, other, Link(key=("person",), unmatched=Unmatched.KEEP), "kind")
    wanted = [str(int(person) // 2 % 9) if int(person) % 2 == 0 else None for person in frame["person"]]
    assert texts(made, "kind") == wanted
    assert finding.values["unmatched"] == wanted.count(None)
