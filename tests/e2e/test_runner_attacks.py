"""Code that wants out of the runner's sandbox, or more of the machine than its share; with `guard: rlimit`.

What only a cgroup bounds stands in test_runner_cgroup.py: the sum of a session's memory at once, empty files
(kernel memory), processor time, what goes on between two executions.
"""

import contextlib
import json
import os
import signal
import textwrap
import time
from pathlib import Path

import pytest

from runner import Runner, needs, needs_sandbox
from waiting import wait_until

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def runner():
    one = Runner(config="  memory: 384MiB\n  time: 120s\n  space: 64MiB\n")
    yield one
    assert one.stop() == 0


@pytest.fixture
def run(runner, request):
    name = "".join(c if c.isalnum() else "_" for c in request.node.name)[:60]

    def run(code, language="python", **more):
        return runner.run(textwrap.dedent(code), language, name, **more)
    run.session = name
    yield run
    with runner.connect() as c:
        c.ask("R", {"session": name})


@pytest.fixture
def own():
    """Makes runners of the test's own."""
    made = []

    def make(**more):
        made.append(Runner(**more))
        return made[-1]
    yield make
    for one in made:
        one.stop()


def alive(run):
    """The runner serves, and the session or a new one of its name does."""
    done = run("print('alive')")
    assert done.text.endswith("alive\n") and done.outcome == "ok", done.frames
    return done.fresh


# --- the machine's share ---

def test_fork_bomb_of_python(run):
    done = run("""\
        import os, time
        try:
            while True:
                if os.fork() == 0:
                    time.sleep(30)
        except BlockingIOError as error:
            print(error.strerror)""")
    assert "Resource temporarily unavailable" in done.text
    alive(run)


def test_fork_bomb_of_the_shell(runner, run):
    done = run("f() { f | f & }; f; sleep 2; echo end", "shell", time_ms=10000)
    assert done.outcome in ("ok", "error", "time", "killed", "exited", "memory")
    # the bomb goes on in the background: whoever has it may be rid of it
    with runner.connect() as c:
        c.ask("R", {"session": run.session})
    assert alive(run)


def test_memory_of_one_process(run):
    done = run("kept = 1\nx = bytearray(600_000_000)")
    assert done.outcome == "error" and "MemoryError" in done.text
    assert run("kept").text == "1\n"


def test_memory_of_eight_processes(run):
    done = run("""\
        import os, time
        for i in range(8):
            if os.fork() == 0:
                x = bytearray(100_000_000)
                for at in range(0, len(x), 4096):
                    x[at] = 1
                time.sleep(30)
        time.sleep(30)""")
    assert done.outcome == "memory"
    assert "[out of memory: the session and its variables are gone]\n" in done.text
    assert alive(run), "its session is a new one"


def test_shared_memory_counts(run):
    done = run("""\
        import mmap, time
        kept = [mmap.mmap(-1, 50_000_000) for _ in range(12)]
        for m in kept:
            for at in range(0, len(m), 4096):
                m[at] = 1
        time.sleep(30)""")
    assert done.outcome == "memory"
    assert alive(run), "its session is a new one"


def test_memory_that_many_share_counts_once(run):
    done = run("""\
        import mmap, os
        with open("/space/f", "w+b") as f:
            f.truncate(50_000_000)
            kept = [mmap.mmap(-1, 200_000_000), mmap.mmap(f.fileno(), 0)]
        def touch():
            for m in kept:
                for at in range(0, len(m), 4096):
                    m[at] = 1
        touch()
        ready, go = os.pipe(), os.pipe()
        for i in range(8):
            if os.fork() == 0:
                touch()
                os.write(ready[1], b".")
                os.read(go[0], 1)
                os._exit(0)
        seen = b""
        while len(seen) < 8:
            seen += os.read(ready[0], 8)
        import time
        end = time.monotonic() + 0.5  # the runner looks each 100 ms
        while time.monotonic() < end: pass
        os.write(go[1], b"." * 8)
        print("spared")""")
    assert (done.outcome, done.text) == ("ok", "spared\n")
    assert 250_000_000 < done.end["peak"] < 384 << 20


def test_memory_without_a_mapping_is_refused(run):
    done = run("""\
        import os
        try:
            os.memfd_create("f")
        except OSError as error:
            print(error.strerror)""")
    assert done.text == "Function not implemented\n"


