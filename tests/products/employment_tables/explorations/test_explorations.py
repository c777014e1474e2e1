"""What employment tables offer to look at closer."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.products.employment_tables import hand_made
from workbench.core.errors import UserProblem
from workbench.core.figures import Figure
from workbench.core.progress import QUIET
from workbench.core.quantities import Alpha, Epsilon
from workbench.core.randomness import StudyRandom
from workbench.explorations.contract import Scene
from workbench.microdata.inputs import Inputs
from workbench.products.employment_tables import noise_infusion
from workbench.products.employment_tables.audit.prior_posterior import Prior
from workbench.products.employment_tables.explorations import least_epsilon, paper_grid, prior_to_posterior
from workbench.products.employment_tables.explorations.prior_to_posterior import PriorToPosteriorParams
from workbench.products.employment_tables.mechanisms.cell import smooth_gamma
from workbench.products.employment_tables.params import EmploymentTablesParams
from workbench.products.employment_tables.product import SPEC


def scene() -> Scene:
    inputs = Inputs(microdata=hand_made.microdata(), roles=hand_made.ROLES)
    cells = SPEC.prepare(inputs, EmploymentTablesParams(workplace=("place", "sector")), QUIET)
    params = replace(smooth_gamma.SPEC.params(), epsilon=Epsilon("2"), alpha=Alpha("0.1"))
    return Scene(
        prepared=cells,
        mechanism=smooth_gamma.SPEC,
        params=params,
        baseline=lambda context: (
            noise_infusion.SPEC.protect(cells, noise_infusion.SPEC.params(), StudyRandom(1), context).values
        ),
    )


def curve(params: PriorToPosteriorParams) -> Figure:
    (finding,) = prior_to_posterior.SPEC.show(scene(), params, QUIET)
    return finding.figures[0]


def test_that_the_permitted_belief_falls_by_epsilon_for_each_window() -> None:
    """Figure 1's slope is ε/ln(1+α): log odds at 1.1 times the size lie ε below those at the size."""
    permitted = curve(PriorToPosteriorParams(size=1000)).series[1]
    at = dict(zip(permitted.x, np.log(permitted.y), strict=True))
    slopes = [(at[1000.0] - value) / abs(math.log(x / 1000)) for x, value in at.items() if x != 1000]
    assert slopes == pytest.approx([2 / math.log(1.1)] * len(slopes))


def test_that_what_the_mechanism_reaches_stays_within_the_claim_at_each_window() -> None:
    reached = curve(PriorToPosteriorParams(size=1000)).series[2]
    peak = max(reached.y)
    inside = [y for x, y in zip(reached.x, reached.y, strict=True) if 1000 / 1.1 <= x <= 1100]
    assert inside
    assert all(math.log(peak / y) <= 2 + 1e-9 for y in inside)


def test_that_beliefs_are_probabilities_under_either_prior() -> None:
    for prior in Prior:
        drawn = curve(PriorToPosteriorParams(size=50, prior=prior, spread=Decimal(3)))
        before = drawn.series[0].y
        assert sum(before) == pytest.approx(1.0)
        assert (max(before) == before[0]) and ((min(before) == max(before)) == (prior is Prior.UNIFORM))


def test_that_an_establishment_of_the_data_can_be_chosen_by_name() -> None:
    here = scene()
    offered = prior_to_posterior.SPEC.choices(here)["establishment"]
    assert offered
    (finding,) = prior_to_posterior.SPEC.show(here, PriorToPosteriorParams(establishment=offered[0]), QUIET)
    members = here.prepared.contributions.reveal()
    sizes = np.bincount(members.establishment, weights=members.jobs)
    assert finding.figures[0].marks[0].value == sizes.max()


def test_that_an_unknown_establishment_is_a_problem_that_does_not_repeat_it() -> None:
    with pytest.raises(UserProblem) as wrong:
        prior_to_posterior.SPEC.show(scene(), PriorToPosteriorParams(establishment="nobody knows"), QUIET)
    assert "nobody knows" not in str(wrong.value)


def test_that_the_papers_grid_shows_the_plans_epsilon_as_a_line_to_drag() -> None:
    (finding,) = paper_grid.SPEC.show(scene(), paper_grid.SPEC.params(), QUIET)
    assert finding.figures
    for figure in finding.figures:
        assert [mark.value for mark in figure.marks if mark.moves == "epsilon"] == [2.0]
        assert {series.name.split(",")[0] for series in figure.series} <= {
            "Log-Laplace",
            "Smooth Gamma",
            "Smooth Laplace",
        }


def test_that_the_smallest_epsilon_is_told_for_any_alpha_and_delta(golden: Any) -> None:
    table = golden("table2_corrected")
    scene = Scene(prepared=None, mechanism=None, params=None)  # type: ignore[arg-type]
    for case in table["cases"]:
        params = least_epsilon.LeastEpsilonParams(
            **{name: Decimal(str(value)) for name, value in case["inputs"].items()}
        )
        (finding,) = least_epsilon.SPEC.show(scene, params, QUIET)
        told = [finding.values[name] for name in ("epsilon_by_rule", "epsilon_exact")]
        expected = [case["expected"][name] for name in ("eps_min_paper_rule", "eps_min_exact")]
        assert told == pytest.approx(expected, rel=1e-6, abs=1e-6)
