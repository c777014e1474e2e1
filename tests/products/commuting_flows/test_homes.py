"""Commuting flows refuse to divide workers by what tells where they live, and take what does not."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.errors import UserProblem
from workbench.core.findings import Audience, Status
from workbench.core.progress import QUIET
from workbench.microdata.inputs import Inputs
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.products.commuting_flows.params import CommutingFlowsParams
from workbench.products.commuting_flows.product import SPEC

SAMPLE = Path(__file__).parents[3] / "sample_projects" / "commuting_flows"


def commuters(jobs: int = 4_000) -> dict[str, list[str]]:
    """Jobs at four workplaces, homes at every block, with traits of the home, of both places, of the workplace."""
    random = np.random.Generator(np.random.PCG64(7))
    codes = [block[0] for block in made.BLOCKS]
    home = random.choice(codes, jobs).tolist()
    work = random.choice(codes[:4], jobs).tolist()
    place = {code: number for number, code in enumerate(codes)}
    return {
        "work": work,
        "home": home,
        "county": [code[:2] for code in home],
        "typo": ["elsewhere", *(code[:2] for code in home[1:])],
        "miles": [str(abs(place[a] - place[b])) for a, b in zip(work, home, strict=True)],
        "sector": [str(place[code] // 2) for code in work],
        "age": random.choice(["1", "2", "3"], jobs, p=[0.2, 0.6, 0.2]).tolist(),
        "rare": random.choice(["0", "1"], jobs, p=[0.99, 0.01]).tolist(),
    }


def by_characteristic(columns: dict[str, list[str]], *names: str) -> Any:
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, **dict.fromkeys(names, Role.PERSON)}
    inputs = dataclasses.replace(made.inputs(), microdata=made.table("jobs.csv", columns), roles=roles)
    return SPEC.prepare(inputs, made.params(jobs="", characteristics=names), QUIET)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("county", "“county” follows from the residence for nearly every job"),
        ("typo", "“typo” follows from the residence for nearly every job"),
        ("miles", "“miles” follows from workplace and residence together"),
    ],
)
def test_that_a_characteristic_that_follows_from_the_residence_is_refused(name: str, said: str) -> None:
    """Publishing it would publish where workers live; one odd row does not clear it."""
    with pytest.raises(UserProblem, match=said):
        by_characteristic(commuters(), name)


@pytest.mark.parametrize("names", [("sector",), ("age",), ("rare",), ("age", "sector")], ids=str)
def test_that_characteristics_of_workers_and_workplaces_are_taken(names: tuple[str, ...]) -> None:
    found = by_characteristic(commuters(), *names)
    assert all(finding.id != "flows-told-by-home" for finding in SPEC.describe(found))


def test_that_a_characteristic_of_which_too_few_share_a_home_is_pointed_out_inside() -> None:
    found = by_characteristic(commuters(12), "age")
    (finding,) = (finding for finding in SPEC.describe(found) if finding.id == "flows-told-by-home")
    assert (finding.status, finding.audience) == (Status.WARN, Audience.INTERNAL)
    assert "“age” follows from where workers live" in finding.sentence


def counted_by(part: Any, names: tuple[str, ...], *, total: bool) -> Any:
    """Counts of jobs by pair of places, each pair's jobs in the segment `part` says."""
    pairs = [(a[0], b[0]) for a in made.BLOCKS[:4] for b in made.BLOCKS]
    counts = {name: [float(3 * (part(i, j) == number)) for i in range(4) for j in range(12)]
              for number, name in enumerate(names)}  # fmt: skip
    if total:
        counts["S000"] = [3.0] * len(pairs)
    work, home = zip(*pairs, strict=True)
    data = made.table("flows.csv", {"work": work, "home": home, **counts})
    roles = {"work": Role.GEOGRAPHY, "home": Role.PERSON, **dict.fromkeys(counts, Role.OUTCOME)}
    inputs = dataclasses.replace(made.inputs(), microdata=data, roles=roles)
    return SPEC.prepare(inputs, made.params(jobs="", segments=names), QUIET)


@pytest.mark.parametrize("total", [False, True])
@pytest.mark.parametrize("names", [("SA01", "SA02", "SA03"), ("near", "middle", "far")], ids=str)
def test_that_segments_that_follow_from_the_places_are_refused(names: tuple[str, ...], total: bool) -> None:
    with pytest.raises(UserProblem, match="follow from workplace and residence together"):
        counted_by(lambda i, j: min(abs(i - j) // 2, 2), names, total=total)
    with pytest.raises(UserProblem, match="follow from the residence"):
        counted_by(lambda _, j: j % 3, names, total=total)
    assert counted_by(lambda i, _: i % 3, names, total=total).facts.unjudged.reveal() == ()


def test_that_one_segment_is_judged_by_the_jobs_that_are_not_in_it() -> None:
    with pytest.raises(UserProblem, match="“far” follows from the residence"):
        counted_by(lambda _, j: j % 2, ("far",), total=True)
    assert counted_by(lambda _, j: j % 2, ("far",), total=False).facts.unjudged.reveal() == ("far",)


def sample(*names: str) -> Inputs:
    roles = {"w_geocode": Role.GEOGRAPHY, "h_geocode": Role.PERSON, **dict.fromkeys(names, Role.PERSON)}
    data, geography = (
        load(SAMPLE / file, ReadOptions(), used, None, QUIET)
        for file, used in (("jobs.csv", roles), ("geography.csv", None))
    )
    return Inputs(microdata=data, roles=roles, companions={"geography": geography})


@pytest.mark.parametrize("names", [("age",), ("earnings",), ("age", "earnings")], ids=str)
def test_that_the_sample_can_be_divided_by_age_and_earnings(names: tuple[str, ...]) -> None:
    found = SPEC.prepare(sample(*names), CommutingFlowsParams(characteristics=names), QUIET)
    assert found.facts.unjudged.reveal() == ()