@pytest.mark.parametrize("place, full", [("/tmp", True), ("/dev/shm", True), ("/space", True),
                                         ("/run/cell", True), ("", False), ("/dev", False), ("/run", False),
                                         ("/usr", False), ("/run/parley", False), ("/etc", False)])
def test_no_place_takes_more_than_its_size(run, place, full):
    done = run(f"""\
        try:
            with open("{place}/f", "wb") as f:
                for i in range(400):
                    f.write(bytes(1_000_000))
                    f.flush()
        except OSError as error:
            print(error.strerror)""")
    assert done.outcome in ("ok", "memory")
    if done.outcome == "ok":
        assert done.text == ("No space left on device\n" if full else "Read-only file system\n")
    alive(run)


def test_a_full_folder_for_code_is_told(run):
    run("""\
        try:
            open("/run/cell/f", "wb", 0).write(bytes(4_000_000))
            open("/run/cell/g", "wb", 0).write(bytes(4_000_000))
        except OSError:
            pass""")
    done = run("1" + "#" * 20000, "shell")
    assert done.outcome == "error" and "folder is full" in done.text


@pytest.mark.parametrize("language, code", [
    ("python", "while True: print('y' * 100)"), ("shell", "yes"),
    ("python", "import sys\nwhile True: sys.stdout.write('y' * 1000)"),
    ("python", "import os\nwhile True: os.write(1, bytes(60000))")])
def test_endless_output(run, language, code):
    run("kept = 1") if language == "python" else run("kept=1", "shell")
    done = run(code, language)
    assert done.outcome == "output" and "[stopped: too much output]\n" in done.text
    assert 262144 <= len(done.text.encode()) < 262144 + 3 * 4096 + 1000
    assert f"[{done.end['left_out']} bytes left out]" in done.text
    # The end of what was too much is shown, and does not count as left out.
    end = done.text.split(" bytes left out]\n", 1)[1].split("\n[stopped: ", 1)[0]
    assert done.end["left_out"] + len(end.encode()) > 16 << 20
    assert run("print(kept)" if language == "python" else "echo $kept", language).text.endswith("1\n")


def test_a_line_of_five_million(run):
    done = run("print('x' * 5_000_000 + 'end')")
    assert done.outcome == "ok" and done.text.endswith("xend\n") and done.text.startswith("xxx")
    assert done.end["left_out"] == 5000004 - 262144 - 4096


def test_an_endless_loop(run):
    run("kept = 1")
    done = run("while True: pass", time_ms=1000)
    assert done.outcome == "time" and done.text == "[stopped after 1 s]\n"
    assert run("kept").text == "1\n"


def test_a_loop_that_swallows_exceptions(run):
    run("1")
    begun = time.monotonic()
    done = run("""\
        import time
        while True:
            try:
                while True: time.sleep(0.01)
            except BaseException: pass""", time_ms=1000)
    assert done.outcome == "time" and done.text.endswith("[stopped after 1 s: its variables are gone]\n")
    assert time.monotonic() - begun > 3
    alive(run)


def test_a_process_that_ignores_signals(run):
    done = run("trap '' INT TERM\nsleep 30 & wait\nwhile :; do sleep 1; done", "shell", time_ms=1000)
    assert done.outcome == "time" and "its variables are gone" in done.text


def test_images_are_bounded(run):
    done = run("""\
        class P:
            def __init__(self, n): self.n = n
            def _repr_png_(self): return bytes(self.n)
        import __main__
        P(20_000_000)""", time_ms=5000)
    assert done.images == []
    alive(run)


# --- the network ---

def test_there_is_no_network(run):
    done = run("""\
        import socket
        for where in (("192.0.2.1", 80), ("2001:db8::1", 80)):
            family = socket.AF_INET6 if ":" in where[0] else socket.AF_INET
            try:
                socket.socket(family).connect(where)
            except OSError as error:
                print(error.strerror)
        try:
            socket.getaddrinfo("example.org", 80)
        except OSError as error:
            print(type(error).__name__)""")
    assert done.text == "Network is unreachable\n" * 2 + "gaierror\n"


def test_the_loopback_is_its_own_and_works(run):
    done = run("""\
        import socket
        s = socket.create_server(("127.0.0.1", 0))
        c = socket.create_connection(s.getsockname())
        print("connected")
        print(sorted(line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line))""")
    assert done.text == "connected\n['lo']\n"


