"""What a mechanism says of itself that decides which rules it can be judged by, and where it stands in a comparison.

A trait is a promise like any other: the contract suite holds every mechanism to what it declares, leaves out the rules
that cannot apply, and lists those with the reason. Most mechanisms are quick, add noise to the cells of a table, state
their exact loss and their expected error, and declare nothing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    slow: bool = False  # one draw takes seconds, so that nobody can watch thousands; it reports progress all the while
    whole: bool = (
        False  # one draw is quick, but works out all rows together or one by one: no thousands of copies at once
    )
    records: bool = False  # it publishes records, several of which may be alike
    own_rows: bool = False  # the draw decides which rows there are, so that no row has one true value beside it
    bound: bool = False  # its loss is an upper bound by accounting: the supremum may be smaller
    no_closed_form: bool = False  # its expected error is known by drawing only
    of_the_source: bool = False  # the method of the publication that the product follows

    @property
    def few_draws(self) -> bool:
        """Whether a study has to do with few draws."""
        return self.slow or self.whole


PLAIN = Traits()
