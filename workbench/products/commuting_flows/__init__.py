"""Where the workers of a place live, drawn anew."""
