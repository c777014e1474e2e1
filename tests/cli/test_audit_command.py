"""dwb audit: the keys scripts rely on, the numbers of the source's example, and bad input in one sentence."""

from __future__ import annotations

import math

import pytest

from tests.cli.said import dwb, dwb_program, one_sentence

RATIO = ("audit", "posterior-ratio", "--known", "9,0,0", "--prior")
PRIOR = {"--draws": "100", "--workers": "100", "--cells": "1000", "--epsilon": "4.6", "--delta": "1e-6"}
PRUNING = {"--draws": "10", "--workers": "10", "--alpha": "0.1", "--keep": "0.1"}


def options(defaults: dict[str, str], **changed: str) -> list[str]:
    words = {**defaults, **{f"--{name.replace('_', '-')}": value for name, value in changed.items()}}
    return [word for pair in words.items() for word in pair]


def test_that_one_draw_of_the_example_costs_what_the_slide_says() -> None:
    found = dwb(*RATIO, "0.1,0.1,0.1", "--json").json
    assert found["max_log_ratio"] == pytest.approx(2.3978952728, abs=1e-10)
    assert found["pure_epsilon"] == pytest.approx(math.log(11))
    assert found["worst"] == {"outcome": 1, "row_a": 1, "row_b": 2}
    assert found["transition"][1] == pytest.approx([9.1 / 10.3, 1.1 / 10.3, 0.1 / 10.3])
    worst, matrix = found["worst"], found["transition"]
    ratio = matrix[worst["row_a"]][worst["outcome"]] / matrix[worst["row_b"]][worst["outcome"]]
    assert math.log(ratio) == pytest.approx(found["max_log_ratio"])


def test_that_ten_draws_cost_more_and_both_are_always_shown() -> None:
    ten = dwb(*RATIO, "0.1,0.1,0.1", "--draws", 10, "--json").json
    assert ten["max_log_ratio"] == pytest.approx(4.6151205168, abs=1e-10)
    assert ten["pure_epsilon"] == pytest.approx(math.log(101))
    for found in (ten, dwb(*RATIO, "0.1,0.1,0.1", "--json").json):
        assert found["one_draw"]["max_log_ratio"] == pytest.approx(math.log(11))
        assert found["all_draws"]["max_log_ratio"] == pytest.approx(math.log(101))
        assert found["all_draws"]["draws"] == 10
    in_words = dwb(*RATIO, "0.1,0.1,0.1").out
    assert "One draw: the largest log ratio is 2.3979" in in_words
    assert "All 10 draws together: 4.61512" in in_words
    assert "each adds to what the others tell" in in_words
    assert "0.8835   0.1068   0.0097" in in_words


@pytest.mark.parametrize("draws", [(), ("--draws", 10)])
def test_that_a_missing_prior_is_infinite_and_the_third_cell_is_named(draws: tuple[object, ...]) -> None:
    found = dwb(*RATIO, "0.1,0.1,0", *draws, "--json").json
    assert found["max_log_ratio"] == "inf"
    assert found["pure_epsilon"] == "inf"
    assert found["worst"]["outcome"] == found["worst"]["row_a"] == 2
    assert found["cells_without_weight"] == [2]
    assert any("third cell has no prior" in sentence for sentence in found["explanation"])
    in_words = dwb(*RATIO, "0.1,0.1,0", *draws).out
    assert "infinite" in in_words
    assert "The third cell has no prior and no known worker" in in_words


def test_that_conditional_and_worst_case_are_kept_apart() -> None:
    found = dwb("audit", "posterior-ratio", "--known", "9,3,0", "--prior", "0.1,0,0.5", "--json").json
    assert found["max_log_ratio"] == pytest.approx(math.log(3))
    assert found["pure_epsilon"] == "inf"
    in_words = dwb("audit", "posterior-ratio", "--known", "9,3,0", "--prior", "0.1,0,0.5").out
    assert "Both hold for these known workers" in in_words
    assert "The second cell has no prior and known workers now" in in_words


def test_that_one_cell_and_many_cells_are_told_plainly() -> None:
    assert "nothing is given away" in dwb("audit", "posterior-ratio", "--known", "4", "--prior", "0.1").out
    many = ",".join(["1"] * 12)
    said = dwb("audit", "posterior-ratio", "--known", many, "--prior", ",".join(["1"] * 11 + ["0.5"]))
    assert "too many to print" in said.out
    assert "cell 12" in said.out


def test_that_the_minimum_prior_has_its_keys_and_a_certificate() -> None:
    found = dwb("audit", "minimum-prior", *options(PRIOR), "--json").json
    assert found["alpha"] == pytest.approx(0.142, abs=5e-4)
    assert found["pure_alpha"] == pytest.approx(1.015, abs=5e-4)
    assert 0.0 < found["delta_bound"] <= 1e-6
    assert "0.142155; pure ε would need 1.01539" in dwb("audit", "minimum-prior", *options(PRIOR)).out


