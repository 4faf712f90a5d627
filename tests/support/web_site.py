"""The page as a user has it: `fogspiel web` in a process of its own, and a browser to look at it."""

import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

from support.commands import heed_interruption

COMMAND = [sys.executable, "-m", "fogspiel.cli", "web", "--no-open"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def running(folder, *options, limit=None):
    """The process of a site whose store and games are kept in a folder, and its address; it is killed at the end.

    It may open so many files, if there is a limit.
    """
    command = [*COMMAND, "--port", "0", "--store", str(folder / "runs.db"), *options]
    if limit is not None:
        command = ["sh", "-c", f'ulimit -n {limit} && exec "$@"', "sh", *command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=heed_interruption, **pipes) as process:
        try:
            line = process.stdout.readline()
            yield process, re.search(r"http://\S+", line)[0]
        finally:
            process.kill()


@contextmanager
def open_site(folder):
    """The address of a site, which must end cleanly."""
    with running(folder) as (process, address):
        yield address.rstrip("/")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@contextmanager
def open_browser(playwright):
    """A real browser without a window."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
