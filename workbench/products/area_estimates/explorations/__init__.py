"""What a reviewer turns and looks at in area estimates."""
