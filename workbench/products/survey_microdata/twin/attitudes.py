"""Synthetic respondents: demographics from conditional tables, items from hidden attitudes, heaped percentages.

Five skewed attitudes, a response style, don't-know answers and interactions: neither a mixture of products nor a
Gaussian copula, so that no method's own model is the truth. The questions keep their wording and their difficulty
whatever the seed; the seed draws the people.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from workbench.core.arrays import Floats, Integers
from workbench.core.progress import Context
from workbench.microdata.dictionary import ColumnWords, DataDictionary, write_csv
from workbench.products.survey_microdata.twin.vocabulary import DEMOGRAPHICS, ITEMS, PERCENTAGES, QUESTIONS

FEWEST, MOST = 100, 20_000_000
_FACTORS = 5
WORDING = 20201  # seed of what the questions measure, the same for every twin


def answers(respondents: int, seed: int, wording: int = WORDING) -> Integers:
    """Respondents × 40: places in the lists of answers, and percentages from 0 to 100. Studies take another wording."""
    random = np.random.Generator(np.random.PCG64(seed))
    people = _demographics(respondents, random)
    hidden, style = _attitudes(people, random, wording)
    items = _items(people, hidden, style, random, wording)
    percentages = _percentages(people, hidden, random, wording)
    return np.concatenate([people, items, percentages], axis=1)


def _demographics(count: int, random: np.random.Generator) -> Integers:
    age = _pick(np.tile([0.12, 0.18, 0.17, 0.17, 0.16, 0.20], (count, 1)), random)
    sex = _pick(np.tile([0.51, 0.49], (count, 1)), random)
    region = _pick(np.tile([0.05, 0.13, 0.14, 0.06, 0.20, 0.06, 0.12, 0.08, 0.16], (count, 1)), random)
    by_region = np.array([
        [0.80, 0.07, 0.06, 0.005, 0.005, 0.06], [0.70, 0.14, 0.08, 0.005, 0.005, 0.07],
        [0.78, 0.12, 0.04, 0.005, 0.005, 0.05], [0.85, 0.06, 0.03, 0.015, 0.005, 0.04],
        [0.67, 0.22, 0.04, 0.005, 0.005, 0.06], [0.74, 0.20, 0.02, 0.005, 0.005, 0.03],
        [0.70, 0.14, 0.05, 0.020, 0.005, 0.085], [0.80, 0.04, 0.04, 0.040, 0.010, 0.07],
        [0.62, 0.06, 0.15, 0.015, 0.025, 0.13],
    ])  # fmt: skip
    race = _pick(by_region[region], random)
    tilt = np.exp(np.outer((age == 5) * 0.5 - (age == 0) * 0.7, [0.6, 0.5, -0.1, -0.4, -0.5]))
    education = _pick(np.array([[0.11, 0.28, 0.28, 0.21, 0.12]]) * tilt, random)
    steps = np.arange(5) - 2.0
    income = _pick(np.exp(np.outer(0.45 * (education - 2.0) - 0.25 * (age == 0), steps)), random)
    language_by_race = np.array([
        [0.86, 0.10, 0.04], [0.93, 0.03, 0.04], [0.35, 0.02, 0.63], [0.85, 0.08, 0.07], [0.60, 0.05, 0.35],
        [0.45, 0.48, 0.07],
    ])  # fmt: skip
    language = _pick(language_by_race[race], random)
    by_age = np.array([
        [0.15, 0.30, 0.40, 0.15], [0.18, 0.30, 0.38, 0.14], [0.12, 0.22, 0.46, 0.20], [0.15, 0.32, 0.40, 0.13],
        [0.25, 0.48, 0.21, 0.06], [0.38, 0.48, 0.10, 0.04],
    ])  # fmt: skip
    household = _pick(by_age[age], random)
    return np.stack([age, sex, race, region, education, income, language, household], axis=1)


def _pick(weights: Floats, random: np.random.Generator) -> Integers:
    """One place for each row, with these weights."""
    upper = np.cumsum(weights, axis=1)
    drawn = random.random(len(weights)) * upper[:, -1]
    places: Integers = (drawn[:, None] >= upper).sum(axis=1).astype(np.int64)
    kept: Integers = np.minimum(places, weights.shape[1] - 1)
    return kept


def _attitudes(people: Integers, random: np.random.Generator, questions: int) -> tuple[Floats, Floats]:
    """Hidden attitudes, skewed and shifted by demographics, and how far a person goes to the ends of a scale."""
    wording = np.random.Generator(np.random.PCG64(questions))
    hidden = (random.gamma(2.0, 1.0, (len(people), _FACTORS)) - 2.0) / np.sqrt(2.0)
    for place, question in enumerate(DEMOGRAPHICS):
        shift = wording.normal(0.0, 0.35, (len(question.answers), _FACTORS))
        hidden += shift[people[:, place]]
    older_and_poor = (people[:, 0] >= 4) & (people[:, 5] <= 1)
    hidden[:, 1] += 0.8 * older_and_poor
    style = np.exp(0.35 * random.normal(size=len(people)))
    return hidden, style


def _items(people: Integers, hidden: Floats, style: Floats, random: np.random.Generator, questions: int) -> Integers:
    wording = np.random.Generator(np.random.PCG64(questions + 1))
    columns = []
    for question in ITEMS:
        unsure = question.answers[-1] in ("not sure", "do not know")
        ordered = len(question.answers) - unsure
        load = wording.normal(0.0, 0.55, _FACTORS) * (wording.random(_FACTORS) < 0.6)
        score = hidden @ load + 0.25 * hidden[:, 0] * hidden[:, 2] * load[0] + random.normal(0.0, 0.8, len(people))
        cuts = np.sort(wording.normal(wording.normal(0.0, 0.4), 0.9, ordered - 1))
        place = np.searchsorted(cuts, score * style, side="right").astype(np.int64)
        if unsure:
            chance = 0.04 + 0.14 / (1.0 + np.exp(people[:, 4] - 1.0 + 0.6 * hidden[:, 3]))
            place = np.where(random.random(len(people)) < chance, ordered, place)
        columns.append(place)
    return np.stack(columns, axis=1)


def _percentages(people: Integers, hidden: Floats, random: np.random.Generator, questions: int) -> Integers:
    wording = np.random.Generator(np.random.PCG64(questions + 2))
    columns = []
    for _ in PERCENTAGES:
        load = wording.normal(0.0, 0.5, _FACTORS)
        middle = wording.uniform(-0.6, 0.8) + hidden @ load + 0.1 * people[:, 4]
        exact = 100.0 / (1.0 + np.exp(-middle - random.normal(0.0, 0.7, len(people))))
        rounding = random.choice([10.0, 5.0, 1.0], size=len(people), p=[0.55, 0.25, 0.20])
        columns.append(np.clip(np.rint(np.rint(exact / rounding) * rounding), 0, 100).astype(np.int64))
    return np.stack(columns, axis=1)


def write_respondents(folder: Path, respondents: int, seed: int, context: Context) -> tuple[Path, ...]:
    """survey.csv with codes, or survey.parquet where it is large, and dictionary.csv with the questions and answers."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    from workbench.microdata.twins.contract import format_for

    context.step(0.0, "making respondents")
    drawn = answers(respondents, seed)
    context.step(0.6, "writing respondents")
    columns = {"respondent": np.arange(100_001, 100_001 + respondents)}
    columns |= {question.name: _codes(drawn[:, place]) for place, question in enumerate(QUESTIONS[: -len(PERCENTAGES)])}
    columns |= {
        question.name: drawn[:, len(QUESTIONS) - len(PERCENTAGES) + place] for place, question in enumerate(PERCENTAGES)
    }
    kind = format_for(respondents)
    file = folder / f"survey.{kind}"
    if kind == "csv":
        pyarrow.csv.write_csv(pa.table(columns), file, pyarrow.csv.WriteOptions(quoting_style="none"))
    else:
        pyarrow.parquet.write_table(pa.table(columns), file)
    words = folder / "dictionary.csv"
    write_csv(dictionary(), words)
    context.step(1.0, "respondents written")
    return (file, words)


def _codes(places: Integers) -> Integers:
    return places + 1


def dictionary() -> DataDictionary:
    """The public lists: code 1 is the first answer."""
    return DataDictionary(
        columns={
            question.name: ColumnWords(
                title=question.title,
                labels={str(place + 1): answer for place, answer in enumerate(question.answers)},
            )
            for question in QUESTIONS
        }
    )
