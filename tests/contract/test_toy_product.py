"""A product in one file keeps every contract, and goes through a whole review without anything else being touched."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.said import dwb
from tests.contract.findings_contract import tells
from tests.contract.mechanism_contract import MechanismContract
from tests.contract.samples import Sample, compared
from tests.contract.test_baselines import BaselineContract
from tests.contract.test_checks import CheckContract
from tests.contract.test_measures import MeasureContract
from tests.contract.test_products import ProductContract
from tests.contract.toy import Toy
from tests.contract.toys import TOYS, registered
from workbench.utility.contract import Comparison

MECHANISMS = [(toy.product, mechanism) for toy in TOYS for mechanism in toy.product.mechanisms]


def offered(kind: str) -> list[Any]:
    """Every toy with everything it offers of a kind."""
    return [
        pytest.param((toy, spec), id=f"{toy.product.id}-{spec.id}")
        for toy in TOYS
        for spec in ((toy.product,) if kind == "product" else getattr(toy.product, kind))
    ]


@pytest.fixture(autouse=True, scope="module")
def known() -> Iterator[None]:
    with registered():
        yield


class _OfToy:
    @pytest.fixture(scope="class")
    @classmethod
    def spec(cls, case: tuple[Toy, Any]) -> Any:
        return case[1]

    @pytest.fixture(scope="class")
    @classmethod
    def sample(cls, case: tuple[Toy, Any]) -> Sample:
        return case[0].sample

    @pytest.fixture(scope="class")
    @classmethod
    def registry(cls, spec: Any) -> Sequence[Any]:
        return (spec,)


@pytest.mark.parametrize("case", offered("product"), scope="class")
class TestProduct(_OfToy, ProductContract):
    """The toys as products."""


@pytest.mark.parametrize(
    "case", MECHANISMS, ids=["-".join(spec.id for spec in case) for case in MECHANISMS], scope="class"
)
class TestMechanism(MechanismContract):
    @pytest.fixture(scope="class")
    @classmethod
    def registry(cls, case: Any) -> Sequence[Any]:
        return case[0].mechanisms  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", offered("baselines"), scope="class")
class TestBaseline(_OfToy, BaselineContract):
    """What the toys are compared with, where they are compared with anything."""


@pytest.mark.parametrize("case", offered("measures"), scope="class")
class TestMeasure(_OfToy, MeasureContract):
    @pytest.fixture(scope="class")
    @classmethod
    def comparison(cls, case: tuple[Toy, Any]) -> Comparison:
        product = case[0].product
        return compared(product, product.mechanisms[0])


@pytest.mark.parametrize("case", offered("checks"), scope="class")
class TestChecks(_OfToy, CheckContract):
    @pytest.fixture(scope="class")
    @classmethod
    def mechanism(cls, case: tuple[Toy, Any]) -> Any:
        return case[0].product.mechanisms[0]


@pytest.fixture(scope="module", params=TOYS, ids=lambda toy: toy.product.id)
def toy(request: pytest.FixtureRequest) -> Toy:
    found: Toy = request.param
    return found


@pytest.fixture(scope="module")
def reviewed(known: None, toy: Toy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy.review(tmp_path_factory.mktemp("toy"))


def test_that_its_run_is_audited_and_nothing_fails(reviewed: Path) -> None:
    said = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))
    status = {each["id"]: each["status"] for each in said["findings"]}
    assert "fail" not in status.values()
    assert {"exact-loss", "integers", "differencing"} <= set(status)
    assert "data.no-establishment" not in status


def test_that_its_project_verifies_and_counts_what_the_claim_says(reviewed: Path) -> None:
    project = reviewed / "review.dwb"
    assert dwb("verify", project).code == 0
    claimed = json.loads((reviewed / "run.json").read_text(encoding="utf-8"))["claim"]
    told = dwb("ledger", project, "--json").json
    parts = [(part["name"], part["epsilon"]) for part in claimed.get("parts", ())] or [("", claimed["epsilon"])]
    assert [(entry["part"], entry["epsilon"]) for entry in told["entries"]] == parts
    assert told["total_epsilon"] == claimed["epsilon"]


@pytest.mark.parametrize("name", ["internal.json", "public.html", "public.json"])
def test_that_its_reports_verify(reviewed: Path, name: str) -> None:
    said = dwb("verify-report", reviewed / name, "--project", reviewed / "review.dwb", "--json")
    assert said.json["differences"] == []
    assert said.json["identical"] is True


def test_that_its_bundle_is_whole(reviewed: Path) -> None:
    assert dwb("bundle", "--check", reviewed / "bundle.zip").code == 0


def test_that_nothing_confidential_leaves(reviewed: Path, toy: Toy) -> None:
    for name, text in public_texts(reviewed):
        assert not any(tells(text, secret) for secret in toy.sample.secrets), name


def public_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """What anybody may read, inside the bundle too; without hashes, whose digits mean nothing."""
    files = {name: (folder / name).read_bytes() for name in ("public.json", "public.html")}
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        files |= {name: bundle.read(name) for name in bundle.namelist()}
    for name, content in files.items():
        yield name, re.sub("[0-9a-f]{64}", "", content.decode("latin-1"))
