"""Run commands where what only POSIX systems have is hidden from the package: `no_posix.py COMMANDS.json`.

The file has a list of lists of words. Each command runs in this process, one after the other; a line of JSON per
command says how it ended. The package's one file that has a way of its own for Windows may import what it needs.
"""

import builtins
import contextlib
import io
import json
import os
import signal
import subprocess  # noqa: F401  (knows what it needs from now on)
import sys
import traceback
from pathlib import Path

HIDDEN_MODULES = {"fcntl", "resource", "termios", "pwd", "grp", "pty", "tty", "syslog", "posix"}
HIDDEN_NAMES = {
    os: ("fork", "forkpty", "killpg", "getpgid", "setsid", "statvfs"),
    signal: ("SIGALRM", "setitimer", "getitimer", "alarm", "ITIMER_REAL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGKILL"),
}
OWN_WAY = {"fogspiel.runs.store.faults"}


def hide() -> None:
    """Hide it from now on."""
    for module, names in HIDDEN_NAMES.items():
        for name in names:
            if name in vars(module):
                delattr(module, name)
    usual = builtins.__import__

    def strict(name, globals=None, locals=None, fromlist=(), level=0):
        asking = (globals or {}).get("__name__", "")
        if name in HIDDEN_MODULES and asking.startswith("fogspiel.") and asking not in OWN_WAY:
            raise ImportError(f"there is no module {name} here")
        return usual(name, globals, locals, fromlist, level)

    builtins.__import__ = strict
    sys.addaudithook(refuse_proc)


def refuse_proc(event: str, given: tuple) -> None:
    """There is no /proc."""
    if event in ("open", "os.listdir", "os.scandir") and isinstance(given[0], str) and given[0].startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", given[0])


def run(words: list[str]) -> dict:
    """How a command ended."""
    from fogspiel import cli

    sys.argv = ["fogspiel", *words]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=sys.__stdout__.encoding) for _ in range(2))
    code = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
    told = [stream.seek(0) or stream.read()[-2000:] for stream in (out, err)]
    return {"words": words, "code": code, "out": told[0], "err": told[1]}


if __name__ == "__main__":
    commands = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    hide()
    for words in commands:
        print(json.dumps(run(words)), flush=True)
