"""Methods that protect each record by itself: randomised response and noise on single answers."""
