"""dwb audit posterior-ratio|minimum-prior|pruning …"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from workbench.cli.output import print_json
from workbench.core.errors import UserProblem
from workbench.core.quantities import show
from workbench.products.commuting_flows.dirichlet.inputs import together

HELP = "Work out what synthetic residences give away: posterior ratios, the least prior, the price of pruning."

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, parser_class=type(parser))
    ratio = _kind(kinds, "posterior-ratio", "what an attacker learns who knows all rows but one", _posterior_ratio)
    ratio.add_argument("--known", required=True, metavar="9,0,0", help="the known workers of each residence cell")
    ratio.add_argument("--prior", required=True, metavar="0.1,0.1,0.1", help="the prior of each residence cell")
    ratio.add_argument("--draws", metavar="M", help="synthetic workers that are published together (1 if not given)")
    prior = _kind(kinds, "minimum-prior", "the smallest prior in every cell that keeps (ε, δ)", _minimum_prior)
    _numbers(prior, draws="synthetic workers", workers="workers in the data", cells="residence cells")
    _numbers(prior, epsilon="privacy loss ε", delta="probability δ that an outcome discloses more")
    price = _kind(kinds, "pruning", "what it costs to drop priors at random", _pruning)
    _numbers(price, draws="synthetic workers", workers="workers in the data")
    _numbers(price, alpha="prior of the cell", keep="probability to keep it (min_p)")
    price.add_argument("--cell-draws", metavar="MMAX", help="most synthetic workers in one cell (all if not given)")


def _kind(kinds: Any, name: str, told: str, run_it: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    parser = cast(argparse.ArgumentParser, kinds.add_parser(name, help=told, description=told[:1].upper() + told[1:]))
    # Suppressed, so that --json before the kind is not overwritten by the kind's own default.
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON instead of words")
    parser.set_defaults(audit=run_it)
    return parser


def _numbers(parser: argparse.ArgumentParser, **options: str) -> None:
    for name, told in options.items():
        parser.add_argument(f"--{name}", required=True, metavar=name[0].upper(), help=told)


def run(args: argparse.Namespace) -> int:
    try:
        return cast(int, args.audit(args))
    except UserProblem as wrong:  # the formulas name their values; here these are options
        located = (replace(problem, where=f"--{problem.where}" if problem.where else "") for problem in wrong.problems)
        raise UserProblem.of(located) from wrong


def _posterior_ratio(args: argparse.Namespace) -> int:
    from workbench.products.commuting_flows.dirichlet.transition import transition

    known, prior, draws = together(
        lambda: _list(args.known, "known"),
        lambda: _list(args.prior, "prior"),
        lambda: 1 if args.draws is None else _whole(args.draws, "draws"),
    )
    audit = transition(known, prior, draws)
    whole = audit if args.draws is not None else transition(known, prior, int(sum(known)) + 1)
    if args.json:
        print_json(
            {
                "draws": draws,
                "max_log_ratio": audit.max_log_ratio,
                "worst": _worst(audit.all_draws),
                "transition": audit.matrix,
                "pure_epsilon": audit.pure_epsilon,
                "one_draw": _both(whole.one_draw, whole.pure_epsilon_one_draw),
                "all_draws": _both(whole.all_draws, whole.pure_epsilon),
                "cells_without_weight": audit.without_weight,
                "cells_without_prior": audit.without_prior,
                "explanation": _sentences(whole),
            }
        )
        return 0
    _print_matrix(audit.matrix)
    for sentence in _sentences(whole):
        print(sentence)
    return 0


def _worst(worst: Any) -> dict[str, int]:
    return {"outcome": worst.outcome, "row_a": worst.row_a, "row_b": worst.row_b}


def _both(worst: Any, pure: float) -> dict[str, object]:
    return {"draws": worst.draws, "max_log_ratio": worst.log_ratio, "worst": _worst(worst), "pure_epsilon": pure}


def _print_matrix(matrix: Any) -> None:
    cells = len(matrix)
    print("Chance that one synthetic worker lives in each cell, by the true residence of the unknown worker:")
    if cells > len(_ORDINALS):
        print(f"  {cells} × {cells} chances, too many to print; --json lists them.")
        return
    names = [f"cell {cell + 1}" for cell in range(cells)]
    print("  lives in " + " ".join(f"{name:>8}" for name in names))
    for name, chances in zip(names, matrix, strict=True):
        print(f"  {name:<8} " + " ".join(f"{chance:8.4f}" for chance in chances))


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


def _minimum_prior(args: argparse.Namespace) -> int:
    from workbench.products.commuting_flows.dirichlet.minimum_prior import minimum_prior

    draws, workers, cells, epsilon, delta = together(
        lambda: _whole(args.draws, "draws"),
        lambda: _whole(args.workers, "workers"),
        lambda: _whole(args.cells, "cells"),
        lambda: _number_of(args.epsilon, "epsilon"),
        lambda: _number_of(args.delta, "delta"),
    )
    found = minimum_prior(draws=draws, workers=workers, cells=cells, epsilon=epsilon, delta=delta)
    if args.json:
        print_json(found)
        return 0
    print(f"The smallest prior in every cell is {found.alpha:.6g}; pure ε would need {found.pure_alpha:.6g}.")
    print(
        f"With it, an outcome discloses more than ε = {show(epsilon)} with a probability of at most "
        f"{found.delta_bound:.4g}, whatever the data (δ = {show(delta)} was asked for)."
    )
    print(f"It is step {show(found.step)} of {show(draws)}; the steps before it do not keep δ.")
    return 0


def _pruning(args: argparse.Namespace) -> int:
    from workbench.products.commuting_flows.dirichlet.pruning import pruning_price

    draws, workers, alpha, keep, most = together(
        lambda: _whole(args.draws, "draws"),
        lambda: _whole(args.workers, "workers"),
        lambda: _number_of(args.alpha, "alpha"),
        lambda: _number_of(args.keep, "keep"),
        lambda: None if args.cell_draws is None else _whole(args.cell_draws, "cell-draws"),
    )
    price = pruning_price(draws=draws, workers=workers, alpha=alpha, keep=keep, cell_draws=most)
    if args.json:
        print_json(
            {
                "epsilon_exact": price.exact,
                "epsilon_nominal": price.nominal,
                "epsilon_headline": price.headline,
                "epsilon_bound": price.bound,
                "worst_cell_draws": price.worst_cell_draws,
                "headline_holds": price.headline_holds,
            }
        )
        return 0
    print(f"Exactly ε = {_number(price.exact)}, with {_workers(price.worst_cell_draws)} in one cell.")
    print(f"Without pruning it would be {_number(price.nominal)} (nominal ε).")
    print(f"The headline, nominal ε + ln(2/p), is {_number(price.headline)}.")
    if not price.headline_holds:
        print(
            "The headline is too low here: it holds for small priors and about as many draws as workers, not for these."
        )
    return 0


def _workers(many: int) -> str:
    return "one synthetic worker" if many == 1 else f"{show(many)} synthetic workers"


def _cell(cell: int) -> str:
    return f"the {_ORDINALS[cell]} cell" if cell < len(_ORDINALS) else f"cell {cell + 1}"


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.6g}"


def _list(text: str, where: str) -> list[float]:
    return [_number_of(word, where) for word in text.split(",")]


def _number_of(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserProblem(f"“{text.strip()}” is not a number", where, "Write for example 0.1")
    return value


def _whole(text: str, where: str) -> int:
    value = _number_of(text, where)
    if value != int(value):
        raise UserProblem(f"“{text.strip()}” is not a whole number", where)
    return int(value)
