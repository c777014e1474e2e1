"""Files that a plan names outside its own folder are asked about before they are touched.

A plan or a project may come from anybody. What lies beside it came with it; a path elsewhere ("/home/ann/other.csv",
"../../x", a share on the network) is opened only once the person at this machine has said so. The answer is
remembered for that person and that file, never in the plan, which could otherwise answer for itself.

A window asks about `to_ask_about(…)` before it loads and calls `allow` where the person says yes. A file that a person
picked in a dialog or dropped is an answer already.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from workbench.core.errors import Place, Problem, UserProblem
from workbench.core.files import write_text
from workbench.core.params import leaves_of
from workbench.review.plan.plan import DataPlan, Plan
from workbench.review.run.paths import resolved

_SERVER = "/sc:/"  # a server is asked about like a file elsewhere: a token would be sent to it
ALLOWED = "DWB_ALLOWED"  # names another file for the answers


class OutsidePaths(UserProblem):
    """Raised instead of opening: `paths` is what a person has to be asked about."""

    def __init__(self, paths: tuple[Path, ...], base: Path) -> None:
        self.paths = paths
        super().__init__(problems=(_problem(path, base) for path in paths))


def _problem(path: Path, base: Path) -> Problem:
    if path.as_posix().startswith(_SERVER):
        do = "Say --allow-outside where you mean it (asked once per server), or remove the address"
        return Problem("The plan connects to a Spark server", "[engine] remote", do, Place("engine", "remote"))
    return Problem(
        f"The plan reads a file outside its own folder {base}",
        str(path),
        "Add --allow-outside if that is intended (once for each file), or copy the file beside the plan",
        Place("data", file=str(path)),
    )


def files_in_settings(plan: Plan) -> tuple[str, ...]:
    """Files that the settings of a plan name: the key of permanent distortion factors and the like."""
    choices = (plan.product, plan.mechanism, *plan.baselines, *plan.rivals, *plan.checks)
    named = (
        _at(choice.params, path) for choice in choices for path, field in leaves_of(type(choice.params)) if field.file
    )
    server = (f"{_SERVER}{plan.engine.remote[5:]}",) if plan.engine.remote else ()
    return tuple(dict.fromkeys((*(str(name) for name in named if name), *server)))


def _at(params: object, path: tuple[str, ...]) -> object:
    for name in path:
        params = getattr(params, name)
    return params


def outside_paths(data: DataPlan, base: Path, *, settings: Iterable[str] = ()) -> tuple[Path, ...]:
    """What the plan would open outside `base` and nobody has allowed yet. Nothing of it is touched to find out.

    `settings`: files that settings name (`files_in_settings`).
    """
    targets = [_outside(base, name) for name in (*(file.path for file in data.files()), *settings)]
    allowed = _allowed()
    return tuple(dict.fromkeys(path for path in targets if path is not None and _key(path) not in allowed))


def to_ask_about(
    data: DataPlan, stored: DataPlan, base: Path, *, settings: Iterable[str] = ()
) -> tuple[Path, ...]:  # fmt: skip
    """Of what the plan would open outside, that which the stored plan names. What was picked in a window is allowed.

    `stored` is the plan's data as the project file had it when the release was opened: it may come from anybody.
    """
    asked = outside_paths(data, base)
    theirs = set(outside_paths(stored, base))
    picked = tuple(path for path in asked if path not in theirs)
    if picked:
        allow(picked)
    mine = tuple(path for path in asked if path in theirs)
    return tuple(dict.fromkeys((*mine, *outside_paths(DataPlan(), base, settings=settings))))


def allow(paths: Iterable[Path]) -> None:
    """Remember that the person at this machine lets plans read these files."""
    known = _allowed()
    merged = known | {_key(path) for path in paths}
    if merged != known:
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps({"version": 1, "files": sorted(merged)}, indent=1, ensure_ascii=False))


def _outside(base: Path, name: str) -> Path | None:
    """The file that would be opened where it is not under the folder; None where it is.

    The spelling is looked at first: merely asking for a share on the network would already tell it who asks. Only what
    is spelled inside is followed through links.
    """
    home = Path(os.path.abspath(base))  # noqa: PTH100 - by spelling alone; resolve() would follow links
    spelled = Path(os.path.abspath(resolved(home, name)))  # noqa: PTH100
    if not spelled.is_relative_to(home):
        return spelled
    try:
        real, real_home = spelled.resolve(), home.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, no name at all: opening it will say so
        return None
    return None if real.is_relative_to(real_home) else real


def _key(path: Path) -> str:
    return os.path.normcase(path)


def _allowed() -> frozenset[str]:
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))
        return frozenset(str(name) for name in kept["files"])
    except (OSError, ValueError, KeyError, TypeError):  # none yet, or not ours any more: then everything is asked anew
        return frozenset()


def _file() -> Path:
    named = os.environ.get(ALLOWED, "")
    if named:
        return Path(named)
    from platformdirs import user_config_path

    return user_config_path("disclosure-workbench", appauthor=False) / "allowed-files.json"
