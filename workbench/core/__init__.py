"""The words every other layer uses. Imports nothing of ours, and nothing heavy."""
