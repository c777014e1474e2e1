"""Maximum observed sensitivity: the noise of a whole pool follows its most sensitive cell."""
