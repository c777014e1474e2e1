"""How a fit is made private: one file for each method, and what they share."""
