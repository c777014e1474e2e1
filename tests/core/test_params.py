"""Params drive form, command line, plan file, project row and report."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import pytest

from workbench.core.errors import Problem, UserProblem
from workbench.core.params import fields_of, param, parse, problems_of, shown, to_plain
from workbench.core.quantities import Epsilon


class Shape(StrEnum):
    ROUND = "round"
    SQUARE = "square"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    epsilon: Epsilon = param(Epsilon("2"), "Privacy loss ε", "Spent once.", gt=0)
    share: Decimal = param(Decimal("0.1"), "Share", "A share.", gt=0, lt=1, unit="of size")
    trials: int = param(20, "Trials", "How many.", ge=1, le=100)
    shape: Shape = param(Shape.ROUND, "Shape", "Which.", labels={"round": "Round", "square": "Square"})
    names: tuple[str, ...] = param((), "Names", "Which columns.")
    strict: bool = param(False, "Strict", "Or not.")

    def check(self) -> tuple[Problem, ...]:
        if self.strict and self.epsilon < Decimal("0.3"):
            return (Problem("ε must exceed 0.3 when strict", "epsilon", "Use 0.31"),)
        return ()


def test_that_a_value_survives_the_way_to_plain_data_and_back() -> None:
    value = Example(epsilon=Epsilon("0.1"), names=("a", "b"), shape=Shape.SQUARE, strict=False, trials=3)
    assert parse(Example, to_plain(value)) == value


def test_that_text_from_a_command_line_is_read_exactly() -> None:
    value = parse(Example, {"epsilon": "0.1", "trials": "7", "names": "a, b", "shape": "square"})
    assert value.epsilon == Decimal("0.1")
    assert isinstance(value.epsilon, Epsilon)
    assert value.names == ("a", "b")
    assert value.shape is Shape.SQUARE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "must be above 0"),
        ("-1", "must be above 0"),
        ("two", "must be a number"),
        ("inf", "must be finite"),
        ("nan", "must be finite"),
        ("", "must be a number"),
    ],
)
def test_that_an_impossible_epsilon_is_refused_in_words(text: str, expected: str) -> None:
    with pytest.raises(UserProblem, match=expected):
        parse(Example, {"epsilon": text})


def test_that_an_unknown_key_names_the_nearest_known_one() -> None:
    with pytest.raises(UserProblem, match="Did you mean “epsilon”"):
        parse(Example, {"epsilom": "1"}, "mechanism")


def test_that_all_problems_come_at_once() -> None:
    with pytest.raises(UserProblem) as caught:
        parse(Example, {"epsilon": "x", "trials": "2.5", "shape": "oval", "strict": "perhaps", "names": 3})
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize("raw", ["1e-400", "0." + "1" * 3000, Decimal("1e99999999"), "1e51"])
def test_that_numbers_nobody_can_add_up_are_refused(raw: object) -> None:
    """A ledger adds exactly: one entry of 1e-3000 would make every later sum impossible."""
    with pytest.raises(UserProblem, match="too many digits"):
        parse(Example, {"epsilon": raw})
    with pytest.raises(UserProblem):
        parse(Example, {"trials": raw})


def test_that_cross_field_rules_speak_after_the_bounds() -> None:
    assert problems_of(Example(epsilon=Epsilon("0.2"), strict=True))[0].do == "Use 0.31"
    assert problems_of(Example(epsilon=Epsilon("-1"), strict=True))[0].what.startswith("Privacy loss ε is -1")


def test_that_every_field_is_described_for_a_form_and_a_report() -> None:
    fields = {field.name: field for field in fields_of(Example)}
    assert fields["share"].range_words() == "above 0, below 1"
    assert fields["shape"].choices == ("round", "square")
    assert fields["names"].many
    assert dict(shown(Example()))["Share"] == "0.1 of size"
    assert dict(shown(Example()))["Shape"] == "Round"
