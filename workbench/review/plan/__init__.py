"""The plan: its text, its sections, its history."""
