"""The command line `dwb`. One file per command; each prints words, or JSON with --json."""
