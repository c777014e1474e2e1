"""dwb solve PLAN.toml --target "half within 5%" """

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli.kinds import file_path
from workbench.cli.output import Terminal, print_json
from workbench.cli.outside import add_option, ask_about_outside
from workbench.core.quantities import show

HELP = "Find the smallest ε that meets an accuracy target, per mechanism, and recommend a mechanism."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=file_path, metavar="PLAN.toml")
    parser.add_argument(
        "--target",
        required=True,
        metavar="WORDS",
        help="“half within 5%%”, “90%% within 20%%”, “mean error <= 5”, “L1 <= 1.0 x baseline”; may end with "
        "“in 10k_100k” or “in every stratum”. Products with other targets name theirs where this is not understood.",
    )
    parser.add_argument("--mechanism", default="", metavar="ID", help="solve for this mechanism only")
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    from workbench.review.budget.solve_budget import CHOICE, INTERNAL, PUBLIC, solve_plan
    from workbench.review.plan.plan_text import read_plan

    terminal = Terminal()
    plan = read_plan(args.plan)
    ask_about_outside(plan, args.plan.parent, allowed=args.allow_outside)
    answer = solve_plan(plan, base=args.plan.parent, target=args.target, only=args.mechanism, context=terminal)
    terminal.done()
    best = answer.best
    if args.json:
        print_json(
            {
                "epsilon": best.epsilon,
                "mechanism": best.mechanism.id,
                "reached": best.reached,
                "target": answer.target,
                "audience": "internal" if answer.secret else "public",
                "chosen_on": CHOICE,
                "mechanisms": [_offer(offer) for offer in answer.offers],
            }
        )
        return 0 if best.reached else 1
    print(f"Target: {answer.target}")
    for offer in answer.offers:
        mark = "→" if offer is best else " "
        here = "–" if offer.epsilon is None else show(offer.epsilon)
        twin = "–" if offer.on_twin is None else show(offer.on_twin)
        why = offer.why or ("by draws, not by a closed form" if offer.by_draws else "")
        line = f"{mark} {offer.mechanism.id:22} ε {here:>8}  on the twin {twin:>8}  {offer.claim.definition} {why}"
        print(line.rstrip())
    print(CHOICE)
    print(INTERNAL if answer.secret else PUBLIC)
    return 0 if best.reached else 1


def _offer(offer: Any) -> dict[str, Any]:
    return {
        "mechanism": offer.mechanism.id,
        "epsilon": offer.epsilon,
        "reached": offer.reached,
        "why": offer.why,
        "by_draws": offer.by_draws,
        "twin_epsilon": offer.on_twin,
        "definition": offer.claim.definition,
        "delta": offer.claim.delta,
        "alpha": offer.claim.alpha,
    }
