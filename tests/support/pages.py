"""Pages that are run: the blocks of a Markdown page one after the other, from an empty folder.

    ```console         lines `$ fogspiel ..`, each followed by what it prints
    ```sh              lines `fogspiel ..`, each of which must succeed
    ```python          code, run in one namespace per page; an example with `>>>` is compared with what it says
    ```toml title="F"  any kind with a title: a file F that later blocks use
    ```text            nothing to run

A comment before a block, `<!-- slow -->` or `<!-- needs NAME -->`: it takes minutes, or needs a module or program.
"""

import doctest
import importlib
import io
import re
import shlex
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<kind>[a-z-]+)(?: title=\"(?P<file>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SECONDS = re.compile(r"\d+(\.\d+)? CPU s")
"""What differs from run to run; pages show the figure of the run they were made from."""
SPEED = re.compile(r"[\d,]+ games per second")
RUN = frozenset({"console", "sh", "python"})
READ = frozenset({"text", "bibtex"})
ANSWERS = "1\n" * 9
"""What a person at the terminal says."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    kind: str
    text: str
    file: str | None
    mark: str

    @property
    def slow(self) -> bool:
        """It takes minutes."""
        return "slow" in self.mark.split()

    @property
    def lacks(self) -> str | None:
        """The module or program that it needs and that is not here."""
        words = self.mark.split()
        needed = words[words.index("needs") + 1] if "needs" in words else None
        return None if needed is None or shutil.which(needed) or find_spec(needed) else needed


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    found = [Block(m["kind"], m["text"], m["file"], m["mark"] or "") for m in BLOCK.finditer(text)]
    assert text.count("```") == 2 * len(found), f"{page.name} has a block that this does not understand"
    return found


def same(wanted: str, found: str) -> bool:
    """Whether a command has printed what a page says, but for times; `...` stands for anything."""
    plain = []
    for text in (wanted, found):
        timeless = SPEED.sub("N games per second", SECONDS.sub("N CPU s", text))
        plain.append(re.sub(r" +$", "", timeless, flags=re.MULTILINE))
    return doctest.OutputChecker().check_output(*plain, doctest.ELLIPSIS)


class Reader:
    """Does what a page says, block by block, in the current folder."""

    def __init__(self, fogspiel, monkeypatch) -> None:
        self.fogspiel, self.monkeypatch, self.names = fogspiel, monkeypatch, {"__name__": "page"}

    def run(self, block: Block) -> None:
        """Run a block; an assertion says what does not hold."""
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
            importlib.invalidate_caches()
        elif block.kind == "console":
            for words, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
                found = self.command(words)
                assert same(wanted, found), f"$ {words}\nprints\n{found}\ninstead of\n{wanted}"
        elif block.kind == "sh":
            for line in block.text.splitlines():
                self.command(line)
        elif block.kind == "python":
            with self.monkeypatch.context() as scope:
                scope.syspath_prepend(str(Path.cwd()))  # as for `python FILE.py`
                self._python(block.text)
        else:
            assert block.kind in READ, f"a block of kind {block.kind} is not run: give it a title, or make it text"

    def _python(self, text: str) -> None:
        if ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, self.names, "page", None, 0)
            outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False)
            assert outcome.failed == 0
            self.names = test.globs
        else:
            exec(text, self.names)

    def command(self, line: str) -> str:
        """What a line of commands prints, all of which must succeed."""
        told = ""
        for words in " ".join(shlex.quote(word) for word in shlex.split(line, comments=True)).split(" '&&' "):
            program, *rest = shlex.split(words)
            assert program == "fogspiel", f"{line} is no command of ours"
            self.monkeypatch.setattr("sys.stdin", io.StringIO(ANSWERS))
            outcome = self.fogspiel(*rest)
            assert outcome.returncode == 0, (line, outcome.stderr)
            told += outcome.stdout
        return told
