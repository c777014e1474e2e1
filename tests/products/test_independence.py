"""The import contracts hold, and each of them fails when somebody breaks it on purpose."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import workbench
from workbench.products import registry

HOUSE = Path(workbench.__file__).parent
CONTRACTS = tomllib.loads((HOUSE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
BROKEN = {
    "products/employment_tables/facts.py": ("workbench.products.commuting_flows.facts", "a product knows no other"),
    "review/session.py": ("workbench.products.employment_tables.facts", "nobody but the registry"),
    "review/workspace.py": ("workbench.audit.chosen_words", "only the audit chooses random words"),
    "audit/contract.py": ("workbench.products.contract", "a later layer may import an earlier one"),
    "cli/commands/window.py": ("workbench.products.contract", "window and command line go through review"),
    "products/commuting_flows/facts.py": ("PySide6.QtCore", "only the window knows Qt"),
}


def _linted(folder: Path) -> subprocess.CompletedProcess[str]:
    lint = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-B", "-c", lint, "--no-cache", "--no-logo"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that may be broken."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(HOUSE, folder / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOUSE.parent / "pyproject.toml", folder)
    return folder


def test_that_the_contracts_hold(house: Path) -> None:
    done = _linted(house)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", BROKEN)
def test_that_a_forbidden_import_is_found(house: Path, module: str) -> None:
    imported, contract = BROKEN[module]
    path = house / "workbench" / module
    kept = path.read_text(encoding="utf-8")
    path.write_text(f"{kept}\nimport {imported}\n", encoding="utf-8")
    try:
        done = _linted(house)
    finally:
        path.write_text(kept, encoding="utf-8")
    assert done.returncode == 1, done.stdout + done.stderr
    assert any(line.startswith(contract) and "BROKEN" in line for line in done.stdout.splitlines()), done.stdout


def test_that_every_product_of_the_registry_is_under_the_contracts() -> None:
    named = {contract["type"]: contract for contract in CONTRACTS["contracts"]}
    assert set(named["independence"]["modules"]) == set(registry.FOLDERS.values())
    by_registry = next(c for c in CONTRACTS["contracts"] if c["name"].startswith("nobody but the registry"))
    assert set(by_registry["protected_modules"]) == set(registry.FOLDERS.values())
    folders = {path.parent.name for path in (HOUSE / "products").glob("*/product.py")}
    assert folders == set(registry.FOLDERS)
