"""What a mechanism promises, in numbers a ledger can add and a sentence a person can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from enum import StrEnum

from workbench.core.errors import Defect
from workbench.core.plain import LATER


class Definition(StrEnum):
    """The privacy definition a claim is made under. Claims under different definitions are never added up.

    RESIDENCE: one worker's home, workplaces and sizes being public. HISTORY: a person with all years there or not.
    CENTRAL: one record there or not. REPLACED: one record with other values, how many there are being public.
    """

    EDGE = "edge differential privacy"
    STRONG = "strong (α, ε) employer-employee privacy"
    WEAK = "weak (α, ε) employer-employee privacy"
    NODE = "node differential privacy"
    LOCAL = "local differential privacy"
    PROBABILISTIC = "(ε, δ)-probabilistic differential privacy"
    CENTRAL = "differential privacy"
    REPLACED = "differential privacy, one record replaced"
    HISTORY = "differential privacy of whole histories"
    RESIDENCE = "residence privacy"
    CONDITIONAL = "conditional on a data-dependent constant"
    NONE = "no formal guarantee"


class Standing(StrEnum):
    """How firmly a promise stands: what a reader may rely on, and what a gate does with it."""

    UNKNOWN = "not known yet"
    PROVED = "proved"
    PROVED_IF = "proved if"
    NOT_FORMAL = "not formal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The witness of parallel composition: only units whose public `attribute` has one of `values` were in the input.

    `fixed_for` names the units for which the attribute was checked to have one value each (see `accounting.coverage`).
    The mechanism that restricts its input says this with its claim; no plan, policy or person can state it.
    """

    attribute: str
    values: tuple[str, ...]
    fixed_for: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactTable:
    """What a release tells without noise: `value` added up over `keys` is the true number, for everybody to work out.

    It makes ε infinite for every neighbour that changes it. `leaves` are the definitions none of whose neighbours does.
    """

    what: str
    keys: tuple[str, ...]
    value: str
    leaves: tuple[Definition, ...]

    def ends(self, definition: Definition) -> bool:
        """Whether no bound under this definition survives beside it."""
        return definition not in self.leaves


READ_AS = " · "
_DEFINITIONS = frozenset(each.value for each in Definition)


def answer_of(part: str) -> str:
    """What a part speaks of, without the definition it is read under. A name may hold the mark itself."""
    answer, _, under = part.rpartition(READ_AS)
    return answer if under in _DEFINITIONS else part


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPart:
    """What one part of a release spends: a column, a year, a variable of a record.

    Definition, unit and whether it is proved are those of the whole claim unless the part says otherwise. `beside`
    marks an answer beside the published values, with noise of its own. A part named after another with `READ_AS` and
    its own definition is the same answer read twice (`answer_of`): the two are never added.
    """

    name: str
    epsilon: Decimal
    delta: Decimal = Decimal(0)
    definition: Definition | None = field(default=None, metadata=LATER)
    unit: str = field(default="", metadata=LATER)
    alpha: Decimal | None = field(default=None, metadata=LATER)
    formal: bool | None = field(default=None, metadata=LATER)
    coverage: Coverage | None = field(default=None, metadata=LATER)
    beside: bool = field(default=False, metadata=LATER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A promise: definition, unit of protection, ε, δ, α, what it assumes, and whether it is a proved guarantee.

    `parts` say how ε is divided; the whole is never more than the sum of those under its own definition. `condition`
    names what the promise holds fixed although it was computed from the data ("the observed sensitivity χ"): such a
    promise is not a formal one. `workings` says how the parts of one table add up to ε, for the ledger. `group_size` is
    how many records of one person the promise covers at once; a promise for a single record counts so many times.
    `rho` is that of a claim accounted for in zCDP, of which ε and δ are one reading. `provided` are the conditions
    under which a formal claim is proved and which a person must declare; `remedy` says what would make a claim formal
    that is not. `exact` is what the release tells without noise beside what it protects.
    """

    definition: Definition
    unit: str
    epsilon: Decimal
    sentence: str
    delta: Decimal = Decimal(0)
    alpha: Decimal | None = None
    formal: bool = True
    assumptions: tuple[str, ...] = ()
    composition: str = "Sequential: ε adds up over every release from the same data."
    parts: tuple[ClaimPart, ...] = field(default=(), metadata=LATER)
    condition: str = field(default="", metadata=LATER)
    workings: str = field(default="", metadata=LATER)
    group_size: int = field(default=1, metadata=LATER)
    coverage: Coverage | None = field(default=None, metadata=LATER)
    rho: Decimal | None = field(default=None, metadata=LATER)
    provided: tuple[str, ...] = field(default=(), metadata=LATER)
    remedy: str = field(default="", metadata=LATER)
    exact: tuple[ExactTable, ...] = field(default=(), metadata=LATER)

    @property
    def standing(self) -> Standing:
        if not self.formal:
            return Standing.NOT_FORMAL
        return Standing.PROVED_IF if self.provided else Standing.PROVED

    @property
    def standing_words(self) -> str:
        """How firmly it stands, in one or two sentences."""
        if self.standing is Standing.PROVED:
            return "Proved."
        if self.standing is Standing.PROVED_IF:
            return f"Proved if {'; and if '.join(self.provided)}."
        held = f" It holds {self.condition} fixed." if self.condition else ""
        return f"Not a formal guarantee.{held}{f' To make it formal: {self.remedy}' if self.remedy else ''}"

    def __post_init__(self) -> None:
        own = [part for part in self.parts if part.definition in (None, self.definition)]
        if self.parts and (_more(self.epsilon, own, "epsilon") or _more(self.delta, own, "delta")):
            raise Defect("a claim promises more than its parts add up to")


def of_values(claim: Claim) -> Claim:
    """What is promised of the published values alone, without what stands beside them at an ε of its own."""
    besides = [part for part in claim.parts if part.beside and part.definition in (None, claim.definition)]
    if not besides:
        return claim
    with localcontext(prec=200, Emax=MAX_EMAX, Emin=MIN_EMIN):
        epsilon = claim.epsilon - sum((part.epsilon for part in besides), Decimal(0))
    return replace(claim, epsilon=epsilon, parts=tuple(part for part in claim.parts if not part.beside))


def _more(whole: Decimal, parts: Sequence[ClaimPart], name: str) -> bool:
    """Whether the parts together spend less than the whole, so that a ledger of parts would count too little."""
    with localcontext(prec=200, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return sum((getattr(part, name) for part in parts), Decimal(0)) < whole
