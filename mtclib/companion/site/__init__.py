"""Running, storing and publishing notebooks."""
