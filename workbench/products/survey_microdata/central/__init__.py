"""Methods of an agency that holds the data: all one- and two-way tables with noise, and a file made of them."""
