"""The file itself: opening, lock, encryption, migrations."""
