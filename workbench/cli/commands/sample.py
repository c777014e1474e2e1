"""dwb sample NAME --out DIR [--jobs N]"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.output import Terminal, print_json
from workbench.review.samples import SAMPLES, write_sample

HELP = "Write a sample review: synthetic data, a data dictionary and a plan, ready for `dwb run`."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=tuple(SAMPLES))
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write into")
    parser.add_argument("--jobs", type=int, metavar="N", help="write a synthetic twin of this many jobs instead")
    parser.add_argument("--seed", type=int, default=1, help="seed of the synthetic twin (default 1)")


def run(args: argparse.Namespace) -> int:
    terminal = Terminal()
    written = write_sample(args.name, args.out, jobs=args.jobs, seed=args.seed, context=terminal)
    terminal.done()
    if args.json:
        print_json({"sample": args.name, "files": [path.as_posix() for path in written]})
        return 0
    for path in written:
        print(path)
    plan, project = args.out / "plan.toml", args.out / "review.dwb"
    print(f'Next: dwb run "{plan}" --project "{project}"')
    return 0
