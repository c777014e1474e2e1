"""What a toy is: a whole product of the tests' own, its data and a plan, and how it goes through a review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.said import dwb
from tests.contract.samples import Sample
from workbench.products.contract import AnyProduct


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    product: AnyProduct
    sample: Sample
    plan: str
    files: Mapping[str, str]  # the data the plan names

    def write(self, folder: Path) -> Path:
        """Data and plan; returns the plan's path."""
        for name, text in {**self.files, "plan.toml": self.plan}.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder / "plan.toml"

    def review(self, folder: Path) -> Path:
        """The product run, approved, reported and bundled from the command line, all in the folder."""
        project = folder / "review.dwb"
        said = dwb("run", self.write(folder), "--project", project, "--preparer", "Ana", "--json")
        assert said.code == 0, said.err
        (folder / "run.json").write_text(said.out, encoding="utf-8")
        assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
        for audience, kind in (("internal", "json"), ("public", "html"), ("public", "json")):
            words = ("--audience", audience, "--format", kind, "-o", folder / f"{audience}.{kind}")
            assert dwb("report", project, "R-0001", *words).code == 0
        assert dwb("bundle", project, "R-0001", "-o", folder / "bundle.zip").code == 0
        return folder
