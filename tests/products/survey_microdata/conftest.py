"""One survey protected by every method, for the tests that read what is published."""

from __future__ import annotations

from typing import Any

import pytest

from tests.products.survey_microdata.test_audit import PARAMS, survey
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.survey_microdata.central import pairs_file, pairs_gaussian
from workbench.products.survey_microdata.central.params import PairsParams
from workbench.products.survey_microdata.layout import published
from workbench.products.survey_microdata.local import grid_rr, joint_rr, krr_laplace


@pytest.fixture(scope="session")
def protected() -> Any:
    return {
        spec.id: published(survey().variables, spec.study(survey(), params, StudyRandom(8), QUIET).reveal())
        for spec, params in (
            (krr_laplace.SPEC, PARAMS),
            (grid_rr.SPEC, grid_rr.GridRrParams(levels=21)),
            (joint_rr.SPEC, joint_rr.JointRrParams(epsilon=Epsilon(30))),
            (pairs_gaussian.SPEC, PairsParams()),
            (pairs_file.SPEC, pairs_file.PairsFileParams(components=30)),
        )
    }
