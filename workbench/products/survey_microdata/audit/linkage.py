"""Who is who in the file? One attack on the raw file, on traditional recodings, on the source's method and on this one.

*Linkage*: the attacker knows true answers of a person (all, some, or only demographics) and takes the most likely
record. *Membership*: half of the respondents make the file; the attacker tells them from the other half by the nearest
record. *Attribute*: the attacker knows all answers but one and reads that one from the nearest record; what counts is
the gain on members over outsiders. A made file has no record that is anybody's, so linkage does not apply to it.
Every method is judged by the same measure. It sees these attacks only: that they fail proves nothing about others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Integers
from workbench.core.findings import Finding, Status, Table
from workbench.core.params import param
from workbench.core.progress import Context, Part
from workbench.core.quantities import percent
from workbench.core.randomness import StudyRandom
from workbench.core.value_words import ValueName, declare, share_of
from workbench.microdata.roles import Role
from workbench.products.survey_microdata.audit import attacks
from workbench.products.survey_microdata.audit.records_seen import (
    Seen,
    part_of,
    raw_file,
    recoded_file,
    source_file,
    this_file,
)
from workbench.products.survey_microdata.recodings import Steps
from workbench.products.survey_microdata.survey_data import SurveyData

declare(
    {
        "linked_all": share_of("Records linked, all answers known"),
        "linked_some": share_of("Records linked, some answers known"),
        "linked_demographics": share_of("Records linked, demographics known"),
        "membership_auc": ValueName("Membership, area under the curve"),
        "attribute_gain": ValueName("Unknown answer read, members over outsiders"),
    }
)
_NOTICED_LINKS = 0.05
_NOTICED_AUC = 0.04
_NOTICED_GAIN = 0.05
_ERRORS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkageParams:
    demographics: tuple[str, ...] = param(
        (), "Demographics", "Variables that strangers know; none: the first fifth of the plan.", roles=(Role.ANSWER,)
    )
    targets: int = param(200, "Targets", "People who are looked for.", ge=10, le=5000)
    people: int = param(3000, "People in the trial", "Respondents of the membership trial, half in the file.", ge=20,
                        le=100_000)  # fmt: skip
    seed: int = param(1, "Seed", "The attack can be repeated with it.", ge=0)


@dataclass(frozen=True, slots=True)
class Linkage:
    """See the module's docstring."""

    id: str = "linkage"
    version: int = 1
    title: str = "Linkage, membership and attribute attacks"
    summary: str = "How often an attacker who knows answers finds a person's record, presence or unknown answer."
    params: type[LinkageParams] = LinkageParams
    of_loss: bool = False

    def run(self, subject: Subject, params: LinkageParams, context: Context) -> tuple[Finding, ...]:
        prepared: SurveyData = subject.prepared
        context.step(0.0, "preparing the attacks")
        random = np.random.Generator(np.random.PCG64(params.seed))
        targets = random.permutation(prepared.respondents.reveal())[: params.targets]
        sets = known_sets(prepared, params.demographics)
        links = _links(subject, targets, sets, params.seed, Part(context, 0.0, 0.4))
        inside = _membership(subject, params, random, Part(context, 0.4, 1.0))
        context.step(1.0, "attacks done")
        return (_finding(self, links, inside, len(targets), [len(each) for each in sets]),)


