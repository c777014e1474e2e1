"""dwb sample NAME --out DIR [--jobs N] [--overwrite]"""

from __future__ import annotations

import argparse

from workbench.cli.kinds import file_path, one_of, whole_number
from workbench.cli.output import Terminal, print_json
from workbench.review.publish.samples import SAMPLES, write_sample

HELP = "Write a sample review: synthetic data, a data dictionary and a plan, ready for `dwb run`."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=tuple(SAMPLES), type=one_of(tuple(SAMPLES)))
    parser.add_argument("--out", type=file_path, required=True, metavar="DIR", help="folder to write into")
    parser.add_argument(
        "--jobs", type=whole_number("100000"), metavar="N",
        help="write a synthetic twin of this many jobs instead",
    )  # fmt: skip
    parser.add_argument("--seed", type=whole_number("1"), default=1, help="seed of the synthetic twin (default 1)")
    parser.add_argument("--overwrite", action="store_true", help="replace files there that hold something else")


def run(args: argparse.Namespace) -> int:
    terminal = Terminal()
    written = write_sample(
        args.name, args.out, jobs=args.jobs, seed=args.seed, context=terminal, overwrite=args.overwrite
    )
    terminal.done()
    if args.json:
        print_json({"sample": args.name, "files": [path.as_posix() for path in written]})
        return 0
    for path in written:
        print(path)
    plan, project = args.out / "plan.toml", args.out / "review.dwb"
    print(f'Next: dwb run "{plan}" --project "{project}"')
    return 0
