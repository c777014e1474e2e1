"""What a budget buys, and what was spent."""
