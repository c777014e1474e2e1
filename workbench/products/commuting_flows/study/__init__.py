"""`dwb evaluate` with `study = "flows"`: what the slides say, measured on a twin of one of their states."""
