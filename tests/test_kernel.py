"""The kernel cache: kept between processes, never stale."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import fogspiel
from fogspiel.kernel import SHELL, source_digest

PACKAGE = Path(fogspiel.__file__).parent

PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from fogspiel.games._war_rules import MOST_CARDS, play_trick, lay_out, slot
from fogspiel.rng import child
print(int(child(1, 2)))
"""


def answer(folder, cache):
    """What a process prints that imports the package from `folder`."""
    environment = os.environ | {"FOGSPIEL_CACHE": str(cache)}
    run = subprocess.run(
        [sys.executable, "-c", PROBE, str(folder)], env=environment, capture_output=True, text=True, check=True
    )
    return int(run.stdout)


def test_an_edit_in_another_file_is_noticed(tmp_path):
    """`child` is plain Python around the kernel `split`, which calls the kernel `mixed`."""
    copy = tmp_path / "fogspiel"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    # Move the finaliser to a file of its own, so that the edit below happens in another file than its caller.
    text = (copy / "rng.py").read_text()
    start = text.index("@inlined\ndef mixed(z):")
    end = text.index("@inlined\ndef split(")
    constants = text[text.index("GOLDEN =") : start]
    (copy / "finaliser.py").write_text(
        f"import numpy as np\nfrom .kernel import inlined\n{constants}\n{text[start:end]}"
    )
    (copy / "rng.py").write_text(text[:start] + "from .finaliser import mixed\n\n\n" + text[end:])
    before = answer(tmp_path, tmp_path / "cache")
    assert answer(tmp_path, tmp_path / "cache") == before
    edited = (copy / "finaliser.py").read_text().replace("return z ^ (z >> S31)", "return z ^ (z >> S30)")
    (copy / "finaliser.py").write_text(edited)
    assert answer(tmp_path, tmp_path / "cache") != before


def test_the_digest_covers_names_and_contents_but_not_the_shell(tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.py").write_text("A = 1\n")
    (tmp_path / "cli.py").write_text("B = 1\n")
    first = source_digest(tmp_path)
    (tmp_path / "cli.py").write_text("B = 2\n")
    assert source_digest(tmp_path) == first
    (tmp_path / "games" / "a.py").write_text("A = 2\n")
    second = source_digest(tmp_path)
    (tmp_path / "games" / "a.py").rename(tmp_path / "games" / "b.py")
    assert len({first, second, source_digest(tmp_path)}) == 3


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert answer(PACKAGE.parent, blocked / "cache") == answer(PACKAGE.parent, tmp_path / "cache")


def test_the_shell_is_out_of_reach_of_kernels():
    for path in PACKAGE.rglob("*.py"):
        top = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        text = path.read_text()
        if top in SHELL:
            assert "@kernel" not in text and "@inlined" not in text, f"{path.name} must not define kernels"
        else:
            for name in SHELL:
                assert f"import {name}" not in text and f".{name} import" not in text, (
                    f"{path.name} must not use {name}"
                )
