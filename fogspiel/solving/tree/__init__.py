"""Game trees, their sequence forms, builders and sizes."""
