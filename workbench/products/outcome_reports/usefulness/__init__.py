"""How useful outcome reports are."""
