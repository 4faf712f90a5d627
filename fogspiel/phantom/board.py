"""The board games that have phantom versions, as everything in this package uses them."""

from ..games.shared.boards import BOARDS, DRAWS, FATE, GOES_ON, ILLEGAL, MOST_CELLS, WINS, Board, ponnuki

__all__ = ["BOARDS", "DRAWS", "FATE", "GOES_ON", "ILLEGAL", "MOST_CELLS", "WINS", "Board", "ponnuki"]
