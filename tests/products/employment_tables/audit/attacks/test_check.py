"""The attacks as a check: who is exposed by current SDL, and what a release must not give away."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.contract.twins import Twin
from tests.products.employment_tables import hand_made
from tests.published import released
from workbench.audit.contract import Subject
from workbench.baselines.secret_key import KEY_VARIABLE
from workbench.core.claims import Claim, Definition
from workbench.core.errors import Defect
from workbench.core.findings import Audience, Finding, Status
from workbench.core.params import problems_of
from workbench.core.progress import QUIET
from workbench.core.quantities import Epsilon
from workbench.core.randomness import StudyRandom
from workbench.products.employment_tables.audit.attacks import check
from workbench.products.employment_tables.audit.attacks.scene import scene_of
from workbench.products.employment_tables.mechanisms import laplace
from workbench.products.employment_tables.mechanisms.block import gamma as block_gamma
from workbench.products.employment_tables.tabulation.cells import Attribute, Cells, Contributions, Domain
from workbench.products.employment_tables.words import JOBS


@pytest.fixture(autouse=True)
def no_key_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


class Says(Twin):
    """Laplace under another claim."""

    def __init__(self, definition: Definition, alpha: str | None = None) -> None:
        super().__init__(laplace.SPEC)
        self.definition, self.alpha = definition, alpha

    def claim(self, prepared: object, params: Any) -> Claim:
        alpha = None if self.alpha is None else Decimal(self.alpha)
        return dataclasses.replace(laplace.SPEC.claim(None, params), definition=self.definition, alpha=alpha)


def lonely(number: int = 150, seed: int = 2) -> Cells:
    """One establishment in each workplace cell, three degrees × two sexes, hundreds of workers each."""
    from workbench.core.confidential import Confidential

    rng = np.random.Generator(np.random.PCG64(seed))
    counts = rng.integers(60, 300, (number, 6))
    counts[:, 4:] = 0
    counts[np.arange(number), 4 + rng.integers(0, 2, number)] = 1  # the only doctorate
    flat = counts.reshape(-1)
    filled = np.flatnonzero(flat)
    domain = Domain(
        workplace=(Attribute(name="place", values=tuple(f"p{i}" for i in range(number))),),
        worker=(
            Attribute(name="degree", values=("school", "college", "doctorate")),
            Attribute(name="sex", values=("F", "M")),
        ),
        workplace_cells=np.arange(number, dtype=np.int32)[:, None],
    )
    size = counts.sum(axis=1)
    return Cells(
        domain=domain,
        count=Confidential(flat),
        establishments=Confidential((flat > 0).astype(np.int64)),
        largest=Confidential(flat),
        largest_total=Confidential(np.repeat(size, 6) * (flat > 0)),
        workplace_largest=Confidential(size),
        jobs=int(flat.sum()),
        establishments_total=number,
        contributions=Confidential(
            Contributions(
                cell=filled,
                establishment=(filled // 6).astype(np.int32),
                jobs=flat[filled],
                identifiers=tuple(f"E{i}" for i in range(number)),
            )
        ),
    )


def attacked(
    cells: Cells, values: Any = None, mechanism: Any = laplace.SPEC, epsilon: str = "1"
) -> tuple[Finding, ...]:
    release = None if values is None else released(values)
    params = laplace.LaplaceParams(epsilon=Epsilon(epsilon))
    subject = Subject(words=JOBS, prepared=cells, mechanism=mechanism, params=params, release=release)
    return check.SPEC.run(subject, check.AttacksParams(), QUIET)


def noisy(cells: Cells, share: float) -> Any:
    """Every workplace cell moved as a whole and every cell by a share of its size: nothing left to rely on."""
    rng = np.random.Generator(np.random.PCG64(11))
    counts = cells.count.reveal().reshape(-1, 6)
    scale = share * counts.sum(axis=1, keepdims=True)
    return np.rint(counts + rng.laplace(0.0, 1.0, counts.shape) * scale).astype(np.int64).reshape(-1)


def test_that_an_establishment_is_alone_only_where_nobody_else_has_jobs() -> None:
    data = hand_made.cells()
    members: dict[tuple[int, int], set[str]] = {}
    for identifier, place, sector, by_sex in hand_made.establishments():
        if sum(by_sex):
            members.setdefault((place, sector), set()).add(identifier)
    expected = [place * 3 + sector for (place, sector), inside in sorted(members.items()) if len(inside) == 1]
    assert scene_of(data).alone.tolist() == expected
    assert len(expected) > 0


def test_that_exact_values_expose_every_size_and_shape_and_every_lone_doctor() -> None:
    cells = lonely()
    values = attacked(cells, cells.count.reveal())[0].values
    assert values["size_read_exact_establishments"] == 0  # what the gap is for
    assert values["size_known_exact_establishments"] == 150
    assert values["size_known_rounded_establishments"] == 150
    assert values["shape_rounded_reliable"] == 0.0  # one cell of each was redrawn, so nobody would answer
    assert values["workers_rounded_workers"] == 150
    assert values["workers_rounded_reliable"] == 1.0


def test_that_every_answer_is_right_on_todays_protection() -> None:
    finding = attacked(hand_made.cells())[0]
    assert finding.status is Status.INFO
    rows = finding.tables[0].rows
    assert {row[7] for row in rows if row[5] and row[0] != "size, from the published count"} == {1.0}


def test_that_publishing_the_truth_breaks_any_promise() -> None:
    cells = lonely()
    finding = attacked(cells, cells.count.reveal(), Says(Definition.STRONG, "0.1"))[1]
    assert finding.status is Status.FAIL
    assert "not kept" in finding.sentence


def test_that_noise_for_workers_is_said_to_leave_employers_exposed() -> None:
    cells = lonely()
    finding = attacked(cells, laplace_draw(cells))[1]
    assert finding.status is Status.WARN
    assert "employers stay exposed" in finding.sentence
    assert any(table.title == "Where they are" for table in finding.tables)


def laplace_draw(cells: Cells) -> Any:
    rng = np.random.Generator(np.random.PCG64(12))
    return (cells.count.reveal() + np.rint(rng.laplace(0.0, 1.0, cells.domain.cells))).astype(np.int64)


def test_that_noise_in_proportion_to_the_employer_passes() -> None:
    cells = lonely()
    finding = attacked(cells, noisy(cells, 0.1), Says(Definition.STRONG, "0.1"), epsilon="2")[1]
    assert finding.status is Status.PASS
    assert finding.does_not_prove


@pytest.mark.parametrize("seed", range(4))
def test_that_an_honest_mechanism_that_protects_employers_passes_whatever_it_draws(seed: int) -> None:
    cells, params = lonely(300, seed), block_gamma.BlockGammaParams()
    values = block_gamma.SPEC.study(cells, params, StudyRandom(seed), QUIET).reveal().values
    release = released(values, block_gamma.SPEC.id)
    subject = Subject(words=JOBS, prepared=cells, mechanism=block_gamma.SPEC, params=params, release=release)
    today, drawn = check.SPEC.run(subject, check.AttacksParams(), QUIET)
    assert drawn.status is Status.PASS
    assert float(str(drawn.values["size_known_release_reliable"])) < 0.25
    assert today.values["size_known_rounded_reliable"] == 1.0


def test_that_attacks_that_do_not_apply_are_named_with_the_reason() -> None:
    finding = attacked(hand_made.cells(worker=False))[0]
    told = {row[0]: row[1] for table in finding.tables if "do not apply" in table.title for row in table.rows}
    assert set(told) == {"shape", "size, with one count known", "workers' attributes"}
    assert all("worker attribute" in str(why) for why in told.values())


def test_that_without_a_release_a_study_draw_is_attacked_and_said_so() -> None:
    finding = attacked(lonely())[1]
    assert finding.status is Status.WARN
    assert "study draw" in finding.sentence


def test_that_nothing_of_it_is_public() -> None:
    assert all(finding.audience is Audience.INTERNAL for finding in attacked(lonely()))


def test_that_data_without_lone_establishments_or_contributions_say_so() -> None:
    together = [("A", 0, 0, (3, 4)), ("B", 0, 0, (5, 1))]
    for cells in (hand_made.cells(together), dataclasses.replace(hand_made.cells(), contributions=None)):
        (finding,) = attacked(cells)
        assert finding.status is Status.INFO
        assert "Nothing was attacked" in finding.sentence
    with pytest.raises(Defect):
        scene_of(dataclasses.replace(hand_made.cells(), contributions=None))


def test_that_bounds_in_the_wrong_order_are_refused() -> None:
    (problem,) = problems_of(check.AttacksParams(least=Decimal("0.2"), most=Decimal("0.1")))
    assert problem.where == "most"
