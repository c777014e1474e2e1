"""Model-based estimates: what a model makes of the published values and nothing else, told apart from direct ones."""
