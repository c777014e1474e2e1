"""The code book for readers of a survey file: what was done to each column, the formulas, and programs that run.

Everything in it follows from what is published. The programs are the ones that tests run on an exported file.
"""

from __future__ import annotations

import numpy as np

from workbench.core.arrays import Floats
from workbench.core.published import Published
from workbench.core.quantities import show
from workbench.core.resources import resource
from workbench.products.survey_microdata.layout import has_tables, has_weights

_MOST_SHOWN = 7  # answers of a matrix that is written out
_LOCAL = """## How to estimate

Every answer was protected by itself. With M the matrix of chances of a question, P(published | true), the inverse
is M⁻¹ = (I − q·J)/(p − q), p the chance that the answer is kept and q that of each other answer. The decoded
indicator of an answer is the row of M⁻¹, read at the published answer; its mean over records is unbiased for the
true share. Products of decoded values of different questions are unbiased for products. The standard error is sd/√n
of the decoded values: it contains sampling and privacy noise at once. Squares must be decoded as squares: for
Laplace noise of scale s, y² − 2e/(1 − e)² with e = exp(−1/s).

Counting in the file as it stands is biased. Classes of numbers with Laplace noise cannot be counted: estimate their
means. There is no survey weight in the file: rake it to public control totals, which costs no privacy. Where a class
of weights is a variable of the file, its decoded weight goes into Σw·x/Σw; the error is that of the linearised ratio,
n·w·(x − mean)/Σw, and holds the noise of the weights too.

`estimate.py` and `estimate.R` print the same numbers: shares, means, crosstabs, linear and logistic regression.

A coin example. Two coins keep an answer with probability 3/4 in all. Where 10 % would truly say yes, 30 % do. Then
(.30 − .25)/(.75 − .25) = 10 % comes back, and ε = ln(.75/.25) = ln 3. With three answers and ε = 1, p = .576 and q
= .212: an answer that 60 % truly give is published by 43 %, and (.430 − .212)/(.576 − .212) = 60 % comes back.
"""
_CENTRAL = """## How to estimate

The tables beside the file have exact noise of known size. Their counts are unbiased and agree on their margins and
on the total. `margin_of_error` covers 95 of 100 values of the population that the sample was drawn from: noise and
sampling together. `noise_sd` is the standard deviation of the privacy noise alone.

- One-way and two-way counts, shares and means: take the tables, with their margins of error.
- Three-way tables, subgroups, regressions to explore: take the file. Its records are nobody's. Intervals that treat
  it as a sample are too narrow; how much is in the report of the release.
- Regression of scored answers: all first and second moments are linear in the tables. `estimate.py` and `estimate.R`
  print coefficients with errors that contain the noise of every table.
"""
_NO_WEIGHT = "- There is no survey weight in the file: rake it to public control totals, which costs no privacy.\n"
_WEIGHTED = """- Cells are sums of survey weights. The file is self-weighting: each record stands for the total over
  the number of records. `effective respondents` is what the weighted sample is worth, (Σw)²/Σw², with noise; sampling
  errors divide by it.
"""


def guide(published: Published) -> bytes:
    """The page itself, in Markdown."""
    beside = published.published_beside
    lines = ["# Code book", ""]
    if has_tables(published) or has_tables(beside):
        tables = published if has_tables(published) else beside
        lines += [_CENTRAL + (_WEIGHTED if tables is not None and has_weights(tables) else _NO_WEIGHT)]
    elif beside is not None:
        lines += [_design_words(beside), _LOCAL, *_matrices(beside)]
    return "\n".join(lines).encode("utf-8")


def program(published: Published, kind: str) -> bytes:
    """`estimate.py` or `estimate.R` for this kind of file."""
    central = has_tables(published) or has_tables(published.beside)
    name = f"survey_{'central' if central else 'local'}.{kind}.txt"
    return resource("code_books", name).read_bytes()


def _design_words(design: Published) -> str:
    names, methods = design.coded("variable").texts(), design.coded("method").texts()
    numbers = {name: design.units(name).numbers() for name in ("epsilon", "answers", "kept", "each_other", "scale")}
    rows = ["| variable | method | ε | answers | p | q | scale |", "|---|---|---|---|---|---|---|"]
    for place, name in enumerate(names):
        told = [_shown(float(numbers[each][place])) for each in ("epsilon", "answers", "kept", "each_other", "scale")]
        rows.append(f"| {name} | {methods[place]} | {' | '.join(told)} |")
    whole = float(np.nansum(numbers["epsilon"]))
    joint = methods[0].endswith("whole record")
    total = numbers["epsilon"][0] if joint else whole
    return "\n".join(["## What was done", "", *rows, "", f"A record spends ε {show(float(total))} in all.", ""])


def _shown(value: float) -> str:
    return "" if np.isnan(value) else show(value, 6)


def _matrices(design: Published) -> list[str]:
    """M and its inverse of every question with few answers, each distinct design once."""
    names = design.coded("variable").texts()
    answers, same, other = (design.units(name).numbers() for name in ("answers", "kept", "each_other"))
    lines = ["## Design matrices", ""]
    told: dict[tuple[float, float, float], list[str]] = {}
    for place, name in enumerate(names):
        if not np.isnan(answers[place]) and answers[place] <= _MOST_SHOWN:
            told.setdefault((float(answers[place]), float(same[place]), float(other[place])), []).append(name)
    for (size, kept, each), of in told.items():
        k = int(size)
        matrix = np.full((k, k), each) + (kept - each) * np.eye(k)
        inverse = (np.eye(k) - each) / (kept - each)
        lines += [f"{', '.join(of)} ({k} answers): M, then M⁻¹", "", *_written(matrix), "", *_written(inverse), ""]
    return lines


def _written(matrix: Floats) -> list[str]:
    return ["    " + "  ".join(f"{value:9.6f}" for value in row) for row in matrix]
