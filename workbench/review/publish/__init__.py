"""What leaves the agency: report, export, bundle."""
