"""Groups and tables of settings: a section in the plan, a path on the command line, lines and tables in the report."""

from __future__ import annotations

import pickle
import tomllib
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

import pytest
import tomli_w

from workbench.cli.settings import settings_from
from workbench.core.errors import Defect, Problem, UserProblem
from workbench.core.params import (
    Rows,
    at_path,
    fields_of,
    group,
    joined,
    lines_of,
    param,
    parse,
    problems_of,
    rows,
    split_path,
    tables_of,
    to_plain,
    with_path,
)
from workbench.core.plain import digest
from workbench.core.quantities import Epsilon
from workbench.review.plan.settings import carried_over


class Method(StrEnum):
    RESPONSE = "response"
    NOISE = "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    epsilon: Epsilon = param(Epsilon("1"), "ε", "Spent on the variable.", gt=0, le=10)
    method: Method = param(Method.RESPONSE, "Method", "How.", labels={"response": "Randomised response"})
    secret: str = param("", "Key", "Kept apart.", internal=True)

    def check(self) -> tuple[Problem, ...]:
        wrong = self.method is Method.NOISE and self.epsilon > 5
        return (Problem("Noise takes at most ε 5", "epsilon", "Use 5"),) if wrong else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    block: str = param("block", "Block column", "Where.")
    share: Decimal = param(Decimal("0.5"), "Share", "How much.", ge=0, le=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    trials: int = param(3, "Trials", "How many.", ge=1)
    geography: Places = group(Places, "Geography", "The columns of the file of places.")
    variables: Rows[Variable] = rows(Variable, "Variables", "One line each.", by="column", roles=("answer",))

    def check(self) -> tuple[Problem, ...]:
        return () if self.variables else (Problem("No variable is chosen", "variables", "Add one"),)


FORTY = Survey(
    geography=Places(block="b"),
    variables=Rows({f"v{i}": Variable(epsilon=Epsilon(f"0.{i + 1:02d}")) for i in range(40)}),
)


def test_that_groups_and_rows_survive_the_way_through_a_plan_file() -> None:
    text = tomli_w.dumps({"mechanism": to_plain(FORTY)})
    assert "[mechanism.geography]" in text
    assert "[mechanism.variables.v39]\nepsilon = 0.40" in text
    assert parse(Survey, tomllib.loads(text, parse_float=Decimal)["mechanism"]) == FORTY


def test_that_a_row_and_a_group_that_say_nothing_have_their_defaults() -> None:
    assert parse(Survey, {"variables": {"age": {}}}) == Survey(variables=Rows({"age": Variable()}))


def test_that_the_command_line_sets_inside_groups_and_rows() -> None:
    words = ["variables.age.epsilon=0.1", 'variables."age, in years".method=noise', "geography.block=b", "trials=7"]
    made = parse(Survey, settings_from(words))
    assert made.variables == Rows(
        {"age": Variable(epsilon=Epsilon("0.1")), "age, in years": Variable(method=Method.NOISE)}
    )
    assert (made.geography.block, made.trials) == ("b", 7)


def test_that_a_setting_given_as_one_value_and_as_a_section_is_refused() -> None:
    for words in (["variables=age", "variables.age.epsilon=1"], ["variables.age.epsilon=1", "variables=age"]):
        with pytest.raises(UserProblem, match="both as one setting and as a section"):
            settings_from(words)


def test_that_every_problem_is_told_at_once_with_its_place() -> None:
    raw = {
        "geography": {"blok": "x", "share": 2},
        "variables": {"age": {"epsilon": "much"}, "sex": {"methd": "noise"}, "pay": 1, "a.b": {"epsilon": None}},
    }
    with pytest.raises(UserProblem) as caught:
        parse(Survey, raw, "plan.toml")
    places = {problem.where.removeprefix("plan.toml, ") for problem in caught.value.problems}
    assert places == {
        "geography.blok",
        "geography.share", "variables.age.epsilon", "variables.sex.methd", "variables.pay", 'variables."a.b".epsilon'
    }  # fmt: skip
    assert "Did you mean “method”?" in str(caught.value)


def test_that_bounds_and_rules_of_every_row_are_told_at_once() -> None:
    many = {"age": {"epsilon": 0}, "sex": {"epsilon": 9, "method": "noise"}, "pay": {"epsilon": 99}}
    with pytest.raises(UserProblem) as caught:
        parse(Survey, {"variables": many, "geography": {"share": 2}})
    assert [problem.where for problem in caught.value.problems] == [
        "geography.share", "variables.age.epsilon", "variables.sex.epsilon", "variables.pay.epsilon"
    ]  # fmt: skip


def test_that_a_table_or_group_that_is_no_section_is_refused_in_words() -> None:
    for raw in ({"variables": "age"}, {"geography": 3}, {"variables": ["age"]}):
        with pytest.raises(UserProblem, match="must be a section"):
            parse(Survey, raw)


def test_that_a_draft_may_break_rules_and_bounds_but_must_be_readable() -> None:
    assert parse(Survey, {"variables": {"age": {"epsilon": 99}}}, draft=True).variables["age"].epsilon == 99
    assert [problem.where for problem in problems_of(Survey())] == ["variables"]


def test_that_the_order_of_rows_means_nothing() -> None:
    turned = replace(FORTY, variables=Rows(reversed(list(FORTY.variables.items()))))
    assert turned == FORTY
    assert hash(turned) == hash(FORTY)
    assert digest(to_plain(turned)) == digest(to_plain(FORTY))
    assert digest(to_plain(replace(FORTY, variables=FORTY.variables.without("v3")))) != digest(to_plain(FORTY))


def test_that_a_table_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(FORTY)) == FORTY


