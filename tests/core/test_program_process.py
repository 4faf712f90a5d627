"""A program that converses in lines: whatever it does, whoever talks to it goes on, and no process is left."""

import os
import signal
import subprocess
import sys
import time

import pytest

from fogspiel.process import line_process
from fogspiel.process.line_process import ProgramFault, ProgramProcess, ProgramTimeout

SLEEPING = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
OWNER = f"""
import time
from fogspiel.process.guard import own_guard
from fogspiel.process.line_process import ProgramProcess
program = ProgramProcess({SLEEPING!r}, guard=own_guard())
print(program.process.pid, flush=True)
time.sleep(600)
"""

# A program whose grandchild begins a session of its own, outlives its parent, and is adopted by the system.
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"""
ESCAPING = [sys.executable, "-I", "-S", "-c", DAEMON]


def is_gone(pid):
    """Whether a process has ended, which is waited for."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":  # nobody has asked how it ended
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_a_program_that_does_not_read_is_killed():
    program = ProgramProcess(SLEEPING, patience=0.2)
    program.say("x" * 1_000_000)
    assert program.process.wait(30) == -signal.SIGKILL
    with pytest.raises(ProgramFault, match="ended"):
        list(program.answer("x", "y"))


def test_a_program_that_says_nothing_is_late_and_one_that_has_ended_is_not():
    with pytest.raises(ProgramTimeout, match=r"has not said 'y' within 0\.1 s of 'x'"):
        list(ProgramProcess(SLEEPING).answer("x", "y", 0.1))
    with pytest.raises(ProgramFault, match="exit code 3") as fault:
        list(ProgramProcess([sys.executable, "-I", "-S", "-c", "raise SystemExit(3)"]).answer("x", "y"))
    assert not isinstance(fault.value, ProgramTimeout)


def test_nothing_waits_for_a_program_that_was_killed_while_it_flooded():
    program = ProgramProcess([sys.executable, "-I", "-S", "-c", "while True: print('la')"])
    while not program.lines.full():
        time.sleep(0.01)
    program.close()
    program.listener.join(30)
    assert not program.listener.is_alive()


def test_a_program_that_is_dismissed_may_end_by_itself():
    program = ProgramProcess([sys.executable, "-I", "-S", "-c", "raise SystemExit(len(input()))"])
    program.dismiss("four")
    assert program.process.poll() in (4, -signal.SIGKILL)  # the latter on a machine that is very busy


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_program_ends_also_when_its_owner_is_killed():
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        pid = int(owner.stdout.readline())
        assert not is_gone_now(pid)
        owner.kill()
    assert is_gone(pid)


def is_gone_now(pid):
    """Whether a process has ended already."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows environments")
def test_a_grandchild_that_has_left_the_group_ends_with_its_program():
    program = ProgramProcess(ESCAPING)
    pid = int(program.lines.get(timeout=30))
    assert os.getsid(pid) != program.process.pid and not is_gone_now(pid)
    program.close()
    assert is_gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows environments")
def test_a_grandchild_that_has_left_the_group_ends_also_when_the_owner_is_killed():
    owned = OWNER.replace(repr(SLEEPING), repr(ESCAPING)).replace(
        "program.process.pid", "program.lines.get(timeout=30)"
    )
    with subprocess.Popen([sys.executable, "-c", owned], stdout=subprocess.PIPE, text=True) as owner:
        pid = int(owner.stdout.readline())
        assert not is_gone_now(pid)
        owner.kill()
    assert is_gone(pid)


def test_time_in_which_a_program_waits_for_a_processor_is_not_its_own(monkeypatch):
    slow = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(0.3); print('y')"]
    begun = time.monotonic()
    monkeypatch.setattr(line_process, "waiting_seconds", lambda process: time.monotonic() - begun)  # it never ran
    assert list(ProgramProcess(slow).answer("x", "y", 0.01)) == ["y"]
    monkeypatch.setattr(line_process, "waiting_seconds", lambda process: 0.0)
    with pytest.raises(ProgramTimeout):
        list(ProgramProcess(slow).answer("x", "y", 0.01))


def test_the_clock_of_an_ended_program_does_not_leap(monkeypatch):
    program = ProgramProcess(SLEEPING)
    monkeypatch.setattr(line_process, "waiting_seconds", lambda process: 1000.0)
    before = program.own_clock()
    monkeypatch.setattr(line_process, "waiting_seconds", lambda process: 0.0)
    assert program.own_clock() - before < 500
    program.close()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_the_system_says_how_long_a_process_waited_for_a_processor():
    assert line_process.waiting_seconds(os.getpid()) >= 0 == line_process.waiting_seconds(2**30)
