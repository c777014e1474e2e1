"""dwb export P.dwb RELEASE -o FILE, or -o FOLDER, or -o - for standard output"""

from __future__ import annotations

import argparse
import hashlib

from workbench.cli.kinds import file_or_output, file_path
from workbench.cli.opening import opened, person
from workbench.cli.output import Terminal, print_bytes, print_json, refuse_json_with_content
from workbench.core.files import make_folder

HELP = "Write the released files of an approved release: CSV, Parquet, Stata, code book."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=file_path, metavar="P.dwb")
    parser.add_argument("release", metavar="RELEASE")
    parser.add_argument(
        "-o", "--output", type=file_or_output, required=True, metavar="OUTPUT",
        help="the file, whose ending says which one; a folder for all of them; - for standard output",
    )  # fmt: skip
    parser.add_argument("--file", default="", metavar="NAME", help="csv, parquet, stata, code-book, or a file's name")


def run(args: argparse.Namespace) -> int:
    if args.output is None:
        return _print(args)
    terminal = Terminal()
    with opened(args.project, person()) as workspace:
        workspace.refuse_unless_approved(args.release, "The released table")
        files = workspace.export_targets(args.release, args.output, args.file)
        if not args.output.suffix:
            make_folder(args.output)
        workspace.export(args.release, {}, files=files, actor=person(), context=terminal)
    terminal.done()
    if args.json:
        written = [
            {"name": name, "file": path.as_posix(), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for name, path in files.items()
        ]
        first = {"file": written[0]["file"], "sha256": written[0]["sha256"]}
        print_json({"release_id": args.release, **first, "files": written})
    else:
        for path in files.values():
            print(path)
    return 0


def _print(args: argparse.Namespace) -> int:
    from workbench.review.publish.export import exported_file

    refuse_json_with_content(args.json)
    terminal = Terminal()
    with opened(args.project, person()) as workspace:
        content = exported_file(workspace, args.release, args.file, actor=person(), context=terminal)
    terminal.done()
    print_bytes(content)
    return 0