@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_NETLINK", "AF_PACKET", "AF_ALG", "AF_BLUETOOTH", "AF_CAN"])
def test_other_families_are_refused(run, family):
    done = run(f"""\
        import socket
        try:
            socket.socket(socket.{family}, socket.SOCK_RAW)
            print("open")
        except OSError as error:
            print(error.errno)""")
    assert done.text == "97\n"


# --- what is on the machine ---

def test_only_what_programs_need_is_there(run):
    done = run("""\
        import os
        for name in ("/etc/shadow", "/etc/hostname", "/root", "/home", "/var", "/opt", "/sys", "/srv", "/boot"):
            print(name, os.path.exists(name))
        print(sorted(os.listdir("/")))
        print(sorted(os.listdir("/etc")))
        print(open("/etc/passwd").read())""")
    assert "True" not in done.text
    tops = done.text.splitlines()[9]
    assert not set(eval(tops)) - {"bin", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "space",
                                  "tmp", "usr"}
    assert not set(eval(done.text.splitlines()[10])) - {"R", "alternatives", "fonts", "group", "ld.so.cache",
                                                       "localtime", "matplotlibrc", "passwd"}
    assert "user:x:1000" in done.text and "root" not in done.text.split("localtime")[-1]


def test_there_are_no_other_processes(run):
    done = run("""\
        import os
        pids = sorted(int(p) for p in os.listdir("/proc") if p.isdigit())
        for pid in pids:
            print(open(f"/proc/{pid}/comm").read().strip())
        for pid in pids[:2]:
            try:
                print(repr(open(f"/proc/{pid}/environ").read()))
            except PermissionError:
                print("refused")""")
    names = done.text.splitlines()
    assert set(names[:-2]) == {"parley-seat", "python3"}, names
    assert names[-2] == "refused"


def test_the_environment_was_made(run):
    done = run("import os\nprint(sorted(os.environ))")
    assert set(eval(done.text)) <= {"HOME", "LANG", "MPLBACKEND", "MPLCONFIGDIR", "OPENBLAS_NUM_THREADS", "PATH",
                                    "PWD", "PYTHONDONTWRITEBYTECODE", "TERM", "TMPDIR", "USER", "LC_CTYPE"}


@pytest.mark.parametrize("file", ["kallsyms", "keys", "cmdline", "sysrq-trigger", "kcore", "timer_list",
                                  "config.gz"])
def test_files_that_tell_of_the_kernel_are_covered(run, file):
    done = run(f"""\
        try:
            print(repr(open("/proc/{file}", "rb").read(10)))
        except OSError as error:
            print("refused")""")
    assert done.text in ("refused\n", "b''\n")


# --- system calls ---

