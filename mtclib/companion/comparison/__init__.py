"""All methods on all data, and what each method needs."""
