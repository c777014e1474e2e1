"""Every command, in words and in JSON: the keys that scripts rely on are there, and exit codes mean what they say."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest

from tests.cli.said import dwb, dwb_program, one_sentence
from tests.cli.small import write_small
from workbench.cli.commands import list as listing
from workbench.cli.main import COMMANDS, main
from workbench.core.findings import Finding, Status
from workbench.products.registry import PRODUCTS

PARAM_KEYS = {"name", "label", "default", "minimum", "maximum", "choices", "help"}


@pytest.mark.parametrize("command", [*COMMANDS, "window"])
def test_that_every_command_explains_itself(command: str) -> None:
    said = dwb(command, "--help")
    assert said.code == 0
    assert said.out.startswith(f"usage: dwb {command}")
    assert "--json" in said.out
    assert not said.err


def test_that_dwb_lists_its_commands_and_its_version() -> None:
    assert set(COMMANDS) <= set(dwb("--help").out.split())
    assert dwb("--version").out.startswith("Disclosure Workbench ")


@pytest.mark.parametrize("what", ["products", "mechanisms", "baselines", "checks", "measures"])
def test_that_list_names_what_there_is_with_every_setting(what: str) -> None:
    listed = dwb("list", what, "--json").json
    assert listed
    in_words = dwb("list", what).out
    for spec in listed:
        assert {"id", "version", "title", "params"} <= spec.keys()
        assert f"{spec['id']} (version {spec['version']})" in in_words
        for param in spec["params"]:
            assert param.keys() >= PARAM_KEYS
            assert param["label"] and param["help"]
            assert param["name"] in in_words


def test_that_the_plug_ins_of_the_design_are_there() -> None:
    ids = {what: {spec["id"] for spec in dwb("list", what, "--json").json}
           for what in ("products", "mechanisms", "baselines", "checks")}  # fmt: skip
    assert "employment_tables" in ids["products"]
    assert "laplace" in ids["mechanisms"]
    assert "noise-infusion" in ids["baselines"]
    assert {"exact-loss", "black-box"} <= ids["checks"]


def test_that_bounds_are_numbers_a_script_can_compare() -> None:
    laplace = next(spec for spec in dwb("list", "mechanisms", "--json").json if spec["id"] == "laplace")
    epsilon = next(param for param in laplace["params"] if param["name"] == "epsilon")
    assert epsilon["minimum"] == 0
    assert epsilon["default"] == 1
    assert epsilon["maximum"] > epsilon["default"]


def test_that_inspect_describes_every_column_and_suggests_roles(run_once: Path) -> None:
    found = dwb("inspect", run_once / "jobs.csv", "--json").json
    assert found["rows"] == 240
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles["worker"] == "worker"
    assert roles["establishment"] == "establishment"
    by_name = {column["name"]: column for column in found["columns"]}
    assert by_name["place"]["distinct"] == 3
    assert all({"name", "type", "distinct", "missing", "role"} <= column.keys() for column in found["columns"])
    in_words = dwb("inspect", run_once / "jobs.csv").out
    assert "240 rows, 5 columns" in in_words
    assert "Confirm them" in in_words


def test_that_inspect_names_what_may_stand_for_a_missing_value(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("sex,age\nf,30\n.,31\nm,-9\nf,40\nm,52\n")
    assert dwb("inspect", tmp_path / "jobs.csv", "--json").json["missing_codes"] == [".", "-9"]
    assert "Perhaps missing-value codes: “.” and “-9”." in dwb("inspect", tmp_path / "jobs.csv").out
    declared = dwb("inspect", tmp_path / "jobs.csv", "--set", "missing=.,-9")
    assert "Perhaps" not in declared.out


def test_that_inspect_shows_no_value_of_the_file(run_once: Path) -> None:
    for said in (dwb("inspect", run_once / "jobs.csv"), dwb("inspect", run_once / "jobs.csv", "--json")):
        assert "WRK0" not in said.out
        assert "EST0" not in said.out


def test_that_run_prints_the_release_its_claim_and_its_findings(tmp_path: Path) -> None:
    plan = write_small(tmp_path)
    said = dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana", "--json")
    assert said.code == 0
    told = said.json
    assert told["release_id"] == "R-0001"
    assert told["product"] == "employment_tables"
    assert told["claim"].keys() >= {"definition", "epsilon", "delta", "alpha", "formal"}
    assert told["claim"]["epsilon"] == 1.5
    # The small data have no dictionary: the list of values comes from the data, so nothing is called proved.
    assert told["claim"]["formal"] is False
    assert all(finding.keys() >= {"id", "status", "title", "values"} for finding in told["findings"])
    assert {finding["status"] for finding in told["findings"]} <= {"pass", "warn", "fail", "info"}
    assert {"data", "release", "audit", "compare"} == {finding["stage"] for finding in told["findings"]}
    assert {finding["audience"] for finding in told["findings"]} == {"internal", "public"}
    again = dwb("run", plan, "--project", tmp_path / "p.dwb", "--preparer", "Ana")
    assert again.out.startswith("R-0002: Jobs by place and sector")
    assert "Exact privacy loss" in again.out


def test_that_a_release_can_be_run_again_and_its_draws_are_counted(waiting: Path) -> None:
    plan = waiting.parent / "plan.toml"
    told = dwb("run", plan, "--project", waiting, "--release", "R-0001", "--preparer", "Ana", "--json").json
    assert (told["release_id"], told["draws"]) == ("R-0001", 2)
    assert [row["draws"] for row in dwb("releases", waiting, "--json").json] == [2]


def test_that_a_check_that_fails_gives_exit_code_one_and_is_stored_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reviewer must be able to look at what failed: the release is there, and approving it asks for a reason."""
    check = next(check for check in PRODUCTS[0].checks if check.id == "exact-loss")
    finds = type(check).run

    def fails(self: object, *given: object) -> tuple[Finding, ...]:
        return tuple(replace(finding, status=Status.FAIL) for finding in finds(check, *given))

    monkeypatch.setattr(type(check), "run", fails)
    said = dwb("run", write_small(tmp_path), "--project", tmp_path / "p.dwb", "--preparer", "Ana", "--json")
    assert said.code == 1
    assert "fail" in {finding["status"] for finding in said.json["findings"]}
    refused = dwb("decide", tmp_path / "p.dwb", "R-0001", "--approve", "--reviewer", "Ben")
    assert refused.code == 1
    assert "comment" in refused.err
    assert dwb("verify", tmp_path / "p.dwb").code == 0


