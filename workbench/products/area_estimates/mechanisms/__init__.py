"""How area estimates are made private, and how they are published today."""
