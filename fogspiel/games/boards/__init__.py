"""Parts shared by several games: boards, columns, cards, drawings."""
