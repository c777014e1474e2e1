"""Black box on the integers of the central methods: all tables of a small survey, with one respondent and without.

A release of forty variables draws thousands of integers, and the file is worked out from all of them. The pair that is
watched has three of the plan's variables: the two with the fewest categories, and a number if there is one. It is
counted, planned and drawn by the functions that draw the release, at the same ρ. Events are fixed beforehand: each
integer on the first neighbour's side of the middle, and all of them together by what they should weigh. ρ-zCDP bounds
the Rényi divergence of any event's two chances, so chances p and q show that
ρ ≥ ln(p^α·q^(1−α) + (1 − p)^α·(1 − q)^(1−α))/(α·(α − 1)) for every α > 1, with p and q at their confidence limits.
Source: Bun and Steinke (2016) for ρ; Clopper and Pearson (1934). A bound on ε by draws would see far less: at ε = 4 and
δ = 10⁻⁶ half the noise goes unnoticed in 60,000 draws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.audit.confidence import lower_bound, upper_bound
from workbench.audit.contract import Subject
from workbench.core.arrays import Floats, Integers
from workbench.core.confidential import Confidential
from workbench.core.findings import Finding, Status
from workbench.core.params import param
from workbench.core.progress import QUIET, Context, Part
from workbench.core.quantities import show
from workbench.core.randomness import ReleaseRandom, StudyRandom, UniformWords
from workbench.core.value_words import ValueName, declare
from workbench.products.survey_microdata.central.measurement import Measured, exact_answer, scales, with_noise
from workbench.products.survey_microdata.central.params import PairsParams, measurement, pairs_claim
from workbench.products.survey_microdata.survey_data import SurveyData, Variable

declare({"rho_lower_bound": ValueName("Smallest possible ρ"), "claimed_rho": ValueName("Claimed ρ")})
_FEWEST = 2
_DOUBT = 0.001
_AT_ONCE = 5000
_ORDERS = 1.0 + np.geomspace(0.01, 60.0, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSamplerParams:
    draws: int = param(
        60_000, "Draws of the study sampler", "For each of two neighbours. More draws see smaller breaches.", ge=1000,
        le=5_000_000,
    )  # fmt: skip
    release_draws: int = param(
        10_000, "Draws of the release sampler", "For each of two neighbours; used here only and never kept.", ge=1000
    )
    seed: int = param(1, "Seed", "Of the study sampler.", ge=0)


@dataclass(frozen=True, slots=True)
class TableSampler:
    """Fails where the lower confidence bound on ρ exceeds the claim."""

    id: str = "pairs-black-box"
    version: int = 1
    title: str = "Black-box test of the noisy tables"
    summary: str = "A Monte-Carlo lower confidence bound on ρ from the integers of a small survey."
    params: type[TableSamplerParams] = TableSamplerParams
    of_loss: bool = False

    def run(self, subject: Subject, params: TableSamplerParams, context: Context) -> tuple[Finding, ...]:
        context.step(0.0, "watching the noisy tables")
        if not isinstance(subject.params, PairsParams) or len(subject.prepared.variables) < _FEWEST:
            context.step(1.0, "no tables to watch")
            said = "This method draws no tables, so there is nothing to watch here."
            return (Finding(id=self.id, title=self.title, status=Status.INFO, sentence=said),)
        pair = _Pair.of(subject.prepared, subject.params)
        claim = float(pairs_claim(subject.prepared, subject.params).rho or 0)
        return tuple(
            self._judged(pair.seen(draws, rng, Part(context, start, start + 0.5)), claim, draws, name)
            for start, name, draws, rng in (
                (0.0, "study", params.draws, StudyRandom(params.seed)),
                (0.5, "release", params.release_draws, ReleaseRandom()),
            )
        )

    def _judged(self, seen: float, claim: float, draws: int, sampler: str) -> Finding:
        broken = seen > claim
        verdict = "The noise is too small for the claim" if broken else "No breach was found"
        return Finding(
            id=f"{self.id}.{sampler}",
            title=f"{self.title} ({sampler} sampler)",
            status=Status.FAIL if broken else Status.PASS,
            sentence=(
                f"{verdict}: from {draws:,} draws for each of two neighbours, ρ is at least {show(seen, 3)} with "
                f"99.9 % confidence; claimed {show(claim, 3)}."
            ),
            values={"rho_lower_bound": seen, "claimed_rho": claim, "draws": draws},
            does_not_prove="That no other pair or event gives more away. Honest noise shows about half of its ρ.",
        )


@dataclass(frozen=True, slots=True)
class _Pair:
    """The exact integers of two neighbours, and the γ with which they are drawn."""

    first: Integers
    second: Integers
    measured: Measured

    @classmethod
    def of(cls, prepared: SurveyData, params: PairsParams) -> _Pair:
        """One respondent with the first answers, and nobody; or one with the second answers, where n is public."""
        data = small(prepared)
        measured = measurement(data, params)
        sides = (_people(data.variables, 1, 0), _people(data.variables, 1 if params.replaced else 0, 1))
        first, second = (exact_answer(data.with_people(side.reveal()), measured, QUIET)[1] for side in sides)
        return cls(first=first, second=second, measured=measured)

    def seen(self, draws: int, rng: UniformWords, context: Context) -> float:
        """The lower confidence bound on ρ."""
        middle = (self.first + self.second) / 2.0
        toward = (self.first - self.second) / scales(self.measured) ** 2
        events = np.concatenate([np.diag(np.sign(toward))[toward != 0.0], toward[None, :]]).T  # integers × events
        hits = [np.zeros(events.shape[1]), np.zeros(events.shape[1])]
        batches = -(-draws // _AT_ONCE)
        for batch in range(batches):
            copies = min(_AT_ONCE, draws - batch * _AT_ONCE)
            context.step(batch / batches, "watching the noisy tables")
            for side, exact in enumerate((self.first, self.second)):
                noisy = with_noise(exact, self.measured, rng, QUIET, copies).reshape(copies, -1)
                hits[side] += ((noisy - middle) @ events > 0.0).sum(axis=0)
        context.step(1.0, "noisy tables watched")
        risk = _DOUBT / (2.0 * events.shape[1])
        low = lower_bound(hits[0].astype(np.int64), draws, risk)
        high = upper_bound(hits[1].astype(np.int64), draws, risk)
        return float(divergence_bound(low, high).max())


def divergence_bound(p: Floats, q: Floats) -> Floats:
    """The largest ρ that chances of at least p and at most q of one event show; 0 where p is not above q."""
    p, q = np.clip(p, 1e-300, 1.0 - 1e-15)[:, None], np.clip(q, 1e-300, 1.0 - 1e-15)[:, None]
    yes = _ORDERS * np.log(p) + (1.0 - _ORDERS) * np.log(q)
    no = _ORDERS * np.log1p(-p) + (1.0 - _ORDERS) * np.log1p(-q)
    found: Floats = (np.logaddexp(yes, no) / (_ORDERS * (_ORDERS - 1.0))).max(axis=1)
    return np.where((p > q)[:, 0], found, 0.0)


def small(prepared: SurveyData) -> SurveyData:
    """Nobody, with three of the variables."""
    ordered = sorted(prepared.variables, key=lambda variable: variable.categories)
    chosen = [*[each for each in ordered if not each.number][:_FEWEST], *[each for each in ordered if each.number][:1]]
    variables = tuple(chosen) if len(chosen) >= _FEWEST else tuple(ordered[:_FEWEST])
    return replace(prepared.with_people(_people(variables, 0, 0).reveal()), variables=variables)


def _people(variables: tuple[Variable, ...], people: int, place: int) -> Confidential[Integers]:
    """So many respondents who give the first or the second answer to everything, numbers at either bound."""
    one = [(variable.lower, variable.upper)[place] if variable.number else place for variable in variables]
    return Confidential(np.tile(np.array(one, dtype=np.int64), (people, 1)))


SPEC = TableSampler()
