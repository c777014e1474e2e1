"""Model fits: coefficients of a logistic regression, published with privacy."""
