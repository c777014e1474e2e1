"""dwb bundle P.dwb RELEASE -o FILE.zip, or dwb bundle --check FILE.zip"""

from __future__ import annotations

import argparse
import hashlib

from workbench.cli.kinds import file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, print_json
from workbench.core.errors import UserProblem
from workbench.core.quantities import counted
from workbench.review.publish.bundle import check_bundle, write_bundle

HELP = "Write everything that may leave the agency for an approved release, with a hashed manifest; or check a bundle."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, nargs="?", metavar="P.dwb")
    parser.add_argument("release", nargs="?", metavar="RELEASE")
    parser.add_argument("-o", "--output", type=file_path, metavar="FILE.zip", help="a ZIP file, or a new folder")
    parser.add_argument("--check", type=file_path, metavar="FILE.zip", help="check a bundle instead of writing one")


def run(args: argparse.Namespace) -> int:
    if args.check is not None:
        return _check(args)
    if args.project is None or args.release is None or args.output is None:
        raise UserProblem(
            "A project, a release and an output are needed", "dwb bundle",
            "Write `dwb bundle P.dwb RELEASE -o FILE.zip`, or `dwb bundle --check FILE.zip`",
        )  # fmt: skip
    terminal = Terminal()
    with opened(args.project, person()) as workspace:
        made = write_bundle(workspace, args.release, args.output, actor=person(), context=terminal)
    terminal.done()
    if args.json:
        listed = [
            {"name": name, "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in sorted(made.files.items())
        ]
        print_json({"release_id": args.release, "file": args.output.as_posix(), "files": listed})
    else:
        print(args.output)
    return 0


def _check(args: argparse.Namespace) -> int:
    found = check_bundle(args.check)
    if args.json:
        print_json({"ok": found.ok, "release_id": found.release_id, "files": found.files, "problems": found.problems})
    else:
        for problem in found.problems:
            print(problem)
        said = "complete and unchanged" if found.ok else "altered since it was written"
        print(f"{args.check.name}: bundle of {found.release_id}, {counted(len(found.files), 'file')}, {said}")
    return 0 if found.ok else 1
