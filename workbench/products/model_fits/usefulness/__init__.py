"""How useful published fits are."""
