"""Binary poker: a card each, and what was bet."""

from ..shared.draw_poker import pictures_with
from .rules import CARDS

draw_view, draw_state = pictures_with(CARDS)
