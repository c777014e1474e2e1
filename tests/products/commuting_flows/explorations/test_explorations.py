"""Explorations of commuting flows: they answer for what was chosen, and what they show can be checked by hand."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tests.contract.findings_contract import judge_findings
from tests.products.commuting_flows.few_flows import populations
from tests.published import counts
from workbench.core.errors import UserProblem
from workbench.core.figures import Kind
from workbench.core.params import fields_of, value_from
from workbench.core.progress import QUIET
from workbench.core.published import Published
from workbench.explorations.contract import Scene
from workbench.products.commuting_flows import synthetic_residences
from workbench.products.commuting_flows.explorations import residence_map, trade_off, transition_heat_map
from workbench.products.commuting_flows.explorations.residence_map import Homes, ResidenceMapParams
from workbench.products.commuting_flows.explorations.trade_off import Lever, TradeOffParams, share_of_prior
from workbench.products.commuting_flows.explorations.transition_heat_map import Draws, TransitionMatrixParams
from workbench.products.commuting_flows.synthetic_residences import MinimumPrior, SyntheticResidencesParams


def scene(counts: list[list[int]], table: Published | None = None) -> Scene:
    return Scene(
        prepared=populations(counts),
        mechanism=synthetic_residences.SPEC,
        params=SyntheticResidencesParams(),
        table=table,
    )


def drawn(work: tuple[str, ...], home: tuple[str, ...], workers: tuple[int, ...]) -> Published:
    return counts({"w_geocode": work, "h_geocode": home}, "jobs", np.array(workers, np.int64))


def test_that_the_smallest_population_is_shown_first() -> None:
    here = scene([[9, 1, 0], [1, 1, 0]])
    assert transition_heat_map.SPEC.choices(here)["population"] == ("work-1", "work-0")
    (finding,) = transition_heat_map.SPEC.show(here, TransitionMatrixParams(), QUIET)
    judge_findings((finding,))
    assert finding.values["population"] == "work-1"


def test_that_one_and_all_draws_show_different_chances() -> None:
    here = scene([[9, 1, 0]])
    one, every = (
        transition_heat_map.SPEC.show(here, TransitionMatrixParams(draws=draws), QUIET)[0].figures[0] for draws in Draws
    )
    assert sum(one.grid[0]) == pytest.approx(1.0, abs=1e-4)
    assert sum(every.grid[0]) > 1.0
    assert one.outlined == every.outlined


def test_that_the_map_has_true_and_synthetic_homes_with_their_sizes() -> None:
    table = drawn(("work-0", "work-0", "work-1"), ("0000", "0021", "0010"), (2, 3, 7))
    (finding,) = residence_map.SPEC.show(
        scene([[4, 1, 0], [0, 7, 0]], table), ResidenceMapParams(workplace="work-0", within=20_000), QUIET
    )
    judge_findings((finding,))
    (figure,) = finding.figures
    assert figure.kind is Kind.MAP
    true, synthetic = figure.series
    assert (true.name, true.high) == ("true", (4.0, 1.0))
    assert (synthetic.name, synthetic.high) == ("released", (2.0, 3.0))
    assert finding.values["synthetic_workers"] == 5
    assert finding.values["share_in_right_tracts"] == pytest.approx(2 / 5)


def test_that_homes_beyond_the_map_are_counted_in_words() -> None:
    table = drawn(("work-0", "work-0"), ("0000", "0021"), (2, 3))
    here = scene([[4, 1, 0]], table)
    (near,) = residence_map.SPEC.show(here, ResidenceMapParams(workplace="work-0", within=1), QUIET)
    shown = [sum(series.high) for series in near.figures[0].series]
    assert near.values["true_beyond"] == 5 - shown[0] if shown else 5
    assert int(near.values["synthetic_beyond"] or 0) > 0


def test_that_homes_can_be_shown_by_block() -> None:
    table = drawn(("work-0",) * 3, ("0000", "0001", "0020"), (1, 2, 3))
    here = scene([[4, 1, 0]], table)
    (by_tract,), (by_block,) = (
        residence_map.SPEC.show(here, ResidenceMapParams(homes=homes, within=20_000), QUIET) for homes in Homes
    )
    assert by_tract.figures[0].series[1].high == (3.0, 3.0)
    assert by_block.figures[0].series[1].high == (1.0, 2.0, 3.0)


def test_that_the_largest_workplace_is_mapped_unless_another_is_named() -> None:
    table = drawn(("work-0", "work-1"), ("0000", "0010"), (5, 7))
    here = scene([[4, 1, 0], [0, 7, 0]], table)
    assert residence_map.SPEC.choices(here)["workplace"] == ("work-1", "work-0")
    (finding,) = residence_map.SPEC.show(here, ResidenceMapParams(), QUIET)
    assert finding.values["workplace"] == "work-1"


def test_that_nothing_drawn_or_an_unknown_workplace_is_a_problem() -> None:
    with pytest.raises(UserProblem, match="drawn"):
        residence_map.SPEC.show(scene([[4, 1, 0]]), ResidenceMapParams(), QUIET)
    with pytest.raises(UserProblem, match="workplace"):
        residence_map.SPEC.show(scene([[4, 1]], drawn((), (), ())), ResidenceMapParams(workplace="elsewhere"), QUIET)


@pytest.mark.parametrize("lever", list(Lever))
def test_that_the_handle_of_a_trade_off_sets_the_setting_it_shows(lever: Lever) -> None:
    here = scene([[9, 1, 0], [40, 2, 5]])
    (finding,) = trade_off.SPEC.show(here, TradeOffParams(lever=lever), QUIET)
    judge_findings((finding,))
    for figure in finding.figures:
        (mark,) = figure.marks
        assert mark.moves == lever.value
        assert mark.value == float(getattr(here.params, lever.value))
        field = next(field for field in fields_of(SyntheticResidencesParams) if field.name == mark.moves)
        assert value_from(field, str(mark.value)) == getattr(here.params, lever.value)


def test_that_more_epsilon_leaves_less_to_the_prior_and_costs_more() -> None:
    (finding,) = trade_off.SPEC.show(scene([[30, 10, 2]] * 5), TradeOffParams(), QUIET)
    losses, shares = (figure.series[0].y for figure in finding.figures)
    assert list(losses) == sorted(losses)
    assert list(shares) == sorted(shares, reverse=True)
    claim = synthetic_residences.SPEC.claim(populations([[30, 10, 2]] * 5), SyntheticResidencesParams())
    assert finding.values["claimed_epsilon"] == float(claim.epsilon)


def test_that_the_share_of_the_prior_is_that_of_the_urn() -> None:
    params = SyntheticResidencesParams(minimum_prior=MinimumPrior.FIXED, fixed_prior=Decimal("0.5"), pruning=False)
    assert share_of_prior(populations([[4, 2, 0]]), params) == pytest.approx(1.5 / 7.5)
