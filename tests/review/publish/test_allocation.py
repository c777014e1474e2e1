"""How ε is divided is told in the report as the claim says it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from tests.project.samples import claim
from workbench.core.claims import READ_AS, ClaimPart, Definition
from workbench.review.publish.report_facts import allocation


def test_that_a_claim_without_parts_is_for_the_whole_table() -> None:
    assert allocation(claim("2")) == "ε = 2 for the whole table."


def test_that_every_part_is_named_with_what_it_spends() -> None:
    parts = (
        ClaimPart(name="counts", epsilon=Decimal("0.50")),
        ClaimPart(name="mean pay", epsilon=Decimal("1.5"), delta=Decimal("1E-9")),
    )
    told = replace(claim("2", delta="1E-9"), parts=parts)
    assert allocation(told) == "ε = 2 in all: counts ε = 0.5; mean pay ε = 1.5, δ = 10⁻⁹."


def test_that_an_answer_entered_twice_is_told_as_one() -> None:
    parts = (
        ClaimPart(name="table", epsilon=Decimal("1.5")),
        ClaimPart(name="big", epsilon=Decimal("0.5")),
        ClaimPart(
            name=f"big{READ_AS}{Definition.NODE.value}", epsilon=Decimal("0.5"), definition=Definition.NODE,
            unit="one establishment",
        ),
    )  # fmt: skip
    assert allocation(replace(claim("2"), parts=parts)) == (
        "ε = 2 in all: table ε = 1.5; big ε = 0.5. The same answer, not added: big ε = 0.5 under node differential "
        "privacy for one establishment."
    )
