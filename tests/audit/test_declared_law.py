"""The noise against its declared law: honest samplers pass to the last integer, every broken twin is caught."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.contract import twins
from tests.products.employment_tables import hand_made
from workbench.audit import exact_loss
from workbench.audit.contract import Subject
from workbench.audit.declared_law import judgement
from workbench.audit.declared_law.check import SPEC, DeclaredLawParams
from workbench.audit.declared_law.draws import Watched, watch
from workbench.audit.declared_law.judgement import Judgement, judged
from workbench.audit.declared_law.trial import trial_of
from workbench.audit.declared_law.words import Rehearsed, rehearsed
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.mechanisms.block import laplace as block_laplace
from workbench.products.employment_tables.mechanisms.block.post import PostProcessing
from workbench.products.employment_tables.mechanisms.cell import (
    log_laplace,
    log_staircase,
    smooth_gamma,
    smooth_laplace,
)
from workbench.products.employment_tables.product import SPEC as EMPLOYMENT
from workbench.products.employment_tables.words import JOBS

EPSILONS = ("0.5", "1", "2", "4")
DRAWS = 100_000
GAMMA = smooth_gamma.SPEC


def _subject(mechanism: Any, epsilon: str = "2", *, worker: bool = False, **more: Any) -> Subject:
    params = mechanism.params(epsilon=Epsilon(epsilon), **more)
    return Subject(words=JOBS, prepared=hand_made.cells(worker=worker), mechanism=mechanism, params=params)


def _by_words(subject: Subject, turns: int = 6) -> Rehearsed:
    found = Rehearsed()
    for turn in range(turns):
        grid = trial_of(subject, part=(turn % 6, 6))
        assert grid is not None
        found += rehearsed(subject, grid.prepared.reveal(), turn)
    return found


def _watched(subject: Subject, draws: int = DRAWS, seed: int = 3) -> tuple[Watched, dict[str, Any]]:
    """With seeded words, so that a test gives the same answer every time."""
    trial, source = trial_of(subject), StudyRandom(1000 + seed)
    assert trial is not None
    seen = watch(subject, trial, draws=draws, seed=seed, context=QUIET, source=lambda: source)
    return seen, {name: judged(pool, trial) for name, pool in seen.pools.items()}


@pytest.mark.parametrize("worker", [False, True], ids=["workplaces", "with workers"])
@pytest.mark.parametrize("mechanism", EMPLOYMENT.mechanisms, ids=lambda mechanism: mechanism.id)
def test_that_every_honest_sampler_gives_the_integers_that_its_law_foresees(mechanism: Any, worker: bool) -> None:
    found = _by_words(_subject(mechanism, worker=worker))
    assert (found.different, found.trouble, found.unforeseeable) == (0, "", "")
    assert found.foreseen > 200


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("twin", twins.MISDRAWN, ids=lambda twin: twin.__name__)
def test_that_chosen_words_catch_every_broken_sampler(twin: Any, epsilon: str) -> None:
    """The eight broken variants of Smooth Gamma: one difference would be enough, there are many."""
    found = _by_words(_subject(twin(GAMMA), epsilon), turns=3)
    assert found.different > 20 or "fewer random words" in found.trouble


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_that_two_percent_less_noise_is_seen_by_draws(epsilon: str) -> None:
    _, verdicts = _watched(_subject(twins.LessNoise(GAMMA), epsilon))
    (verdict,) = verdicts.values()
    assert "scale" in [test.name for test in verdict.failed]
    assert verdict.scale + verdict.error < 1.0


@pytest.mark.parametrize("twin", [twins.SecondLargest, twins.InTens, twins.Gap, twins.Even, twins.OneForAll])
def test_that_draws_alone_catch_the_other_twins(twin: Any) -> None:
    _, verdicts = _watched(_subject(twin(GAMMA)))
    (verdict,) = verdicts.values()
    assert verdict.failed


@pytest.mark.parametrize("original", [log_laplace.SPEC, smooth_laplace.SPEC, log_staircase.SPEC])
def test_that_less_noise_is_seen_in_the_other_cell_samplers(original: Any) -> None:
    subject = _subject(twins.LessNoise(original))
    assert _by_words(subject, turns=2).different
    assert "scale" in [test.name for test in _watched(subject)[1]["published values"].failed]


@pytest.mark.parametrize("original", [block_gamma.SPEC, block_laplace.SPEC])
def test_that_less_noise_is_seen_in_whole_blocks(original: Any) -> None:
    """The law of the radius: two percent less of it is seen with chosen words and by draws."""
    subject = _subject(twins.NarrowBlocks(original), worker=True)
    assert _by_words(subject, turns=2).different
    assert "scale" in [test.name for test in _watched(subject, draws=300_000)[1]["published values"].failed]


@cache
def _honest(name: str) -> Any:
    mechanism = next(mechanism for mechanism in EMPLOYMENT.mechanisms if mechanism.id == name)
    return _watched(_subject(mechanism, worker=name.startswith("block")))[1]


@pytest.mark.parametrize("name", [mechanism.id for mechanism in EMPLOYMENT.mechanisms])
def test_that_honest_noise_passes_by_draws(name: str) -> None:
    (verdict,) = _honest(name).values()
    assert verdict.failed == ()
    assert abs(verdict.scale - 1.0) < 2 * verdict.error


def test_that_block_noise_on_single_wide_counts_is_no_false_alarm() -> None:
    """With one value a block its length is often rounded to nothing, which is no sign of another law."""
    (verdict,) = _watched(_subject(block_gamma.SPEC), draws=400_000)[1].values()
    assert verdict.failed == ()


@pytest.mark.parametrize("epsilon", ["20", "100"])
@pytest.mark.parametrize("mechanism", [GAMMA, block_gamma.SPEC, block_laplace.SPEC], ids=lambda one: one.id)
def test_that_noise_which_is_nearly_always_rounded_to_nothing_is_no_false_alarm(mechanism: Any, epsilon: str) -> None:
    """One draw can then tell more than all that was expected of its kind of cell, and most kinds tell nothing."""
    for worker in (False, True):
        (verdict,) = _watched(_subject(mechanism, epsilon, worker=worker))[1].values()
        assert verdict.failed == ()


def test_that_missing_noise_is_seen_where_little_was_expected() -> None:
    """A hundred values should have told something and did not; one that tells much where none was due is chance."""
    zeros, odd = np.full(100, -1.0), np.append(np.full(99, -1e-6), 100.0)
    assert judgement._score("scale", zeros, np.ones(100), judgement.LEVEL).failed
    assert not judgement._score("scale", odd, np.full(100, 1e-4), judgement.LEVEL).failed


def _consistent(twin: Any) -> Subject:
    return _subject(twin, worker=True, post_processing=PostProcessing.CONSISTENT)


def test_that_a_release_carries_every_question_it_asked() -> None:
    subject = _consistent(block_gamma.SPEC)
    assert _by_words(subject, turns=2).different == 0
    seen, verdicts = _watched(subject)
    assert set(verdicts) == {"values before post-processing", "how large the noise is"}
    assert not any(verdict.failed for verdict in verdicts.values())
    assert not seen.undeclared


def test_that_a_query_without_noise_is_caught_by_the_transcript() -> None:
    subject = _consistent(twins.NoiselessQuery(block_gamma.SPEC))
    assert _by_words(subject, turns=2).trouble
    verdict = _watched(subject)[1]["how large the noise is"]
    assert "scale" in [test.name for test in verdict.failed]


def test_that_an_answer_without_a_declared_law_fails() -> None:
    subject = _consistent(twins.UndeclaredQuery(block_gamma.SPEC))
    findings = SPEC.run(subject, DeclaredLawParams(law_draws=1000, turns=1), QUIET)
    assert [finding.status for finding in findings] == [Status.FAIL, Status.FAIL]
    assert all("No law is declared for “how large the noise is”" in finding.sentence for finding in findings)


def test_that_a_mechanism_without_any_law_does_not_pass() -> None:
    class Silent:
        """Everything but laws."""

        def claim(self, prepared: Any, params: Any) -> Any:
            return GAMMA.claim(prepared, params)

    silent: Any = Silent()
    subject = Subject(words=JOBS, prepared=hand_made.cells(), mechanism=silent, params=GAMMA.params())
    (finding,) = SPEC.run(subject, DeclaredLawParams(), QUIET)
    assert finding.status is Status.INFO
    assert "declares no law" in finding.sentence


def test_that_a_weak_mechanism_that_claims_strong_fails_on_the_claims_own_neighbours() -> None:
    """Ten men more of ten among a hundred are one strong step, and the men's own cell loses 4.254 by it."""
    subject = _subject(twins.WeakClaimedStrong(log_laplace.SPEC), worker=True)
    (finding,) = exact_loss.SPEC.run(subject, exact_loss.ExactLossParams(), QUIET)
    assert finding.status is Status.FAIL
    assert float(str(finding.values["spent_epsilon"])) <= 2.0 + 1e-9, "its own formula knows nothing of it"
    assert float(str(finding.values["grid_epsilon"])) >= 4.254


