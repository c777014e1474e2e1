"""An approved release in the place of a public file: read as published, refused while it is not public."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.products.commuting_flows import hand_made_flows as made
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.published import Coded, Published, Units
from workbench.core.states import ReleaseState
from workbench.microdata.inputs import Inputs
from workbench.products.commuting_flows.noisy_flows import SPEC, NoisyFlowsParams
from workbench.products.commuting_flows.product import SPEC as PRODUCT
from workbench.review.plan.plan import DataPlan
from workbench.review.run.released import no_project, released_by


@dataclass
class Record:
    id: str
    state: ReleaseState
    run_id: int = 7

    @property
    def release_id(self) -> str:
        return self.id


@dataclass
class Project:
    """As much of a project as is asked: one release, its ledger entry and its table."""

    state: ReleaseState

    def release(self, name: str) -> Record:
        return Record(name, self.state)

    def ledger(self) -> tuple[Record, ...]:
        return (Record("R-0001", self.state),) if self.state is ReleaseState.APPROVED else ()

    def published(self, run_id: int) -> Published:
        assert run_id == 7
        return Published(
            columns=(
                Coded(name="work", codes=np.array([0, 0, 1], np.int32), values=("0101", "0121")),
                Coded(name="home", codes=np.array([0, 1, 1], np.int32), values=("0102", "0211")),
                Units(name="jobs", integers=np.array([60, 20, 9])),
            )
        )


def read(state: ReleaseState, name: str = "release:R-0001") -> Any:
    return released_by(Project(state))(name)  # type: ignore[arg-type]


def test_that_an_approved_release_serves_as_next_years_prior() -> None:
    table = read(ReleaseState.APPROVED)
    assert table.name == "release:R-0001"
    inputs = made.listed_inputs()
    with_prior = Inputs(
        microdata=inputs.microdata, roles=inputs.roles, companions={**inputs.companions, "prior": table}
    )
    assert PRODUCT.problems(with_prior, made.listed_params()) == ()
    prepared = PRODUCT.prepare(with_prior, made.listed_params(), QUIET)
    assert prepared.prior.count.sum() == 89
    claim = SPEC.claim(prepared, NoisyFlowsParams())
    assert claim.formal
    assert not any("R-0001" in each for each in claim.provided), "the project knows that it is approved"
    assert any("R-0001, approved in this project: its ε is in the ledger" in each for each in claim.assumptions)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (ReleaseState.WITHDRAWN, "R-0001 was withdrawn"),
        (ReleaseState.DRAFT, "R-0001 is not approved"),
        (ReleaseState.REJECTED, "R-0001 is not approved"),
    ],
)
def test_that_what_is_not_public_is_refused_in_a_sentence(state: ReleaseState, said: str) -> None:
    with pytest.raises(UserProblem, match=said):
        read(state)


def test_that_without_a_project_there_is_no_release_to_name() -> None:
    with pytest.raises(UserProblem, match="no project is open"):
        no_project("release:R-0001")


def test_that_a_release_is_no_path_to_move_or_to_guard() -> None:
    data = DataPlan(path="jobs.csv", companions={"prior": "release:R-0001", "geography": "blocks.csv"})
    assert [file.path for file in data.files()] == ["jobs.csv", "blocks.csv"]
    moved = data.with_paths(lambda name: str(Path("elsewhere") / name))
    assert moved.companions == {"prior": "release:R-0001", "geography": "elsewhere/blocks.csv"}
