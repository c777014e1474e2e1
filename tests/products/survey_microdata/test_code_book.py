"""The programs that go with a survey file: what they print is what the program estimates, and weighted errors hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.products.survey_microdata.test_audit import survey
from workbench.products.survey_microdata.estimation.crosstabs import corrected
from workbench.products.survey_microdata.estimation.decoding import designs_of
from workbench.products.survey_microdata.estimation.regression import linear, logistic, scored
from workbench.products.survey_microdata.estimation.shares import estimates
from workbench.products.survey_microdata.estimation.table_regression import read_moments, regression
from workbench.products.survey_microdata.layout import variable_column
from workbench.products.survey_microdata.product import SPEC


@pytest.fixture(scope="module")
def exported(protected: Any, tmp_path_factory: Any) -> Any:
    """A folder with the files of each method, as a user has them."""
    folders = {}
    for name, table in protected.items():
        folders[name] = tmp_path_factory.mktemp(name)
        for file in SPEC.outputs(table):
            (folders[name] / file.name).write_bytes(file.write())
    return folders


def told(folder: Path, *asked: str) -> list[str]:
    """What the Python of the code book prints."""
    local = ["records.csv", "design.csv", "code-book.csv"]
    given = local if (folder / "design.csv").exists() else [next(folder.glob("table*.csv")).name]
    done = subprocess.run(
        [sys.executable, "estimate.py", *given, *asked], capture_output=True, text=True, check=True, cwd=folder
    )
    return done.stdout.splitlines()


def numbers(lines: list[str], word: str) -> list[float]:
    return [float(line.split(f"{word} ")[1].split()[0]) for line in lines if f" {word} " in line]


@pytest.mark.parametrize("name", ["krr-laplace", "grid-rr", "joint-rr", "pairs-gaussian", "pairs-file"])
def test_that_the_python_of_the_code_book_runs_and_agrees(protected: Any, exported: Any, name: str) -> None:
    found, lines = estimates(survey().variables, protected[name]), told(exported[name])
    assert numbers([line for line in lines if line.startswith("age ")], "share") == pytest.approx(
        (found.shares[:6] / 100).tolist(), abs=1e-4
    )
    assert numbers(lines, "mean") == pytest.approx(found.means.tolist(), abs=0.01)
    assert (exported[name] / "estimate.R").exists()
    guide = (exported[name] / "estimates.md").read_text(encoding="utf-8")
    assert "How to estimate" in guide
    assert ("Design matrices" in guide) == ("pairs" not in name)


@pytest.mark.parametrize("name", ["krr-laplace", "grid-rr", "pairs-file"])
def test_that_crosstabs_of_the_code_book_are_those_of_the_program(protected: Any, exported: Any, name: str) -> None:
    lines = told(exported[name], "crosstab", "age", "sex")
    cells = corrected(survey().variables, protected[name])
    assert cells is not None
    assert numbers(lines, "count") == pytest.approx(cells[: len(lines)].tolist(), abs=0.02)


def test_that_regressions_of_the_code_book_are_those_of_the_program(protected: Any, exported: Any) -> None:
    file, few = protected["krr-laplace"], ("pct1", "age", "q01", "pct2")
    designs = {each.variable.name: each for each in designs_of(survey().variables, file) or ()}
    column = {name: variable_column(file, designs[name].variable) for name in designs}
    fit = linear(designs["pct1"].decoded(column["pct1"]), [scored(designs[name], column[name]) for name in few[1:]])
    lines = told(exported["krr-laplace"], "regress", *few)
    assert numbers(lines, "coefficient") == pytest.approx(fit.estimate.tolist(), abs=1e-4)
    assert numbers(lines, "se") == pytest.approx(fit.error.tolist(), abs=1e-4)
    event = logistic(designs["sex"], (designs["age"], designs["q01"]), [column[name] for name in ("sex", "age", "q01")])
    lines = told(exported["krr-laplace"], "logit", "sex", "age", "q01")
    assert numbers(lines, "coefficient") == pytest.approx(event.estimate.tolist(), abs=1e-4)
    assert numbers(lines, "se") == pytest.approx(event.error.tolist(), abs=1e-4)


def test_that_a_regression_from_tables_is_that_of_the_program(protected: Any, exported: Any) -> None:
    tables, few = protected["pairs-gaussian"], ("q01", "age", "pct1", "sex")
    by_name = {variable.name: variable for variable in survey().variables}
    scores = tuple(
        np.array([(low + high) / 2 for low, high in zip(each.starts, each.ends, strict=True)])
        if each.number
        else np.arange(each.categories, dtype=np.float64)
        for each in (by_name[name] for name in few)
    )
    fit = regression(read_moments(survey().variables, tables, few, scores))
    lines = told(exported["pairs-gaussian"], "regress", *few)
    assert numbers(lines, "coefficient") == pytest.approx(fit.estimate.tolist(), abs=1e-4)
    assert numbers(lines, "se") == pytest.approx(fit.error.tolist(), rel=0.01, abs=1e-4)


def test_that_weighted_estimates_of_the_code_book_hold_in_the_population(exported: Any) -> None:
    """A class of weights that is a variable of the file: linearised intervals over many draws of the protection."""
    program: dict[str, Any] = {}
    exec((exported["krr-laplace"] / "estimate.py").read_text(encoding="utf-8").split("if __name__")[0], program)
    random, people, p = np.random.default_rng(3), 4000, 0.8
    of_class, chance = {"a": 1.0, "b": 4.0}, np.array([0.2, 0.6])
    truth = float((np.array([0.5, 0.5]) * [1.0, 4.0]) @ chance / 2.5)
    held = []
    for _ in range(200):
        weight = random.integers(0, 2, people)
        answer = (random.random(people) < chance[weight]).astype(int)
        columns = {
            name: np.where(random.random(people) < p, true, 1 - true)
            for name, true in (("class", weight), ("q", answer))
        }
        made = object.__new__(program["Survey"])
        made.designs = {
            name: {"lower": "", "answers": "2", "kept": str(p), "each_other": str(1 - p)} for name in columns
        }
        made.answers = {"class": ["a", "b"], "q": ["n", "y"]}
        made.columns = {name: [made.answers[name][code] for code in codes] for name, codes in columns.items()}
        made.size = people
        found, error = program["share"](made, "q", made.weights("class", of_class))
        held.append(abs(found[1] - truth) <= 1.96 * error[1])
    assert 0.90 <= np.mean(held) <= 0.985
