"""dwb register PLAN.toml --project P.dwb --definition NAME --items LIST --reason TEXT"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.interrupt import INTERRUPT
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, print_json
from workbench.cli.outside import add_option, ask_about_outside
from workbench.cli.signing import say_unsigned, sign_as
from workbench.review.plan.plan_text import read_plan

HELP = "Register a programme of releases before the first draw from the plan's data, for optimal composition."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="names the data; nothing is drawn")
    parser.add_argument("--project", type=Path, required=True, metavar="P.dwb", help="made where it does not exist")
    parser.add_argument("--definition", required=True, metavar="NAME", help="privacy definition, as policies call it")
    parser.add_argument("--items", required=True, metavar="LIST", help="ε of every release, as 0.05,80x0.2")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="what the programme is for")
    parser.add_argument("--by", metavar="NAME", help="who registers it (default: the login name)")
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    from workbench.review.budget.programmes import register_programme

    plan, who, terminal = read_plan(args.plan), args.by or person(), Terminal()
    ask_about_outside(plan, args.plan.parent, allowed=args.allow_outside)
    INTERRUPT.note = "nothing was stored"
    with opened(args.project, who, create=True, writable=True) as workspace:
        signed = sign_as(workspace, who)
        made = register_programme(
            workspace, plan, base=args.plan.parent, definition=args.definition, items=args.items, actor=who,
            reason=args.reason, context=terminal,
        )  # fmt: skip
        terminal.done()
    if args.json:
        items = [[str(epsilon), str(delta)] for epsilon, delta in made.items]
        print_json({"definition": made.definition, "items": items, "registered_by": who, "signed": signed})
    else:
        print(f"{len(made.items)} releases under {made.definition.value} are registered by {who}.")
        say_unsigned(signed=signed)
    return 0
