"""Parts that several games share: boards, columns, cards, drawings."""