def test_that_calibrate_tells_which_settings_are_possible_together() -> None:
    told = dwb("calibrate", "smooth-laplace", "--table")
    assert told.code == 0
    assert "2.13 (wrong)" in told.out and "1.45" in told.out
    rows = dwb("calibrate", "smooth-laplace", "--table", "--json").json["table"]["rows"]
    assert len(rows) == 20
    refused = dwb("calibrate", "laplace", "--table")
    assert refused.code == 2
    assert "These have one: smooth-laplace" in refused.err


def test_that_calibrate_agrees_with_the_closed_form() -> None:
    told = dwb("calibrate", "laplace", "--set", "epsilon=2", "--json").json
    assert told.keys() >= {
        "feasible", "why", "scale", "expected_absolute_error", "spent_epsilon", "spent_delta", "claim",
    }  # fmt: skip
    q = exp(-2)
    assert told["feasible"] is True
    assert told["scale"] == pytest.approx(0.5)
    assert told["expected_absolute_error"] == pytest.approx(2 * q / (1 - q * q))
    assert told["spent_epsilon"] <= 2
    assert told["claim"]["epsilon"] == 2
    in_words = dwb("calibrate", "laplace", "--set", "epsilon=2").out
    assert "noise scale 0.5" in in_words


@pytest.mark.parametrize("epsilon", ["0", "-1", "two", "inf", "nan", ""])
def test_that_calibrate_says_why_an_epsilon_cannot_be(epsilon: str) -> None:
    said = dwb("calibrate", "laplace", "--set", f"epsilon={epsilon}", "--json")
    one_sentence(said, "Privacy loss ε")
    assert said.json["feasible"] is False
    assert said.json["why"] in said.err.strip()
    promised = dwb("calibrate", "laplace", "--json").json.keys()
    assert said.json.keys() == promised
    assert {said.json[key] for key in promised - {"feasible", "why"}} == {None}


def test_that_an_unknown_setting_names_the_nearest() -> None:
    one_sentence(dwb("calibrate", "laplace", "--set", "epsilom=1"), "epsilom", "Did you mean “epsilon”?")
    one_sentence(dwb("calibrate", "laplace", "--set", "epsilon"), "NAME=VALUE")
    one_sentence(dwb("calibrate", "laplas"), "laplas", "Did you mean “laplace”?")


@pytest.mark.parametrize(
    ("option", "value"),
    [("--count", "-1"), ("--count", "nan"), ("--count", "inf"), ("--count", "1e300"), ("--largest", "-0.5"),
     ("--largest", "nan"), ("--count", "many")],
)  # fmt: skip
@pytest.mark.parametrize("mechanism", ["laplace", "smooth-gamma", "block-gamma", "synthetic-residences"])
def test_that_calibrate_refuses_a_cell_that_cannot_be(mechanism: str, option: str, value: str) -> None:
    one_sentence(dwb("calibrate", mechanism, f"{option}={value}", "--json"), option)


def test_that_no_establishment_is_larger_than_its_cell() -> None:
    cell = ("--count", "10", "--largest", "11")
    one_sentence(dwb("calibrate", "smooth-gamma", *cell), "--largest", "has 11 jobs but its cell only 10")
    assert dwb("calibrate", "smooth-gamma", "--count", "10", "--largest", "10").code == 0
    assert dwb("calibrate", "block-gamma", *cell).code == 0, "a cell of women may be smaller than a mixed establishment"


