"""The verbs of a review, one per file. Window and command line call these and nothing below them."""
