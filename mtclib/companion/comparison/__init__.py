"""All methods on all data (`sources`, with `advice` and `sharing`); what each method needs (`methods`)."""
