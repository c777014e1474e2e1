"""Which releases can never meet on the same establishment or person, shown from facts and never by assertion.

A release whose input was restricted, before anything was computed, to establishments with certain values of a public
workplace attribute touches no other establishment. Two such releases on the same attribute without a common value share
none, and a neighbour moves only one of them: the larger loss counts, not the sum (Haney et al., Theorem 7.4). It does
not hold for subsets of workers inside an establishment (Theorem 7.5 is false), so only attributes that are fixed for
the whole protected unit serve as a witness.

A workplace has its public attributes whatever is drawn. A person has one area or institution only because one of the
person's rows was kept, by the rule and from the file of one draw: another rule, another cap or next year's file may
keep another. So a witness for persons sets the parts of one draw apart and never two draws.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workbench.core.claims import Coverage, Definition
from workbench.core.plain import canonical

ESTABLISHMENT, PERSON = "establishment", "person"
# What must be fixed so that a neighbour under the definition stays inside one part. A definition without a line never
# composes in parallel: its unit is not known well enough.
_UNIT = {
    Definition.STRONG: ESTABLISHMENT,
    Definition.WEAK: ESTABLISHMENT,
    Definition.NODE: ESTABLISHMENT,
    Definition.EDGE: PERSON,
    Definition.CENTRAL: PERSON,
    Definition.HISTORY: PERSON,
}


def serves(witness: Coverage, definition: Definition) -> bool:
    """Whether a neighbour under the definition stays inside what the witness names: its unit has one value each."""
    return _UNIT.get(definition) in witness.fixed_for and bool(witness.values)


def coverage_text(witness: Coverage | None) -> str:
    """As the ledger stores it."""
    return "" if witness is None else canonical(witness).decode("utf-8")


def coverage_from(text: str) -> Coverage | None:
    """The witness that was stored; None where all is covered. Raises ValueError or KeyError if broken."""
    if not text:
        return None
    raw = json.loads(text)
    return Coverage(attribute=raw["attribute"], values=tuple(raw["values"]), fixed_for=tuple(raw["fixed_for"]))


class Covering(Protocol):
    @property
    def definition(self) -> Definition: ...


E = TypeVar("E", bound=Covering)


@dataclass(frozen=True, slots=True)
class Parts(Generic[E]):
    """Entries grouped by what can fall on the same unit. One group with everything where nothing is shown apart."""

    groups: tuple[tuple[E, ...], ...]
    attribute: str = ""

    @property
    def apart(self) -> bool:
        return len(self.groups) > 1

    def sentence(self) -> str:
        if not self.apart:
            return ""
        return (
            f"Releases, or parts of one, for different values of “{self.attribute}” share no unit of protection, as "
            "recorded when each was drawn: of those the dearest value counts, not the sum."
        )


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was shown: that units have one value each of an attribute, everywhere or within one draw."""

    attribute: str
    draw: int | None = None


def divisions(entries: Sequence[E]) -> tuple[Parts[E], ...]:
    """Every way to divide the entries by one attribute, the undivided one first.

    A unit has one value v of the attribute, so it meets the entries that cover v and those without a witness on this
    attribute. Values that no entry names meet only the latter, which is never more.
    """
    whole = (tuple(entries),)
    known = dict.fromkeys(shown for entry in entries if (shown := _shown(entry)) is not None)
    return (Parts(whole), *(Parts(_groups(entries, shown), shown.attribute) for shown in known))


def _groups(entries: Sequence[E], shown: _Shown) -> tuple[tuple[E, ...], ...]:
    witnesses = [c for entry in entries if _shown(entry) == shown and (c := _witness(entry)) is not None]
    values = dict.fromkeys(value for witness in witnesses for value in witness.values)
    groups = (tuple(entry for entry in entries if _meets(entry, shown, value)) for value in values)
    return tuple(dict.fromkeys(groups))


def _meets(entry: Covering, shown: _Shown, value: str) -> bool:
    witness = _witness(entry)
    return witness is None or _shown(entry) != shown or value in witness.values


def _shown(entry: Covering) -> _Shown | None:
    """The attribute of the entry's witness, with the draw where it holds for that draw alone."""
    witness = _witness(entry)
    if witness is None:
        return None
    draw = getattr(entry, "run_id", None) if _UNIT[entry.definition] == PERSON else None
    return _Shown(witness.attribute, draw)


def _witness(entry: Covering) -> Coverage | None:
    """The entry's witness where it serves the entry's definition."""
    witness: Coverage | None = getattr(entry, "coverage", None)
    return witness if witness is not None and serves(witness, entry.definition) else None
