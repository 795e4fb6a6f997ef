"""Mathematics that two or more methods share."""
