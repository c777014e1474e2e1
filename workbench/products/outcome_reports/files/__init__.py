"""The layouts in which outcome reports are published and read back."""
