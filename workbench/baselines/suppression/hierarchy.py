"""One dimension of a table: its codes, which code each of them is part of, and what of a column they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.core.circles import circles
from workbench.core.errors import Problem, raise_if

Pair = tuple[str, str]  # (code, the code it is part of)
Range = tuple[float, float]  # from, and up to but not including
Extent = Range | frozenset[str]  # what a code covers of its column: numbers, or codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """Codes with their parents; a code without one is part of the total. Make it with `nested` where there are any.

    `column` is the column that was grouped into these codes, and `extents` what of it each code covers; with `prefix`,
    codes are the first so many characters of that column's. Dimensions of one column meet in their common atoms.

    Where `summed` is false, no total is taken over the codes: they are some of the rows, and what they leave has no
    name here. `hidden`: no table lists its codes.
    """

    name: str
    parents: Mapping[str, str] = field(default_factory=dict)
    column: str = ""  # none: codes are those of the column of this name
    extents: Mapping[str, Extent] = field(default_factory=dict)
    prefix: int = 0
    summed: bool = True
    hidden: bool = False

    @property
    def of(self) -> str:
        """The column that this is a grouping of."""
        return self.column or self.name

    @property
    def recoded(self) -> bool:
        """Whether codes mean something in this grouping alone."""
        return bool(self.extents or self.prefix)

    def above(self, code: str | None) -> tuple[str | None, ...]:
        """The code itself and everything it is part of, up to the total (None) where there is one."""
        if not self.summed:
            return (code,)
        chain: list[str | None] = [code]
        while chain[-1] is not None:
            chain.append(self.parents.get(chain[-1]))
        return tuple(chain)


def nested(name: str, pairs: Iterable[Pair]) -> Dimension:
    """A dimension from pairs of code and parent; refuses codes with two parents and codes that contain themselves."""
    found = list(dict.fromkeys(pairs))
    parents = dict(found)
    raise_if((*_twice(name, found), *_cycles(name, parents)))
    return Dimension(name=name, parents=parents)


def _twice(name: str, pairs: list[Pair]) -> tuple[Problem, ...]:
    above: dict[str, list[str]] = {}
    for code, parent in pairs:
        above.setdefault(code, []).append(parent)
    return tuple(
        Problem(
            f"The code {code} is part of both {parents[0]} and {parents[1]}",
            f"hierarchy of {name}",
            "Give each code one parent; describe a second way of grouping as a dimension of its own",
        )
        for code, parents in above.items()
        if len(parents) > 1
    )


def _cycles(name: str, parents: Mapping[str, str]) -> tuple[Problem, ...]:
    return tuple(
        Problem(
            f"The codes {' → '.join(ring)} contain each other in a circle",
            f"hierarchy of {name}",
            f"Remove one of these lines from the hierarchy, for example the parent of {ring[-2]}",
        )
        for ring in circles(parents)
    )
