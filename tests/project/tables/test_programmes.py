"""A programme is on record before the first draw, once for each definition, or not at all."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.project.samples import claim, data, ready
from workbench.core.claims import Definition
from workbench.core.errors import Refused, UserProblem
from workbench.policy.profile import Compose, DeltaCaps, EpsilonCaps, PolicyHead, PolicyProfile
from workbench.project.history.verify import verify
from workbench.project.store import Project

ONE = ("0.05", "6.37564")


def pairs(*losses: str) -> tuple[tuple[Decimal, Decimal], ...]:
    return tuple((Decimal(each), Decimal(0)) for each in losses)


def register(project: Project, *losses: str) -> None:
    project.register_programme(
        project.save_dataset(data()), definition=Definition.EDGE, items=pairs(*losses), actor="Rita", reason="the plan"
    )


def rules(project: Project) -> None:
    profile = PolicyProfile(
        policy=PolicyHead(name="programmes"),
        epsilon=EpsilonCaps(edge=Decimal("6.423684"), compose=Compose.TIGHTEST),
        delta=DeltaCaps(edge=Decimal("0.001"), composing=Decimal("0.001")),
    )
    project.set_policy(profile, actor="Rita", reason="agreed")


def approve(project: Project, *losses: str) -> None:
    for each in losses:
        project.decide(ready(project, claim(each)), decision="approve", reviewer="Rita")


def test_that_the_registered_list_passes_and_no_other(project: Project) -> None:
    rules(project)
    register(project, *ONE)
    approve(project, *ONE)
    with pytest.raises(Refused, match="exceed the cap"):
        approve(project, "0.001")
    assert verify(project.path).ok


def test_that_without_registering_the_same_list_is_refused(project: Project) -> None:
    rules(project)
    with pytest.raises(Refused, match="exceed the cap"):
        approve(project, *ONE)


def test_that_nothing_is_registered_after_the_first_draw(project: Project) -> None:
    ready(project)
    with pytest.raises(Refused, match="1 release from these data or the same people was drawn before"):
        register(project, *ONE)


def test_that_two_lists_are_no_alternatives(project: Project) -> None:
    register(project, *ONE)
    with pytest.raises(Refused, match="registered already"):
        register(project, "0.05", *["0.2"] * 80)
    (kept,) = project.programmes(1)
    assert kept.items == pairs(*ONE)


@pytest.mark.parametrize(
    ("definition", "items", "reason"),
    [
        (Definition.RESIDENCE, pairs("1"), "x"),
        (Definition.EDGE, (), "x"),
        (Definition.EDGE, pairs("0"), "x"),
        (Definition.EDGE, pairs("1"), " "),
    ],
)
def test_that_a_programme_that_means_nothing_is_refused(
    project: Project, definition: Definition, items: tuple[tuple[Decimal, Decimal], ...], reason: str
) -> None:
    key = project.save_dataset(data())
    with pytest.raises(UserProblem):
        project.register_programme(key, definition=definition, items=items, actor="Rita", reason=reason)
