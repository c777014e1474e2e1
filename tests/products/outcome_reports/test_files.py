"""Official layouts: column by column the published schemas, and published tables that survive a round trip."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from tests.products.outcome_reports import hand_made
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET
from workbench.core.published import Published, Units
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.outcome_reports.files.added_bins import DrawnBins
from workbench.products.outcome_reports.files.layouts import PSEO, PSEO_KEYS, VEO_KEYS, status_of, veo_columns
from workbench.products.outcome_reports.files.official import layout_named, read_pseo, read_veo
from workbench.products.outcome_reports.files.official_writers import pseo_table, veo_table, veo_table_of
from workbench.products.outcome_reports.layout import Listed
from workbench.products.outcome_reports.mechanisms import history, history_histogram
from workbench.products.outcome_reports.percentiles import planned_edges, projected
from workbench.products.outcome_reports.product import SPEC


def table(
    institution: Listed | None,
    *titles: Listed,
    years: tuple[str, ...] = ("1", "10"),
    planned: tuple[int | None, ...] | None = None,
) -> Published:
    """A drawn report with other keys: the four blocks of the sample under other names."""
    data = hand_made.prepared()
    layout = replace(
        data.layout, institution=institution, titles=titles, sectors=(), year=Listed(name="year", values=years)
    )
    small = replace(data, layout=layout)
    cells = layout.rows
    counts = data.count.reveal()[:cells]
    from workbench.core.confidential import Confidential

    pay = Confidential(data.pay.reveal()[: counts.sum()])
    small = replace(small, count=Confidential(counts), pay=pay, planned=planned)
    settings = hand_made.settings(history_histogram.SPEC)
    settings = settings if planned is None else replace(settings, bins=0)
    drawn = history_histogram.SPEC.study(small, settings, StudyRandom(2), QUIET)
    return SPEC.public_table(small, drawn.reveal())


PROGRAMMES = (
    Listed(name="institution", values=("00134500", "00134600")),
    Listed(name="degree_level", values=("03", "05")),
    Listed(name="cipcode", values=("00", "52.02")),
)


def test_that_pseo_columns_are_those_of_the_official_schema(shared_data: Path) -> None:
    folder = shared_data / "lehd_schema"
    with (folder / "lehd_identifiers_pseo.csv").open(encoding="utf-8") as file:
        keys = [(row["Variable"], row["Type"]) for row in csv.DictReader(file)]
    with (folder / "variables_pseoe.csv").open(encoding="utf-8") as file:
        values = [(row["Indicator Variable"], row["Status Flag"]) for row in csv.DictReader(file)]
    assert [(name, f"Char({size})" if size else "Numeric") for name, size in PSEO_KEYS.items()] == keys
    assert list(PSEO[12:27]) == [name for name, _ in values]
    assert [status_of(name) for name, _ in values] == [status for _, status in values]
    assert set(PSEO[27:]) == {status for _, status in values}
    assert len(PSEO) == 36


def test_that_veo_columns_are_those_of_the_official_schema_and_all_tables_survive_a_round_trip(
    shared_data: Path,
) -> None:
    folder = shared_data / "veo_published"
    with (folder / "release_schema.csv").open(encoding="utf-8") as file:
        schema: dict[str, set[str]] = {}
        for row in csv.DictReader(file):
            schema.setdefault(row["Table"].lower(), set()).add(row["Variable"])
    assert set(schema) == set(VEO_KEYS)
    for name, columns in schema.items():
        content = (folder / f"{name}.csv").read_bytes()
        found = read_veo(name, content)
        assert set(found.columns) == columns
        assert found.written() == content
        assert bool(found.notes) == (name == "veoo3")  # one published row has statuses of 1 and no values


def test_that_the_file_of_2019_is_read_with_its_zeros_and_written_in_the_official_layout(shared_data: Path) -> None:
    found = read_pseo((shared_data / "pseo_earnings_2019" / "pseoe_all.csv").read_bytes())
    assert len(found.notes) == 2
    assert len(found.rows) == 13_413
    place = {name: at for at, name in enumerate(PSEO)}
    assert {len(row[place["institution"]]) for row in found.rows} == {8}
    assert {row[place["cipcode"]] for row in found.rows if row[place["cip_level"]] == "A"} == {"00"}
    assert all(len(row[place["cipcode"]]) == 5 for row in found.rows if row[place["cip_level"]] == "4")
    again = read_pseo(found.written())
    assert again.rows == found.rows
    assert again.notes == ()


def test_that_a_report_by_programme_is_written_as_pseo() -> None:
    drawn = table(*PROGRAMMES)
    files = {file.kind: file for file in SPEC.outputs(drawn)}
    found = read_pseo(files["pseo"].write())
    assert (found.columns, found.notes) == (PSEO, ())
    place = {name: at for at, name in enumerate(PSEO)}
    assert [row[place["agg_level_pseo"]] for row in found.rows[:2]] == ["38", "42"]
    assert {row[place["status_y5_earnings"]] for row in found.rows} == {"-1"}
    assert {row[place["status_y1_grads_earn"]] for row in found.rows} == {"1"}
    assert {row[place["grad_cohort_years"]] for row in found.rows} == {"3", "5"}
    assert found.rows == pseo_table(drawn).rows


def test_that_coarser_levels_are_sums_of_what_was_drawn(shared_data: Path) -> None:
    """Two fields of one family and two cohorts: levels 48, 46, 44 and 42, 40, 38, each with the keys of the schema."""
    drawn = table(
        Listed(name="institution", values=("00134500",)),
        Listed(name="degree_level", values=("05",)),
        Listed(name="cipcode", values=("52.02", "52.03")),
        Listed(name="grad_cohort", values=("2001", "2004")),
    )
    rows = [dict(zip(PSEO, row, strict=True)) for row in pseo_table(drawn).rows]
    with (shared_data / "lehd_schema" / "label_agg_level_pseo.csv").open(encoding="utf-8") as file:
        schema = {row["agg_level_pseo"]: row for row in csv.DictReader(file) if row["pseoe"] == "1"}
    by_level: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        level = schema[row["agg_level_pseo"]]
        assert [row[name] for name in ("cip_level", "inst_level")] == [level["cip_level"], level["inst_level"]]
        assert (row["grad_cohort"] != "0000") == (level["by_grad_cohort"] == "1")
        by_level.setdefault(row["agg_level_pseo"], []).append(row)
    assert {level: len(found) for level, found in by_level.items()} == {
        "48": 4, "42": 2, "46": 2, "40": 1, "44": 2, "38": 1
    }  # fmt: skip
    totals = {level: sum(int(row["y1_grads_earn"]) for row in found) for level, found in by_level.items()}
    assert len(set(totals.values())) == 1
    assert read_pseo(pseo_table(drawn).written()).rows == pseo_table(drawn).rows
    beside = drawn.published_beside
    assert beside is not None
    first = [place for place, year in enumerate(beside.coded("year").texts()) if year == "1"]
    people = beside.units("noisy_people").integers[first].reshape(4, -1).sum(axis=0).astype(float)
    edges = [
        *beside.units("earnings_from").integers[: len(people)],
        beside.units("earnings_to").integers[len(people) - 1],
    ]
    median = projected(np.array(edges, dtype=float), people, 0.5)
    assert median is not None
    assert by_level["38"][0]["y1_p50_earnings"] == str(math.floor(median + 0.5))


def test_that_codes_that_lie_in_one_another_are_not_added_up() -> None:
    assert len(pseo_table(table(*PROGRAMMES)).rows) == 8


@pytest.mark.parametrize("name", ["veoe", "veorh", "veogs"])
def test_that_a_report_by_group_is_written_as_veo(name: str) -> None:
    keys = [Listed(name=key, values=("01", "02")) for key in VEO_KEYS[name]]
    drawn = table(None, *keys, years=("1", "5"))
    assert veo_table_of(drawn) == name
    found = read_veo(name, veo_table(drawn, name).written())
    assert found.columns == veo_columns(name)
    place = {column: at for at, column in enumerate(found.columns)}
    assert {row[place["status_y10_emp"]] for row in found.rows} == {"-1"}
    assert all(len(row[place["y1_emp"]].lstrip("-").rstrip("0")) <= 4 for row in found.rows)


def test_that_a_wrong_file_is_refused_in_words() -> None:
    with pytest.raises(UserProblem, match="Columns are missing"):
        read_pseo(b"a,b\n1,2\n")
    with pytest.raises(UserProblem, match="no VEO table"):
        read_veo("veoz", b"")
    columns = veo_columns("veos")
    row = ["2000", "2", "M", *["70"] * 15, *["5"] * 9]
    content = (",".join(columns) + "\n" + ",".join(row) + "\n").encode()
    with pytest.raises(UserProblem, match="do not agree"):
        read_veo("veos", content)


def test_that_model_based_and_programme_files_follow_from_the_published_table() -> None:
    data = hand_made.prepared()
    drawn = history_histogram.SPEC.study(data, hand_made.settings(history_histogram.SPEC), StudyRandom(2), QUIET)
    files = {file.kind: file for file in SPEC.outputs(SPEC.public_table(data, drawn.reveal()))}
    rows = files["model-based"].write().decode().splitlines()
    assert len(rows) == 1 + data.rows
    assert rows[0].startswith("institution,title,sector,year,count_direct,count_model_based,")
    programme = files["programme"].write().decode().splitlines()
    assert len(programme) == 1 + data.rows // 2
    assert "noisy_people" in files["noisy-parts"].write().decode().splitlines()[0]


def test_that_bins_with_other_edges_are_cut_at_the_edges_of_all() -> None:
    """People are kept, and two cells with the same pay have together the percentiles of either."""
    edges = tuple(planned_edges(40_000, 0.6, bins, 250_000) for bins in (8, 20))
    pay = np.random.default_rng(3).lognormal(math.log(40_000), 0.5, 200_000)
    people = tuple(
        np.bincount(np.searchsorted(own[1:-1], pay, side="right"), minlength=len(own) - 1).astype(float)
        for own in edges
    )
    bins = DrawnBins(edges=edges, kind=np.array([0, 1]), people=people)
    together = bins.percentiles([0, 1])
    for row, near in ((0, 0.03), (1, 0.01)):
        assert bins.percentiles([row]) == pytest.approx(np.quantile(pay, [0.25, 0.5, 0.75]), rel=near)
    assert together == pytest.approx(np.quantile(pay, [0.25, 0.5, 0.75]), rel=0.02)
    alike = DrawnBins(edges=edges, kind=np.array([1, 1]), people=(people[1], people[1]))
    assert alike.percentiles([0, 1]) == pytest.approx(bins.percentiles([1]))


def test_that_coarser_levels_of_institutions_planned_apart_have_percentiles() -> None:
    drawn = table(
        Listed(name="institution", values=("00134500",)),
        Listed(name="degree_level", values=("05",)),
        Listed(name="cipcode", values=("52.02", "52.03")),
        planned=(20, 4000),
    )
    beside = drawn.published_beside
    assert beside is not None
    assert len(set(np.bincount(beside.coded("cipcode").codes))) == 2
    rows = [dict(zip(PSEO, row, strict=True)) for row in pseo_table(drawn).rows]
    assert all(row["y1_p50_earnings"] for row in rows if row["cip_level"] != "4")


def test_that_the_long_file_has_a_status_for_each_statistic() -> None:
    """Percentiles of `history` are not computed; a count below one and a mean with too wide a margin are left out."""
    data = replace(hand_made.prepared(), largest_margin=Decimal("0.2"))
    drawn = history.SPEC.study(data, history.HistoryParams(epsilon=Epsilon("0.2")), StudyRandom(4), QUIET)
    published = SPEC.public_table(data, drawn.reveal())
    files = {file.kind: file for file in SPEC.outputs(published)}
    rows = list(csv.DictReader(files["long"].write().decode().splitlines()))
    assert list(rows[0])[:12] == [
        "institution", "title", "sector", "year", "count", "mean", "p25", "p50", "p75",
        "status_count", "status_earnings", "status_percentiles",
    ]  # fmt: skip
    assert {row["status_percentiles"] for row in rows} == {"-1"}
    assert {row["status_count"] for row in rows} == {"1", "5"}
    assert {row["status_earnings"] for row in rows} <= {"1", "5"}
    for row, count in zip(rows, published.units("count").integers.tolist(), strict=True):
        assert (row["status_count"] == "1") == (count >= 1) == bool(row["count"])
        assert (row["status_earnings"] == "1") == bool(row["mean"])
    assert "long" not in {file.kind for file in SPEC.outputs(table(*PROGRAMMES))}


def test_that_an_official_file_is_read_from_the_command_line(tmp_path: Path) -> None:
    from workbench.products.outcome_reports.questions import QUESTIONS

    (question,) = QUESTIONS
    path, target = tmp_path / "pseoe.csv", tmp_path / "again.csv"
    written = pseo_table(table(*PROGRAMMES)).written()
    path.write_bytes(written.replace(b",00134500,", b",1345,"))
    answer = question.answer({"file": str(path), "table": None, "write": str(target)})
    assert "Codes had lost zeros" in answer.lines[1]
    assert target.read_bytes() == written
    with pytest.raises(UserProblem, match="already there"):
        question.answer({"file": str(path), "table": None, "write": str(target)})
    path.write_text("a,b\n", encoding="utf-8")
    with pytest.raises(UserProblem) as wrong:
        question.answer({"file": str(path), "table": None, "write": None})
    assert [problem.where for problem in wrong.value.problems] == ["file"]


def test_that_official_files_have_no_count_below_one() -> None:
    drawn = table(*PROGRAMMES)
    count = drawn.units("count")
    few = replace(count, integers=np.where(np.arange(drawn.rows) % 4 == 0, -3, count.integers))
    changed = replace(drawn, columns=tuple(few if column is count else column for column in drawn.columns))
    rows = [dict(zip(PSEO, row, strict=True)) for row in pseo_table(changed).rows]
    assert {row["status_y1_grads_earn"] for row in rows} == {"1", "5"}
    assert all((row["status_y1_grads_earn"] == "1") == bool(row["y1_grads_earn"]) for row in rows)


def test_that_a_veo_table_is_known_by_the_end_of_its_name_or_by_its_columns() -> None:
    for table in VEO_KEYS:
        header = (",".join(veo_columns(table)) + "\n").encode()
        assert layout_named(table, header) == layout_named(f"R-0001-{table}", header) == table
        assert layout_named("taken home", header) == table
    assert layout_named("R-0001-pseoe", (",".join(PSEO) + "\n").encode()) == "pseo"
    assert layout_named("empty", b"") == "pseo"


def test_that_the_note_on_noisy_sums_leads_to_the_published_counts_and_means() -> None:
    data = hand_made.prepared()
    settings = history.HistoryParams(epsilon=Epsilon("8"))
    table = SPEC.public_table(data, history.SPEC.study(data, settings, StudyRandom(4), QUIET).reveal())
    (note,) = [note for note in table.notes if note.startswith("noisy-parts.csv")]
    found = re.search(r"in units of ([\d,.]+) dollars", note)
    assert found is not None
    unit = float(found[1].replace(",", ""))
    beside = table.published_beside
    assert beside is not None
    earned, below = (column.integers for column in beside.columns if isinstance(column, Units))
    count, mean = (column.integers for column in table.value_columns[:2] if isinstance(column, Units))
    assert np.abs((earned + below) * unit / data.cap - count).max() <= 0.5
    plain = (earned > 0) & (below > 0)
    assert plain.any()
    assert np.abs(data.cap * earned / (earned + below) - mean)[plain].max() <= 0.5


def test_that_a_report_without_institutions_promises_nothing_for_each_of_them() -> None:
    data = hand_made.prepared()
    whole = replace(data, layout=replace(data.layout, institution=None))
    for mechanism in SPEC.mechanisms:
        claim = mechanism.claim(whole, hand_made.settings(mechanism))
        assert "institution" not in f"{claim.sentence} {claim.workings}"
