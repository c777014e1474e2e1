"""Where DuckDB and Spark write the same thing differently. Everything else is the SQL that both have."""

from __future__ import annotations

from typing import Protocol

_WHOLE = "4503599627370496"  # 2^52: a double that large is a whole number
NEVER = "\0"  # in no name and no literal of a query: it marks what is filled in later
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


class Dialect(Protocol):
    """The spelling of one engine. Arguments and results are expressions."""

    @property
    def text_type(self) -> str: ...

    def name(self, column: str) -> str:
        """A column of the file, quoted."""

    def text(self, value: str) -> str:
        """A public text as a literal."""

    def finite(self, number: str) -> str:
        """Whether a double is there and finite; never unknown."""

    def largest_pair(self, first: str, second: str) -> str:
        """An aggregate: the largest pair, compared by its first part, then by its second."""

    def part_of_pair(self, pair: str, which: int) -> str:
        """One part of such a pair, 0 or 1."""

    def whole_sum(self, integer: str) -> str:
        """An aggregate: the sum as a 64-bit integer, unknown where it would not fit."""

    def rounded(self, number: str) -> str:
        """The nearest whole double, half to even."""

    def divided(self, integer: str, by: int) -> str:
        """How often a number goes into an integer that is not negative."""

    def trimmed(self, text: str) -> str:
        """A text without blanks around it, those of Unicode included."""

    def matches(self, text: str, pattern: str) -> str:
        """Whether a text matches a regular expression of the kind that both engines read alike."""

    def without_leading_zeros(self, text: str) -> str: ...


class DuckDbDialect:
    text_type = "VARCHAR"

    def name(self, column: str) -> str:
        return '"' + column.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        return _apart("'" + value.replace("'", "''") + "'")

    def finite(self, number: str) -> str:
        return f"coalesce(isfinite({number}), FALSE)"

    def largest_pair(self, first: str, second: str) -> str:
        return f"max(struct_pack(a := {first}, b := {second}))"

    def part_of_pair(self, pair: str, which: int) -> str:
        return f"{pair}.{'ab'[which]}"

    def whole_sum(self, integer: str) -> str:
        return f"TRY_CAST(sum({integer}) AS BIGINT)"

    def rounded(self, number: str) -> str:
        return _rounded(number)

    def divided(self, integer: str, by: int) -> str:
        return f"(({integer}) // {by})"

    def trimmed(self, text: str) -> str:
        return f"trim({text}, {self.text(BLANKS)})"

    def matches(self, text: str, pattern: str) -> str:
        return f"regexp_matches({text}, {self.text(pattern)})"

    def without_leading_zeros(self, text: str) -> str:
        return f"ltrim({text}, '0')"


class SparkDialect:
    text_type = "STRING"

    def name(self, column: str) -> str:
        return "`" + column.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        escaped = "".join(_ESCAPED.get(each, each) for each in value)
        return _apart("'" + escaped + "'")

    def finite(self, number: str) -> str:
        return f"coalesce(NOT isnan({number}) AND abs({number}) < CAST('Infinity' AS DOUBLE), FALSE)"

    def largest_pair(self, first: str, second: str) -> str:
        return f"max(named_struct('a', {first}, 'b', {second}))"

    def part_of_pair(self, pair: str, which: int) -> str:
        return f"{pair}.{'ab'[which]}"

    def whole_sum(self, integer: str) -> str:
        return f"try_cast(sum(CAST({integer} AS DECIMAL(20, 0))) AS BIGINT)"

    def rounded(self, number: str) -> str:
        return f"rint({number})"

    def divided(self, integer: str, by: int) -> str:
        return f"(({integer}) div {by})"

    def trimmed(self, text: str) -> str:
        return f"trim(BOTH {self.text(BLANKS)} FROM {text})"

    def matches(self, text: str, pattern: str) -> str:
        return f"({text} RLIKE {self.text(pattern)})"

    def without_leading_zeros(self, text: str) -> str:
        return f"trim(LEADING '0' FROM {text})"


_ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _apart(literal: str) -> str:
    """A literal that holds no place of a query that is filled in later (the condition of a pass, `{rows}`), whatever
    its text."""
    if NEVER not in literal and "{" not in literal:
        return literal
    return "(" + literal.replace(NEVER, "' || chr(0) || '").replace("{", "{' || '") + ")"


def _rounded(number: str) -> str:
    """Adding and taking away 2^52 rounds by the processor's own rule, half to even; DuckDB's `round_even` goes
    through a product that is itself rounded."""
    up = f"({number} + CAST({_WHOLE} AS DOUBLE)) - CAST({_WHOLE} AS DOUBLE)"
    down = f"({number} - CAST({_WHOLE} AS DOUBLE)) + CAST({_WHOLE} AS DOUBLE)"
    return f"(CASE WHEN abs({number}) >= {_WHOLE} THEN {number} WHEN {number} < 0 THEN {down} ELSE {up} END)"
