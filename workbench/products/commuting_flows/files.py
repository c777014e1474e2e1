"""The files in which flows leave: the table; with replicates also their means and how to combine them."""

from __future__ import annotations

import math
from functools import partial

from workbench.core.published import Published
from workbench.outputs.contract import OutputFile
from workbench.outputs.csv_file import csv_bytes
from workbench.outputs.standard import standard_files
from workbench.products.commuting_flows.replicate_means import margin_of_agreement

_GUIDE = """# How to combine replicates

The table has {several} replicates side by side: one column of jobs each, `{first}` to `{last}`. Each is a complete
file. Use one for maps and models that need whole jobs. Use all of them for an estimate and its margin.

1. Work out the estimate q in each replicate l: a flow, the labour shed of an area, a mean distance.
2. The combined estimate is the mean, q̄ = Σ q_l/M, with M = {several}.
3. The variance between replicates is b = Σ (q_l − q̄)²/(M − 1).
4. The variance of q̄ is T = ū + b/M, with M − 1 degrees of freedom where ū = 0. ū is the mean variance within a
   replicate. It is zero here, since jobs are counted and not sampled.
5. The margin of error (90 %) is {factor:.3f}·√T: {factor:.3f} is the 95 % point of Student's t for {degrees}.
6. Where all replicates have the same count, T is 0, but the mean of many more replicates can differ from that count.
   The margin is then {agreed:.2f} jobs: a larger difference would have shown in 9 of 10 cases.

Source: Reiter (2003), "Inference for partially synthetic, public use microdata sets", Survey Methodology 29.

`replicate-means.csv` has q̄ as `mean` and the margin as `margin_of_error`, by work tract and home area.

What the margin covers: what differs between replicates. In noisy flows that is rounding to whole jobs. In synthetic
residences it is the drawing of homes. It does not cover privacy noise, which all replicates of noisy flows share, nor
what the public prior adds in either method. The report of the release has the size of the noise.

What replicates cost: those of noisy flows are rounded from the same noisy counts and cost nothing more. Those of
synthetic residences are drawn from the data again, and the claimed ε and δ are those of all of them together.

```python
import pandas as pd

table = pd.read_csv("table.csv", dtype=str)
names = [f"{stem}_{{number}}" for number in range(1, {several} + 1)]
q = table[names].astype(int).sum()  # all jobs; select rows first for an area
mean, margin = q.mean(), {factor:.3f} * (q.var(ddof=1) / {several}) ** 0.5 or {agreed:.2f}
```
"""


def output_files(published: Published) -> tuple[OutputFile, ...]:
    files = list(standard_files(published))
    means = published.published_beside
    if means is None:
        return tuple(files)
    files += [
        OutputFile(
            name="replicate-means.csv", kind="tables", title="Means over replicates (CSV)", media_type="text/csv",
            lasting=True, write=partial(csv_bytes, means), table=means,
        ),
        OutputFile(
            name="replicates.md", kind="guide", title="How to combine replicates", media_type="text/markdown",
            write=partial(guide, published),
        ),
    ]  # fmt: skip
    return tuple(files)


def guide(published: Published) -> bytes:
    """How to combine the replicates of this table, in Markdown: follows from the names of its columns."""
    from scipy.special import stdtrit

    names = [column.name for column in published.value_columns]
    stem = names[0].rpartition("_")[0]
    own = [name for name in names if name.rpartition("_")[0] == stem]
    degrees = "1 degree of freedom" if len(own) == 2 else f"{len(own) - 1} degrees of freedom"
    factor = float(stdtrit(len(own) - 1, 0.95))
    agreed = math.ceil(100.0 * margin_of_agreement(len(own))) / 100.0
    text = _GUIDE.format(
        several=len(own), first=own[0], last=own[-1], stem=stem, factor=factor, degrees=degrees, agreed=agreed
    )
    return text.encode("utf-8")
