"""`python -m benchmarks [load] [tabulate] [window] [sampler] …`: every ratio, measured side by side in one run."""

from __future__ import annotations

import subprocess
import sys

PARTS = (
    "load",
    "files",
    "tabulate",
    "door",
    "window",
    "sampler",
    "evaluate",
    "stress",
    "flows",
    "records",
    "fits",
    "survey",
    "areas",
    "area_speed",
    "outcomes",
    "suppression",
    "survey_speed",
    "audit",
    "false_alarms",
    "employment",
    "scale",
)


def main() -> int:
    """Each part in a process of its own, so that memory and imports of one do not colour the next."""
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        print(f"Unknown: {', '.join(unknown)}. Known: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    failed = []
    for name in wanted:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    print(f"missed a target: {', '.join(failed)}" if failed else "every target met")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