def known_sets(prepared: SurveyData, demographics: Sequence[str]) -> tuple[Integers, Integers, Integers]:
    """All variables; demographics and as many others; demographics alone."""
    every = np.arange(len(prepared.variables))
    few = max(1, len(every) // 5)
    strangers = np.array([prepared.place(name) for name in demographics if name in prepared.names], dtype=np.int64)
    strangers = strangers if len(strangers) else every[:few]
    others = np.setdiff1d(every, strangers)[: len(strangers)]
    return every, np.concatenate([strangers, others]), strangers


def _links(
    subject: Subject, targets: Integers, sets: tuple[Integers, ...], seed: int, context: Context
) -> dict[str, tuple[float, ...] | None]:
    """For every file the shares linked by each set of known variables; None where no record is anybody's."""
    prepared: SurveyData = subject.prepared
    owned = getattr(subject.mechanism, "designs", None) is not None
    files = [
        raw_file(prepared),
        recoded_file(prepared, Steps()),
        source_file(prepared, StudyRandom(seed), Part(context, 0.0, 0.1)),
    ]
    ours = this_file(subject, prepared, StudyRandom(seed + 1), Part(context, 0.1, 0.2)) if owned else None
    files += [ours] if ours is not None and ours.owned else []
    found: dict[str, tuple[float, ...] | None] = {}
    for place, seen in enumerate(files):
        part = Part(context, 0.2 + 0.8 * place / len(files), 0.2 + 0.8 * (place + 1) / len(files))
        shares = []
        for at, variables in enumerate(sets):
            within = Part(part, at / len(sets), (at + 1) / len(sets))
            shares.append(attacks.linked(seen, targets, variables, within))
        found[seen.title] = tuple(shares)
    found.setdefault("this release", None)
    return found


def _membership(
    subject: Subject, params: LinkageParams, random: np.random.Generator, context: Context
) -> dict[str, tuple[float, float] | None]:
    """(area under the curve, gain of members) for every file made of half of some respondents."""
    prepared: SurveyData = subject.prepared
    people = random.permutation(prepared.respondents.reveal())[: params.people]
    half = len(people) // 2
    members, outsiders = part_of(prepared, people[:half]), part_of(prepared, people[half : 2 * half])
    rng = StudyRandom(params.seed + 2)
    makers = (
        raw_file(members),
        recoded_file(members, Steps()),
        source_file(members, rng, Part(context, 0.0, 0.05)),
        this_file(subject, members, rng, Part(context, 0.05, 0.7)),
    )
    few = min(half, params.targets)
    found: dict[str, tuple[float, float] | None] = {}
    for place, seen in enumerate(makers):
        part = Part(context, 0.7 + 0.3 * place / len(makers), 0.7 + 0.3 * (place + 1) / len(makers))
        if seen is None:
            found["this release"] = None
            continue
        inside = _as_seen(seen, members, prepared)[:few]
        outside = _as_seen(seen, outsiders, prepared)[:few]
        found[seen.title] = _told_apart(seen, inside, outside, part)
    return found


def _as_seen(seen: Seen, people: SurveyData, prepared: SurveyData) -> np.ndarray:
    """True answers as they would look in this file."""
    if seen.title.startswith("current SDL"):
        return recoded_file(people, Steps()).known
    del prepared
    return people.answers.reveal().astype(np.float64)


def _told_apart(seen: Seen, inside: np.ndarray, outside: np.ndarray, context: Context) -> tuple[float, float]:
    every = np.arange(inside.shape[1])
    first, _ = attacks.nearest(seen, inside, every, Part(context, 0.0, 0.25))
    second, _ = attacks.nearest(seen, outside, every, Part(context, 0.25, 0.5))
    unknown = inside.shape[1] // 2
    right = attacks.read_right(seen, inside, unknown, Part(context, 0.5, 0.75))
    wrong = attacks.read_right(seen, outside, unknown, Part(context, 0.75, 1.0))
    return attacks.area_under_curve(first, second), float(right.mean() - wrong.mean())


def _finding(
    check: Linkage,
    links: dict[str, tuple[float, ...] | None],
    inside: dict[str, tuple[float, float] | None],
    targets: int,
    sizes: list[int],
) -> Finding:
    ours, told = links["this release"], inside["this release"]
    error = 0.5 / np.sqrt(max(targets, 1))
    noticed = (
        (ours is not None and ours[0] > _NOTICED_LINKS)
        or (told is not None and told[0] > 0.5 + max(_NOTICED_AUC, _ERRORS * 0.58 * error))
        or (told is not None and told[1] > max(_NOTICED_GAIN, _ERRORS * 1.4 * error))
    )
    values: dict[str, float] = {}
    if ours is not None:
        values |= dict(zip(("linked_all", "linked_some", "linked_demographics"), ours, strict=True))
    if told is not None:
        values |= {"membership_auc": told[0], "attribute_gain": told[1]}
    rows = tuple(
        (name, *(links[name] or (None, None, None)), *(inside.get(name) or (None, None))) for name in links
    )  # fmt: skip
    return Finding(
        id=check.id,
        title=check.title,
        status=Status.WARN if noticed else Status.PASS,
        sentence=f"{_said(ours, told)} {_beside(links)}",
        values={**values},
        tables=(
            Table(
                title="Success of the attacks",
                columns=(
                    "file",
                    f"linked, {sizes[0]} answers known",
                    f"linked, {sizes[1]} known",
                    f"linked, {sizes[2]} demographics known",
                    "membership, area under the curve",
                    "unknown answer, members over outsiders",
                ),
                rows=rows,
                note="Shares of targets. One half is guessing for the area under the curve, 0 for the gain.",
            ),
        ),
        confirm=noticed,
        does_not_prove="That other attacks fail. The guarantee rests on the claim, not on these attacks.",
    )


def _said(ours: tuple[float, ...] | None, told: tuple[float, float] | None) -> str:
    if ours is not None:
        first = f"An attacker who knows a person's answers finds the right record in {percent(ours[0], 1)} of cases."
    else:
        first = "No record of this release is anybody's, so none can be linked."
    if told is None:
        return first
    gain = ("+" if told[1] > 0 else "") + percent(told[1], 1)
    return f"{first} Members are told from outsiders with an area of {told[0]:.2f}; one unknown answer gains {gain}."


def _beside(links: dict[str, tuple[float, ...] | None]) -> str:
    raw, coarse, source = (links[name] for name in ("raw file", "current SDL: recoded", "source's method"))
    assert raw is not None and coarse is not None and source is not None
    return (
        f"Raw file: {percent(raw[0], 1)} linked; recoded: {percent(coarse[0], 1)}; source's method: "
        f"{percent(source[0], 1)}."
    )


SPEC = Linkage()
