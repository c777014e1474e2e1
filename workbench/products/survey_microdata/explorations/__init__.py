"""What a reviewer can turn and look at."""
