"""Long work off the main thread: events, runner, cancel. Knows nothing of Qt."""
