"""dwb run PLAN.toml --project P.dwb"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.interrupt import INTERRUPT
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, finding_json, print_findings, print_json
from workbench.cli.outside import add_option, ask_about_outside
from workbench.core.errors import Refused, UserProblem
from workbench.core.findings import Status, worst
from workbench.review.plan.plan_text import read_plan
from workbench.review.run.draw import drawn_before, run_and_store
from workbench.review.workspace import Workspace

HELP = "Carry out a plan: prepare, protect, audit, compare; store the release in a project and print its findings."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("plan", type=Path, metavar="PLAN.toml")
    parser.add_argument("--project", type=Path, required=True, metavar="P.dwb", help="made where it does not exist")
    parser.add_argument("--release", metavar="ID", help="run an existing release again instead of making a new one")
    parser.add_argument("--preparer", metavar="NAME", help="who prepares the release (default: the login name)")
    parser.add_argument(
        "--once",
        action="store_true",
        help="draw nothing where this project holds a draw of this very plan: a list of plans can then be run again",
    )
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    plan = read_plan(args.plan)
    if not plan.release.title.strip():  # said before the work: a project keeps no release without a title
        raise UserProblem("The release has no title", f"{args.plan.name}, [release]", 'Write title = "…"')
    ask_about_outside(plan, args.plan.parent, allowed=args.allow_outside)
    preparer = (args.preparer or "").strip() or person()
    terminal = Terminal()
    INTERRUPT.note = "nothing was stored"
    with opened(args.project, preparer, create=True, writable=True) as workspace:
        if args.once and (before := drawn_before(workspace, plan, base=args.plan.parent)):
            terminal.done()
            return _told_before(before, as_json=args.json)
        if args.release:
            _refuse_closed(workspace, args.release)
        # A full disk must not leave a release without its run, and a cancel not a person in doubt.
        drawn = run_and_store(
            workspace,
            plan,
            base=args.plan.parent,
            release_id=args.release or "",
            actor=preparer,
            context=terminal,
            storing=INTERRUPT.held("the release is stored: see `dwb releases`"),
        )
        terminal.done()
        release_id = drawn.release_id
        reviewers = workspace.project.voting(release_id).needed
    findings = drawn.findings()
    claim = drawn.outcome.protected.claim
    if args.json:
        print_json(
            {
                "release_id": release_id,
                "product": plan.product.id,
                "draws": drawn.stored.draws,
                "rows": drawn.outcome.protected.table.rows,
                "claim": claim,
                "findings": [finding_json(finding) for finding in findings],
            }
        )
    else:
        print(f"{release_id}: {plan.release.title}")
        print(claim.sentence)
        print_findings(findings)
        print(f"Next: {_next(args.project, release_id, look=reviewers > 1 or worst(findings) is Status.FAIL)}")
    return 1 if worst(findings) is Status.FAIL else 0


def _told_before(release_id: str, *, as_json: bool) -> int:
    if as_json:
        print_json({"release_id": release_id, "drawn_before": True})
    else:
        print(f"{release_id} was drawn from this plan before. Nothing was drawn now.")
    return 0


def _next(project: Path, release_id: str, *, look: bool) -> str:
    """One person can decide; where votes are needed or something failed, what stands before it comes first."""
    if look:
        return f'dwb review "{project}" {release_id} --reviewer NAME'
    return f'dwb decide "{project}" {release_id} --approve --reviewer NAME'


def _refuse_closed(workspace: Workspace, release_id: str) -> None:
    """Said before the work, not after it: a closed release takes no further draw."""
    review = workspace.open_release(release_id)
    if review.session().closed:
        raise Refused(f"{release_id} is {review.state} and stays as it is", do="Leave --release out to make a new one")
