"""What a reviewer turns and looks at in outcome reports."""
