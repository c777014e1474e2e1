"""Recipe A: chosen words through the sampler that publishes, against the integers that the declared law foresees.

Each value gets in turn every depth of the tail, from one half to 2⁻⁴⁰, on either side. There is no chance in it, so one
difference is enough; values within a millionth of a rounding edge are left out. A sampler that draws again until a
value is accepted gets words that do not come round again, the same ones every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.audit.chosen_words import ChosenWords, Pattern, Words
from workbench.audit.contract import Subject
from workbench.audit.declared_law.trial import answers_of, declared_by, law_for
from workbench.core.arrays import Integers
from workbench.core.progress import QUIET
from workbench.mechanisms.contract import Rehearsal
from workbench.noise.declared.contract import Foreseeable

DEPTHS = (1, 2, 4, 8, 12, 16, 17, 20, 24, 30, 36, 40)
TURNS = 24
_SPREAD = 1.2345
_FEWER = "“{name}” takes fewer random words than its law needs."
_FIRST = 1.1  # at depth 1, so that the tail stays below one


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """How many values were foreseen, how many came out otherwise, and why the rest could not be foreseen."""

    foreseen: int = 0
    different: int = 0
    unforeseeable: str = ""
    trouble: str = ""

    def __add__(self, other: Rehearsed) -> Rehearsed:
        return Rehearsed(
            foreseen=self.foreseen + other.foreseen,
            different=self.different + other.different,
            unforeseeable=self.unforeseeable or other.unforeseeable,
            trouble=self.trouble or other.trouble,
        )


def pattern(turn: int) -> Pattern:
    """Depths and sides that rotate over places and turns."""
    tails = np.array([2.0**-depth * (_FIRST if depth == 1 else _SPREAD) for depth in DEPTHS])
    bits = (tails * 2.0**63).astype(np.uint64)

    def words(first: int, count: int) -> Words:
        place = np.arange(first, first + count)
        upper = (place // len(DEPTHS) + place + turn // len(DEPTHS)) % 2
        chosen: Words = bits[(place + turn) % len(DEPTHS)] | (upper.astype(np.uint64) << np.uint64(63))
        return chosen

    return words


def varied(turn: int) -> Pattern:
    """Words that look random and are the same for the same place and turn: a counter, mixed (Steele et al. 2014)."""

    def words(first: int, count: int) -> Words:
        with np.errstate(over="ignore"):
            mixed = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            mixed += np.uint64(turn) * np.uint64(0xD1B54A32D192ED03)
            for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
                mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
            found: Words = mixed ^ (mixed >> np.uint64(31))
        return found

    return words


def rehearsed(subject: Subject, prepared: Any, turn: int) -> Rehearsed:
    """One release with the words of this turn."""
    laws = declared_by(subject, prepared) or {}
    for name, declared in laws.items():  # sampling with rejection may never end with words that do not change
        if not declared.by_words or (
            declared.exact is not None and not isinstance(declared.law(declared.exact.reveal()), Foreseeable)
        ):
            return Rehearsed(unforeseeable=name)
    rejects = any(declared.rejects for declared in laws.values())
    source = ChosenWords(varied(turn) if rejects else pattern(turn))
    drawn: Any = subject.mechanism.release(prepared, subject.params, source, QUIET)  # type: ignore[arg-type]
    if not isinstance(drawn, Rehearsal):
        return Rehearsed(trouble="With chosen words the mechanism makes a release, which could be published.")
    release, handed = drawn.reveal(), iter(source.handed)
    found, asked_alone, earlier = Rehearsed(), 0, dict[str, Integers]()
    for answer in answers_of(release):
        law = law_for(answer, laws, earlier)
        if law is None:
            return found + Rehearsed(trouble=f"No law is declared for “{answer.name}”.")
        if not isinstance(law, Foreseeable):
            return found + Rehearsed(unforeseeable=answer.name)
        if len(law) == 1:  # its word is not told from further bits of others, but it must have asked for one
            asked_alone += 1
            found += Rehearsed(unforeseeable=answer.name)
            if source.refined < asked_alone:
                found += Rehearsed(trouble=_FEWER.format(name=answer.name))
            continue
        try:
            expected, sure = law.foreseen(handed)
        except (StopIteration, ValueError):
            return found + Rehearsed(trouble=_FEWER.format(name=answer.name))
        drawn_values = earlier[answer.name] = np.asarray(answer.drawn).ravel()
        if len(drawn_values) != len(expected):
            return found + Rehearsed(trouble=f"“{answer.name}” has another number of values than its law.")
        wrong = int(np.count_nonzero((drawn_values != expected) & sure))
        found += Rehearsed(foreseen=int(sure.sum()), different=wrong)
    return found
