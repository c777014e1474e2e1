"""Work in another process: the same results, steps and problems; a cancel ends it; nothing hangs when it dies."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.background import far_work
from workbench.background.defects import details_of
from workbench.background.elsewhere import Elsewhere, Lost
from workbench.core.errors import Cancelled, Defect, UserProblem
from workbench.core.progress import QUIET


class Watching:
    """A context that remembers, and cancels on a sentence."""

    def __init__(self, stop_at: str = "") -> None:
        self.heard: list[str] = []
        self._stop_at = stop_at

    def step(self, fraction: float, sentence: str) -> None:
        self.heard.append(sentence)
        if self._stop_at and sentence == self._stop_at:
            raise Cancelled


@pytest.fixture(scope="module")
def there() -> Iterator[Elsewhere]:
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.stop()


def test_that_pieces_and_steps_arrive(there: Elsewhere) -> None:
    watching = Watching()
    assert there.call(far_work.count_up, 5, context=watching, sentence="counting") == [0, 1, 2, 3, 4]
    assert watching.heard[0] == "counting"
    assert "number 4" in watching.heard


def test_that_one_process_serves_all_calls(there: Elsewhere) -> None:
    first = there.call(far_work.process_number, context=QUIET, sentence="who")
    assert there.call(far_work.process_number, context=QUIET, sentence="who") == first


def test_that_what_a_library_prints_does_not_fall_between_the_answers(there: Elsewhere) -> None:
    assert there.call(far_work.chatter, context=QUIET, sentence="listening") == ["the answer"]


def test_that_a_cancel_ends_work_that_never_asks(there: Elsewhere) -> None:
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        there.call(far_work.sleep_long, context=Watching("asleep"), sentence="sleeping")
    assert time.monotonic() - begun < 30
    assert there.call(far_work.count_up, 2, context=QUIET, sentence="counting") == [0, 1]


def test_that_a_problem_there_is_the_same_problem_here(there: Elsewhere) -> None:
    with pytest.raises(UserProblem) as found:
        there.call(far_work.have_problem, context=QUIET, sentence="trying")
    assert str(found.value) == "there: The library is missing. Install it."
    assert there.call(far_work.count_up, 1, context=QUIET, sentence="counting") == [0]


def test_that_a_defect_there_says_where_and_quotes_nothing(there: Elsewhere) -> None:
    with pytest.raises(Defect) as found:
        there.call(far_work.have_defect, context=QUIET, sentence="trying")
    told = details_of(found.value)
    assert "ValueError raised at" in told
    assert "have_defect" in told
    assert "called from" in told
    assert "4711" not in told


@pytest.mark.parametrize("work", [far_work.end_suddenly, far_work.answer_in_riddles])
def test_that_a_process_that_cannot_answer_is_lost_and_replaced(there: Elsewhere, work: object) -> None:
    with pytest.raises(Lost):
        there.call(work, context=QUIET, sentence="trying")  # type: ignore[arg-type]
    assert there.call(far_work.count_up, 1, context=QUIET, sentence="counting") == [0]


def test_that_a_process_that_cannot_be_started_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "no such program")
    with pytest.raises(Lost):
        Elsewhere().call(far_work.count_up, 1, context=QUIET, sentence="counting")
