"""A runner of the assistant's code as a process of the test, and a client of its protocol (src/computer/link.h).

The runner refuses to be root, so that root's tests give it another user.  Its guard is `rlimit`, but in
test_runner_cgroup.py.
"""

import array
import atexit
import contextlib
import itertools
import json
import os
import pwd
import shutil
import socket
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest

from gateway import SANITIZER
from waiting import DEADLINE, wait_until

BINARY = Path(os.environ.get("PARLEY_BIN", Path(__file__).parents[2] / "build/release/parley")).resolve()
USER = "nobody"
numbers = itertools.count()


def as_user(*command):
    """The command, as a user that is not root."""
    if os.geteuid() != 0:
        return list(command)
    row = pwd.getpwnam(USER)
    return ["setpriv", f"--reuid={row.pw_uid}", f"--regid={row.pw_gid}", "--clear-groups", "--",
            *command]


def program():
    """The path of the binary for that user: a folder of root's is none that it may enter."""
    if os.geteuid() != 0:
        return BINARY
    copy = Path(tempfile.gettempdir()) / f"parley-runner-{os.getpid()}"
    if not copy.exists():
        copy.mkdir(mode=0o755)
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        shutil.copy(BINARY, copy / "parley")
        shutil.copytree(BINARY.parent / "parley-runner", copy / "parley-runner")
        for path in (copy, copy / "parley-runner", *copy.glob("parley-runner/*")):
            path.chmod(0o755)
    return copy / "parley"


def why_not():
    """What this machine lacks for sandboxes; None: nothing."""
    if not (BINARY.parent / "parley-runner/parley-seat").exists():
        return "this build has no runner (PARLEY_RUNNER)"
    done = subprocess.run(as_user(program(), "runner", "--guard", "rlimit", "--try", "-",
                                  "--language", "shell"),
                          input="true", capture_output=True, text=True, timeout=60)
    return None if done.returncode == 0 else done.stderr.strip()


def try_file(path, language, *options, **env):
    """`parley runner --try`: the chunks, and the process."""
    done = subprocess.run(as_user(program(), "runner", "--guard", "rlimit", "--try", path,
                                  "--language", language, *options),
                          capture_output=True, text=True, timeout=60, env={**os.environ, **env})
    return [json.loads(line) for line in done.stdout.splitlines()], done


class Done:
    """What an execution told."""

    def __init__(self):
        self.frames = []

    def add(self, kind, body):
        self.frames.append((kind, body))

    @property
    def text(self):
        return b"".join(body for kind, body in self.frames if kind == "O").decode()

    @property
    def lines(self):
        return [int(body) for kind, body in self.frames if kind == "L"]

    @property
    def files(self):
        return {row["path"]: row["bytes"] for row in
                (json.loads(body) for kind, body in self.frames if kind == "N")}

    @property
    def images(self):
        found, parts = [], b""
        for kind, body in self.frames:
            if kind == "I":
                form, part = body.split(b"\n", 1)
                parts += part
                if not part:
                    found.append((form.decode(), parts))
                    parts = b""
        return found

    @property
    def html(self):
        return b"".join(body for kind, body in self.frames if kind == "H").decode()

    def one(self, kind):
        found = [json.loads(body) for k, body in self.frames if k == kind]
        assert len(found) == 1, (kind, self.frames)
        return found[0]

    @property
    def end(self):
        return self.one("E")

    @property
    def outcome(self):
        return self.end["outcome"]

    @property
    def fresh(self):
        return self.one("S")["fresh"]


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE + 60)
        self.socket.connect(str(path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, kind, body=b"", fd=None):
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        if isinstance(body, str):
            body = body.encode()
        frame = struct.pack("<I", len(body)) + kind.encode() + body
        if fd is None:
            self.socket.sendall(frame)
        else:
            self.socket.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                                           array.array("i", [fd]))])

    def exactly(self, size):
        got = b""
        while len(got) < size:
            part = self.socket.recv(min(size - len(got), 1 << 20))
            if not part:
                return None
            got += part
        return got

    def frame(self):
        """A kind and a body; None: the runner has closed."""
        head = self.exactly(5)
        if head is None:
            return None
        size, = struct.unpack("<I", head[:4])
        body = self.exactly(size)
        return None if body is None else (chr(head[4]), body)

    def ask(self, kind, body=b""):
        self.send(kind, body)
        return self.frame()

    def begin(self, code, language="python", session="s", files=(), exec_id=None, **more):
        self.send("X", {"version": 1, "exec": exec_id or f"exec_{os.getpid()}_{next(numbers)}",
                        "session": session, "language": language, "owner": "o", **more})
        for name, fd in files:
            self.send("F", name, fd)
        code = code.encode() if isinstance(code, str) else code
        for at in range(0, len(code), 100000):
            self.send("C", code[at:at + 100000])
        self.send("G")

    def finish(self, until=None):
        """Reads to the end, or until a frame for which `until` is true."""
        done = Done()
        while True:
            frame = self.frame()
            assert frame is not None, ("no end", done.frames[-3:])
            done.add(*frame)
            if frame[0] in "EZ" or (until and until(done)):
                return done


