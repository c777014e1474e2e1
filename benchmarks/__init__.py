"""Measured numbers beside their limits."""

import workbench  # noqa: F401 - before numpy, so that matrices are multiplied as they are in the program
