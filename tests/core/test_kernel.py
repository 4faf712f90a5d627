"""The kernel cache: kept between processes, never stale."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import fogspiel
from fogspiel.core.compile.key import COMMENT, IMPORT, _content, digest_of, imports_of

PACKAGE = Path(fogspiel.__file__).parent

PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from fogspiel.games.war.rules import MOST_CARDS, play_trick, lay_out, slot
from fogspiel.core.rng import child
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
    text = (copy / "core" / "rng.py").read_text()
    start = text.index("@inlined\ndef mixed(z):")
    end = text.index("@inlined\ndef split(")
    constants = text[text.index("GOLDEN =") : start]
    (copy / "core" / "finaliser.py").write_text(
        f"import numpy as np\nfrom .kernel import inlined\n{constants}\n{text[start:end]}"
    )
    (copy / "core" / "rng.py").write_text(text[:start] + "from .finaliser import mixed\n\n\n" + text[end:])
    before = answer(tmp_path, tmp_path / "cache")
    assert answer(tmp_path, tmp_path / "cache") == before
    edited = (copy / "core" / "finaliser.py").read_text().replace("return z ^ (z >> S31)", "return z ^ (z >> S30)")
    (copy / "core" / "finaliser.py").write_text(edited)
    assert answer(tmp_path, tmp_path / "cache") != before


def test_the_digest_covers_what_a_file_can_use_and_nothing_else(tmp_path):
    def digests():
        digest_of.cache_clear(), imports_of.cache_clear(), _content.cache_clear()
        return digest_of(tmp_path / "games" / "a.py", tmp_path), digest_of(tmp_path / "b.py", tmp_path)

    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.py").write_text("from ..b import (\n    B,\n)\n\ndef f():\n    from ..c import C\n")
    (tmp_path / "b.py").write_text("from . import d as e\nB = 1\n")
    (tmp_path / "c.py").write_text("C = 1\n")
    (tmp_path / "d.py").write_text("D = 1\n")
    before = digests()
    (tmp_path / "c.py").write_text("C = 2\n")
    assert digests() == before
    (tmp_path / "d.py").write_text("D = 2\n")
    after = digests()
    assert after[0] != before[0] and after[1] != before[1]
    (tmp_path / "games" / "a.py").write_text("from ..b import B\n")
    assert digests()[0] != after[0] and digests()[1] == after[1]


def test_regular_imports_are_all_found():
    """The digest reads imports by a pattern; Python's own parser must see the same."""
    for path in PACKAGE.rglob("*.py"):
        found = {
            (node.level, node.module or "", alias.name)
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.ImportFrom) and node.level
            for alias in node.names
        }
        seen = {
            (len(dots), module, name)
            for dots, module, names in IMPORT.findall(COMMENT.sub("", path.read_text()))
            for name in re.findall(r"(\w+)(?: as \w+)?", names)
        }
        assert found == seen, path


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert answer(PACKAGE.parent, blocked / "cache") == answer(PACKAGE.parent, tmp_path / "cache")
