"""dwb review P.dwb RELEASE [--vote approve|changes|reject] --reviewer NAME [--comment TEXT] [--public-comment TEXT]"""

from __future__ import annotations

import argparse

from workbench.cli.commands import vote
from workbench.cli.kinds import file_path, one_of
from workbench.cli.opening import opened, person
from workbench.cli.output import finding_json, print_findings, print_json
from workbench.core.findings import Finding, Status
from workbench.core.quantities import agreeing, counted
from workbench.review.decide.desk import Desk, desk_of
from workbench.review.decide.gates import gates
from workbench.review.views import Budget, OpenedReview

HELP = "Show what stands before a decision: gates, budget, votes as you may see them. With --vote: vote."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument("--vote", choices=vote.CHOICES, type=one_of(vote.CHOICES), help="changes needs a comment")
    vote.more_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.vote:
        return vote.run(args)
    viewer = args.reviewer or person()
    with opened(args.project, viewer) as workspace:
        review = workspace.open_release(args.release)
        found = gates(review.session(), review.budget)
        desk = desk_of(workspace, args.release, viewer=viewer)
    if args.json:
        print_json(_json(review, found, desk))
    else:
        _print(review, found, desk)
    return 1 if any(gate.status is Status.FAIL for gate in found) else 0


def _print(review: OpenedReview, found: tuple[Finding, ...], desk: Desk) -> None:
    print(f"{review.release_id}: {review.state}, prepared by {review.preparer}; policy: {desk.policy or 'none set'}")
    print_findings(found)
    budget = review.budget
    if budget is not None and budget.voting is not None:
        voting = budget.voting
        blinded = ", blinded" if voting.blinded else ""
        have = agreeing(len(voting.voted), "has", "have")
        print(f"Votes{blinded}: {len(voting.voted)} of {counted(voting.needed, 'reviewer')} {have} voted.")
    if budget is not None and budget.declarations:
        print(f"Approving (--declare) declares that {'; and that '.join(budget.declarations)}.")
    for cast in desk.votes:
        said = "hidden until all have voted" if cast.vote is None else cast.vote.value
        stale = " (out of date)" if cast.stale else ""
        comment = f": {cast.comment}" if cast.comment else ""
        print(f"  {cast.voted_at[:10]} {cast.reviewer}: {said}{stale}{comment}")


def _json(review: OpenedReview, found: tuple[Finding, ...], desk: Desk) -> dict[str, object]:
    return {
        "release_id": review.release_id,
        "state": review.state,
        "policy": desk.policy,
        "gates": [finding_json(gate) for gate in found],
        "what_if": _what_if(review.budget),
        "votes": [
            {
                "reviewer": cast.reviewer,
                "vote": cast.vote,
                "hidden": cast.hidden,
                "stale": cast.stale,
                "comment": cast.comment,
                "public_comment": cast.public_comment,
                "voted_at": cast.voted_at,
            }
            for cast in desk.votes
        ],
        "voting": review.budget.voting if review.budget is not None else None,
        "exception": review.budget.exception if review.budget is not None else None,
        "declarations": review.budget.declarations if review.budget is not None else (),
    }


def _what_if(budget: Budget | None) -> object:
    return budget.what_if if budget is not None else None
