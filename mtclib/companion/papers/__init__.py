"""What one paper shows, and all papers at a glance."""
