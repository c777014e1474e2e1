"""Which rules of the contract a mechanism is not judged by, and why. By all others everybody is.

A test run ends with the list of those left out, for the mechanisms it met.
"""

from __future__ import annotations

from workbench.mechanisms.contract import AnyMechanism
from workbench.mechanisms.dial import dial_of

_THOUSANDS = "one draw takes seconds, and the rule wants thousands of them"
_NO_COPIES = "its rows are worked out together or one by one, and the rule wants a hundred thousand copies at once"
_NO_DIAL = "no single setting governs it, so that it cannot be turned"
_BOUND = "its loss is a bound that no pair of neighbours need come near"
_NO_FORM = "its expected error is known by drawing only"
_NO_TRUTH = "its rows are drawn, so that none has a true value of its own"

WATCHED = (
    "test_that_study_and_release_have_the_same_distribution",
    "test_that_the_black_box_finds_no_breach",
    "test_that_the_black_box_sees_most_of_the_claimed_loss",
    "test_that_the_black_box_catches_half_the_noise",
    "test_that_the_black_box_catches_floating_point_output",
    "test_that_no_black_box_finding_can_be_read_back",
)
TURNED = (
    "test_that_turning_its_dial_up_claims_more",
    "test_that_the_black_box_catches_half_the_noise",
    "test_that_the_exact_loss_catches_half_the_noise",
)
REACHED = (
    "test_that_the_black_box_sees_most_of_the_claimed_loss",
    "test_that_the_black_box_catches_half_the_noise",
)
IN_CLOSED_FORM = ("test_that_its_expected_error_is_the_error_of_its_draws",)
LAID_ON_THE_TRUTH = ("test_that_it_releases_a_number_for_every_true_one",)


def left_out(mechanism: AnyMechanism) -> dict[str, str]:
    """Rule by rule, the reason why this mechanism is not judged by it."""
    traits = mechanism.traits
    found: dict[str, str] = {}
    for applies_not, rules, reason in (
        (not dial_of(mechanism), TURNED, _NO_DIAL),
        (traits.bound, REACHED, _BOUND),
        (traits.no_closed_form, IN_CLOSED_FORM, _NO_FORM),
        (traits.own_rows, LAID_ON_THE_TRUTH, _NO_TRUTH),
        (traits.slow, WATCHED, _THOUSANDS),
        (traits.whole, WATCHED, _NO_COPIES),
    ):
        if applies_not:
            found |= dict.fromkeys(rules, reason)
    return found


def lines(mechanism: AnyMechanism) -> list[str]:
    """The list in words."""
    return [f"{mechanism.id}: {_spoken(rule)}: {reason}" for rule, reason in left_out(mechanism).items()]


def _spoken(rule: str) -> str:
    return rule.removeprefix("test_that_").replace("_", " ")
