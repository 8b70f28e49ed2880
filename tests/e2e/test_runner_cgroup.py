"""What only a cgroup bounds, with `guard: cgroup`.

PARLEY_TEST_CGROUP names a folder of cgroup v2 that has cpu, memory and pids, no processes, and belongs to the
user of the tests (root may be that user).  Without it these tests are left out: a cgroup can't be delegated
everywhere, as it can't where a machine still has cgroup v1.
"""

import itertools
import os
import shutil
import textwrap
import time
from pathlib import Path

import pytest

from runner import USER, Runner, needs_sandbox
from waiting import wait_until

FOLDER = os.environ.get("PARLEY_TEST_CGROUP")
numbers = itertools.count()
pytestmark = [needs_sandbox, pytest.mark.skipif(
    not FOLDER, reason="left out: PARLEY_TEST_CGROUP names no delegated cgroup (v2)")]


@pytest.fixture
def unit():
    """A cgroup as systemd delegates it, for one runner."""
    top = Path(FOLDER)
    (top / "cgroup.subtree_control").write_text("+cpu +memory +pids")
    made = top / f"unit-{os.getpid()}-{next(numbers)}"
    made.mkdir()
    if os.geteuid() == 0:
        for path in (made, made / "cgroup.procs", made / "cgroup.subtree_control"):
            shutil.chown(path, USER)
    yield made
    wait_until(lambda: not any(below.is_dir() and below.name.startswith("session-")
                               for below in made.iterdir()), "the end of its sessions")
    (made / "runner").rmdir()
    made.rmdir()


@pytest.fixture
def runner(unit):
    one = Runner(config="  memory: 192MiB\n  cpu: 50\n  processes: 40\n", cgroup=unit)
    yield one
    assert one.stop() == 0


@pytest.fixture
def run(runner):
    def run(code, language="python", **more):
        return runner.run(textwrap.dedent(code), language, **more)
    return run


def sessions(unit):
    return sorted(path.name for path in unit.iterdir() if path.name.startswith("session-"))


def test_a_session_has_a_cgroup_with_limits(run, unit):
    assert run("6 * 7").text == "42\n"
    name, = sessions(unit)
    read = {file: (unit / name / file).read_text().strip() for file in
            ("memory.max", "pids.max", "cpu.max", "memory.oom.group")}
    assert read == {"memory.max": str(192 << 20), "pids.max": "40", "cpu.max": "50000 100000",
                    "memory.oom.group": "1"}
    assert int((unit / name / "pids.current").read_text()) >= 3
    done = run("x = bytearray(30_000_000)")
    assert done.end["peak"] > 30_000_000 and done.end["cpu_ms"] >= 0


def test_memory_of_all_processes_ends_the_session(run):
    done = run("""\
        import os, time
        for i in range(8):
            if os.fork() == 0:
                x = bytearray(60_000_000)
                time.sleep(60)
        time.sleep(60)""")
    assert done.outcome == "memory" and "[out of memory: the session" in done.text
    assert run("'x' in globals()").text == "False\n"


def test_memory_without_a_mapping_counts(run):
    done = run("""\
        import os
        with open(os.memfd_create("f"), "wb", 0) as f:
            for i in range(240):
                f.write(bytes(1_000_000))""")
    assert done.outcome == "memory", done.frames


def test_empty_files_are_memory(run):
    done = run("""\
        for i in range(3_000_000):
            open(f"/tmp/{i}", "w").close()""", time_ms=300000)
    assert done.outcome in ("memory", "error"), done.frames
    assert run("print('alive')").text.endswith("alive\n")


def test_processes(run):
    done = run("""\
        import os, time
        made = 0
        try:
            while True:
                if os.fork() == 0:
                    time.sleep(60)
                    os._exit(0)
                made += 1
        except BlockingIOError as error:
            print(made, error.strerror)""")
    made, said = done.text.split(" ", 1)
    assert said == "Resource temporarily unavailable\n" and 20 < int(made) < 40


def test_half_a_processor(run):
    done = run("""\
        import time
        begun = time.monotonic(), time.process_time()
        while time.monotonic() < begun[0] + 3: pass
        print((time.process_time() - begun[1]) / 3)""")
    assert 0.1 < float(done.text) < 0.6


def test_nothing_runs_between_two_executions(run, unit):
    run("(while :; do :; done) &", "shell")
    name, = sessions(unit)
    events = unit / name / "cgroup.events"
    wait_until(lambda: "frozen 1" in events.read_text(), "the pause")

    def used():
        return int((unit / name / "cpu.stat").read_text().split()[1])

    before, begun = used(), time.monotonic()
    wait_until(lambda: time.monotonic() > begun + 0.5, "half a second")
    assert used() - before < 20000
    assert run("echo on", "shell").text == "on\n"


def test_a_session_that_ends_takes_its_cgroup_along(runner, run, unit):
    run("sleep 1000 & trap '' TERM INT", "shell")
    assert len(sessions(unit)) == 1
    with runner.connect() as c:
        c.ask("R", {"session": "s"})
    wait_until(lambda: sessions(unit) == [], "its cgroup's end")


def test_what_a_killed_runner_leaves_is_removed(unit):
    first = Runner(cgroup=unit)
    first.run("sleep 1000 &", "shell")
    below = first.processes()
    first.process.kill()
    first.process.wait()
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in below), "its processes' end")
    first.stop()
    # systemd makes the unit's cgroup anew; one that hands out controllers takes no process
    (unit / "cgroup.subtree_control").write_text("-cpu -memory -pids")
    second = Runner(cgroup=unit)
    assert sessions(unit) == []
    assert second.stop() == 0
