"""Accuracy targets in words: “half within 5%”, “90% within 20%”, “mean error <= 5 jobs”, “L1 <= 1.0 x baseline”.

Each may end with “in STRATUM” (0_100, 100_10k, 10k_100k, 100k_plus) or “in every stratum”.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from workbench.core.errors import UserProblem
from workbench.core.quantities import show
from workbench.core.words import Words
from workbench.products.employment_tables.usefulness.strata import KEYS, NAMES

EVERY = "every"
_EXAMPLES = "Write for example “half within 5%”, “90% within 20%”, “mean error <= 5 jobs” or “L1 <= 1.0 x baseline”"
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_PLACE = re.compile(r"^(.*?)\s+in\s+(?:the\s+)?(?:stratum\s+)?(\S+)(?:\s+strat(?:um|a))?$", re.IGNORECASE)
_WITHIN = re.compile(
    rf"^(half|most|all|{_NUMBER}\s*(%?))(?:\s+of\s+(?:the\s+)?cells)?\s+within\s+{_NUMBER}\s*(%?)$", re.I
)
_MEAN = re.compile(rf"^mean\s+(?:absolute\s+)?error\s*(?:<=|≤|at most)\s*{_NUMBER}(?:\s*jobs?)?$", re.IGNORECASE)
_L1 = re.compile(
    rf"^L1(?:\s+error)?\s*(?:<=|≤|at most)\s*{_NUMBER}\s*(?:x|×|\*|times)\s*(?:the\s+)?(?:baseline|today)$",
    re.IGNORECASE,
)


class Kind(Enum):
    WITHIN = "share of cells within a relative error"
    MEAN = "mean absolute error"
    L1 = "L1 error against the baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What must be reached: a share of cells within a relative error, a mean error, or a ratio to today's L1 error."""

    kind: Kind
    limit: float
    share: float = 1.0
    stratum: str = ""  # a key of a stratum, “every”, or empty for all cells together

    def sentence(self, words: Words) -> str:
        """The target as understood, so that a person sees a misreading at once."""
        where = {"": "", EVERY: ", in every stratum of places"}.get(self.stratum)
        if where is None:
            where = f", in places of {NAMES[KEYS.index(self.stratum)]}"
        if self.kind is Kind.WITHIN:
            share = f"{show(100 * self.share)} % of the {words.row[1]}"
            return f"{share} within {show(100 * self.limit)} % of the count{where}"
        if self.kind is Kind.MEAN:
            unit = words.record[0] if self.limit == 1 and words.unit == words.record[1] else words.unit
            return f"a mean absolute error of at most {show(self.limit)} {unit}{where}"
        return f"an L1 error of at most {show(self.limit)} times that of current SDL{where}"


def target_from(words: str) -> Target:
    """Read a target; raises UserProblem with examples where it cannot be understood."""
    text, stratum = " ".join(words.split()), ""
    placed = _PLACE.match(text)
    if placed:
        text, stratum = placed[1], _stratum(placed[2])
    if found := _WITHIN.match(text):
        share, limit = _share(found), _part(found[4], found[5])
        if not 0 < share <= 1 or limit < 0:
            raise UserProblem("The share of cells must be above 0 and at most 100 %", "target", _EXAMPLES)
        return Target(kind=Kind.WITHIN, share=share, limit=limit, stratum=stratum)
    for kind, pattern in ((Kind.MEAN, _MEAN), (Kind.L1, _L1)):
        if found := pattern.match(text):
            limit = float(found[1])
            if limit <= 0:
                raise UserProblem("The limit of an error must be above 0", "target", _EXAMPLES)
            return Target(kind=kind, limit=limit, stratum=stratum)
    raise UserProblem(f"The target “{words[:60]}” is not understood", "target", _EXAMPLES)


def _share(found: re.Match[str]) -> float:
    named = {"half": 0.5, "most": 0.9, "all": 1.0}
    return named[found[1].lower()] if found[1].lower() in named else _part(found[2], found[3])


def _part(number: str, percent: str) -> float:
    """0.9 and 90 % are the same; a bare number above 1 can only be meant in percent."""
    value = float(number)
    return value / 100.0 if percent or value > 1 else value


def _stratum(word: str) -> str:
    if word.lower() in (EVERY, "each"):
        return EVERY
    if word in KEYS:
        return word
    raise UserProblem(f"There is no stratum “{word}”", "target", f"Use {', '.join(KEYS)} or every")
