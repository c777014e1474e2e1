"""How useful a released file is."""