def test_that_words_are_said_with_their_numbers_and_no_size() -> None:
    words, draws = SPEC.run(_subject(GAMMA), DeclaredLawParams(law_draws=20_000, turns=2), QUIET)
    assert words.status is Status.PASS
    assert words.values["different"] == 0
    assert draws.id == "declared-law-draws"
    assert Decimal(str(draws.values["noise_scale"])) > 0


def test_that_many_answers_share_the_risk_of_a_false_alarm() -> None:
    """A scale off by four standard errors is too much for one answer, and not for the worst of forty."""
    scores, information = np.full(16, 0.25), np.full(16, 1 / 16)  # in all 4 of 1
    assert judgement._score("scale", scores, information, judgement.LEVEL).failed
    assert not judgement._score("scale", scores, information, judgement.LEVEL / 40).failed
    away = np.full(500_000, 0.5)
    away[0] = 1.0 - 8e-6  # nothing in the farthest tail of one answer, something in the wider one for forty
    assert judgement._tails(away, judgement.LEVEL)[-1].failed
    assert not judgement._tails(away, judgement.LEVEL / 40)[-1].failed


def test_that_a_test_by_draws_counts_where_it_fails_on_two_sets_of_draws() -> None:
    def made(*failing: str) -> Judgement:
        tests = tuple(
            judgement.Tested(name=name, said="", failed=name in failing) for name in ("scale", "place", "shape")
        )
        return Judgement(tests=tests, scale=1.0, error=0.1, draws=10)

    def names(judged: Judgement) -> list[str]:
        return [test.name for test in judged.failed]

    assert names(made("scale", "shape").confirming(made("scale", "place"))) == ["scale"]
    assert names(made("scale").confirming(made("place"))) == []
    assert names(made("scale").confirming(None)) == []