def test_that_one_name_is_set_once() -> None:
    twice = ("--set", "epsilon=1", "--set", "epsilon=2")
    one_sentence(dwb("calibrate", "laplace", *twice), "“epsilon” is set more than once")
    both = ("--calibration", "tight", "--set", "calibration=published")
    one_sentence(dwb("calibrate", "smooth-gamma", *both), "“calibration” is set more than once")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("calibrate", "laplace", "--count", "x"), "must be a number, not “x”"),
        (("sample", "employment_tables", "--out", "x", "--jobs", "1.5"), "must be a whole number such as"),
        (("list", "mechanism"), "“mechanism” is not known, did you mean “mechanisms”?"),
        (("report", "p.dwb", "R-0001", "--format", "zzz", "-o", "x"), "“zzz” is not known, choose one of"),
    ],
)
def test_that_a_word_of_the_wrong_kind_is_told_in_our_own_words(words: tuple[str, ...], told: str) -> None:
    assert "invalid" not in one_sentence(dwb(*words), told)


def test_that_a_mistyped_command_names_the_nearest() -> None:
    one_sentence(dwb("verfy", "x.dwb"), "verfy", "Did you mean “verify”?")


@pytest.mark.parametrize(
    "words",
    [
        ("list", "things"),
        ("run", "plan.toml"),
        ("decide", "p.dwb", "R-0001"),
        ("decide", "p.dwb", "R-0001", "--approve", "--reject"),
        ("report", "p.dwb", "R-0001", "--audience", "everybody", "-o", "x"),
        ("report", "p.dwb", "R-0001"),
        ("sample", "nothing_like_it", "--out", "x"),
        ("sample", "employment_tables", "--out", "x", "--jobs", "many"),
        ("calibrate",),
        ("ledger", "p.dwb", "--nosuch"),
    ],
)
def test_that_wrong_words_are_one_sentence_that_points_to_the_help(words: tuple[str, ...]) -> None:
    assert "--help`" in one_sentence(dwb(*words))


@pytest.mark.parametrize("command", ["releases", "ledger", "verify"])
def test_that_commands_on_a_missing_project_say_so(command: str, tmp_path: Path) -> None:
    one_sentence(dwb(command, tmp_path / "none.dwb", "--json"), "none.dwb", "no such project file")
    assert not list(tmp_path.iterdir())


def test_that_an_unknown_release_names_the_nearest(waiting: Path) -> None:
    before = waiting.read_bytes()
    out = waiting.parent / "x.html"
    plan = waiting.parent / "plan.toml"
    for said in (
        dwb("decide", waiting, "R-0002", "--approve", "--reviewer", "Ben"),
        dwb("report", waiting, "R-0002", "-o", out),
        dwb("export", waiting, "R-0002", "-o", out),
        dwb("run", plan, "--project", waiting, "--release", "R-0002"),
    ):
        one_sentence(said, "R-0002", "R-0001")
    assert not out.exists()
    assert waiting.read_bytes() == before


def test_that_releases_and_ledger_answer_in_both_ways(approved: Path) -> None:
    row = dwb("releases", approved, "--json").json[0]
    assert row["release_id"] == "R-0001"
    assert row["state"] == "approved"
    assert row["preparer"] == "Ana"
    assert "approved" in dwb("releases", approved).out
    ledger = dwb("ledger", approved, "--json").json
    assert ledger.keys() >= {"entries", "total_epsilon", "total_delta", "remaining_epsilon"}
    assert (ledger["total_epsilon"], ledger["total_delta"], ledger["remaining_epsilon"]) == (1.5, 0, 2.5)
    assert [entry["release_id"] for entry in ledger["entries"]] == ["R-0001"]
    assert "2.5 remain" in dwb("ledger", approved).out


def test_that_an_unspent_ledger_is_zero_not_nothing(waiting: Path) -> None:
    ledger = dwb("ledger", waiting, "--json").json
    assert (ledger["entries"], ledger["total_epsilon"], ledger["remaining_epsilon"]) == ([], 0, 4)


def test_that_the_program_speaks_utf8_on_any_console(approved: Path) -> None:
    said = dwb_program("ledger", approved)
    assert said.code == 0
    assert "ε = 1.5" in said.out
    wrong = dwb_program("calibrate", "laplace", "--set", "epsilon=0")
    one_sentence(wrong, "Privacy loss ε is 0 but must be above 0")


def test_that_a_reader_who_has_seen_enough_causes_no_noise() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "workbench", "list", "mechanisms"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None and program.stderr is not None
    program.stdout.close()
    said = program.stderr.read()
    program.stderr.close()
    assert program.wait(60) == 0
    assert said == b""


def test_that_a_defect_is_told_without_a_traceback_and_without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(args: object) -> int:
        raise ValueError("cell holds 4711 jobs")

    monkeypatch.setattr(listing, "run", broken)
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        assert main(["list", "products"]) == 3
    assert err.getvalue().startswith("The program made an error; you did nothing wrong.")
    assert "4711" not in err.getvalue()
    assert "Traceback" not in err.getvalue()


def test_that_without_a_display_the_window_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    one_sentence(dwb(), "no display")
    one_sentence(dwb(tmp_path / "x.dwb"), "no display")
