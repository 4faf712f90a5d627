"""Every command works where only POSIX systems have something: no alarm, no fork, no fcntl, no /proc."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from support import no_posix

from fogspiel import cli
from fogspiel.cli.app import app
from fogspiel.solving.known_values import shipped_certificate

PACKAGE = Path(cli.__file__).parents[1]
TEXT_CALLS, LIMITED = {"read_text", "write_text"}, "untrusted_input"  # of which the last reads UTF-8 only


def every_command():
    """The words of every command and subcommand."""
    cli.load_commands([])

    def below(command, words):
        yield words
        for name, inner in getattr(command, "commands", {}).items():
            yield from below(inner, [*words, name])

    return list(below(typer.main.get_command(app), []))


def outcomes(tmp_path, commands, **environment):
    """How commands ended in a process that hides what only POSIX systems have."""
    file = tmp_path / "commands.json"
    file.write_text(json.dumps([[str(word) for word in words] for words in commands]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, no_posix.__file__, str(file)],
        cwd=tmp_path,
        env=os.environ | {"FOGSPIEL_STORE": str(tmp_path / "runs.db"), "PYTHONPATH": str(PACKAGE.parent)} | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=590,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(commands)
    return found


SMALL = [
    ["games"],
    ["show", "pig"],
    ["values", "kuhn", "--verify"],
    ["verify", shipped_certificate("kuhn")],
    ["explain", shipped_certificate("kuhn")],
    ["match", "pig", "hold20", "uniform", "--games", "100"],
    ["solve", "rps"],
    ["runs"],
    ["resume", "rps-1"],
    ["export", "rps-1"],
    ["play", "rps", "--seed", "1"],
    ["states", "kuhn", "--output", "questions.jsonl"],
]


@pytest.mark.thorough
def test_small_commands_run_without_what_only_posix_has(tmp_path):
    for found in outcomes(tmp_path, SMALL):
        expected = {"play": (0, 130)}.get(found["words"][0], (0,))
        assert found["code"] in expected and "Traceback" not in found["err"], found


@pytest.mark.slow
def test_every_command_runs_without_what_only_posix_has(tmp_path):
    helps = [[*words, "--help"] for words in every_command()]
    work = [
        ["tune", "pig", "--games", "2000", "--report-games", "200", "--threads", "1"],
        ["tune", "pig", "--games", "2000", "--report-games", "200", "--seeds", "2", "--processes", "1"],
        ["round-robin", "rps-half", "uniform", "solved", "--games", "20", "--output", "out"],
        ["bounds", "phantom-ponnuki-2x2"],
        ["exploit", "kuhn", "uniform"],
        ["new", "mine.py"],
        ["check", "mine.py"],
        ["export-game", "kuhn", "--output", "kuhn.efg"],
        ["solve", "kuhn.efg"],
        ["diagnose", "pig-1"],
        ["doctor"],
        ["kriegspiel", "match", "greedy", "random", "--games", "2"],
    ]
    for found in outcomes(tmp_path, [*helps, *work]):
        assert found["code"] == 0 and "Traceback" not in found["err"], found


@pytest.mark.thorough
def test_a_narrow_locale_is_no_reason_to_fail(tmp_path):
    commands = [["show", "kriegspiel"], ["games"], ["show", "war"], ["explain", shipped_certificate("morra")]]
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for found in outcomes(tmp_path, commands, **narrow):
        assert found["code"] == 0 and "Traceback" not in found["err"], found


@pytest.mark.thorough
def test_text_files_are_read_and_written_with_an_encoding():
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            given = {keyword.arg for keyword in node.keywords}
            if name in TEXT_CALLS and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) != LIMITED:
                assert "encoding" in given, f"{file}, line {node.lineno}"
            if "text" in given or "universal_newlines" in given:
                assert "encoding" in given or name not in ("run", "Popen"), f"{file}, line {node.lineno}"


# What the standard library has on POSIX systems, or on Linux, alone.
POSIX = {
    "os": {"fork", "forkpty", "killpg", "getpgid", "getpgrp", "setpgid", "setsid", "getsid", "statvfs", "fstatvfs",
           "getuid", "geteuid", "getgid", "getegid", "getgroups", "mkfifo", "mknod", "sched_getaffinity",
           "sched_setaffinity", "posix_fadvise", "posix_spawn", "pread", "pwrite", "fchmod", "fchown", "chown",
           "lchown", "getloadavg", "uname", "wait", "wait3", "wait4", "waitid", "nice", "getpriority", "setpriority",
           "openpty", "sysconf", "confstr", "pipe2", "sendfile", "WNOHANG", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY",
           "O_CLOEXEC", "register_at_fork", "sync", "fdatasync", "chroot", "initgroups", "ctermid", "ttyname"},
    "signal": {"SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGKILL", "SIGQUIT", "SIGPIPE", "SIGCHLD", "SIGSTOP",
               "SIGCONT", "setitimer", "getitimer", "alarm", "pause", "ITIMER_REAL", "pthread_sigmask", "pthread_kill",
               "sigwait", "SIG_BLOCK", "SIG_UNBLOCK", "SIG_SETMASK"},
    "select": {"poll", "epoll", "kqueue", "PIPE_BUF"},
    "socket": {"AF_UNIX", "socketpair"},
    "time": {"tzset", "clock_gettime", "pthread_getcpuclockid"},
}  # fmt: skip
POSIX_MODULES = {"fcntl", "resource", "termios", "pwd", "grp", "pty", "tty", "syslog", "posix", "crypt"}
OTHER_SYSTEM = ("hasattr(", "getattr(", "sys.platform", "os.name", "ImportError")
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}


def parts_for_posix(tree):
    """The nodes that name what only POSIX systems have."""
    for node in ast.walk(tree):
        home = node.value.id if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) else ""
        if home and node.attr in POSIX.get(home, ()):
            yield node, f"{home}.{node.attr}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else {node.module}
            yield from ((node, name) for name in names & POSIX_MODULES)


def source_around(text, tree, line):
    """The function or statement of a module around a line; for a method, its class."""
    return next(
        "\n".join(text.split("\n")[outer.lineno - 1 : outer.end_lineno])
        for outer in tree.body
        if outer.lineno <= line <= outer.end_lineno
    )


@pytest.mark.thorough
def test_what_only_posix_systems_have_is_asked_for_before_it_is_used():
    """In the same function or class, or somewhere in the file by the name itself."""
    unasked = []
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        for node, name in parts_for_posix(tree):
            own = source_around(text, tree, node.lineno)
            if f'"{name.rpartition(".")[2]}"' not in text and not any(word in own for word in OTHER_SYSTEM):
                unasked.append(f"{file.relative_to(PACKAGE)}, line {node.lineno}: {name}")
    assert not unasked


@pytest.mark.thorough
def test_open_says_its_encoding_wherever_it_reads_or_writes_text():
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if not isinstance(node, ast.Call) or not (node.args or node.keywords):
                continue
            plain = isinstance(node.func, ast.Name) and node.func.id == "open"
            method = isinstance(node.func, ast.Attribute) and node.func.attr == "open"
            modes = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            mode = next((mode for mode in modes if isinstance(mode, str) and set(mode) <= set("rwaxbt+")), None)
            if (plain or (method and mode)) and "b" not in (mode or "r"):
                given = {keyword.arg for keyword in node.keywords}
                assert "encoding" in given, f"{file}, line {node.lineno}"


def test_the_names_of_our_files_are_possible_everywhere():
    root = PACKAGE.parent
    done = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip("no checkout")
    names = done.stdout.split("\0")[:-1]
    folded = {}
    for name in names:
        assert folded.setdefault(name.casefold(), name) == name
        for part in name.split("/"):
            assert not set(part) & set('<>:"\\|?*') and part.rstrip(". ") == part, name
            assert part.partition(".")[0].casefold() not in RESERVED and part.isascii(), name
        assert len(name) < 160
