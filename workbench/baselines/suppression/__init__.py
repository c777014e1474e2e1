"""Cell suppression: primary rules, complementary suppression by optimisation, and what attackers still work out."""
