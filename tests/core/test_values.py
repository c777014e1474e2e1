"""Confidential values stay inside; plain data goes out and comes back unchanged."""

from __future__ import annotations

import copy
import json
import logging
import math
import pickle
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal

import numpy as np
import pytest

from workbench.core.claims import Claim, ClaimPart, Coverage, Definition, ExactTable
from workbench.core.confidential import Confidential
from workbench.core.errors import Defect, Problem, UserProblem
from workbench.core.figures import Axis, Figure, Kind, Series
from workbench.core.findings import Finding, Status, Table
from workbench.core.plain import LATER, canonical, digest, plain
from workbench.core.progress import Part
from workbench.core.quantities import agreeing, as_typed, counted, exact, joined, odds_factor, rounded_up, show, typed
from workbench.core.randomness import ReleaseRandom, StudyRandom
from workbench.core.restore import restore


def test_that_a_confidential_value_shows_type_and_shape_only(caplog: pytest.LogCaptureFixture) -> None:
    secret = Confidential(np.array([8675309, 424242]))
    caplog.set_level(logging.INFO)
    logging.getLogger("test").info("cells: %s %r", secret, secret)
    for text in (repr(secret), str(secret), f"{secret}", caplog.text):
        assert "8675309" not in text
        assert "ndarray (2,)" in text


def test_that_a_confidential_value_cannot_leave_unnoticed() -> None:
    secret = Confidential(3)
    for way in (pickle.dumps, plain, bool, hash, lambda value: value == 3, lambda value: json.dumps(plain([value]))):
        with pytest.raises(Defect):
            way(secret)
    assert secret.reveal() == 3


def test_that_release_randomness_cannot_be_copied_or_seeded() -> None:
    rng = ReleaseRandom()
    for way in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(Defect):
            way(rng)
    with pytest.raises(TypeError):
        ReleaseRandom(7)  # type: ignore[call-arg]


def test_that_release_words_are_uniform_and_never_repeat() -> None:
    words = ReleaseRandom().words(200_000)
    assert len(np.unique(words)) == len(words)
    assert not np.array_equal(words[:10], ReleaseRandom().words(10))
    counts = np.bincount((words >> np.uint64(56)).astype(np.int64), minlength=256)
    chi = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    # 255 degrees of freedom: mean 255, standard deviation 22.6; six of them is one failure in a billion runs
    assert abs(chi - 255) < 6 * math.sqrt(2 * 255)


def test_that_a_study_repeats_with_its_seed() -> None:
    assert StudyRandom(5).generator.integers(0, 1 << 60) == StudyRandom(5).generator.integers(0, 1 << 60)


def test_that_a_finding_survives_the_way_to_json_and_back() -> None:
    finding = Finding(
        id="a", title="A", status=Status.WARN, sentence="s", values={"x": 1, "y": "inf", "z": None, "b": True},
        tables=(Table(title="t", columns=("c",), rows=((1,), ("two",), (2.5,))),),
        figures=(Figure(kind=Kind.HEAT_MAP, title="f", x=Axis(label="x"), y=Axis(label="y", log=True),
                        grid=((1.0, 2.0), (3.0, 4.0)), outlined=((0, 1),),
                        series=(Series(name="n", x=(1.0, math.inf), y=(2.0, 3.0)),)),),
    )  # fmt: skip
    assert restore(Finding, json.loads(canonical(finding))) == finding


def test_that_a_claim_survives_with_exact_decimals() -> None:
    claim = Claim(definition=Definition.EDGE, unit="job", epsilon=Decimal("0.1"), sentence="s", alpha=None)
    assert restore(Claim, json.loads(canonical(claim))) == claim


def test_that_equal_values_have_equal_digests_whatever_their_order() -> None:
    assert digest({"a": 1, "b": Decimal("2")}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})


def test_that_numbers_are_shown_with_sensible_digits() -> None:
    assert [show(x) for x in (2, 2.0, 0.4954321, 1e-06, math.inf, 1234567.8, Decimal("0.10"))] == [
        "2", "2", "0.4954", "10⁻⁶", "∞", "1,234,568", "0.1",
    ]  # fmt: skip


def test_that_a_problem_reads_as_one_sentence() -> None:
    problem = Problem("ε is 0 but must be above 0", "epsilon", "Give a value above 0").at("[mechanism]")
    assert problem.sentence() == "[mechanism], epsilon: ε is 0 but must be above 0. Give a value above 0."
    assert str(UserProblem.of([problem, problem])).count("must be above") == 2


def test_that_a_part_reports_inside_its_slice() -> None:
    seen: list[float] = []

    class Watch:
        def step(self, fraction: float, sentence: str) -> None:
            seen.append(fraction)

    part = Part(Watch(), 0.5, 0.75)
    part.step(0, "")
    part.step(1, "")
    part.step(2, "")
    assert seen == [0.5, 0.75, 0.75]


@dataclass(frozen=True, kw_only=True)
class _Before:
    name: str


@dataclass(frozen=True, kw_only=True)
class _Since:
    name: str
    parts: tuple[int, ...] = field(default=(), metadata=LATER)
    held: bool = field(default=False, metadata=LATER)


