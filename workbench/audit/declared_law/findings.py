"""What the check of the noise says. No value, no size and no true count is ever named."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.audit.declared_law.draws import Watched
from workbench.audit.declared_law.judgement import Judgement
from workbench.audit.declared_law.words import Rehearsed
from workbench.core.findings import Finding, Status, Table
from workbench.core.quantities import counted, joined, show
from workbench.core.value_words import ValueName, declare, share_of

declare(
    {
        "foreseen": ValueName("Values foreseen"),
        "different": ValueName("Values that came out otherwise"),
        "noise_scale": share_of("Size of the noise, of the declared"),
        "noise_scale_error": share_of("Twice its standard error"),
        "answers": ValueName("Answers in the transcript"),
    }
)
_WORDS, _DRAWS = "declared-law-words", "declared-law-draws"
_WORDS_TITLE, _DRAWS_TITLE = "Noise with chosen random words", "Noise by draws"


def by_words(found: Rehearsed) -> Finding:
    """Recipe A."""
    numbers = {"foreseen": found.foreseen, "different": found.different}
    if found.trouble:
        status, sentence = Status.FAIL, found.trouble
    elif found.different:
        share = f"{show(found.different)} of {show(found.foreseen)}"
        status = Status.FAIL
        sentence = f"With chosen random words {share} values are not those that the declared law gives."
    elif not found.foreseen:
        status = Status.INFO
        sentence = "The sampler is not one by inversion, so that no value can be foreseen. Draws are its only test."
    else:
        status = Status.PASS
        sentence = f"With chosen random words all {show(found.foreseen)} values are those that the declared law gives."
    if found.unforeseeable and found.foreseen:
        sentence += f" “{found.unforeseeable}” cannot be foreseen and is tested by draws only."
    return Finding(
        id=_WORDS,
        title=_WORDS_TITLE,
        status=status,
        sentence=sentence,
        values={**numbers},
        does_not_prove=(
            "That real random words are uniform and independent, that the declared law loses no more than is claimed "
            "(exact loss judges that), or what happens to values after they are drawn."
        ),
    )


def by_draws(watched: Watched, judgements: Mapping[str, Judgement]) -> Finding:
    """Recipe B on every answer of the transcript."""
    troubles = _troubles(watched)
    failed = {name: judgement.failed for name, judgement in judgements.items() if judgement.failed}
    troubles += [f"“{name}” fails {joined([test.name for test in tests])}." for name, tests in failed.items()]
    main = next(iter(judgements.values()), None)
    numbers: dict[str, int | float] = {"answers": len(watched.pools) + len(watched.undeclared)}
    if main is not None:
        numbers |= {"draws": main.draws, "noise_scale": main.scale, "noise_scale_error": main.error}
    return Finding(
        id=_DRAWS,
        title=_DRAWS_TITLE,
        status=Status.FAIL if troubles else Status.PASS,
        sentence=" ".join(["The noise is not the declared one.", *troubles]) if troubles else _kept(judgements),
        values={**numbers},
        tables=(_table(judgements),) if judgements else (),
        does_not_prove=(
            "That the declared law loses no more than is claimed. Sampled: a test counts where it fails on two "
            "sets of draws, and a fault that changes fewer than a handful of these draws is not seen."
        ),
    )


def _troubles(watched: Watched) -> list[str]:
    found = []
    if watched.not_integers:
        found.append(
            "It gives values that are not integers, whose last digits give the true count away (Mironov 2012)."
        )
    found += [f"No law is declared for “{name}”." for name in sorted(watched.undeclared)]
    found += [f"“{name}” is not drawn around the exact answer of the data." for name in sorted(watched.misstated)]
    return found


def _kept(judgements: Mapping[str, Judgement]) -> str:
    said = [
        f"“{name}” is {judgement.scale:.4f} times as large as declared, within ± {judgement.error:.4f}, over "
        f"{counted(judgement.draws, 'draw')}"
        for name, judgement in judgements.items()
    ]
    return f"By draws the noise is the declared one: {'; '.join(said)}."


def _table(judgements: Mapping[str, Judgement]) -> Table:
    rows = tuple(
        (name, test.name, test.said, "fails" if test.failed else "kept")
        for name, judgement in judgements.items()
        for test in judgement.tests
    )
    return Table(
        title="Tests by draws",
        columns=("Answer", "Test", "Seen", "Verdict"),
        rows=rows,
        note="Sampled from the sampler that publishes. All tests of all answers together fail honest noise in at "
        "most 0.5 % of runs.",
    )


def no_law() -> Finding:
    return Finding(
        id=_DRAWS,
        title=_DRAWS_TITLE,
        status=Status.INFO,
        sentence="The mechanism declares no law for what it draws, so its noise was not compared with one.",
        values={"answers": 0},
        does_not_prove="Anything: nothing was tested.",
    )


def no_cells() -> Finding:
    return Finding(
        id=_DRAWS,
        title=_DRAWS_TITLE,
        status=Status.WARN,
        sentence="The table has no cells, so there is no noise to look at.",
        values={"answers": 0},
        does_not_prove="Anything: nothing was tested.",
    )
