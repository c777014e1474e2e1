"""Policy files are read exactly, all problems at once; what comes with the program is valid."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from workbench.core.claims import Definition
from workbench.core.errors import UserProblem
from workbench.core.params import fields_of
from workbench.policy.profile import SECTIONS, Compose, PolicyProfile
from workbench.policy.text import built_in, from_text, read_profile, to_text

HEAD = '[policy]\nname = "ours"\n'


@pytest.mark.parametrize("name", built_in())
def test_that_profiles_that_come_with_the_program_survive_writing_and_reading(name: str) -> None:
    profile = read_profile(name)
    assert profile.policy.name == name
    assert profile.policy.summary
    assert from_text(to_text(profile)) == profile
    assert profile.review.reviewers >= 2


def test_that_there_is_a_standard_and_a_strict_profile() -> None:
    assert {"standard", "strict"} <= set(built_in())
    assert read_profile("strict").review.blinded


def test_that_every_setting_says_what_it_is() -> None:
    for section in SECTIONS.values():
        for field in fields_of(section):
            assert field.label and field.help.endswith("."), field.name


def test_that_numbers_are_read_as_written() -> None:
    profile = from_text(HEAD + "[delta]\nedge = 0.1\n[epsilon]\nedge = 0.30000000000000000001\n")
    assert profile.delta.edge == Decimal("0.1")
    assert profile.epsilon.edge == Decimal("0.30000000000000000001")


def test_that_all_problems_of_a_policy_are_told_at_once() -> None:
    with pytest.raises(UserProblem) as caught:
        from_text(
            '[policy]\nversion = 0\n[epsilon]\nedges = 2\n[delta]\nedge = 2\n[reviews]\n[review]\nreviewers = "x"\n',
            "p.toml",
        )
    told = str(caught.value)
    for part in ("no name", "Version", "“edges”", "Did you mean “edge”", "Cap on δ", "“reviews”", "Reviewers must be"):
        assert part in told, part
    assert all("p.toml" in problem.where for problem in caught.value.problems)


@pytest.mark.parametrize("text", ["[policy", "policy = 3", "x" * 300_000, '[policy]\nname = ""', "a = " + "[" * 5000])
def test_that_what_is_no_policy_is_a_user_problem(text: str) -> None:
    with pytest.raises(UserProblem):
        from_text(text)


def test_that_an_unknown_name_lists_the_known_ones_and_a_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(UserProblem, match="standard, strict"):
        read_profile("lenient")
    (tmp_path / "ours.toml").write_text(HEAD, encoding="utf-8")
    assert read_profile(str(tmp_path / "ours.toml")).title == "ours, version 1"
    with pytest.raises(UserProblem, match="no such file"):
        read_profile(str(tmp_path / "other.toml"))


def test_that_a_digest_changes_with_every_setting() -> None:
    texts = ("", "[review]\nblinded = true\n", "[epsilon]\nedge = 3\n", "[evidence]\nrounding = 5\n")
    assert len({from_text(HEAD + text).digest() for text in texts}) == len(texts)


def test_that_the_smaller_of_policy_cap_and_budget_counts() -> None:
    profile = from_text(
        HEAD + '[epsilon]\nedge = 3\ncompose = "tightest"\ncount_implied = true\n[delta]\nedge = 1e-6\n'
    )
    limits = profile.limits(Decimal(10))
    assert limits.of(Definition.EDGE).epsilon == 3
    assert limits.of(Definition.EDGE).delta == Decimal("1e-6")
    assert limits.of(Definition.STRONG).epsilon == 10
    assert profile.limits(Decimal(2)).of(Definition.EDGE).epsilon == 2
    assert profile.limits(None).of(Definition.EDGE).epsilon == 3
    assert (limits.tightest, limits.implied) == (True, True)
    assert limits.of(Definition.STRONG).composing == 0, "nothing is traded for δ unless the policy says so"
    traded = from_text(HEAD + "[delta]\nedge = 1e-7\ncomposing = 1e-6\n").limits(None)
    assert traded.of(Definition.EDGE).composing == Decimal("1e-7")
    assert traded.of(Definition.STRONG).composing == Decimal("1e-6")
    assert PolicyProfile().epsilon.compose is Compose.FILTER