def test_that_a_field_added_later_changes_no_digest_until_it_says_something() -> None:
    assert canonical(_Since(name="a")) == canonical(_Before(name="a"))
    told = _Since(name="a", parts=(1, 2))
    assert plain(told) == {"name": "a", "parts": [1, 2]}
    assert digest(told) != digest(_Before(name="a"))
    for value in (_Since(name="a"), told, _Since(name="a", held=True)):
        assert restore(_Since, plain(value)) == value


def test_that_a_claim_without_parts_and_condition_is_written_as_it_always_was() -> None:
    claim = Claim(definition=Definition.CONDITIONAL, unit="one person", epsilon=Decimal(2), sentence="A promise.")
    always = ("definition", "unit", "epsilon", "sentence", "delta", "alpha", "formal", "assumptions", "composition")
    assert tuple(plain(claim)) == always
    told = replace(claim, parts=(ClaimPart(name="counts", epsilon=Decimal("2.5")),), condition="χ", formal=False)
    assert plain(told)["parts"] == [{"name": "counts", "epsilon": 2.5, "delta": 0}]
    assert restore(Claim, plain(told)) == told


def test_that_every_word_of_a_claim_and_its_parts_is_read_again() -> None:
    seen = Coverage(attribute="sector", values=("A", "B"), fixed_for=("person",))
    local = ClaimPart(
        name="one question", epsilon=Decimal("0.5"), definition=Definition.LOCAL, unit="one answer",
        alpha=Decimal("0.1"), formal=False, coverage=seen,
    )  # fmt: skip
    claim = Claim(
        definition=Definition.CENTRAL, unit="one person", epsilon=Decimal(2), sentence="A promise.",
        parts=(ClaimPart(name="counts", epsilon=Decimal(2)), local), workings="2 is 2.", group_size=3, coverage=seen,
        rho=Decimal("0.1"), provided=("a file is public",), remedy="List all cells.",
        exact=(ExactTable(what="Sizes", keys=("place",), value="jobs", leaves=(Definition.RESIDENCE,)),),
    )  # fmt: skip
    assert restore(Claim, plain(claim)) == claim
    assert all(getattr(claim, each.name) != each.default for each in fields(claim) if each.metadata.get("later") and
               each.name != "condition"), "every field that came later is tried"  # fmt: skip


@pytest.mark.parametrize("part", [
    ClaimPart(name="less", epsilon=Decimal("1.999"), delta=Decimal("1e-9")),
    ClaimPart(name="less δ", epsilon=Decimal(2)),
    ClaimPart(name="another definition", epsilon=Decimal(9), delta=Decimal(1), definition=Definition.LOCAL),
])  # fmt: skip
def test_that_parts_cannot_promise_less_than_the_whole_spends(part: ClaimPart) -> None:
    """The ledger enters parts: what they leave out would never be counted."""
    with pytest.raises(Defect, match="more than its parts"):
        Claim(
            definition=Definition.CENTRAL, unit="one person", epsilon=Decimal(2), delta=Decimal("1e-9"),
            sentence="A promise.", parts=(part,),
        )  # fmt: skip


def test_that_very_small_and_very_large_numbers_are_short() -> None:
    numbers = (1e-6, 9.93806e-7, Decimal("0.000001"), -2.5e-9, math.exp(50), 12345.6)
    assert [show(number) for number in numbers] == [
        "10⁻⁶",
        "9.938 × 10⁻⁷",
        "10⁻⁶",
        "-2.5 × 10⁻⁹",
        "5.2 × 10²¹",
        "12,346",
    ]


def test_that_words_agree_with_their_number() -> None:
    assert [counted(number, "row") for number in (0, 1, 2, 1200)] == ["0 rows", "1 row", "2 rows", "1,200 rows"]
    assert [agreeing(number, "has", "have") for number in (0, 1, 2)] == ["have", "has", "have"]
    assert [joined(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize(
    ("epsilon", "said"), [("1", "2.72"), ("2", "7.39"), ("0.1", "1.11"), ("4", "54.6"), ("20", "e to the power of 20")]
)
def test_that_the_factor_of_a_claim_is_never_rounded_down(epsilon: str, said: str) -> None:
    assert odds_factor(Decimal(epsilon)) == said


@pytest.mark.parametrize("number", ["1E-6", "3.7E-7", "-2.5E-9", "0.000123", "12", "1.5"])
def test_that_a_number_copied_from_a_sentence_can_be_typed_again(number: str) -> None:
    assert Decimal(as_typed(exact(Decimal(number)))) == Decimal(number)
    assert Decimal(typed(Decimal(number))) == Decimal(number)


@pytest.mark.parametrize("text", ["10", "110", "ten", "10x", "", "10⁻⁶ jobs"])
def test_that_other_texts_are_read_as_they_are(text: str) -> None:
    assert as_typed(text) == text


def test_that_a_loss_in_a_table_is_never_shown_as_less_than_it_is() -> None:
    """Stored tables come back with plain numbers, which are rounded to the nearest: 8.3251 was shown as 8.325."""
    claimed = Decimal("8.325102")
    assert show(claimed) == show(float(rounded_up(claimed))) == "8.326"
    assert rounded_up(Decimal(4)) == 4