CALLS = """\
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_void_p(a) if isinstance(a, int) else a for a in args))
    return "done" if result >= 0 else os.strerror(ctypes.get_errno())
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are x86-64's")
@pytest.mark.parametrize("name, number, args", [
    ("ptrace", 101, "0, 0, 0, 0"), ("unshare", 272, "0x10000000"), ("mount", 165, "b'none', b'/tmp', b'tmpfs', 0, 0"),
    ("umount2", 166, "b'/space', 0"), ("setns", 308, "0, 0"), ("chroot", 161, "b'/tmp'"), ("pivot_root", 155, "b'/', b'/'"),
    ("bpf", 321, "0, 0, 0"), ("keyctl", 250, "0, 0"), ("add_key", 248, "b'user', b'a', b'b', 1, -2"),
    ("request_key", 249, "b'user', b'a', 0, 0"), ("io_uring_setup", 425, "1, 0"), ("perf_event_open", 298, "0, 0, 0, 0, 0"),
    ("userfaultfd", 323, "1"), ("process_vm_readv", 310, "1, 0, 0, 0, 0, 0"), ("pidfd_getfd", 438, "0, 0, 0"),
    ("clone with namespaces", 56, "0x10000011, 0, 0, 0, 0"), ("clone3", 435, "0, 0"), ("shmget", 29, "0, 4096, 0o1600"),
    ("mknod", 133, "b'/tmp/null', 0o20666, 259"), ("open_by_handle_at", 304, "0, 0, 0"), ("kexec_load", 246, "0, 0, 0, 0"),
    ("init_module", 175, "0, 0, b''"), ("sethostname", 170, "b'x', 1"), ("swapon", 167, "b'/tmp/x', 0"),
    ("reboot", 169, "0, 0, 0, 0"), ("personality", 135, "0x0400000"), ("fsopen", 430, "b'tmpfs', 0"),
    ("io_setup", 206, "128, bytes(8)"), ("open_tree", 428, "-100, b'/', 1"), ("move_mount", 429, "0, 0, 0, 0, 0"), ("memfd_secret", 447, "0"),
])
def test_system_calls_that_reach_further_are_refused(run, name, number, args):
    done = run(CALLS + f"print(call({number}, {args}))")
    assert done.text in ("Operation not permitted\n", "Function not implemented\n"), name


def test_a_fifo_may_be_made(run):
    assert run("import os\nos.mkfifo('f')\nprint(os.path.exists('f'))").text == "True\n"


def test_no_program_gives_more_rights(run):
    done = run("""\
        grep -E 'NoNewPrivs|Seccomp:|CapEff|CapBnd' /proc/self/status
        for f in $(find /usr -xdev -perm -4000 -type f 2>/dev/null | head -3); do
            cp $f /tmp/x 2>/dev/null
            "$f" < /dev/null > /dev/null 2>&1
        done
        su -c id < /dev/null 2>&1 | grep -c uid=0
        id -u""", "shell")
    said = done.text.split()
    assert said[said.index("NoNewPrivs:") + 1] == "1" and said[said.index("Seccomp:") + 1] == "2"
    assert said[said.index("CapEff:") + 1] == said[said.index("CapBnd:") + 1] == "0" * 16
    assert said[-2:] == ["0", "1000"]


def test_the_seats_memory_is_out_of_reach(run):
    done = run("""\
        import os
        for pid in sorted(int(p) for p in os.listdir("/proc") if p.isdigit()):
            if open(f"/proc/{pid}/comm").read() == "parley-seat\\n":
                for what in ("mem", "fd/9", "environ"):
                    try:
                        open(f"/proc/{pid}/{what}", "r+b")
                        print("open")
                    except OSError as error:
                        print(error.strerror)""")
    assert done.text == "Permission denied\n" * 3


# Pid 1 of the sandbox is overwritten where it waits, woken, and told to survive its parent.
TAKE_OVER = """\
import os
# prctl(PR_SET_PDEATHSIG, 0), then pause() for ever
code = bytes.fromhex("b89d000000 bf01000000 31f6 0f05 b822000000 0f05 ebf7")
def orphan():
    if os.fork() == 0:
        if os.fork() > 0:
            os._exit(0)
        return True
    os.wait()
if orphan():
    os.execv("/usr/bin/sleep", ["sleep", "600"])
try:
    with open("/proc/1/mem", "r+b", 0) as memory:
        memory.seek(int(open("/proc/1/syscall").read().split()[-1], 16))
        memory.write(code)
    if orphan():
        os._exit(0)
    while not open("/proc/1/syscall").read().startswith("34 "):
        pass
    print("taken")
except OSError as error:
    print(error.strerror)"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the instructions are x86-64's")
@pytest.mark.parametrize("end", ["a reset", "the runner's kill -9"])
def test_pid_1_can_not_be_taken_over(own, end):
    one = own()
    said = one.run(TAKE_OVER).text
    below = one.processes()
    assert len(below) > 2
    try:
        if end == "a reset":
            with one.connect() as c:
                c.ask("R", {"session": "s"})
        else:
            one.process.kill()
            one.process.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below),
                   "the end of all that ran in the session")
        assert said == "Permission denied\n"
    finally:
        for pid in below:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def test_a_sandbox_ends_with_its_bubblewrap(own):
    one = own()
    one.run("sleep 600 &", "shell")
    outer, *below = one.processes()
    one.process.send_signal(signal.SIGSTOP)  # nobody closes the seat's socket
    os.kill(outer, signal.SIGKILL)
    try:
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below), "the end of all in it")
    finally:
        one.process.send_signal(signal.SIGCONT)
    assert one.run("echo on", "shell").text.endswith("on\n")


# --- processes and signals ---

def test_kill_1(run):
    run("import os, signal\nos.kill(1, signal.SIGKILL)\nos.kill(1, signal.SIGTERM)")
    alive(run)


