"""What employment tables call their records, rows and values."""

from __future__ import annotations

from workbench.core.words import Words

JOBS = Words(record=("job", "jobs"), row=("cell", "cells"), unit="jobs")
