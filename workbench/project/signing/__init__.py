"""Keys, signatures, and who is trusted to sign."""
