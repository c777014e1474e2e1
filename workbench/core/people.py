"""When two names are the same person's."""

from __future__ import annotations

import unicodedata

# Signs that show nothing although they are no control or format signs: joiners, fillers, variation selectors.
_UNSEEN = frozenset(
    (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10),
     *range(0xE0000, 0xE1000))
)  # fmt: skip
_BLANK = "\u2800"  # Braille without a dot looks like a space


# Letters of other alphabets that nobody tells from these Latin ones on a screen (Unicode TR 39, the everyday part).
_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0432\u043a\u043c\u043d\u0442\u0433"
    "\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03b7\u03b2\u03b6\u03bc\u0131\u0261\u0251\u0578\u057d\u0585",
    "aeopcyxijshdqwbkmhtraeikvopTuxnbzmigaouo".casefold(),
)


def same_person(one: str, other: str) -> bool:
    """Names are compared as they look: without regard to case, spacing, or how accents are put together."""
    return known_as(one) == known_as(other)


def could_be_one(one: str, other: str) -> bool:
    """Whether two names could be one person's, who varied their own: for whoever must not act twice.

    Case, spacing, accents, punctuation, the part of an address after @, and letters of other alphabets that look the
    same make no second person. What a name is allowed to do goes by `same_person` alone.
    """
    return looks(one) == looks(other)


def looks(name: str) -> str:
    """What is left of a name that people tell apart at a glance; the name as it is known where nothing is left."""
    whole = known_as(name)
    bare = unicodedata.normalize("NFKD", whole.partition("@")[0]).translate(_ALIKE)
    return "".join(sign for sign in bare if sign.isalnum()) or whole


def mixed_alphabets(name: str) -> bool:
    """True where one word of a name mixes Latin with Greek, Cyrillic or Armenian letters: no name is written so."""
    for word in name.split():
        scripts = {unicodedata.name(sign, "").split(" ")[0] for sign in word if sign.isalpha()}
        if "LATIN" in scripts and scripts & {"GREEK", "CYRILLIC", "ARMENIAN"}:
            return True
    return False


def known_as(name: str) -> str:
    """macOS writes é as two signs where Windows writes one, and signs without width cannot be seen at all."""
    composed = unicodedata.normalize("NFKC", name.replace(_BLANK, " "))
    visible = "".join(sign for sign in composed if _shows(sign) or sign.isspace())
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def _shows(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cf", "Cc") and ord(sign) not in _UNSEEN
