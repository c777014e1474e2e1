"""Survey microdata: a file of respondents' answers, published with privacy."""
