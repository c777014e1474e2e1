"""Files as an attacker sees them, respondent by respondent where a record has an owner: raw, recoded, local, made.

Everything here is study: seeded, inside the agency, never published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.audit.contract import Subject
from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.core.randomness import StudyRandom
from workbench.products.survey_microdata import layout
from workbench.products.survey_microdata.local import krr_laplace
from workbench.products.survey_microdata.local.design import LocalDesign, Method
from workbench.products.survey_microdata.local.mechanism import protected
from workbench.products.survey_microdata.recodings import Steps, recoded
from workbench.products.survey_microdata.survey_data import SurveyData

_CERTAIN = 12.0  # what a match is worth in a file that changes nothing, in units of log likelihood


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Records × variables as numbers; `known` are true answers as they would look in this file.

    `match` is what an equal category is worth, `slope` what each unit of distance of a number costs. `owned`: the
    record in row r is that of respondent r.
    """

    title: str
    records: Floats
    known: Floats  # of every respondent
    match: Floats
    slope: Floats
    owned: bool = True


def raw_file(prepared: SurveyData) -> Seen:
    answers = prepared.answers.reveal().astype(np.float64)
    return _plain("raw file", prepared, answers, answers)


def recoded_file(prepared: SurveyData, steps: Steps) -> Seen:
    coarse = recoded(prepared, steps).astype(np.float64)
    return _plain("current SDL: recoded", prepared, coarse, coarse)


def _plain(title: str, prepared: SurveyData, records: Floats, known: Floats) -> Seen:
    number = np.array([variable.number for variable in prepared.variables])
    width = np.array([max(variable.width, 1) for variable in prepared.variables], dtype=np.float64)
    match = np.where(number, 0.0, _CERTAIN)
    slope = np.where(number, _CERTAIN / width, 0.0)
    return Seen(title=title, records=records, known=known, match=match, slope=slope)


def local_file(
    prepared: SurveyData, designs: tuple[LocalDesign, ...], title: str, rng: StudyRandom, context: Context
) -> Seen:
    """Every record by its designs, in the order of the respondents; the attacker weighs by likelihood."""
    columns = []
    for design, values in zip(designs, protected(prepared, designs, rng, context), strict=True):
        columns.append(design.level_values()[values] if design.method is Method.GRID else values.astype(np.float64))
    match, slope = (np.array(each) for each in zip(*(_weights(design) for design in designs), strict=True))
    known = prepared.answers.reveal().astype(np.float64)
    return Seen(title=title, records=np.stack(columns, axis=1), known=known, match=match, slope=slope)


def _weights(design: LocalDesign) -> tuple[float, float]:
    """ln(p/q) for an equal category; 1/scale for each unit of distance of a number."""
    if design.method is Method.LAPLACE:
        return 0.0, 1.0 / design.scale
    same, other = design.chances()
    gain = float(np.log(same / other)) if other > 0.0 else _CERTAIN * 4
    if design.variable.number:
        return 0.0, 2.0 * gain / design.variable.width
    return gain, 0.0


def source_file(prepared: SurveyData, rng: StudyRandom, context: Context) -> Seen:
    """The source's method at its own ε of 7 for each variable."""
    designs = krr_laplace.designs(prepared, krr_laplace.KrrLaplaceParams())
    return local_file(prepared, designs, "source's method", rng, context)


def this_file(subject: Subject, prepared: SurveyData, rng: StudyRandom, context: Context) -> Seen | None:
    """A study draw of the mechanism under audit on these data; None where it publishes tables only."""
    title = "this release"
    designs_of = getattr(subject.mechanism, "designs", None)
    if designs_of is not None:
        designs = designs_of(prepared, subject.params)
        if designs[0].method is not Method.JOINT:
            return local_file(prepared, designs, title, rng, context)
    if not subject.mechanism.traits.records:
        return None
    drawn = subject.mechanism.study(prepared, subject.params, rng, context).reveal()
    texts = layout.published(prepared.variables, drawn)
    records = np.stack([layout.variable_column(texts, variable) for variable in prepared.variables], axis=1)
    return replace(_plain(title, prepared, records, prepared.answers.reveal().astype(np.float64)), owned=False)


def part_of(prepared: SurveyData, rows: Integers) -> SurveyData:
    """Some of the respondents."""
    return prepared.with_people(prepared.answers.reveal()[rows], prepared.counts_as.reveal()[rows])
