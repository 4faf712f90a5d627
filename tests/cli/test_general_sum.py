"""General-sum tables: the prisoner's dilemma of Bossle 2018, table 3.1, and mixed equilibria."""

HEAD = 'NFG 1 R "{}" {{ "Row" "Column" }} {{ {{ "cooperate" "defect" }} {{ "cooperate" "defect" }} }} ""\n'


def written(folder, title, cells):
    file = folder / f"{title}.nfg"
    file.write_text(HEAD.format(title) + cells)
    return file


def test_both_prisoners_defect_and_the_check_is_reported(tmp_path, answer):
    found = answer("solve", written(tmp_path, "dilemma", "1 1  2 -1  -1 2  0 0"))
    assert found["equilibrium"] == [{"defect": "1"}, {"defect": "1"}]
    assert (found["payoffs"], found["verified"], found["general_sum"]) == (["0", "0"], True, True)


def test_table_3_1_as_printed_with_the_rows_payoff_first_has_no_dilemma(tmp_path, answer):
    """Its cell "cooperate against defect" is 2,-1: read row first, the cooperating player gains."""
    found = answer("solve", written(tmp_path, "printed", "1 1  -1 2  2 -1  0 0"))
    assert found["equilibrium"] == [{"cooperate": "1"}, {"cooperate": "1"}]


def test_payoffs_in_fractions_give_a_mixed_equilibrium(tmp_path, answer):
    found = answer("solve", written(tmp_path, "inspection", "0 1/2  1 0  1/2 0  0 1"))
    row, column = found["equilibrium"]
    assert row == {"cooperate": "2/3", "defect": "1/3"} and column == {"cooperate": "1/3", "defect": "2/3"}


def test_other_methods_certificates_and_checks_are_refused_in_a_sentence(tmp_path, answer, refused):
    file = written(tmp_path, "dilemma", "1 1  2 -1  -1 2  0 0")
    refused("solve", file, "--method", "lp", because="general-sum game, which has equilibria but no value")
    refused("solve", file, "--certificate", tmp_path / "x.json", because="no certificate")
    refused("check", file, because="the sum must be the same everywhere")


def test_a_table_of_constant_sum_is_solved_as_before(tmp_path, answer):
    found = answer("solve", written(tmp_path, "pennies", "1 -1  -1 1  -1 1  1 -1"))
    assert found["value"] == "0"
