"""Area estimates: a regression in every small area, published with privacy."""
