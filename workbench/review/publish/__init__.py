"""What leaves the house: report, export, bundle."""
