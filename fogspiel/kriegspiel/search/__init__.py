"""How engines look ahead."""
