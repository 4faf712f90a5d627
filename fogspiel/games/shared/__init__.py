"""What several games share: boards, columns, cards, drawings."""