def test_that_pruning_has_its_keys() -> None:
    found = dwb("audit", "pruning", *options(PRUNING), "--json").json
    assert found["epsilon_exact"] == pytest.approx(6.727364120498669, rel=1e-10)
    assert found["epsilon_nominal"] == pytest.approx(math.log(101))
    assert found["epsilon_headline"] == pytest.approx(math.log(101) + math.log(20))
    one = dwb("audit", "pruning", *options(PRUNING, alpha="0.0101539", keep="0.025", cell_draws="1"), "--json").json
    assert one["epsilon_exact"] == pytest.approx(8.286142695624001, rel=1e-10)
    assert dwb("audit", "pruning", *options(PRUNING, alpha="0"), "--json").json["epsilon_exact"] == "inf"
    in_words = dwb("audit", "pruning", *options(PRUNING, alpha="10")).out
    assert "one synthetic worker in one cell" in in_words
    assert "The headline is too low here" in in_words


def test_that_json_may_stand_before_the_kind() -> None:
    assert "alpha" in dwb("audit", "--json", "minimum-prior", *options(PRIOR)).json


@pytest.mark.parametrize(
    ("known", "prior", "draws", "part"),
    [
        ("9,-1,0", "0.1,0.1,0.1", "1", "--known: number 2 is negative"),
        ("9,0.5,0", "0.1,0.1,0.1", "1", "--known: number 2 is a fraction"),
        ("9,x,0", "0.1,0.1,0.1", "1", "--known: “x” is not a number"),
        ("9,,0", "0.1,0.1,0.1", "1", "--known: “” is not a number"),
        ("9,0,0", "0.1,-0.1,0.1", "1", "--prior: number 2 is negative"),
        ("9,0,0", "0.1,inf,0.1", "1", "--prior: “inf” is not a number"),
        ("9,0,0", "0.1,0.1", "1", "known has 3 cells and prior has 2"),
        ("9,0,0", "0.1,0.1,0.1", "0", "--draws: it must be a whole number of at least 1"),
        ("9,0,0", "0.1,0.1,0.1", "1.5", "--draws: “1.5” is not a whole number"),
    ],
)
def test_that_bad_populations_are_one_sentence(known: str, prior: str, draws: str, part: str) -> None:
    one_sentence(dwb("audit", "posterior-ratio", f"--known={known}", f"--prior={prior}", f"--draws={draws}"), part)


@pytest.mark.parametrize(
    ("option", "value", "part"),
    [
        ("draws", "0", "--draws: it must be"),
        ("workers", "2.5", "--workers: “2.5” is not a whole number"),
        ("cells", "0", "--cells: it must be"),
        ("epsilon", "0", "--epsilon: ε must be above 0"),
        ("epsilon", "abc", "--epsilon: “abc” is not a number"),
        ("delta", "0", "--delta: δ must lie between 0 and 1"),
        ("delta", "1", "--delta: δ must lie between 0 and 1"),
    ],
)
def test_that_bad_searches_are_one_sentence(option: str, value: str, part: str) -> None:
    one_sentence(dwb("audit", "minimum-prior", *options(PRIOR, **{option: value})), part)


@pytest.mark.parametrize(
    ("option", "value", "part"),
    [
        ("keep", "0", "--keep: the probability to keep a prior must be above 0 and at most 1"),
        ("keep", "1.2", "--keep: the probability to keep a prior"),
        ("alpha", "-1", "--alpha: number 1 is negative"),
        ("workers", "0", "--workers: it must be"),
        ("draws", "0", "--draws: it must be"),
        ("cell_draws", "11", "--cell-draws: one cell cannot get more than all the draws"),
        ("cell_draws", "0", "--cell-draws: it must be"),
    ],
)
def test_that_bad_pruning_is_one_sentence(option: str, value: str, part: str) -> None:
    one_sentence(dwb("audit", "pruning", *(f"{name}={told}" for name, told in _pairs({option: value}))), part)


def _pairs(changed: dict[str, str]) -> list[tuple[str, str]]:
    words = options(PRUNING, **changed)
    return list(zip(words[::2], words[1::2], strict=True))


def test_that_several_mistakes_are_told_together_and_missing_options_are_named() -> None:
    assert len(dwb("audit", "minimum-prior", *options(PRIOR, delta="2", draws="0")).problems) == 2
    one_sentence(dwb("audit"), "KIND")
    one_sentence(dwb("audit", "pruning", "--draws", 3), "--workers", "--alpha", "--keep")
    one_sentence(dwb("audit", "black-magic"), "black-magic", "posterior-ratio")


def test_that_it_runs_as_a_program_on_a_plain_console() -> None:
    said = dwb_program("audit", "posterior-ratio", "--known", "9,0,0", "--prior", "0.1,0.1,0")
    assert said.code == 0
    assert "The third cell has no prior" in said.out
