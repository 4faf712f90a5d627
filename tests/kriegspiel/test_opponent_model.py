"""Opponent models from people's games, and figure 4 of the paper."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from support.commands import documented_keys

from fogspiel.games.chess.bitboards import KING, KNIGHT, PAWN
from fogspiel.kriegspiel.model_figure import boards_of, chosen_boards, figure_lines, figure_svg, kind_of
from fogspiel.kriegspiel.parameters import AT_HOME, LATEST, attraction_of, model_of, read_generic
from fogspiel.kriegspiel.pgn import games_apart
from fogspiel.kriegspiel.training import MAX_HALF_MOVES, PeopleGames

E4, F3, C6 = 28, 21, 42


def game(white, black, moves):
    return f'[Event "x"]\n[White "{white}"]\n[Black "{black}"]\n\n{moves}\n\n'


OPEN = game("Anna", "Bert", "1. e4 e5 2. Nf3 Nc6 *")
QUEEN = game("bert", "Carl", "1. d4 d5 2. Nc3 Nf6 *")
BROKEN = game("Anna", "Bert", "1. e4 Ke5 *") + game("Anna", "Bert", "1. e4 {never closed")
FILTERED = game("Anna", "Bert", "1. e4 ?? 2. Nf3 ?? *")
LONG = game("Anna", "Bert", "1. Nf3 Nf6 2. Ng1 Ng8 " * (MAX_HALF_MOVES // 4 + 1) + "*")


def learned(text, tmp_path, player=None):
    path = tmp_path / "games.pgn"
    path.write_text(text)
    found = PeopleGames(player)
    assert list(found.add(path))
    return found


def test_faulty_games_are_named_and_do_not_hide_the_others(tmp_path):
    found = learned(OPEN + BROKEN + FILTERED + LONG + QUEEN, tmp_path)
    assert (found.games, found.others, len(found.skipped)) == (2, 0, 4)
    for number, because in zip((2, 3, 4, 5), ("Ke5", "cannot be read", "not a whole game", "half-moves"), strict=True):
        assert sum(f"game {number}" in fault and because in fault for fault in found.skipped) == 1


def test_line_numbers_are_those_of_the_file():
    text = "\n\n" + OPEN + BROKEN
    lines = [(number, one.line) for number, one in games_apart(text)]
    assert [text.splitlines()[line - 1] for _, line in lines] == ['[Event "x"]'] * 3 and lines[0] == (1, 3)


def test_only_the_men_of_the_named_player_are_counted(tmp_path):
    found = learned(OPEN + QUEEN, tmp_path, "BERT")
    assert found.games == 2 and found.counts[0, PAWN, 0, E4] == 0 < found.counts[1, KNIGHT, 1, C6]
    assert found.counts[:, KING, 0].sum() == 2


def test_a_colour_that_a_player_never_had_is_that_of_the_generic_model(tmp_path):
    found = learned(OPEN + QUEEN, tmp_path, "anna")
    model = found.model()
    assert (found.games, found.others) == (1, 1) and (model[1] == read_generic()[1]).all()
    assert model[0, PAWN, 0, E4] > 0.9
    with pytest.raises(ValueError, match="no game of dora"):
        learned(OPEN, tmp_path, "dora").model()


def test_the_delta_of_figure_4_is_the_difference_of_d_and_f_belongs_to_the_matrix(tmp_path):
    model = model_of(learned(OPEN + QUEEN, tmp_path).counts)
    first, second = (boards_of(model, KNIGHT, move, 0) for move in (1, 2))
    assert np.allclose(second.delta, second.share - first.share, atol=1e-4)
    assert np.allclose(first.delta / 100, model[0, KNIGHT, 0] - AT_HOME[0, KNIGHT], atol=1e-6)
    assert second.share[F3] > 25 and (second.pull == attraction_of(model, 0, 1, 1.0)[2]).all()
    assert (boards_of(model, KING, 2, 1).pull == attraction_of(model, 1, 1, 1.0)[0]).all()


def test_the_figure_is_drawn_as_text_and_as_valid_svg():
    found = chosen_boards(read_generic(), KNIGHT, [10, 20])
    lines = list(figure_lines(found, KNIGHT))
    assert "White after move 10:" in lines and max(map(len, lines)) < 100
    root = ElementTree.fromstring(figure_svg(found, KNIGHT))
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) == 4 * 3 * 65 and "D_b(knight, 20), %" in texts
    assert all(re.fullmatch("#[0-9a-f]{6}", one.get("fill")) for one in root.iter("{http://www.w3.org/2000/svg}rect"))
    for wrong in (0, LATEST + 1):
        with pytest.raises(ValueError, match="the moves 1 to 60"):
            chosen_boards(read_generic(), KNIGHT, [wrong])
    with pytest.raises(ValueError, match="pawn, knight"):
        kind_of("duck")


@pytest.mark.thorough
def test_the_commands_learn_and_draw(answer, refused, tmp_path):
    (tmp_path / "a.pgn").write_text(OPEN + BROKEN)
    (tmp_path / "b.pgn").write_text(QUEEN)
    output = tmp_path / "people.npz"
    files = ("--pgn", tmp_path / "a.pgn", "--pgn", tmp_path / "b.pgn")
    found = answer("kriegspiel", "learn", *files, "--output", output)
    assert (found["games"], found["white"], found["black"], len(found["skipped"])) == (2, 2, 2, 2)
    figure = tmp_path / "figure"
    drawn = answer("kriegspiel", "model", output, "--piece", "knight", "--move", 2, "--output", figure)
    assert drawn["boards"][0]["share"][F3] > 0.25 and (figure / "figure4.svg").exists()
    assert found.keys() <= documented_keys("kriegspiel learn")
    assert drawn.keys() | drawn["boards"][0].keys() <= documented_keys("kriegspiel model")
    refused("kriegspiel", "learn", "--player", "x", because="add --pgn FILE")
    refused("kriegspiel", "learn", *files, "--engines", "C", because="leave --engines")
    refused("kriegspiel", "model", "none", because="name a file, or generic")
    refused("kriegspiel", "model", "--piece", "duck", because="it must be one of pawn")


@pytest.mark.thorough
def test_the_page_draws_the_generic_model_and_opens_no_file(tmp_path):
    from support.web_client import open_client

    with open_client(tmp_path) as client:
        page = client.get("/kriegspiel-model?piece=bishop&move=3")
        assert page.status_code == 200 and "D_w(bishop, 3)" in page.text and "<svg" in page.text
        assert client.get("/api/kriegspiel-model?piece=king&move=1").json()["piece"] == "king"
        assert client.get("/kriegspiel-model?piece=duck").status_code == 422
        assert client.get("/kriegspiel-model?move=61").status_code == 422
