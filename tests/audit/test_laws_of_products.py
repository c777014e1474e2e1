"""Every mechanism that declares a law keeps it, and broken twins of it are caught, whatever the product."""

from __future__ import annotations

import dataclasses
import itertools
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.contract.samples import SAMPLES, WORDS, sample_of
from tests.contract.twins import Twin
from workbench.audit.contract import Subject
from workbench.audit.declared_law.check import SPEC, DeclaredLawParams
from workbench.audit.declared_law.draws import watch
from workbench.audit.declared_law.judgement import Judgement, judged
from workbench.audit.declared_law.trial import trial_of
from workbench.audit.declared_law.words import Rehearsed, rehearsed
from workbench.core.findings import Status
from workbench.core.progress import QUIET
from workbench.core.randomness import StudyRandom
from workbench.mechanisms.contract import Answer, Rehearsal
from workbench.mechanisms.dial import setting, turned
from workbench.noise.declared.contract import DeclaresLaws
from workbench.products.registry import PRODUCTS

TABLES = "employment_tables"
OTHERS = [(product, mechanism) for product in PRODUCTS if product.id != TABLES for mechanism in product.mechanisms]
LAWFUL = [pair for pair in OTHERS if isinstance(pair[1], DeclaresLaws)]
SILENT = [pair for pair in OTHERS if not isinstance(pair[1], DeclaresLaws)]
BY_INVERSION = {"table-logit", "fractional-table", "dp-newton", "objective-perturbation", "noisy-flows"}
EXPECTED = {
    "table-logit", "fractional-table", "fractional-table-gaussian", "history", "history-histogram", "discrete-gaussian",
    "krr-laplace", "grid-rr", "joint-rr", "dp-newton", "dp-sgd", "objective-perturbation", "pairs-gaussian",
    "pairs-file", "synthetic-residences", "noisy-flows", "adassp",
}  # fmt: skip


def _id(value: Any) -> str:
    return str(getattr(value, "id", value))


def _subject(product: Any, mechanism: Any, twin: Any = None) -> Subject:
    sample = sample_of(product)
    settings = sample.settings(mechanism)
    if mechanism.id == "history-histogram":
        settings = dataclasses.replace(settings, bins=6)  # else another ε would have other bins
    return Subject(
        words=WORDS, prepared=sample.prepared(), mechanism=twin(mechanism) if twin else mechanism, params=settings
    )


def _by_words(subject: Subject, turns: int = 3) -> Rehearsed:
    trial, found = trial_of(subject, part=(0, 6)), Rehearsed()
    assert trial is not None
    for turn in range(turns):
        found += rehearsed(subject, trial.prepared.reveal(), turn)
    return found


class Kept(Twin):
    """Its releases with the words of a study, in their order: drawn once for all that is asked of them."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self._words: dict[Any, StudyRandom] = {}
        self._made: dict[Any, list[Any]] = {}

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        words, made = self._words.setdefault(params, StudyRandom(7)), self._made.setdefault(params, [])
        turn = next(rng)
        if turn == len(made):
            made.append(self.original.release(prepared, params, words, context))
        return made[turn]


kept = cache(Kept)


def _by_draws(subject: Subject, twin: Any = None, *, draws: int = 60_000, calls: int = 120) -> dict[str, Judgement]:
    """Of the mechanism, or of a twin that changes what the mechanism has drawn."""
    once, turns = kept(subject.mechanism), itertools.count()
    subject = dataclasses.replace(subject, mechanism=twin(once) if twin else once)
    trial = trial_of(subject)
    assert trial is not None
    seen = watch(subject, trial, draws=draws, seed=3, context=QUIET, source=lambda: turns, most_calls=calls)
    assert not (seen.undeclared or seen.misstated or seen.not_integers)
    return {name: judged(pool, trial, seen.calls) for name, pool in seen.pools.items()}


class Transcribed(Twin):
    """Changes every answer on its way out."""

    def changed(self, answer: Answer) -> Any:
        raise NotImplementedError

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        made = self.original.release(prepared, params, rng, context)
        release = made.reveal() if isinstance(made, Rehearsal) else made
        answers = tuple(dataclasses.replace(one, drawn=self.changed(one)) for one in release.answers)
        broken = dataclasses.replace(release, answers=answers)
        return Rehearsal(broken) if isinstance(made, Rehearsal) else broken


class LessNoise(Transcribed):
    """Five percent less of it; where codes are changed at random, one changed code of twenty is put back."""

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        if self.original.id != "history-histogram":
            return super().release(prepared, params, rng, context)
        less = turned(self.original, params, (setting(self.original, params) or Decimal(0)) / Decimal("0.95"))
        return self.original.release(prepared, less, rng, context)  # its integers are too small to be shortened

    def changed(self, answer: Answer) -> Any:
        exact, drawn = answer.exact.reveal(), np.asarray(answer.drawn).ravel()
        noise = drawn - exact
        if np.abs(noise).max(initial=0) > 40:
            return exact + np.rint(0.95 * noise).astype(np.int64)
        changed = np.flatnonzero(noise)
        back = drawn.copy()
        back[changed[::20]] = exact[changed[::20]]
        return back


class SomeWithout(Transcribed):
    """One value of ten has no noise."""

    def changed(self, answer: Answer) -> Any:
        values = np.asarray(answer.drawn).ravel().copy()
        values[::10] = answer.exact.reveal()[::10]
        return values


class Reused(Twin):
    """Draws the same noise every time."""

    def release(self, prepared: Any, params: Any, rng: Any, context: Any) -> Any:
        return self.original.release(prepared, params, iter((0,)), context)


def test_that_the_mechanisms_that_declare_a_law_are_these() -> None:
    assert {mechanism.id for _, mechanism in LAWFUL} == EXPECTED
    assert {product.id for product, _ in OTHERS} == set(SAMPLES) - {TABLES}


@pytest.mark.parametrize(("product", "mechanism"), LAWFUL, ids=_id)
def test_that_honest_noise_keeps_its_law(product: Any, mechanism: Any) -> None:
    subject = _subject(product, mechanism)
    found = _by_words(subject)
    assert (found.different, found.trouble) == (0, "")
    assert (found.foreseen > 20) == (mechanism.id in BY_INVERSION)
    verdicts = _by_draws(subject)
    assert verdicts
    for name, verdict in verdicts.items():
        assert verdict.failed == (), name


@pytest.mark.parametrize("twin", [LessNoise, SomeWithout, Reused])
@pytest.mark.parametrize(("product", "mechanism"), LAWFUL, ids=_id)
def test_that_broken_twins_are_caught(product: Any, mechanism: Any, twin: Any) -> None:
    by_words = mechanism.id in BY_INVERSION and twin is not Reused
    caught = by_words and _by_words(_subject(product, mechanism, twin)).different
    assert caught or any(verdict.failed for verdict in _by_draws(_subject(product, mechanism), twin).values())


@pytest.mark.parametrize(("product", "mechanism"), SILENT, ids=_id)
def test_that_a_mechanism_without_a_law_is_told_so_and_does_not_pass(product: Any, mechanism: Any) -> None:
    (finding,) = SPEC.run(_subject(product, mechanism), DeclaredLawParams(), QUIET)
    assert finding.status is Status.INFO
    assert "declares no law" in finding.sentence
