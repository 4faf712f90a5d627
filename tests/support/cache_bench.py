"""Damages a file of a kernel cache again and again: `FOGSPIEL_CACHE=.. cache_bench.py HARM=COUNT ..`.

Every trial is a process of its own, forked so that Numba is imported once. Prints a JSON list of the harm done before
each, how it ended and what it said; the first finds an empty cache, the last whatever the others have left.
"""

import json
import os
import pickle
import random
import resource
import signal
import sys
from pathlib import Path

import fogspiel.core.compile.kernel  # noqa: F401  (before any fork)

ROOT = Path(os.environ["FOGSPIEL_CACHE"])
LIMIT = 60
WRONG, RAISED = 99, 98
SOURCE = """
from fogspiel.core.compile.kernel import kernel

@kernel
def step(word):
    return (word * 5 + 3) % 1000003

@kernel
def walk(word, steps):
    for _ in range(steps):
        word = step(word)
    return word
"""


def walk():
    """What the kernels find, loaded from the cache or compiled."""
    from walking import walk

    return int(walk(7, 1000)), float(walk(7.5, 10))


def right():
    """What they should find."""
    scope = {}
    exec(SOURCE.replace("@kernel", ""), scope)
    return scope["walk"](7, 1000), scope["walk"](7.5, 10)


def flip(file, rng):
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)


def replace_by_folder(file, rng):
    file.unlink()
    file.mkdir()
    (file / "something").touch()


class Trap:
    """Ends the process when it is unpickled."""

    def __reduce__(self):
        return os._exit, (77,)


def exchange(file, rng):
    """Let whole files change places."""
    other = rng.choice([one for one in kernel_files() if one != file])
    content = file.read_bytes()
    file.write_bytes(other.read_bytes())
    other.write_bytes(content)


HARMS = {
    "flip": flip,
    "empty": lambda file, rng: file.write_bytes(b""),
    "truncate": lambda file, rng: file.write_bytes(file.read_bytes()[: rng.randrange(file.stat().st_size)]),
    "zero": lambda file, rng: file.write_bytes(bytes(file.stat().st_size)),
    "trap": lambda file, rng: file.write_bytes(pickle.dumps(Trap())),
    "folder": replace_by_folder,
    "exchange": exchange,
    "full": lambda file, rng: file.unlink(),
}


def kernel_files():
    """The files that a process reads whose cache is whole: those of the outer kernel."""
    return sorted(path for path in ROOT.glob("walk-*/*") if path.is_file())


def trial(full=False):
    """How a process ends that uses the cache, and what it says; `full` if it can write no file at all."""
    said, says = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT)
        os.dup2(says, 2)
        if full:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        try:
            os._exit(0 if walk() == right() else WRONG)
        except BaseException:
            os._exit(RAISED)
    os.close(says)
    with os.fdopen(said) as told:
        words = told.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "right", WRONG: "wrong", RAISED: "raised"}.get(status, f"status {status}"), words


def main(*harms):
    (ROOT.parent / "walking.py").write_text(SOURCE)
    sys.path.insert(0, str(ROOT.parent))
    rng, found = random.Random(1), [("", *trial())]
    for harm, count in (words.split("=") for words in harms):
        for _ in range(int(count)):
            HARMS[harm](rng.choice(kernel_files()), rng)
            found.append((harm, *trial(full=harm == "full")))
            if harm == "full":
                trial()
    print(json.dumps([*found, ("", *trial())]))


if __name__ == "__main__":
    main(*sys.argv[1:])
