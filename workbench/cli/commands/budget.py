"""dwb budget P.dwb RELEASE --cap EPSILON --reason TEXT"""

from __future__ import annotations

import argparse
from decimal import Decimal

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import print_json
from workbench.cli.signing import say_unsigned, sign_as
from workbench.core.errors import UserProblem
from workbench.core.params import fields_of, value_from
from workbench.core.quantities import exact
from workbench.review.plan.sections import PolicyParams

HELP = "Change how much ε may be spent on the data behind a release. Who, when and why stay in the journal."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("--cap", required=True, metavar="EPSILON", help="largest total ε of all releases from the data")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="who decided it and why")
    parser.add_argument("--by", metavar="NAME", help="who records it (default: the login name)")


def run(args: argparse.Namespace) -> int:
    cap = _cap(args.cap)
    who = args.by or person()
    with opened(args.project, who, writable=True) as workspace:
        signed = sign_as(workspace, who)
        budget = workspace.set_cap(args.release, cap, actor=who, reason=args.reason)
    left = budget.what_if.remaining if budget is not None and budget.what_if is not None else None
    if args.json:
        print_json(
            {"release_id": args.release, "cap_epsilon": cap, "remaining_epsilon_after_release": left, "signed": signed}
        )
    else:
        print(f"The data behind {args.release} may now spend ε {exact(cap)}, recorded by {who}.")
        say_unsigned(signed=signed)
    return 0


def _cap(text: str) -> Decimal:
    """Read like the plan's own budget, so that whatever is accepted can be added up exactly."""
    budget = next(field for field in fields_of(PolicyParams) if field.name == "budget")
    try:
        return Decimal(value_from(budget, text))
    except UserProblem as wrong:
        raise UserProblem.of(problem.at("--cap") for problem in wrong.problems) from None
