"""Results without a proof: they stay players by name, and no other command takes them for the answer."""

import pytest

PIG = ("tune", "pig", "--method", "seeds", "--games", "600", "--report-games", "200")


def test_what_was_found_and_not_proved_is_a_player_beside_the_start(answer):
    found = answer(*PIG)
    assert not found["proof"]["proved"] and found["unproved"]["theta"] != found["theta"]
    played = answer("match", "pig", f"{found['run']}:unproved", found["run"], "--games", "20")
    assert played["games"] == 20


def test_without_a_proof_all_games_are_the_methods_and_its_result_is_the_answer(answer, refused):
    found = answer(*PIG, "--no-proof")
    assert "proof" not in found and 540 < found["games"] <= 600
    assert "keeps no unproved result" in refused("match", "pig", f"{found['run']}:unproved", "hold20").stderr


def test_programs_are_always_compared_with_their_start(refused):
    assert "--no-proof is for games" in refused("tune", "--function", "play.py:play", "--no-proof").stderr


@pytest.mark.parametrize("command", ["tune", "solve"])
def test_a_name_of_a_paper_leads_to_the_games_of_that_title(refused, command):
    words = refused(command, "phantom-tic-tac-toe").stderr
    assert "permutation-ttt is Phantom tic-tac-toe by permutations" in words and "phantom-ttt is" in words


def test_a_game_without_parameters_names_the_one_of_its_title_that_has_some(refused):
    assert "try permutation-ttt" in refused("tune", "phantom-ttt").stderr
    assert "no parametric strategy" in refused("tune", "kuhn").stderr
