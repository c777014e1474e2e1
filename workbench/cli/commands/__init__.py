"""One module per command: HELP, arguments(parser), run(args)."""