class Runner:
    def __init__(self, *options, config="", cgroup=None):
        self.folder = Path(tempfile.mkdtemp(prefix="runner-", dir=tempfile.gettempdir()))
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER)
        self.path = self.folder / "s"
        file = self.folder / "runner.yaml"
        own = "" if "sessions_of_key" in config else "  sessions_of_key: 16\n"
        file.write_text(f"runner:\n{own}{config}")
        file.chmod(0o644)
        self.log = open(self.folder / "log", "w+b")
        peer = ["--peer", "root"] if os.geteuid() == 0 else []
        enter = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', cgroup] if cgroup else []
        self.command = (
            [*enter, *as_user(program(), "runner", "--guard", "cgroup" if cgroup else "rlimit", "--config",
                              file, *peer, "--listen", f"unix:{self.path}", *options)])
        self.launch()

    def launch(self):
        self.process = subprocess.Popen(self.command, stderr=self.log, cwd="/")
        wait_until(lambda: self.listens() or self.process.poll() is not None, "its socket")
        assert self.process.poll() is None, self.said()

    def listens(self):
        """A socket has a path before anybody listens there."""
        try:
            Connection(self.path).socket.close()
        except OSError:
            return False
        return True

    def restart(self):
        """kill -9, and another one at the same place."""
        self.process.kill()
        self.process.wait()
        self.path.unlink()
        self.launch()

    def said(self):
        return Path(self.log.name).read_text()

    def connect(self):
        try:
            return Connection(self.path)
        except OSError as error:
            raise AssertionError(f"{error}; {self.process.poll()}; {self.said()[-2000:]}") from error

    def run(self, code, language="python", session="s", **more):
        with self.connect() as c:
            c.begin(code, language, session, **more)
            return c.finish()

    def state(self, session="s"):
        with self.connect() as c:
            return json.loads(c.ask("T", {"session": session})[1])

    def processes(self):
        """Pids below it."""
        found, todo = [], [self.process.pid]
        while todo:
            pid = todo.pop()
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    below = [int(p) for p in (task / "children").read_text().split()]
                    found += below
                    todo += below
        return found

    def comms(self):
        """The names of those processes."""
        found = []
        for pid in self.processes():
            with contextlib.suppress(OSError):
                found.append(Path(f"/proc/{pid}/comm").read_text())
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(DEADLINE + 10)
        said = self.said()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert not SANITIZER.search(said), said
        return code


lacking = why_not()
needs_sandbox = pytest.mark.skipif(lacking is not None, reason=f"no sandboxes here: {lacking}")


def needs(name):
    """The language's program has to be where sandboxes look."""
    there = any(Path(folder, name).exists() for folder in ("/usr/bin", "/usr/local/bin"))
    return pytest.mark.skipif(not there, reason=f"{name} is not installed in /usr")
