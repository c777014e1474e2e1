"""A product in one file keeps every contract, and goes through a whole review without anything else being touched."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cli.said import dwb
from tests.contract import toy_means
from tests.contract.mechanism_contract import MechanismContract
from tests.contract.samples import SAMPLES, Sample, sample_of, today
from tests.contract.test_baselines import BaselineContract
from tests.contract.test_checks import CheckContract
from tests.contract.test_measures import MeasureContract
from tests.contract.test_products import ProductContract
from workbench.core.progress import QUIET
from workbench.core.randomness import ReleaseRandom
from workbench.products import registry
from workbench.utility.contract import Comparison

PRODUCT = toy_means.SPEC
SAMPLE = Sample(
    source=lambda: (toy_means.inputs(), toy_means.AreaMeansParams()),
    prepared=cache(lambda: PRODUCT.prepare(toy_means.inputs(), toy_means.AreaMeansParams(), QUIET)),
    truth=lambda means: means.truth(),
    size_of_one=lambda means, params: (params, float(means.truth()[0, 0]), 1.0),
    secrets=("7654321", "76543.21", "76,543.21"),
    decimals=(0, 2),
)
PLAN = """version = 1

[release]
title = "Pay by area"
requester = "Planning office"
purpose = "A yearly table."
authority = "Statistics Act"
period = "2026"
smallest_geography = "area"

[data]
path = "people.csv"

[data.roles]
area = "group"
pay = "outcome"

[product]
id = "toy_area_means"

[mechanism]
id = "toy-two-laplace"
each = 0.75

[baseline]
id = "toy-rounding"

[study]
trials = 2

[audit]
checks = ["exact-loss", "integers"]

[policy]
budget = 4.0
"""


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """Two lines: in the registry of products, and in the samples of the contract suite."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(registry, "PRODUCTS", (*registry.PRODUCTS, PRODUCT))
        patched.setitem(SAMPLES, PRODUCT.id, SAMPLE)
        yield


class _Toy:
    @pytest.fixture
    def sample(self) -> Sample:
        return sample_of(PRODUCT)

    @pytest.fixture
    def registry(self, spec: Any) -> Sequence[Any]:
        return (spec,)


class TestProduct(_Toy, ProductContract):
    @pytest.fixture
    def spec(self) -> Any:
        return PRODUCT


@pytest.mark.parametrize("case", [(PRODUCT, PRODUCT.mechanisms[0])], ids=["toy"])
class TestMechanism(MechanismContract):
    @pytest.fixture
    def registry(self) -> Sequence[Any]:
        return PRODUCT.mechanisms


class TestBaseline(_Toy, BaselineContract):
    @pytest.fixture
    def spec(self) -> Any:
        return PRODUCT.baselines[0]


class TestMeasure(_Toy, MeasureContract):
    @pytest.fixture
    def spec(self) -> Any:
        return PRODUCT.measures[0]

    @pytest.fixture
    def comparison(self) -> Comparison:
        prepared, mechanism, baseline = SAMPLE.prepared(), PRODUCT.mechanisms[0], PRODUCT.baselines[0]
        return Comparison(
            prepared=prepared, mechanism=mechanism, mechanism_params=mechanism.params(),
            mechanisms=PRODUCT.mechanisms, seed=3, trials=2,
            rivals=(today(baseline, prepared),), words=PRODUCT.words,
            release=mechanism.release(prepared, mechanism.params(), ReleaseRandom(), QUIET),
        )  # fmt: skip


@pytest.mark.parametrize("check", PRODUCT.checks, ids=lambda check: check.id)
class TestChecks(_Toy, CheckContract):
    @pytest.fixture
    def spec(self, check: Any) -> Any:
        return check

    @pytest.fixture
    def mechanism(self) -> Any:
        return PRODUCT.mechanisms[0]


@pytest.fixture(scope="module")
def reviewed(registered: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The product run, approved, reported and bundled from the command line."""
    folder = tmp_path_factory.mktemp("toy")
    (folder / "people.csv").write_text(toy_means.csv(), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    project = folder / "review.dwb"
    said = dwb("run", folder / "plan.toml", "--project", project, "--preparer", "Ana", "--json")
    assert said.code == 0, said.err
    (folder / "run.json").write_text(said.out, encoding="utf-8")
    assert dwb("decide", project, "R-0001", "--approve", "--reviewer", "Ben", "--comment", "Agreed").code == 0
    for audience, kind in (("internal", "json"), ("public", "html"), ("public", "json")):
        words = ("--audience", audience, "--format", kind, "-o", folder / f"{audience}.{kind}")
        assert dwb("report", project, "R-0001", *words).code == 0
    assert dwb("bundle", project, "R-0001", "-o", folder / "bundle.zip").code == 0
    return folder


def test_that_its_run_claims_audits_and_compares(reviewed: Path) -> None:
    said = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))
    assert said["claim"]["epsilon"] == 1.5
    assert said["claim"]["formal"] is False
    status = {each["id"]: each["status"] for each in said["findings"]}
    assert "fail" not in status.values()
    assert (status["exact-loss"], status["integers"], status["differencing"]) == ("warn", "pass", "info")
    assert "data.no-establishment" not in status


def test_that_its_project_verifies_and_counts_what_the_claim_says(reviewed: Path) -> None:
    project = reviewed / "review.dwb"
    assert dwb("verify", project).code == 0
    assert dwb("ledger", project, "--json").json["entries"][0]["epsilon"] == 1.5


@pytest.mark.parametrize("name", ["internal.json", "public.html", "public.json"])
def test_that_its_reports_verify(reviewed: Path, name: str) -> None:
    said = dwb("verify-report", reviewed / name, "--project", reviewed / "review.dwb", "--json")
    assert said.json["differences"] == []
    assert said.json["identical"] is True


def test_that_its_report_says_what_is_held_fixed_and_how_epsilon_is_divided(reviewed: Path) -> None:
    twin = json.loads((reviewed / "public.json").read_text(encoding="utf-8"))
    assert twin["rules"]["allocation"] == "ε = 1.5 in all: people ε = 0.75; mean pay ε = 0.75."
    assert twin["rules"]["claim"]["condition"] == toy_means.HELD
    assert twin["outputs"][0]["columns"] == ["area", "people", "mean pay"]
    page = (reviewed / "public.html").read_text(encoding="utf-8")
    assert toy_means.HELD in page
    assert "not a formal guarantee" in page


def test_that_its_table_is_published_with_every_decimal(reviewed: Path) -> None:
    assert dwb("bundle", "--check", reviewed / "bundle.zip").code == 0
    with zipfile.ZipFile(reviewed / "bundle.zip") as bundle:
        lines = bundle.read("R-0001-table.csv").decode("utf-8").splitlines()
    assert lines[0] == "area,people,mean pay"
    assert [line.split(",")[0] for line in lines[1:]] == ["A", "B", "C"]
    for line in lines[1:]:
        _, people, pay = line.split(",")
        assert people.lstrip("-").isdigit()
        assert len(pay.partition(".")[2]) == 2


def test_that_nothing_confidential_leaves(reviewed: Path) -> None:
    for name in ("public.json", "public.html", "bundle.zip"):
        content = (reviewed / name).read_bytes()
        assert not any(secret.encode() in content for secret in SAMPLE.secrets)