def test_kill_of_all_spares_the_seat(runner, run):
    runner.run("kept = 1", session="beside")
    done = run("""\
        import os, signal, subprocess
        below = subprocess.Popen(["sleep", "600"])
        os.kill(-1, signal.SIGKILL)
        print(below.wait())""")
    assert (done.text, done.outcome) == ("-9\n", "ok")
    assert run("below.returncode").text == "-9\n"
    assert runner.run("kept", session="beside").text == "1\n"


@pytest.mark.parametrize("name", ["STOP", "TSTP", "KILL", "SEGV", "XCPU"])
def test_signals_to_the_seat_do_not_keep_code_running(own, name):
    one = own()
    done = one.run(f"""\
trap '' INT TERM
for p in /proc/[0-9]*; do [ "$(< $p/comm)" = parley-seat ] && kill -{name} "${{p#/proc/}}"; done
while :; do :; done""", "shell", time_ms=1000)
    assert done.outcome == "time" and "its variables are gone" in done.text
    wait_until(lambda: "bash\n" not in one.comms(), "the end of the shell")
    assert one.run("echo on", "shell", time_ms=20000).text == "on\n"


def test_limits_of_the_seat_that_were_lowered_end_the_wait_for_a_program(run):
    run("import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE, (4, 4))")
    done = run("echo on", "shell")
    assert done.outcome == "exited" and done.end["exit"] == 127
    assert run("6 * 7").text == "42\n"


@pytest.mark.parametrize("code, outcome, said", [
    ("import os\nos._exit(3)", "exited", "[python has ended with status 3: its variables are gone]\n"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed", "signal 9 (KILL): its variables are gone]\n"),
    ("import ctypes\nctypes.string_at(0)", "killed", "signal 11 (SEGV): its variables are gone]\n"),
])
def test_a_driver_that_ends(run, code, outcome, said):
    run("x = 1")
    done = run(code)
    assert done.outcome == outcome and done.text.endswith(said)
    done = run("'x' in globals()")
    assert done.text == "False\n" and not done.fresh


def test_a_shell_without_its_traps_ends_too(run):
    done = run("trap - EXIT\nexit 5", "shell")
    assert (done.outcome, done.end["exit"]) == ("exited", 5)
    assert run("echo on", "shell").text == "on\n"


def test_all_descriptors_closed(run):
    done = run("import os\nos.closerange(0, 256)", time_ms=3000)
    assert done.outcome in ("error", "time", "exited", "killed")
    alive(run)


# --- forged marks ---

MARK = """\
import gc, os
driver = [o for o in gc.get_objects() if type(o).__name__ == "Driver"][0]
def put(text): os.write(1, b"\\x1e" + driver.mark + text + b"\\x1e")
"""


def test_forged_lines_and_images_fool_their_own_session_only(run):
    done = run(MARK + "put(b'L' + b'9' * 100); put(b'L99'); put(b'I1'); put(b'I77'); put(b'Q'); put(b''); put(b'L' * 5000)\n"
               "for i in range(100000): put(b'L%d' % i)")
    assert done.outcome == "ok" and done.images == [] and 99 in done.lines
    assert len(done.lines) < 400
    alive(run)


def test_an_early_end(run):
    done = run(MARK + "put(b'E0')\nprint('behind')")
    assert done.outcome == "ok" and done.text == ""
    done = run("print('next')")
    assert done.text.endswith("next\n")
    alive(run)


def test_a_picture_that_never_comes(run):
    done = run(MARK + "driver.socket.sendall(b'1 png 8388608\\n' + bytes(100000)); put(b'I1')\nprint('on')")
    assert done.images == [] and done.text == "on\n"
    done = run("""\
        class P:
            def _repr_png_(self): return b"abc"
        P()""")
    assert done.images == [("png", b"abc")]


def test_garbage_on_the_control_socket(run):
    run(MARK + "driver.socket.setblocking(False)\n"
        "try:\n    while True: driver.socket.send(bytes(100000))\nexcept OSError: pass\n"
        "driver.socket.setblocking(True)")
    alive(run)


# --- text ---

def test_output_is_text(run):
    done = run(r"""import os; os.write(1, b"a\xffb\x00c\x1b[31mred\x1b[0m \x1e \xc3\xa9\xe2\x82"); None""")
    assert done.text == "a\ufffdb\ufffdcred \x1e é\ufffd\ufffd"


