"""Row rules, recodings and missing values: what SQL would do, row by row, and problems in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.microdata.shaping.test_linking import texts
from tests.tabulation.frames import Frame, microdata, people, shuffled, sql
from workbench.core.errors import UserProblem
from workbench.core.findings import Status
from workbench.microdata.dictionary import ColumnWords, DataDictionary
from workbench.microdata.shaping.params import Comparison, Gap, MissingRule, Recoding, RowRule
from workbench.microdata.shaping.recoding import recode_column
from workbench.microdata.shaping.rows import fill_gaps, keep_rows

NO_WORDS = DataDictionary()
RULES: list[tuple[str, Comparison, tuple[str, ...], str]] = [
    ("region", Comparison.EQUAL, ("N",), "region = 'N'"),
    ("region", Comparison.NOT_EQUAL, ("N",), "region <> 'N'"),
    ("region", Comparison.IN, ("N", "W"), "region IN ('N', 'W')"),
    ("region", Comparison.NOT_IN, ("N", "W", "nowhere"), "region NOT IN ('N', 'W')"),
    ("region", Comparison.MISSING, (), "region IS NULL"),
    ("region", Comparison.PRESENT, (), "region IS NOT NULL"),
    ("year", Comparison.AT_LEAST, ("2021",), "year::INT >= 2021"),
    ("year", Comparison.BELOW, ("2021.5",), "year::INT < 2021.5"),
    ("pay", Comparison.ABOVE, ("2.25",), "pay > 2.25"),
    ("pay", Comparison.AT_MOST, ("2.25",), "pay <= 2.25"),
    ("pay", Comparison.EQUAL, ("2.25",), "pay = 2.25"),
    ("pay", Comparison.MISSING, (), "pay IS NULL"),
]


@pytest.fixture(scope="module")
def frame() -> Frame:
    return people(700, 11)


@pytest.mark.parametrize(("column", "comparison", "values", "where"), RULES)
@pytest.mark.parametrize("order", [0, 1])
def test_that_a_rule_keeps_the_rows_that_sql_keeps(
    frame: Frame, order: int, column: str, comparison: Comparison, values: tuple[str, ...], where: str
) -> None:
    rule = RowRule(column=column, comparison=comparison, values=values)
    made, (finding,) = keep_rows(microdata(shuffled(frame, order)), {"one": rule})
    assert sorted(texts(made, "x")) == [row[0] for row in sql(frame, f"SELECT x FROM t WHERE {where} ORDER BY x")]
    assert finding.values["left_out"] == 700 - made.rows
    assert finding.status is Status.INFO


def test_that_all_rules_must_hold_and_each_tells_what_it_leaves_out(frame: Frame) -> None:
    rules = {
        "north": RowRule(column="region", values=("N",)),
        "paid": RowRule(column="pay", comparison=Comparison.ABOVE, values=("0",)),
    }
    made, (finding,) = keep_rows(microdata(frame), rules)
    assert made.rows == sql(frame, "SELECT count(*) FROM t WHERE region = 'N' AND pay > 0")[0][0]
    alone = sql(frame, "SELECT 700 - count(*) FILTER (region = 'N'), 700 - count(*) FILTER (pay > 0) FROM t")[0]
    assert finding.tables[0].rows == (("north", alone[0]), ("paid", alone[1]))
    assert made.coded("region").values == ("N",)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (RowRule(column="regoin", values=("N",)), "Did you mean “region”?"),
        (RowRule(column="region"), "exactly one value"),
        (RowRule(column="region", values=("N", "E")), "or use “in”"),
        (RowRule(column="region", comparison=Comparison.MISSING, values=("N",)), "Give no value"),
        (
            RowRule(column="region", comparison=Comparison.ABOVE, values=("3",)),
            "Not every value of “region” is a number",
        ),
        (RowRule(column="year", comparison=Comparison.ABOVE, values=("x",)), "The value is not a number"),
        (RowRule(column="pay", values=("two",)), "compared with what is no number"),
        (RowRule(column="region", values=("nowhere",)), "No row is left"),
        (RowRule(), "No column is named"),
    ],
)
def test_that_a_wrong_rule_says_what_to_do(frame: Frame, rule: RowRule, said: str) -> None:
    with pytest.raises(UserProblem) as caught:
        keep_rows(microdata(frame), {"one": rule})
    assert said in str(caught.value)


@pytest.mark.parametrize("order", [0, 1])
def test_that_classes_of_a_number_begin_at_their_edge_and_are_all_listed(frame: Frame, order: int) -> None:
    data = microdata(shuffled(frame, order))
    made, _ = recode_column(data, "band", Recoding(of="pay", edges=("-100", "0", "2.5", "100")), NO_WORDS)
    band = made.coded("band")
    assert dict(band.labels) == {
        "1": "below -100", "2": "-100 to below 0", "3": "0 to below 2.5", "4": "2.5 to below 100", "5": "100 and above",
    }  # fmt: skip
    cases = "CASE WHEN pay < 0 THEN '2' WHEN pay < 2.5 THEN '3' ELSE '4' END"
    expected = sql(frame, f"SELECT x, CASE WHEN pay IS NOT NULL THEN {cases} END FROM t ORDER BY x")
    assert sorted(zip(texts(made, "x"), texts(made, "band"), strict=True), key=lambda row: row[0]) == expected
    assert band.missing == data.columns["pay"].missing


def test_that_ten_classes_stay_in_their_order() -> None:
    edges = tuple(str(edge) for edge in range(1, 11))
    made, _ = recode_column(microdata({"x": [0.5, 10.5, 2.0]}), "band", Recoding(of="x", edges=edges), NO_WORDS)
    assert texts(made, "band") == ["01", "11", "03"]
    assert made.coded("band").public_values == tuple(f"{number:02}" for number in range(1, 12))


def test_that_codes_are_coarsened_by_their_beginning_with_the_words_of_the_new_column(frame: Frame) -> None:
    words = DataDictionary(columns={"decade": ColumnWords(title="Decade", labels={"202": "the twenties"})})
    made, _ = recode_column(microdata(frame), "decade", Recoding(of="year", prefix=3), words)
    assert set(texts(made, "decade")) == {"202"}
    assert (made.coded("decade").title, dict(made.coded("decade").labels)) == ("Decade", {"202": "the twenties"})
    assert texts(made, "year") == frame["year"]


def test_that_codes_are_coarsened_by_the_parents_of_the_dictionary(frame: Frame) -> None:
    parents = {"N": "cold", "W": "cold", "S": "warm", "E": "warm"}
    words = DataDictionary(columns={"region": ColumnWords(parents=parents)})
    made, (finding,) = recode_column(microdata(frame), "climate", Recoding(of="region", parents=True), words)
    assert texts(made, "climate") == [parents.get(region) for region in frame["region"]]
    assert finding.status is Status.FAIL
    assert (finding.values["codes"], finding.values["rows"]) == (1, frame["region"].count("?"))
    assert "?" not in finding.sentence


@pytest.mark.parametrize(
    ("recoding", "said"),
    [
        (Recoding(of="pay", edges=("1",), prefix=2), "exactly one way"),
        (Recoding(of="pay"), "exactly one way"),
        (Recoding(of="pay", edges=("2", "1")), "do not rise"),
        (Recoding(of="pay", edges=("a",)), "not a number"),
        (Recoding(of="pay", edges=("inf",)), "not a finite number"),
        (Recoding(of="region", edges=("1",)), "Not every value of “region” is a number"),
        (Recoding(of="pay", prefix=1), "holds numbers, not codes"),
        (Recoding(of="region", parents=True), "gives no parent"),
        (Recoding(of="pya", edges=("1",)), "Did you mean “pay”?"),
    ],
)
def test_that_a_wrong_recoding_says_what_to_do(frame: Frame, recoding: Recoding, said: str) -> None:
    with pytest.raises(UserProblem) as caught:
        recode_column(microdata(frame), "new", recoding, NO_WORDS)
    assert said in str(caught.value)


def test_that_a_recoding_overwrites_no_column(frame: Frame) -> None:
    with pytest.raises(UserProblem, match="a column “title” already"):
        recode_column(microdata(frame), "title", Recoding(of="year", prefix=2), NO_WORDS)


def test_that_gaps_get_a_category_of_their_own_also_where_there_are_none(frame: Frame) -> None:
    labels = {"N": "North", "E": "East", "S": "South", "W": "West", "?": "unclear"}
    data = microdata(frame)
    column = data.coded("region")
    data = replace(data, columns={"region": replace(column, labels=labels)})
    made, findings = fill_gaps(data, {"region": MissingRule(rows=Gap.OWN, code="R")})
    assert texts(made, "region") == [region or "R" for region in frame["region"]]
    assert made.coded("region").labels["R"] == "Missing"
    gaps = sum(not region for region in frame["region"])
    assert [(finding.id, finding.values["without_value"]) for finding in findings] == [("data.gaps-own-category", gaps)]
    assert f"“region” ({gaps} row" in findings[0].sentence, "reviewers see how many rows the category takes"
    full, _ = fill_gaps(made, {"region": MissingRule(rows=Gap.OWN, code="none")})
    assert "none" in full.coded("region").public_values
    assert "none" not in full.coded("region").values


def test_that_rows_with_gaps_are_left_out_or_refused_as_declared(frame: Frame) -> None:
    made, (finding,) = fill_gaps(
        microdata(frame), {"region": MissingRule(rows=Gap.LEAVE_OUT), "pay": MissingRule(rows=Gap.LEAVE_OUT)}
    )
    assert made.rows == sql(frame, "SELECT count(*) FROM t WHERE region IS NOT NULL AND pay IS NOT NULL")[0][0]
    assert finding.values["left_out"] == 700 - made.rows
    with pytest.raises(UserProblem, match="Some rows have no value of “region”"):
        fill_gaps(microdata(frame), {"region": MissingRule()})
    assert fill_gaps(microdata(frame), {"title": MissingRule()})[0].rows == 700


@pytest.mark.parametrize(
    ("name", "rule", "said"),
    [
        ("pay", MissingRule(rows=Gap.OWN), "holds numbers and has no categories"),
        ("region", MissingRule(rows=Gap.OWN, code="N"), "is a value of “region” already"),
        ("region", MissingRule(rows=Gap.OWN, code=" "), "has no code"),
        ("regin", MissingRule(), "Did you mean “region”?"),
    ],
)
def test_that_a_wrong_rule_for_gaps_says_what_to_do(frame: Frame, name: str, rule: MissingRule, said: str) -> None:
    with pytest.raises(UserProblem) as caught:
        fill_gaps(microdata(frame), {name: rule})
    assert said in str(caught.value)


def _changed(frame: Frame, row: int, values: dict[str, Any]) -> Frame:
    return {name: [*column[:row], values[name], *column[row + 1 :]] for name, column in frame.items()}


def test_that_one_record_changed_changes_one_row_of_the_result(frame: Frame) -> None:
    """What every guarantee relies on: no step looks at other rows."""
    rng = np.random.default_rng(1)
    rules = {"some": RowRule(column="region", comparison=Comparison.IN, values=("N", "S"))}

    def shaped(rows: Frame) -> list[tuple[Any, ...]]:
        data, _ = recode_column(microdata(rows), "band", Recoding(of="pay", edges=("0", "5")), NO_WORDS)
        data, _ = fill_gaps(data, {"band": MissingRule(rows=Gap.OWN)})
        data, _ = keep_rows(data, rules)
        return sorted(zip(texts(data, "x"), texts(data, "band"), texts(data, "region"), strict=True))

    before = shaped(frame)
    for _ in range(10):
        row, other = (int(n) for n in rng.integers(0, 700, 2))
        after = shaped(_changed(frame, row, {name: frame[name][other] for name in frame}))
        assert len(set(before) - set(after)) <= 1
        assert abs(len(before) - len(after)) <= 1
