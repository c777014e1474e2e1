"""How outcome reports are made private."""