def test_there_is_no_input(run):
    assert run("cat; read x; echo \"end$x\"", "shell").text == "end\n"


# --- downloads ---

@pytest.mark.parametrize("path", ["link", "out", "loop", "fifo", "a/../../etc/passwd", "../etc/passwd", "/etc/passwd",
                                  "dir", "dir/link/passwd", "/proc/self/environ", "none", "a\0b", "proc"])
def test_downloads_stay_in_the_folder(runner, run, path):
    run("""\
        import os
        os.symlink("/etc/passwd", "link"); os.symlink("../../../../../etc", "out"); os.symlink("loop", "loop")
        os.mkfifo("fifo"); os.mkdir("dir"); os.symlink("/etc", "dir/link"); os.mkdir("a")
        os.symlink("/proc/self", "proc")
        open("good", "w").write("x")""")
    with runner.connect() as c:
        c.send("D", {"session": run.session, "path": path})
        frame = c.frame()
    assert frame[0] == "Z" and json.loads(frame[1])["reason"] in ("not_found", "invalid"), frame
    with runner.connect() as c:
        c.send("D", {"session": run.session})
        assert c.finish().files == {"good": 1}


def test_a_clients_file_does_not_follow_links(runner, run, tmp_path):
    run("import os\nos.symlink('/usr', 'in')")
    (tmp_path / "f").write_bytes(b"x")
    with open(tmp_path / "f", "rb") as f, runner.connect() as c:
        c.begin("1", session=run.session, files=[("f", f.fileno())])
        assert c.finish().outcome == "error"


def test_deep_and_many_files_are_told_in_part(run):
    done = run("""\
        import os
        path = "."
        for i in range(100):
            path += "/d"; os.mkdir(path)
        for i in range(30000): open(f"f{i}", "w")""")
    assert len(done.files) == 20 and done.outcome == "ok"


@pytest.mark.parametrize("name", ["'.%d'", "b'\\xff%d'", "'\\n%d'"])
def test_names_that_are_not_told_count_for_the_walk(runner, run, name):
    assert run(f"for i in range(10000): open({name} % i, 'w').close()").files == {}
    with runner.connect() as c:
        c.send("D", {"session": run.session})
        done = c.finish()
    assert done.files == {} and done.end["more"]


# --- one session and another ---

def test_sessions_do_not_see_each_other(runner, run):
    runner.run("open('/space/secret', 'w').write('x'); open('/tmp/secret', 'w').write('x')\n"
               "open('/dev/shm/secret', 'w').write('x')", session="other")
    done = run("import os\nprint([os.listdir(d) for d in ('/space', '/tmp', '/dev/shm')])")
    assert "secret" not in done.text


def test_queued_signals_are_each_sessions_own(runner, run):
    flood = """\
        python3 - > said 2>&1 <<'X' &
        import ctypes, os, signal, time
        signal.pthread_sigmask(signal.SIG_BLOCK, [40])
        libc = ctypes.CDLL(None)
        made = 0
        while libc.sigqueue(os.getpid(), 40, ctypes.c_void_p(0)) == 0:
            made += 1
        print(made, flush=True)
        time.sleep(600)
        X
        until [ -s said ]; do :; done
        cat said"""
    first = run(flood, "shell").text
    second = runner.run(textwrap.dedent(flood), "shell", "second")
    assert 500 < int(first) <= 1024 and second.text == first
    with runner.connect() as c:
        c.ask("R", {"session": "second"})


FLOOD = """\
import array, os, socket
kept, null = [], os.open("/dev/null", os.O_RDONLY)
try:
    while True:
        kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        kept[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 250))])
except OSError as error:
    print(error.strerror)"""


def test_descriptors_in_flight_keep_nobody_from_executing(own):
    one = own(config="  open_files: 4096\n")
    one.command = ["prlimit", "--nofile=1024:16384", *one.command]
    one.restart()
    assert one.run(FLOOD, session="a").text == "Too many references: cannot splice\n"
    assert one.run("6 * 7", session="b").text == "42\n"
    assert one.run("echo on", "shell", session="b").text == "on\n"


def test_a_session_belongs_to_its_owner(runner, run):
    run("x = 1")
    done = runner.run("x", session=run.session, owner="another")
    assert done.one("Z")["reason"] == "busy"
