"""Laws that mechanisms declare for what they draw, in the auditor's own formulas: no sampler is imported here."""
