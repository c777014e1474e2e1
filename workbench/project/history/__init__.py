"""What was done, in order: journal, chain, seals, merging."""
