"""From Arrow batches to compact codes: one encoder per column, no Python object per row.

Each batch brings its own dictionary. An encoder keeps the batch's small local codes, collects the dictionaries, and
only at the end brings all of them to one sorted list of texts and rewrites the codes by one lookup per batch.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.core.confidential import Confidential
from workbench.core.errors import UserProblem
from workbench.core.progress import QUIET, Context, Part
from workbench.microdata.dictionary import ColumnWords
from workbench.microdata.merge import Merged, merged
from workbench.microdata.numbers import FRACTION, Notation, all_numbers, as_plain, read_numbers
from workbench.microdata.table import MISSING, CodedColumn, Codes, Column, NumericColumn, Texts
from workbench.microdata.texts import FEW, as_doubles, as_text, as_values, smallest_integer

MANY = 256  # a column of fractions with more distinct values than this is a measurement, not a category
_LARGE = 1 << 30
_LONGEST = 1 << 24  # bytes of one value
_SAMPLE = 4096


def _mostly_distinct(texts: Any) -> bool:
    """Whether hashing a batch of texts would find few repetitions: then every row brings its own text."""
    if len(texts) < 2 * _SAMPLE or texts.null_count:
        return False
    return len(texts.slice(0, _SAMPLE).unique()) > _SAMPLE // 2


def is_measurement(texts: Any, notation: Notation) -> bool:
    """Whether distinct texts are fractions, and many different ones."""
    import pyarrow.compute as pc

    if len(texts) <= MANY or not all_numbers(texts, notation):
        return False
    return bool(pc.any(pc.match_substring_regex(as_plain(texts, notation), FRACTION)).as_py())


@dataclass(frozen=True, slots=True)
class _Part:
    """The local codes of one batch (-1 where missing) and where their dictionary begins among all collected texts.

    Without codes every row brought a text of its own, in this order.
    """

    rows: int
    codes: NDArray[Any] | None
    start: int

    def read(self, lookup: NDArray[Any], into: NDArray[Any]) -> None:
        """Write what the table says of each row, or of the first ones."""
        if self.codes is None:
            into[:] = lookup[: len(into)]
        else:
            np.take(lookup, self.codes[: len(into)], out=into, mode="wrap")


@dataclass(frozen=True, slots=True)
class Distinct:
    """The distinct texts of a column (Arrow, blanks left out) and, for every collected text, its position or -1."""

    texts: Any
    position: NDArray[np.int32]


class TooLong(UserProblem):
    """A column with a value that is read by no step."""

    def __init__(self, name: str, holds: str) -> None:
        self.holds = holds
        super().__init__(f"“{name}” holds {holds}", "", "Remove the value, or give the column the role ignore")


class ColumnEncoder:
    """Takes a column batch by batch; `finish` gives it as codes or numbers."""

    def __init__(self, name: str, *, numbers: bool = False) -> None:
        self.name = name
        self.rows = 0
        self._numbers = numbers
        self._floats: list[NDArray[np.float64]] = []
        self._parts: list[_Part] = []
        self._texts: list[Any] = []
        self._collected = 0
        self._dictionary: Any = None
        self._start = 0
        self._merged: Merged | None = None

    def add(self, array: Any) -> None:
        """One more batch of this column."""
        import pyarrow as pa

        self.rows += len(array)
        kind = array.type
        if self._numbers and (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            self._floats.append(as_doubles(array).to_numpy(zero_copy_only=False))
            return
        if pa.types.is_string(kind) and _mostly_distinct(array):
            self._parts.append(_Part(len(array), None, self._collect(array)))
            return
        coded = array if pa.types.is_dictionary(kind) else array.dictionary_encode()
        start = self._collect(coded.dictionary)
        indices = coded.indices
        if indices.null_count:
            if pa.types.is_unsigned_integer(indices.type):  # as Polars counts: without room for a gap
                indices = indices.cast(pa.int64())
            indices = indices.fill_null(-1)
        codes = indices.to_numpy(zero_copy_only=False)
        self._parts.append(_Part(len(codes), codes.astype(smallest_integer(len(coded.dictionary))), start))

    def _collect(self, dictionary: Any) -> int:
        """Where this dictionary begins. Batches of one row group bring a growing one: only its new end is kept."""
        known = self._dictionary
        grows = (
            known is not None
            and known.type == dictionary.type
            and len(known) <= len(dictionary)
            and dictionary.slice(0, len(known)).equals(known)
        )
        fresh = dictionary.slice(len(known)) if grows else dictionary
        self._require_short(fresh)
        if not grows:
            self._start = self._collected
        self._dictionary = dictionary
        if len(fresh):
            self._texts.append(as_text(fresh))
            self._collected += len(fresh)
        return self._start

    def _require_short(self, values: Any) -> None:
        """A value of many millions of characters is no code, name or number, and would be copied several times."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = values.type
        texts = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
        if not texts or values.nbytes <= _LONGEST:
            return
        longest = pc.max(pc.binary_length(values)).as_py() or 0
        if longest > _LONGEST:
            raise TooLong(self.name, f"a value of {longest / 2**20:,.0f} MB")

    @property
    def already_numbers(self) -> bool:
        """Whether the file itself stored numbers and they were asked for as numbers."""
        return bool(self._floats)

    def _merge(self, context: Context) -> Merged | None:
        if self._merged is None:
            self._merged = merged(self._texts, context)
        return self._merged

    @cached_property
    def distinct(self) -> Distinct:
        """The distinct texts over all batches. Blank texts count as missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        large = sum(texts.nbytes for texts in self._texts) > _LARGE
        packed = None if large else self._merge(QUIET)
        if packed is not None:
            return Distinct(packed.values.as_arrow(), packed.position)
        kind = pa.large_string() if large else pa.string()
        joined = pa.concat_arrays([texts.cast(kind) for texts in self._texts] or [pa.array([], kind)])
        coded = joined.dictionary_encode()
        texts = coded.dictionary
        kept = pc.fill_null(pc.not_equal(pc.utf8_trim_whitespace(texts), ""), False).to_numpy(zero_copy_only=False)
        renumbered = np.where(kept, np.cumsum(kept) - 1, MISSING).astype(np.int32)
        indices = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        position = np.take(np.append(renumbered, np.int32(MISSING)), indices, mode="wrap")
        return Distinct(texts.filter(pa.array(kept)), position.astype(np.int32, copy=False))

    def is_measurement(self, notation: Notation) -> bool:
        """Whether a column without a role is better kept as numbers."""
        return self.already_numbers or is_measurement(self.distinct.texts, notation)

    def missing(self, context: Context) -> int:
        """How many cells are empty, without sorting anything."""
        if self.already_numbers:
            return int(sum(np.count_nonzero(np.isnan(part)) for part in self._floats))
        total = 0
        for part, lookup in self._lookups(self.distinct.position):
            found = np.empty(part.rows, lookup.dtype)
            part.read(lookup, found)
            total += int(np.count_nonzero(found < 0))
            context.step(0.5, f"Counting empty cells of “{self.name}”")
        return total

    def first_codes(self, most: int) -> NDArray[np.int32]:
        """What the first rows hold, as positions among the distinct texts, −1 where missing."""
        found: list[NDArray[np.int32]] = []
        for part, lookup in self._lookups(self.distinct.position):
            found.append(np.empty(min(most, part.rows), np.int32))
            part.read(lookup, found[-1])
            most -= part.rows
            if most <= 0:
                break
        return np.concatenate(found) if found else np.zeros(0, np.int32)

    def finish(self, words: ColumnWords, *, numbers: bool, notation: Notation, context: Context) -> Column:
        """The column as codes into sorted texts, or as numbers."""
        return self._numeric(words, notation, context) if numbers else self._coded(words, context)

    def _coded(self, words: ColumnWords, context: Context) -> CodedColumn:
        values, position = self._sorted(Part(context, 0.0, 0.7))
        codes: Codes = np.empty(self.rows, np.dtype(smallest_integer(len(values))))
        missing = self._fill(codes, position.astype(codes.dtype, copy=False), Part(context, 0.7, 1.0))
        self._parts.clear()
        return CodedColumn(
            name=self.name, codes=Confidential(codes), values=values, labels=words.labels,
            populations=words.populations, title=words.title, missing=missing, labels_inside=words.inside,
        )  # fmt: skip

    def _sorted(self, context: Context) -> tuple[Texts, NDArray[np.int32]]:
        """The sorted distinct texts, and for every collected text its place among them (-1 where blank)."""
        import pyarrow.compute as pc

        packed = self._merge(context)
        if packed is not None:
            self._texts.clear()
            return tuple(packed.values) if len(packed.values) <= FEW else packed.values, packed.position
        found = self.distinct
        context.step(0.4, f"Sorting the values of “{self.name}”")
        order = pc.sort_indices(found.texts)
        context.step(0.8, f"Sorting the values of “{self.name}”")
        rank = np.full(len(order) + 1, MISSING, np.int32)
        rank[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
        listed = as_values(found.texts.take(order), Part(context, 0.8, 1.0))
        return listed, np.take(rank, found.position, mode="wrap")

    def _numeric(self, words: ColumnWords, notation: Notation, context: Context) -> NumericColumn:
        numbers = np.empty(self.rows, np.float64)
        if self.already_numbers:
            done = 0
            for part in self._floats:
                numbers[done : done + len(part)] = part
                done += len(part)
        else:
            read = read_numbers(self.distinct.texts, notation, self.name)
            self._fill(numbers, np.take(np.append(read, np.nan), self.distinct.position, mode="wrap"), context)
        missing = int(np.count_nonzero(np.isnan(numbers)))
        return NumericColumn(name=self.name, numbers=Confidential(numbers), title=words.title, missing=missing)

    def _fill(self, into: NDArray[Any], of_text: NDArray[Any], context: Context) -> int:
        """Write for every row what its text stands for; returns how many codes are missing."""
        done = missing = 0
        for part, lookup in self._lookups(of_text):
            rows = into[done : done + part.rows]
            part.read(lookup, rows)
            missing += int(np.count_nonzero(rows == MISSING))
            done += part.rows
            context.step(done / max(self.rows, 1), f"Encoding “{self.name}”")
        return missing

    def _lookups(self, of_text: NDArray[Any]) -> Any:
        """Every part with the table that its local codes index; the table's last entry answers for -1."""
        nothing = np.array([np.nan if of_text.dtype.kind == "f" else MISSING], of_text.dtype)
        starts = [*sorted({part.start for part in self._parts}), self._collected]
        ends = dict(itertools.pairwise(starts))
        known, lookup = -1, nothing
        for part in self._parts:
            if part.start != known:
                known = part.start
                lookup = np.concatenate([of_text[known : ends[known]], nothing])
            yield part, lookup
