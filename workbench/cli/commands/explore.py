"""dwb explore PLAN.toml EXPLORATION [--set name=value …] [--project P.dwb --release R]"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.kinds import file_path
from workbench.cli.output import Terminal, finding_json, print_findings, print_json
from workbench.cli.outside import add_option, ask_about_outside
from workbench.cli.settings import settings_from
from workbench.core.errors import UserProblem
from workbench.core.params import parse
from workbench.core.progress import Part
from workbench.core.published import Published
from workbench.core.specs import find

if TYPE_CHECKING:
    from workbench.review.run.released import Released

HELP = "Look closer at one unit, one place, one setting: what the window offers beside its findings."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=file_path, metavar="PLAN.toml")
    parser.add_argument("exploration", metavar="EXPLORATION", help="see `dwb list explorations`")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the exploration")
    parser.add_argument("--project", type=file_path, metavar="P.dwb", help="take the drawn table from this project")
    parser.add_argument("--release", default="", metavar="ID", help="the release whose latest draw is looked at")
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    from workbench.review.plan.plan_text import read_plan
    from workbench.review.run.explore import explore
    from workbench.review.run.opening import load_data
    from workbench.review.run.prepare import prepare, product_of

    plan, base = read_plan(args.plan), args.plan.parent
    offer = find(product_of(plan).explorations, args.exploration, "exploration")
    params: object = parse(offer.params, settings_from(args.set), offer.id)
    table = _drawn(args.project, args.release)
    if offer.needs_release and table is None:
        raise UserProblem(
            f"{offer.title} compares drawn values with the truth",
            "--project, --release",
            "Run the plan first, then name the project and the release",
        )
    ask_about_outside(plan, base, allowed=args.allow_outside)
    terminal = Terminal()
    loaded = load_data(plan, base=base, context=Part(terminal, 0.0, 0.5), released=_released(args.project))
    prepared = prepare(loaded, plan, Part(terminal, 0.5, 0.7))
    found = explore(offer.id, params, plan=plan, prepared=prepared, table=table, context=Part(terminal, 0.7, 1.0))
    terminal.done()
    if args.json:
        shown = [{**finding_json(one), "tables": one.tables, "figures": one.figures} for one in found.findings]
        print_json({"exploration": offer.id, "audience": "internal", "findings": shown, "choices": found.choices})
    else:
        print_findings(found.findings)
        print("Internal: it comes from the confidential data.")
    return 0


def _drawn(project: Path | None, release: str) -> Published | None:
    """The latest draw of a release, where one is named."""
    if project is None:
        return None
    from workbench.cli.opening import opened, person

    with opened(project, person()) as workspace:
        return workspace.published_table(release)


def _released(project: Path | None) -> Released:
    """Approved releases of the project that a plan names in the place of public files."""
    from workbench.cli.opening import opened, person
    from workbench.review.run.released import no_project

    if project is None:
        return no_project

    def read(name: str) -> Any:
        with opened(project, person()) as workspace:
            return workspace.released(name)

    return read
