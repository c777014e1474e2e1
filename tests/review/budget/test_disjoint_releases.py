"""Two releases of different workplaces cost the dearer of them: from plan to ledger, and where they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.small import FORMAL_PLAN, write_small
from workbench.cli.main import main

BLOCK = FORMAL_PLAN.replace('id = "laplace"\nepsilon = 1.5', 'id = "block-gamma"\nepsilon = 1.5')


def selected(plan: str, column: str, *values: str) -> str:
    listed = ", ".join(f'"{value}"' for value in values)
    return plan.replace("[mechanism]", f"[product.select.{column}]\nvalues = [{listed}]\n\n[mechanism]")


def spent(folder: Path, capsys: pytest.CaptureFixture[str], *plans: str) -> tuple[float, str]:
    """ε that the ledger counts once every one of these plans is drawn and approved, and the words of its entries."""
    project = str(folder / "review.dwb")
    for number, plan in enumerate(plans, 1):
        path = str(write_small(folder, plan=plan))
        assert main(["run", path, "--project", project, "--preparer", "Ana"]) == 0
        approve = ["decide", project, f"R-{number:04d}", "--approve", "--reviewer", "Ben", "--comment", "as planned"]
        assert main(approve) == 0, capsys.readouterr().err
    capsys.readouterr()
    assert main(["ledger", project, "--json"]) == 0
    text = capsys.readouterr().out
    (data,) = json.loads(text)["datasets"]
    (total,) = data["by_definition"]
    return float((total["tighter"] or total)["epsilon"]), text


def test_that_disjoint_places_cost_the_maximum_and_the_ledger_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = selected(BLOCK, "place", "A", "B")
    other = selected(BLOCK.replace("epsilon = 1.5", "epsilon = 1.25").replace('["place", "sector"]', '["sector"]'),
                     "place", "C")  # fmt: skip
    epsilon, text = spent(tmp_path, capsys, first, other)
    assert epsilon == 1.5
    assert "share no unit of protection" in text
    (data,) = json.loads(text)["datasets"]
    assert [entry["read_only"]["values"] for entry in data["entries"]] == [["A", "B"], ["C"]]
    assert main(["ledger", str(tmp_path / "review.dwb")]) == 0
    said = capsys.readouterr().out
    assert "Read: place A, B, and no other." in said
    assert "Read: place C, and no other." in said


def test_that_places_that_overlap_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = BLOCK.replace('["place", "sector"]', '["sector"]')
    epsilon, _ = spent(tmp_path, capsys, selected(BLOCK, "place", "A", "B"), selected(other, "place", "B"))
    assert epsilon == 3.0


def test_that_different_workers_of_the_same_employers_add_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Theorem 7.5 is false: women and men are no witness."""
    epsilon, _ = spent(tmp_path, capsys, selected(BLOCK, "sex", "f"), selected(BLOCK, "sex", "m"))
    assert epsilon == 3.0


def test_that_worker_level_noise_adds_up_because_a_person_can_work_in_two_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = FORMAL_PLAN.replace('["place", "sector"]', '["sector"]')
    epsilon, _ = spent(tmp_path, capsys, selected(FORMAL_PLAN, "place", "A", "B"), selected(other, "place", "C"))
    assert epsilon == 3.0


def test_that_a_policy_that_measures_tightest_has_room_for_both_under_a_cap_of_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project, policy = str(tmp_path / "review.dwb"), tmp_path / "policy.toml"
    policy.write_text(
        '[policy]\nname = "office"\n[epsilon]\nstrong = 1.5\ncompose = "tightest"\n',
        encoding="utf-8",
    )
    other = BLOCK.replace('["place", "sector"]', '["sector"]')
    plans = (selected(BLOCK, "place", "A", "B"), selected(other, "place", "C"), selected(other, "place", "A"))
    codes = []
    for number, plan in enumerate(plans, 1):
        path = str(write_small(tmp_path, plan=plan))
        assert main(["run", path, "--project", project, "--preparer", "Ana"]) == 0
        if number == 1:
            assert main(["policy", project, "set", str(policy), "--actor", "Head", "--reason", "adopted"]) == 0
        comment = ["--reviewer", "Ben", "--comment", "as planned"]
        codes.append(main(["decide", project, f"R-{number:04d}", "--approve", *comment]))
    assert codes[:2] == [0, 0], capsys.readouterr().err
    assert codes[2] != 0
