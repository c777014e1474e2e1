"""What a reviewer turns and looks at in a fit."""
