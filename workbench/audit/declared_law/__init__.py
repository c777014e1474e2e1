"""Is the noise the noise that was declared: by chosen words, by draws, answer by answer."""
