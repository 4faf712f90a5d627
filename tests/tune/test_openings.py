"""Openings of chess games: our own book and the user's files."""

from dataclasses import replace

import pytest

from fogspiel.games.chess.fen import START, fen_of, move_name
from fogspiel.tuning.programs.uci_worker import OWN_PLIES, own_book, read_book

PGN = """[Event "one"]
[Result "1-0"]

1. e4 {best by test} e5 2. Nf3 (2. f4 exf4) Nc6 3. Bb5 a6 1-0

[Event "two"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 31"]

31... Kd7 32. e4 *
"""


def names(opening):
    return [move_name(move) for move in opening.moves]


def test_every_line_of_our_book_is_legal_and_leads_to_a_position_of_its_own():
    book = replace(own_book(), drawn=0)
    ends = {fen_of(book._read(line, text).game().position) for line, text in book.entries}
    assert len(ends) == len(book.entries) >= 60
    assert {len(text.split()) for _, text in book.entries} == {8}


@pytest.mark.thorough
def test_an_opening_follows_from_the_seed_and_seldom_comes_again():
    book = own_book()
    first = [book.opening(seed) for seed in range(300)]
    assert first == [book.opening(seed) for seed in range(300)]
    assert len(set(first)) > 290 and all(len(opening.moves) == 8 + OWN_PLIES for opening in first)
    assert book.opening(2**70 + 1) == book.opening(2**70 + 1 - 2**64) and book.opening(-1)


def test_a_pgn_gives_the_first_plies_of_its_games(tmp_path):
    file = tmp_path / "games.pgn"
    file.write_text(PGN)
    book = read_book(file, plies=3)
    book.check()
    found = {opening.fen: names(opening) for opening in map(book.opening, range(20))}
    assert found == {START: ["e2e4", "e7e5", "g1f3"], "4k3/8/8/8/8/8/4P3/4K3 b - - 0 31": ["e8d7", "e2e4"]}


def test_an_epd_gives_its_positions_with_or_without_numbers(tmp_path):
    file = tmp_path / "some.epd"
    file.write_text(
        '# two positions\n\n4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; id "x";\n4k3/8/8/8/8/8/4P3/4K3 b - - 7 31\n'
    )
    book = read_book(file)
    assert {book.opening(seed).fen for seed in range(20)} == {
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 b - - 7 31",
    }


@pytest.mark.parametrize(
    "name, text, because",
    [
        ("a.epd", "", "are empty"),
        ("a.epd", "# nothing\n", "are empty"),
        ("a.epd", f"{START}\nhello world\n", "line 2 of .*a FEN has four to six fields"),
        ("a.epd", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1\n", "its game is over"),
        ("a.pgn", PGN.replace("32. e4", "32. e5"), "line 6 of .*'e5' is not a legal move"),
        ("a.pgn", PGN.replace("b - - 0 31", "b"), "line 6 of .*four to six fields"),
        ("a.epd", "\0\1\2", "four to six fields"),
    ],
)
def test_a_file_that_is_no_book_is_one_sentence(tmp_path, name, text, because):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ValueError, match=because) as error:
        read_book(file).check()
    assert "\n" not in str(error.value)


def test_a_folder_is_no_book(tmp_path):
    with pytest.raises(ValueError, match="cannot be read"):
        read_book(tmp_path)
