"""The known values on the command line."""

from support.commands import DOCUMENTED

KEYS = "certificate check game lower make openings ours payoffs published signed upper value"


def test_values_lists_what_is_known_with_documented_keys(answer, fogspiel):
    found = answer("values")
    assert found["verified"] is None
    for known in found["values"]:
        assert " ".join(sorted(known)) == KEYS
    listed = {known["game"]: known for known in found["values"]}
    assert listed["kuhn"]["value"] == "-1/18" and listed["phantom-ttt"]["signed"] == ["2/3", "2/3"]
    assert listed["phantom-ponnuki-4x4"]["value"] is None
    assert all(f"`{key}`" in DOCUMENTED for key in (*found, *KEYS.split(), *listed["kuhn"]["certificate"]))
    table = fogspiel("values").stdout
    assert "-1/18" in table and "Kuhn 1950" in table and "Christiano 2018" in table


def test_one_game_is_told_in_full(fogspiel):
    told = fogspiel("values", "leduc").stdout
    assert "exactly -1454920850547486749701863871533/16995463438839962469905132501930 " in told
    assert (
        "make it: fogspiel solve leduc --exact --refine uniform --certificate leduc.json" in told
        and "its digest: " in told
    )
    assert "opening B1: 5671/7576" in fogspiel("values", "phantom-ttt").stdout
    assert "between 3/4 and " in fogspiel("values", "phantom-ponnuki-4x4").stdout


def test_one_certificate_is_verified_by_its_checker(answer, fogspiel):
    (proved,) = answer("values", "resistance5", "--verify")["verified"]
    assert (proved["game"], proved["lower"], proved["upper"]) == ("resistance5", "-2/5", "-2/5")
    assert "1 certificate proves what is listed" in fogspiel("values", "kuhn", "--verify").stdout


def test_games_without_a_value_or_a_certificate_are_refused(refused):
    refused("values", "khun", because="did you mean kuhn")
    refused("values", "kriegspiel", because="no value of 'kriegspiel' is known here")
    refused("values", "nim", "--verify", because="no certificate of nim comes with the package")
