"""Samples: a folder per product with data, dictionary, plan and story; or a synthetic twin of any size."""

from __future__ import annotations

from pathlib import Path

from workbench.core.errors import UserProblem
from workbench.core.files import read_text, write_bytes, write_text
from workbench.core.progress import Context
from workbench.core.resources import sample_folder

# From here on a text file is slow to write and to read; Parquet keeps the codes as they are.
_PARQUET_FROM = 500_000


def _samples() -> dict[str, Path]:
    root = sample_folder()
    return {folder.name: folder for folder in sorted(root.iterdir()) if (folder / "plan.toml").is_file()}


SAMPLES = _samples()


def write_sample(name: str, out: Path, *, jobs: int | None, seed: int, context: Context) -> tuple[Path, ...]:
    """Copy the sample, or write its twin of `jobs` jobs with the same plan. Returns the files written."""
    if name not in SAMPLES:
        raise UserProblem(f"There is no sample called “{name}”", do=f"Known: {', '.join(SAMPLES)}")
    if jobs is not None and jobs < 1:
        raise UserProblem(f"A sample of {jobs} jobs cannot be made", "--jobs", "Give a whole number above 0")
    _make_folder(out)
    if jobs is None:
        return _copied(SAMPLES[name], out, context)
    return _twin(name, out, jobs=jobs, seed=seed, context=context)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise UserProblem("The folder cannot be made here", str(out), "Choose another place") from None


def _copied(folder: Path, out: Path, context: Context) -> tuple[Path, ...]:
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix != ".dwb"]
    for i, path in enumerate(files):
        context.step(i / len(files), f"Writing {path.name}")
        write_bytes(out / path.name, path.read_bytes())
    return tuple(out / path.name for path in files)


def _twin(name: str, out: Path, *, jobs: int, seed: int, context: Context) -> tuple[Path, ...]:
    from workbench.microdata.twins.registry import TWINS

    if name not in TWINS:
        raise UserProblem(f"The sample {name} has no twin of another size", "--jobs", "Leave --jobs out")
    kind = "parquet" if jobs >= _PARQUET_FROM else "csv"
    written = TWINS[name](out, jobs=jobs, seed=seed, context=context, format=kind)
    plan = read_text(SAMPLES[name] / "plan.toml", "the sample's plan")
    plan = plan.replace('path = "jobs.csv"', f'path = "jobs.{kind}"')
    write_text(out / "plan.toml", plan)
    return (*written, out / "plan.toml")