def test_that_lines_open_groups_and_tables_stand_apart() -> None:
    said = [(line.label, line.value) for line in lines_of(FORTY)]
    assert said == [("Trials", "3"), ("Geography: Block column", "b"), ("Geography: Share", "0.5")]
    (table,) = tables_of(FORTY)
    assert (table.title, table.by, len(table.names)) == ("Variables", "column", 40)
    assert [cells[0].label for cells in table.columns] == ["ε", "Method", "Key"]
    assert [cells[0].internal for cells in table.columns] == [False, False, True]
    assert table.columns[1][39].value == "Randomised response"


@pytest.mark.parametrize("path", [("epsilon",), ("a", "b.c", "d"), ("x", 'say "no"', "y z"), ("v", "a, b", "e=f")])
def test_that_a_path_is_read_as_it_was_written(path: tuple[str, ...]) -> None:
    assert split_path(joined(path)) == path


def test_that_a_value_is_found_and_set_by_its_path() -> None:
    there = ("variables", "v7", "epsilon")
    assert at_path(FORTY, there) == Decimal("0.08")
    changed = with_path(FORTY, there, Epsilon(2))
    assert at_path(changed, there) == 2
    assert with_path(changed, there, Epsilon("0.08")) == FORTY


def test_that_a_row_is_one_line_of_plain_settings() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Deep:
        inner: Rows[Variable] = rows(Variable, "Inner", "No.", by="year")

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Deeper:
        outer: Rows = rows(Deep, "Outer", "No.", by="year")  # type: ignore[type-arg]

    Deep.__annotations__["inner"] = Rows
    Deeper.__annotations__["outer"] = Rows
    with pytest.raises(Defect, match="one line of plain settings"):
        fields_of(Deeper)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherVariable:
    epsilon: Epsilon = param(Epsilon("2"), "ε", "Spent on the variable.", gt=0, le="0.3")
    weight: Decimal = param(Decimal(1), "Weight", "How much.", gt=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSurvey:
    trials: Decimal = param(Decimal(5), "Trials", "Another kind of number.", ge=1)
    geography: Places = group(Places, "Geography", "The columns of the file of places.")
    variables: Rows[OtherVariable] = rows(OtherVariable, "Variables", "One line each.", by="column")


def test_that_another_mechanism_keeps_what_the_two_have_in_common() -> None:
    made = carried_over(FORTY, OtherSurvey)
    assert (made.geography, made.trials) == (FORTY.geography, Decimal(5))
    assert tuple(made.variables) == tuple(FORTY.variables)
    assert (made.variables["v0"].epsilon, made.variables["v39"].epsilon) == (Decimal("0.01"), Decimal(2))
    assert {type(row) for row in made.variables.values()} == {OtherVariable}
