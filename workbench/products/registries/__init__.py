"""What the products offer, by kind, until each product says it itself."""
