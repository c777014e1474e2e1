"""Which releases can never meet on the same establishment or person, shown from facts and never by assertion.

A release whose input was restricted, before anything was computed, to establishments with certain values of a public
workplace attribute touches no other establishment. Two such releases on the same attribute without a common value share
none, and a neighbour moves only one of them: the larger loss counts, not the sum (Haney et al., Theorem 7.4). It does
not hold for subsets of workers inside an establishment (Theorem 7.5 is false), so only attributes that are fixed for
the whole protected unit serve as a witness.
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
            f"Releases for different values of “{self.attribute}” share no unit of protection, as recorded when each "
            "was drawn: of those the dearest value counts, not the sum."
        )


def divisions(entries: Sequence[E]) -> tuple[Parts[E], ...]:
    """Every way to divide the entries by one attribute, the undivided one first.

    A unit has one value v of the attribute, so it meets the entries that cover v and those without a witness on this
    attribute. Values that no entry names meet only the latter, which is never more.
    """
    whole = (tuple(entries),)
    names = dict.fromkeys(c.attribute for entry in entries if (c := _witness(entry)) is not None)
    return (Parts(whole), *(Parts(_groups(entries, name), name) for name in names))


def _groups(entries: Sequence[E], attribute: str) -> tuple[tuple[E, ...], ...]:
    witnesses = [c for entry in entries if (c := _witness(entry)) is not None and c.attribute == attribute]
    values = dict.fromkeys(value for witness in witnesses for value in witness.values)
    groups = (tuple(entry for entry in entries if _meets(entry, attribute, value)) for value in values)
    return tuple(dict.fromkeys(groups))


def _meets(entry: Covering, attribute: str, value: str) -> bool:
    witness = _witness(entry)
    return witness is None or witness.attribute != attribute or value in witness.values


def _witness(entry: Covering) -> Coverage | None:
    """The entry's witness where it serves the entry's definition."""
    witness: Coverage | None = getattr(entry, "coverage", None)
    return witness if witness is not None and serves(witness, entry.definition) else None
