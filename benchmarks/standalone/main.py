"""Check certificates of fogspiel by the standard library alone: python3 verify.pyz FILE [FILE ..].

The checkers are those of the package, the rules of games their kernels' sources. Each file gets a line; the exit code
is 0 if all are valid, else 2. Proofs by tables need floating-point sums of the compiled package and are refused here.
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path

from fogspiel.core.untrusted_input import parse_json, read_bytes
from fogspiel.solving.proofs.checkers import primitives, tree

MODULES: tuple[str, ...] = ()  # the builder names the checkers
MAX_BYTES = 64 << 20
ADVICE = "give a smaller file"


def check(path: Path, seconds: float) -> str:
    """Return what a certificate proves; raise a ValueError if it proves nothing."""
    body = parse_json(read_bytes(path, "the certificate", MAX_BYTES, ADVICE))
    own = body.get("format") if isinstance(body, dict) else None
    checkers = dict.fromkeys(tree.LARGE_FORMATS, tree.verify_large)
    for name in MODULES:
        module = import_module(name)
        checkers |= dict.fromkeys(getattr(module, "FORMATS", None) or (module.FORMAT,), module.verify)
    began = time.process_time()
    if not isinstance(own, str) or own not in checkers:
        raise ValueError(f"its format is {primitives.quoted(own)}, which is not one of {', '.join(sorted(checkers))}")
    with primitives.limit_work(seconds):
        lower, upper = checkers[own](body)
    value = f"is exactly {lower}" if lower == upper else f"is between {lower} and {upper}"
    return f"valid: the value of {body['game']} {value} ({time.process_time() - began:.2f} CPU s)"


def main() -> int:
    parser = argparse.ArgumentParser(prog="verify.pyz", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=3600.0, help="the most CPU time for a file (default: an hour)")
    options = parser.parse_args()
    sys.set_int_max_str_digits(0)
    sys.setrecursionlimit(5000)
    failed = False
    for path in options.files:
        try:
            print(f"{path.name}: {check(path, options.seconds)}", flush=True)
        except (ValueError, RecursionError, MemoryError) as problem:
            failed = True
            print(f"{path.name}: {problem or type(problem).__name__}", flush=True)
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
