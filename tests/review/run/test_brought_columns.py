"""What columns of linked files describe follows from their key, as far as the roles of the data tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.microdata.shaping.params import Link
from workbench.review.plan.plan import DataPlan
from workbench.review.run.data_view import ColumnRow
from workbench.review.run.linked_view import LinkedFile, brought_by

OWN = ("firm", "worker", "place")


def columns(**roles: str) -> tuple[ColumnRow, ...]:
    return tuple(ColumnRow(name=name, role=role.replace("_", " "), reason="few values") for name, role in roles.items())


PLACES = LinkedFile(
    name="places", path="places.csv", link=Link(key=("place",), their_key=("code",)),
    columns=columns(code="geography", county="worker_attribute", area="geography", size="ignore"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("place", "county"),
    [
        ("geography", "workplace attribute"),
        ("workplace attribute", "workplace attribute"),
        ("worker attribute", "worker attribute"),
        ("ignore", "worker attribute"),
    ],
)
def test_that_a_trait_of_a_trait_of_workplaces_is_one_too(place: str, county: str) -> None:
    found = brought_by((PLACES,), DataPlan(), OWN, {"firm": "establishment", "place": place})
    assert {each.name: each.role for each in found} == {"county": county, "area": "geography", "size": "ignore"}


def test_that_every_column_of_the_key_must_describe_workplaces() -> None:
    file = replace(PLACES, link=Link(key=("firm", "worker"), their_key=("code", "size")))
    found = brought_by((file,), DataPlan(), OWN, {"firm": "establishment", "worker": "worker"})
    assert {each.name: each.role for each in found} == {"county": "worker attribute", "area": "geography"}


def test_that_a_confirmed_role_stays_and_no_column_comes_twice() -> None:
    data = DataPlan(roles={"county": "worker attribute"})  # type: ignore[dict-item]
    found = brought_by((PLACES, replace(PLACES, name="again")), data, (*OWN, "area"), {"place": "geography"})
    assert {each.name: each.role for each in found} == {"county": "worker attribute", "size": "ignore"}
    assert len(found) == 2
    assert found[0].reason == "from places.csv; one for each “place”"
