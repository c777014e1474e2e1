"""Samples: a folder per product with data, dictionary, plan and story; or a synthetic twin of any size."""

from __future__ import annotations

import contextlib
import filecmp
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.files import read_text, refuse_over_project, write_bytes, write_problem, write_text
from workbench.core.params import Field, fields_of, parse
from workbench.core.progress import Context
from workbench.core.resources import sample_folder
from workbench.products import registry
from workbench.products.registry import FOLDERS


def _samples() -> dict[str, Path]:
    """By the name of their folder, which is the product's; in the order of the registry, where a product is in it."""
    found = {folder.name: folder for folder in sorted(sample_folder().iterdir()) if (folder / "plan.toml").is_file()}
    order = [*(name for name in FOLDERS if name in found), *(name for name in found if name not in FOLDERS)]
    return {name: found[name] for name in order}


SAMPLES = _samples()


def write_sample(
    name: str,
    out: Path,
    *,
    twin: Mapping[str, object] | None = None,
    seed: int = 1,
    context: Context,
    overwrite: bool = False,
) -> tuple[Path, ...]:
    """Copy the sample or, with settings of its twin, write synthetic data of that size with the same plan.

    A file of the same name with other content, such as a plan that somebody has edited, stands unless `overwrite`.
    Returns the files written.
    """
    if name not in SAMPLES:
        raise UserProblem(f"There is no sample called “{name}”", do=f"Known: {', '.join(SAMPLES)}")
    if seed < 0:
        raise UserProblem(f"The seed is {seed} but must be 0 or more", "--seed", "Write for example 1")
    with _folder(out), _stage(out) as stage:
        if twin:
            made = _twin(name, stage, settings=twin, seed=seed, context=context)
        else:
            made = _copied(SAMPLES[name], stage, context)
        _require_nothing_lost(made, out, overwrite=overwrite)
        return tuple(path.replace(out / path.name) for path in made)


def twin_settings() -> tuple[Field, ...]:
    """What some twin can be asked for, each name once."""
    twins = [offered.twin for offered in registry.commands().values() if offered.twin is not None]
    return tuple({field.name: field for twin in twins for field in fields_of(twin.params)}.values())


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """The folder to write into. What was made for it is taken away again where nothing comes into it."""
    absent = [folder for folder in (out, *out.parents) if not folder.exists()]
    refuse_over_project(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise UserProblem("The folder cannot be made here", str(out), "Choose another place") from None
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # somebody else may have put something there
            for folder in absent:
                folder.rmdir()
        raise


@contextmanager
def _stage(out: Path) -> Iterator[Path]:
    """A folder inside, where everything is made before any of it gets its place: a cancel leaves nothing by half."""
    try:
        stage = Path(tempfile.mkdtemp(prefix=".sample-", dir=out))
    except OSError as wrong:
        raise write_problem(out, wrong) from None
    try:
        yield stage
    except UserProblem as wrong:
        raise UserProblem.of(
            replace(problem, where=problem.where.replace(str(stage), str(out))) for problem in wrong.problems
        ) from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _require_nothing_lost(made: Sequence[Path], out: Path, *, overwrite: bool) -> None:
    """Refuse where a folder has the name of a file, or another file has it that is not to be replaced."""
    for path in made:
        there = out / path.name
        if there.is_dir():
            raise UserProblem("A folder has the name of a file of the sample", str(there), "Choose another folder")
        if not overwrite and there.exists() and not filecmp.cmp(path, there, shallow=False):
            raise UserProblem(
                "There is a file of this name with other content", str(there),
                "Choose another folder, or give --overwrite to replace it",
            )  # fmt: skip


def _copied(folder: Path, out: Path, context: Context) -> tuple[Path, ...]:
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix != ".dwb"]
    for i, path in enumerate(files):
        context.step(i / len(files), f"Writing {path.name}")
        write_bytes(out / path.name, path.read_bytes())
    return tuple(out / path.name for path in files)


def _twin(name: str, out: Path, *, settings: Mapping[str, object], seed: int, context: Context) -> tuple[Path, ...]:
    """The sample's plan beside the twin's files, which may be of another format than the sample's."""
    twin = registry.commands()[name].twin if name in registry.commands() else None
    if twin is None:
        given = ", ".join(f"--{key}" for key in settings)
        raise UserProblem(f"The sample {name} has no twin of another size", given, "Leave it out")
    written = twin.write(out, parse(twin.params, settings, "--set"), seed=seed, context=context)
    plan = read_text(SAMPLES[name] / "plan.toml", "the sample's plan")
    by_stem = {path.stem: path.name for path in written}
    for kept in SAMPLES[name].iterdir():
        plan = plan.replace(f'"{kept.name}"', f'"{by_stem.get(kept.stem, kept.name)}"')
    write_text(out / "plan.toml", plan)
    return (*written, out / "plan.toml")
