"""dwb audit QUESTION …: what a product's method gives away, worked out from a few numbers"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any, cast

from workbench.cli.output import print_json
from workbench.core.errors import UserProblem
from workbench.review.studies import questions

HELP = "Work out from a few numbers what a method reveals: posterior ratios, the least prior, the price of pruning."


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, parser_class=type(parser))
    for question in questions():
        _kind(kinds, question)


def _kind(kinds: Any, question: Any) -> None:
    told = question.summary
    parser = cast(
        argparse.ArgumentParser, kinds.add_parser(question.id, help=told, description=told[:1].upper() + told[1:])
    )
    # Suppressed, so that --json before the kind is not overwritten by the kind's own default.
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON instead of words")
    for option in question.options:
        parser.add_argument(
            f"--{option.name}", dest=option.name, required=option.required, metavar=option.example, help=option.help
        )
    parser.set_defaults(question=question)


def run(args: argparse.Namespace) -> int:
    asked = {option.name: getattr(args, option.name) for option in args.question.options}
    try:
        answer = args.question.answer(asked)
    except UserProblem as wrong:  # a question names its values; here these are options
        located = (replace(problem, where=f"--{problem.where}" if problem.where else "") for problem in wrong.problems)
        raise UserProblem.of(located) from wrong
    if args.json:
        print_json(answer.values)
        return 0
    for line in answer.lines:
        print(line)
    return 0
