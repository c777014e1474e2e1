"""The data dictionary of the commuting twin: what its codes mean, declared without looking at any row."""

from __future__ import annotations

_VALUES = {
    "age": ("29 or younger", "30 to 54", "55 or older"),
    "earnings": ("up to $1,250 a month", "$1,251 to $3,333 a month", "more than $3,333 a month"),
    "industry": ("Goods producing", "Trade, transport and utilities", "All other services"),
}

DICTIONARY = "column,value,label\n" + "".join(
    f'{column},{number},"{label}"\n'
    for column, labels in _VALUES.items()
    for number, label in enumerate(labels, start=1)
)
