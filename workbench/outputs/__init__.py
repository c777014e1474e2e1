"""The files in which published values leave the agency."""
