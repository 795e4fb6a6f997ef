"""All methods on all data (`comparison`, by the ranks of `ranking`); what each method needs (`methods`)."""
