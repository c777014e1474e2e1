"""What a claim enters in the ledger: one entry for each of its parts, or one for the whole."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from workbench.accounting.composition import sequential
from workbench.core.claims import Claim, ClaimPart, Coverage, Definition, ExactTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a claim, or one part of it, spends under its own definition. `part` is empty for a whole claim.

    `claimed` is the same for the entries of one claim and for no other, before a draw has given them a number.
    """

    definition: Definition
    unit: str
    epsilon: Decimal
    delta: Decimal = Decimal(0)
    alpha: Decimal | None = None
    formal: bool = True
    coverage: Coverage | None = None
    group_size: int = 1
    part: str = ""
    rho: Decimal | None = None
    exact: tuple[ExactTable, ...] = ()
    claimed: int | None = field(default=None, compare=False)


_CLAIMS = itertools.count(1)


def counted_under(definition: Definition, *, formal: bool) -> Definition:
    """The definition with whose cap a claim is compared: what is not formal counts as conditional, never as its own."""
    return definition if formal or definition is Definition.NONE else Definition.CONDITIONAL


def entries_of(claim: Claim) -> tuple[Entry, ...]:
    """The entries of a claim, which together never count less than the claim promises.

    One for each part. Where all parts are alike (the claim's own definition, the same input) and the whole was proved
    to be less than their sum, the whole is entered: the parts would count too much.
    """
    whole = Entry(
        definition=counted_under(claim.definition, formal=claim.formal),
        unit=claim.unit,
        epsilon=claim.epsilon,
        delta=claim.delta,
        alpha=claim.alpha,
        formal=claim.formal,
        coverage=claim.coverage,
        group_size=claim.group_size,
        rho=claim.rho,
        exact=claim.exact,
    )
    if not claim.parts or (_alike(claim) and not _adds_up(claim, claim.parts)):
        return (whole,)
    number = next(_CLAIMS)
    return tuple(replace(_entry(claim, part), claimed=number) for part in claim.parts)


def _alike(claim: Claim) -> bool:
    return all(part.definition in (None, claim.definition) and part.coverage is None for part in claim.parts)


def _adds_up(claim: Claim, parts: Sequence[ClaimPart]) -> bool:
    total = sequential(part.epsilon for part in parts), sequential(part.delta for part in parts)
    return total == (claim.epsilon, claim.delta)


def _entry(claim: Claim, part: ClaimPart) -> Entry:
    own = part.definition is None or part.definition is claim.definition
    formal = claim.formal if part.formal is None else part.formal
    return Entry(
        definition=counted_under(part.definition or claim.definition, formal=formal),
        unit=part.unit or claim.unit,
        epsilon=part.epsilon,
        delta=part.delta,
        alpha=part.alpha if part.alpha is not None or not own else claim.alpha,
        formal=formal,
        coverage=part.coverage if part.coverage is not None else claim.coverage,
        group_size=claim.group_size,
        part=part.name,
        exact=claim.exact,
    )
