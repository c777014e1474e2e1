"""A prior that is the confidential file once more is refused; published flows of the same region are taken."""

from __future__ import annotations

import dataclasses
import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.microdata.inputs import Inputs
from workbench.microdata.load import load
from workbench.microdata.options import ReadOptions
from workbench.microdata.roles import Role
from workbench.microdata.table import Microdata
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.commuting_flows.params import CommutingFlowsParams, WorkLevel
from workbench.products.commuting_flows.product import SPEC
from workbench.products.commuting_flows.synthetic_residences import SyntheticResidencesParams

SAMPLE = Path(__file__).parents[3] / "sample_projects" / "commuting_flows"
ROLES = {"w_geocode": Role.GEOGRAPHY, "h_geocode": Role.PERSON}
PARAMS = CommutingFlowsParams(population="population")
BLOCK, TRACT = 15, 11


def read(path: Path, roles: dict[str, Role] | None = None) -> Microdata:
    return load(path, ReadOptions(), roles, None, QUIET)


def with_prior(prior: Microdata) -> Inputs:
    beside = {"geography": read(SAMPLE / "geography.csv"), "prior": prior}
    return Inputs(microdata=read(SAMPLE / "jobs.csv", ROLES), roles=ROLES, companions=beside)


def written(folder: Path, flows: Counter[tuple[str, str]]) -> Microdata:
    path = folder / "prior.csv"
    lines = [f"{work},{home},{count}" for (work, home), count in flows.items()]
    path.write_text("\n".join(["w_geocode,h_geocode,S000", *lines]), encoding="utf-8")
    return read(path)


def true_flows(digits: int) -> Counter[tuple[str, str]]:
    rows = [line.split(",") for line in (SAMPLE / "jobs.csv").read_text(encoding="utf-8").splitlines()[1:]]
    return Counter((row[1][:digits], row[2][:digits]) for row in rows)


def refused(inputs: Inputs, params: CommutingFlowsParams = PARAMS) -> bool:
    """Whether the prior is refused for being the data, told without a code of them."""
    assert SPEC.problems(inputs, params) == ()
    try:
        SPEC.prepare(inputs, params, QUIET)
    except UserProblem as wrong:
        assert "The prior holds the flows of the confidential data themselves" in str(wrong)
        assert "03001" not in str(wrong)
        return True
    return False


def test_that_the_packed_data_are_no_prior(tmp_path: Path) -> None:
    path = tmp_path / "public.csv.gz"
    path.write_bytes(gzip.compress((SAMPLE / "jobs.csv").read_bytes()))
    assert refused(with_prior(read(path)), dataclasses.replace(PARAMS, prior_jobs=""))


@pytest.mark.parametrize("level", list(WorkLevel))
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("digits", [BLOCK, TRACT])
def test_that_the_data_added_up_are_no_prior(tmp_path: Path, digits: int, times: int, level: WorkLevel) -> None:
    flows = Counter({pair: times * count for pair, count in true_flows(digits).items()})
    assert refused(with_prior(written(tmp_path, flows)), dataclasses.replace(PARAMS, work_level=level))


def test_that_the_data_with_other_blocks_of_the_same_tracts_are_no_prior(tmp_path: Path) -> None:
    """The prior is used by tract, so that is where it must not be the data."""
    flows = Counter({(work + "1000", home + "1000"): count for (work, home), count in true_flows(TRACT).items()})
    assert refused(with_prior(written(tmp_path, flows)))


def test_that_the_counts_of_segments_are_compared_with_their_total_too(tmp_path: Path) -> None:
    flows = true_flows(BLOCK)
    path = tmp_path / "counts.csv"
    lines = [f"{work},{home},{count},{count // 2}" for (work, home), count in flows.items()]
    path.write_text("\n".join(["w_geocode,h_geocode,S000,SA01", *lines]), encoding="utf-8")
    roles = {**ROLES, "S000": Role.OUTCOME, "SA01": Role.OUTCOME}
    inputs = dataclasses.replace(with_prior(written(tmp_path, flows)), microdata=read(path, roles), roles=roles)
    assert refused(inputs, dataclasses.replace(PARAMS, segments=("SA01",)))


def test_that_the_sample_and_its_prior_are_taken() -> None:
    assert not refused(with_prior(read(SAMPLE / "prior.csv")))


@pytest.mark.parametrize("epsilon", ["1", "4.6", "20"])
@pytest.mark.parametrize("digits", [BLOCK, TRACT])
def test_that_published_synthetic_flows_are_taken(tmp_path: Path, digits: int, epsilon: str) -> None:
    """Even those of the very same workers, which no later year comes near."""
    found = SPEC.prepare(with_prior(read(SAMPLE / "prior.csv")), PARAMS, QUIET)
    settings = SyntheticResidencesParams(epsilon=Epsilon(epsilon))
    drawn: Any = synthetic_residences.SPEC.study(found, settings, StudyRandom(4), QUIET).reveal()
    flows: Counter[tuple[str, str]] = Counter()
    for population, block, workers in zip(*(key.codes.tolist() for key in drawn.keys), drawn.values, strict=True):
        pair = (found.work_area[found.area_of[population]], found.geography.blocks[block])
        flows[pair[0][:digits], pair[1][:digits]] += workers
    assert not refused(with_prior(written(tmp_path, flows)))
