"""dwb sample NAME --out DIR [--project] [--set NAME=VALUE] [--overwrite]"""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.cli.kinds import file_path, one_of, whole_number
from workbench.cli.output import Terminal, print_json
from workbench.cli.settings import settings_from
from workbench.core.errors import UserProblem
from workbench.review.publish.samples import SAMPLES, twin_settings, write_sample

HELP = "Write a sample review: synthetic data, a data dictionary and a plan, ready for `dwb run`."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=tuple(SAMPLES), type=one_of(tuple(SAMPLES)))
    parser.add_argument("--out", type=file_path, required=True, metavar="DIR", help="folder to write into")
    parser.add_argument("--project", action="store_true", help="carry the plan out as well, into review.dwb beside it")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a synthetic twin instead, with this setting"
    )
    for field in twin_settings():
        kind = whole_number(str(field.default)) if field.type is int else str
        told = f"the same for {field.name}: {field.help[:1].lower()}{field.help[1:]}"
        parser.add_argument(f"--{field.name}", type=kind, metavar="N" if field.type is int else "TEXT", help=told)
    parser.add_argument("--seed", type=whole_number("1"), default=1, help="seed of the synthetic twin (default 1)")
    parser.add_argument("--overwrite", action="store_true", help="replace files there that hold something else")


def run(args: argparse.Namespace) -> int:
    terminal = Terminal()
    short = {field.name: value for field in twin_settings() if (value := getattr(args, field.name)) is not None}
    twin = {**settings_from(args.set), **short}
    plan, project = args.out / "plan.toml", args.out / "review.dwb"
    if args.project and project.exists():
        raise UserProblem("There is a project already", str(project), "Choose another folder")
    written = write_sample(args.name, args.out, twin=twin, seed=args.seed, context=terminal, overwrite=args.overwrite)
    said = _reviewed(project, args.out, terminal) if args.project else {}
    terminal.done()
    files = [*written, *([project] if args.project else [])]
    if args.json:
        print_json({"sample": args.name, "files": [path.as_posix() for path in files], **said})
        return 0
    for path in files:
        print(path)
    if args.project:
        print(f"{said['release_id']}: {said['state']}")
        print(f'Next: dwb window "{project}"')
    else:
        print(f'Next: dwb run "{plan}" --project "{project}"')
    return 0


def _reviewed(project: Path, folder: Path, terminal: Terminal) -> dict[str, str]:
    from workbench.review.publish.sample_project import PREPARER, add_sample, review_samples
    from workbench.review.workspace import Workspace

    workspace = Workspace()
    workspace.open(project, create=True, person=PREPARER)
    try:
        add_sample(workspace, folder)
        ((release_id, state),) = review_samples(workspace, terminal)
    finally:
        workspace.close()
    return {"project": project.as_posix(), "release_id": release_id, "state": state}
