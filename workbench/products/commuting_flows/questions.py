"""Questions to the method of synthetic residences: posterior ratios, the least prior, the price of pruning.

They need no data: counts and priors are given as numbers, so that anybody can check a claim by hand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from workbench.core.errors import UserProblem
from workbench.core.quantities import show
from workbench.products.commands import Answer, Option, Question
from workbench.products.commuting_flows.dirichlet.inputs import together

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
Texts = Mapping[str, str | None]


def posterior_ratio(asked: Texts) -> Answer:
    from workbench.products.commuting_flows.dirichlet.transition import transition

    one = asked["draws"] is None
    known, prior, draws = together(
        lambda: _list(asked, "known"), lambda: _list(asked, "prior"), lambda: 1 if one else _whole(asked, "draws")
    )
    audit = transition(known, prior, draws)
    whole = transition(known, prior, int(sum(known)) + 1) if one else audit
    sentences = _sentences(whole)
    values = {
        "draws": draws,
        "max_log_ratio": audit.max_log_ratio,
        "worst": _worst(audit.all_draws),
        "transition": audit.matrix,
        "pure_epsilon": audit.pure_epsilon,
        "one_draw": _both(whole.one_draw, whole.pure_epsilon_one_draw),
        "all_draws": _both(whole.all_draws, whole.pure_epsilon),
        "cells_without_weight": audit.without_weight,
        "cells_without_prior": audit.without_prior,
        "explanation": sentences,
    }
    return Answer(lines=(*_matrix(audit.matrix), *sentences), values=values)


def _worst(worst: Any) -> dict[str, int]:
    return {"outcome": worst.outcome, "row_a": worst.row_a, "row_b": worst.row_b}


def _both(worst: Any, pure: float) -> dict[str, object]:
    return {"draws": worst.draws, "max_log_ratio": worst.log_ratio, "worst": _worst(worst), "pure_epsilon": pure}


def _matrix(matrix: Any) -> list[str]:
    cells = len(matrix)
    head = "Chance that one synthetic worker lives in each cell, by the true residence of the unknown worker:"
    if cells > len(_ORDINALS):
        return [head, f"  {cells} × {cells} chances, too many to print; --json lists them."]
    names = [f"cell {cell + 1}" for cell in range(cells)]
    rows = [
        f"  {name:<8} " + " ".join(f"{chance:8.4f}" for chance in chances)
        for name, chances in zip(names, matrix, strict=True)
    ]
    return [head, "  lives in " + " ".join(f"{name:>8}" for name in names), *rows]


def _sentences(audit: Any) -> list[str]:
    """One draw and all draws, always both, and what each of the numbers is about."""
    one, every = audit.one_draw, audit.all_draws
    if one.row_a == one.row_b:
        return ["There is one residence cell only, so nothing can be told apart and nothing is given away."]
    told = [
        f"One draw: the largest log ratio is {_number(one.log_ratio)}, for a synthetic worker in {_cell(one.outcome)} "
        f"if the unknown worker lives there rather than in {_cell(one.row_b)}.",
        (
            f"All {show(every.draws)} draws together: {_number(every.log_ratio)}, if all of them fall into "
            if every.draws != 1
            else f"There is one draw in all: {_number(every.log_ratio)}, if it falls into "
        )
        + f"{_cell(every.outcome)}.",
        "The draws come from the same rows, so each adds to what the others tell: ln(1 + m/w) for m draws and a weight "
        "w (prior plus known workers), not ln(1 + 1/w). What is published is all draws.",
        "Both hold for these known workers. Over all data sets that are possible the loss (pure ε) is "
        f"{_number(audit.pure_epsilon_one_draw)} for one draw and {_number(audit.pure_epsilon)} for all.",
    ]
    for cell in audit.without_prior:
        certain = cell in audit.without_weight
        when = (
            "no known worker, so a synthetic worker there" if certain else "known workers now; without them, one there"
        )
        told.append(f"{_cell(cell).capitalize()} has no prior and {when} proves that the unknown worker lives there.")
    return told


def minimum_prior(asked: Texts) -> Answer:
    from workbench.products.commuting_flows.dirichlet.minimum_prior import minimum_prior as smallest

    draws, workers, cells, epsilon, delta = together(
        lambda: _whole(asked, "draws"),
        lambda: _whole(asked, "workers"),
        lambda: _whole(asked, "cells"),
        lambda: _given(asked, "epsilon"),
        lambda: _given(asked, "delta"),
    )
    found = smallest(draws=draws, workers=workers, cells=cells, epsilon=epsilon, delta=delta)
    lines = (
        f"The smallest prior in every cell is {found.alpha:.6g}; pure ε would need {found.pure_alpha:.6g}.",
        f"With it, an outcome discloses more than ε = {show(epsilon)} with a probability of at most "
        f"{found.delta_bound:.4g}, whatever the data (δ = {show(delta)} was asked for).",
        f"It is step {show(found.step)} of {show(draws)}; the steps before it do not keep δ.",
    )
    return Answer(lines=lines, values=found)


def pruning(asked: Texts) -> Answer:
    from workbench.products.commuting_flows.dirichlet.pruning import pruning_price

    draws, workers, alpha, keep, most = together(
        lambda: _whole(asked, "draws"),
        lambda: _whole(asked, "workers"),
        lambda: _given(asked, "alpha"),
        lambda: _given(asked, "keep"),
        lambda: None if asked["cell-draws"] is None else _whole(asked, "cell-draws"),
    )
    price = pruning_price(draws=draws, workers=workers, alpha=alpha, keep=keep, cell_draws=most)
    lines = [
        f"Exactly ε = {_number(price.exact)}, with {_workers(price.worst_cell_draws)} in one cell.",
        f"Without pruning it would be {_number(price.nominal)} (nominal ε).",
        f"The headline, nominal ε + ln(2/p), is {_number(price.headline)}.",
    ]
    if not price.headline_holds:
        lines.append(
            "The headline is too low here: it holds for small priors and about as many draws as workers, not for these."
        )
    values = {
        "epsilon_exact": price.exact,
        "epsilon_nominal": price.nominal,
        "epsilon_headline": price.headline,
        "epsilon_bound": price.bound,
        "worst_cell_draws": price.worst_cell_draws,
        "headline_holds": price.headline_holds,
    }
    return Answer(lines=tuple(lines), values=values)


def _workers(many: int) -> str:
    return "one synthetic worker" if many == 1 else f"{show(many)} synthetic workers"


def _cell(cell: int) -> str:
    return f"the {_ORDINALS[cell]} cell" if cell < len(_ORDINALS) else f"cell {cell + 1}"


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.6g}"


def _list(asked: Texts, where: str) -> list[float]:
    return [_read(word, where) for word in str(asked[where]).split(",")]


def _given(asked: Texts, where: str) -> float:
    return _read(str(asked[where]), where)


def _read(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserProblem(f"“{text.strip()}” is not a number", where, "Write for example 0.1")
    return value


def _whole(asked: Texts, where: str) -> int:
    value = _given(asked, where)
    if value != int(value):
        raise UserProblem(f"“{str(asked[where]).strip()}” is not a whole number", where)
    return int(value)


_DRAWS = Option(name="draws", help="synthetic workers", example="M")
_WORKERS = Option(name="workers", help="workers in the data", example="N")
QUESTIONS = (
    Question(
        id="posterior-ratio",
        summary="what an attacker learns who knows all rows but one",
        options=(
            Option(name="known", help="the known workers of each residence cell", example="9,0,0"),
            Option(name="prior", help="the prior of each residence cell", example="0.1,0.1,0.1"),
            Option(
                name="draws",
                help="synthetic workers that are published together (1 if not given)",
                example="M",
                required=False,
            ),
        ),
        answer=posterior_ratio,
    ),
    Question(
        id="minimum-prior",
        summary="the smallest prior in every cell that keeps (ε, δ)",
        options=(
            _DRAWS,
            _WORKERS,
            Option(name="cells", help="residence cells", example="K"),
            Option(name="epsilon", help="privacy loss ε", example="E"),
            Option(name="delta", help="probability δ that an outcome discloses more", example="D"),
        ),
        answer=minimum_prior,
    ),
    Question(
        id="pruning",
        summary="what it costs to drop priors at random",
        options=(
            _DRAWS,
            _WORKERS,
            Option(name="alpha", help="prior of the cell", example="A"),
            Option(name="keep", help="probability to keep it (min_p)", example="P"),
            Option(
                name="cell-draws",
                help="most synthetic workers in one cell (all if not given)",
                example="MMAX",
                required=False,
            ),
        ),
        answer=pruning,
    ),
)
