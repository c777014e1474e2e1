"""Small tables with all margins, and attackers written apart from the program: one programme for each question."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from scipy import optimize

from workbench.baselines.suppression.contributions import Contributions, behind, gathered, summed
from workbench.baselines.suppression.hierarchy import Dimension
from workbench.baselines.suppression.lattice import Key
from workbench.baselines.suppression.system import System, additive

Place = tuple[int, ...]


def name(place: Iterable[int | None]) -> Key:
    """The key of a cell by its position in each dimension; None is the total."""
    return tuple(None if at is None else f"{'rcl'[number]}{at}" for number, at in enumerate(place))


def table(inner: Any, *, counts: bool = True, holders: dict[Place, list[tuple[int, float]]] | None = None) -> System:
    """A table of any dimension with all margins. `holders` names who contributes what to each inner cell."""
    numbers = np.asarray(inner, dtype=np.float64)
    places = list(product(*[[*range(size), None] for size in numbers.shape]))
    values = [float(numbers[tuple(slice(None) if at is None else at for at in place)].sum()) for place in places]
    keys = [name(place) for place in places]
    dimensions = [Dimension(name="rcl"[number]) for number in range(numbers.ndim)]
    if holders is None:
        return additive(dimensions, keys, np.array(values), counts=counts)
    contributions = _contributions(numbers, places, holders)
    facts = behind(contributions, np.array(values), kept=2)
    return additive(dimensions, keys, np.array(values), behind=facts, contributions=contributions, counts=counts)


def _contributions(
    numbers: Any, places: list[tuple[int | None, ...]], holders: dict[Place, list[tuple[int, float]]]
) -> Contributions:
    from scipy.sparse import csr_array

    inner = list(np.ndindex(numbers.shape))
    entries = [(inner.index(place), who, share) for place, shares in holders.items() for who, share in shares]
    cells, who, share = zip(*entries, strict=True)
    given = summed(np.array(cells), np.array(who), np.array(share, dtype=np.float64), cells=len(inner))
    inside = [[all(at is None or at == own for at, own in zip(place, cell, strict=True)) for cell in inner]
              for place in places]  # fmt: skip
    return gathered(csr_array(np.array(inside, dtype=np.float64)), given)


def people(inner: Any) -> dict[Place, list[tuple[int, float]]]:
    """Everybody counts one and is in one inner cell."""
    numbers = np.asarray(inner)
    made: dict[Place, list[tuple[int, float]]] = {}
    following = 0
    for place in np.ndindex(numbers.shape):
        many = int(numbers[place])
        made[place] = [(following + each, 1.0) for each in range(many)]
        following += many
    return made


def at(system: System, *place: int | None) -> int:
    return system.lattice.numbers[name(place)]


def mask(system: System, places: Iterable[tuple[int | None, ...]]) -> Any:
    made = np.zeros(system.cells, dtype=bool)
    made[[at(system, *place) for place in places]] = True
    return made


def equations(system: System) -> Any:
    """What adds up to what, worked out from the codes alone: an inner cell is in every margin that covers it."""
    keys = system.lattice.keys
    inner = [number for number, key in enumerate(keys) if None not in key]
    rows = []
    for number, key in enumerate(keys):
        if None in key:
            row = np.zeros(len(keys))
            row[number] = 1.0
            row[[cell for cell in inner if _covers(key, keys[cell])]] = -1.0
            rows.append(row)
    return np.array(rows)


def _covers(key: Key, cell: Key) -> bool:
    return all(code is None or code == own for code, own in zip(key, cell, strict=True))


def apart(
    system: System, suppressed: Any, cell: int, *, low: Any = None, fixed: Iterable[int] = (), whole: bool = False
) -> tuple[float, float]:
    """The smallest and largest value of a cell over all tables that fit, by a programme over all cells."""
    least = np.zeros(system.cells) if low is None else np.asarray(low, dtype=np.float64)
    shown = ~suppressed
    shown[list(fixed)] = True
    lower, upper = np.where(shown, system.values, least), np.where(shown, system.values, np.inf)
    matrix = equations(system)
    ends = []
    for sign in (1.0, -1.0):
        goal = np.zeros(system.cells)
        goal[cell] = sign
        found = optimize.milp(
            goal,
            constraints=optimize.LinearConstraint(matrix, 0.0, 0.0),
            bounds=optimize.Bounds(lower, upper),
            integrality=np.full(system.cells, int(whole)),
        )
        ends.append(np.inf if found.status == 3 else float(found.x[cell]))
    return ends[0], ends[1]
