"""How useful published area estimates are."""
