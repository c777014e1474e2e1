"""From opening the data to what is kept of a run."""
