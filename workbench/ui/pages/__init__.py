"""One page per stage. A page reads the session when asked to refresh and calls the controller; it decides nothing."""
