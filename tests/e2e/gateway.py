"""Starts, watches and stops the real binary."""

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
from functools import cache
from pathlib import Path

import pytest
import yaml

import postgres
import strict
from waiting import DEADLINE, wait_until

# Which storage engine the gateways use: sqlite or postgres.
ENGINE = os.environ.get("PARLEY_TEST_ENGINE", "sqlite")
PROJECT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("PARLEY_BIN", PROJECT / "build" / "release" / "parley")).absolute()

# Whatever holds this word is a secret or content, and may stand in no log, metric or error.
CANARY = "canaryZq7"

SANITIZER = re.compile(r"(ERROR|WARNING): (Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer"
                       r"|runtime error:|SUMMARY: \w+Sanitizer|check failed|CHECK failed")


@cache
def sanitized():
    """The binary was built with AddressSanitizer or ThreadSanitizer: its memory says nothing."""
    content = BINARY.read_bytes() if BINARY.exists() else b""
    return b"__asan_init" in content or b"__tsan_init" in content


def environment(extra=None):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("PARLEY_", "OPENAI_")) and "proxy" not in k.lower()}
    env.setdefault("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0")
    env.update(extra or {})
    return env


def run(*args, env=None, cwd=None, **more):
    """Runs the binary to its end: for commands, not for serving."""
    return subprocess.run([str(BINARY), *map(str, args)], env=environment(env), cwd=cwd,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE, **more)


class Gateway:
    def __init__(self, folder, config=None, args=(), env=None, listen="127.0.0.1:0", name="parley",
                 binary=None, **popen):
        """config: a dict or YAML text; None: no file."""
        self.binary = binary or BINARY
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.config_file = self.folder / f"{name}.yaml"
        self.file = self.folder / f"{name}.db"
        self.database_name = None  # on the server
        self.has_config = config is not None
        if self.has_config:
            self.write_config(config)
        self.args = list(map(str, args))
        self.env = env or {}
        self.listen = listen
        self.popen = popen
        self.process = None
        self.url = None
        self.lines = []  # of stderr, over all starts

    @property
    def database(self):
        """The file of an SQLite database, for tests that look into it."""
        if ENGINE != "sqlite":
            pytest.skip("looks into the file of an SQLite database")
        return self.file

    def database_option(self):
        if ENGINE == "sqlite":
            return str(self.file)
        if self.database_name is None:
            self.database_name = postgres.shared().create()
        return postgres.shared().url(self.database_name)

    def rows(self, sql):
        """What a statement finds in the database; with PostgreSQL, as texts."""
        if ENGINE == "sqlite":
            with contextlib.closing(sqlite3.connect(self.file)) as db:
                return db.execute(sql).fetchall()
        return postgres.shared().sql(sql, self.database_name)

    def write_config(self, config):
        if isinstance(config, dict):
            strict.get_ready(config)
            config = yaml.safe_dump({"database": self.database_option(), **config}, sort_keys=False)
        self.config_file.write_text(config)

    def command(self):
        line = [str(self.binary), "serve"]
        if self.has_config:
            line += ["--config", str(self.config_file)]
        if self.listen:
            line += ["--listen", self.listen]
        if not self.has_config and "--database" not in self.args:
            line += ["--database", self.database_option()]
        return line + self.args

    def launch(self):
        """Starts the process without waiting for it to be ready."""
        self.url = None
        self.started = threading.Event()
        self.stdout = []
        self.process = subprocess.Popen(
            self.command(), cwd=self.folder, env=environment(self.env), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.popen)
        self.readers = [threading.Thread(target=self._read_out, daemon=True),
                        threading.Thread(target=self._read_err, daemon=True)]
        for thread in self.readers:
            thread.start()
        return self

    def _read_out(self):
        for line in self.process.stdout:
            self.stdout.append(line.decode("utf-8", "replace"))
            found = re.search(r"(https?://|unix:)\S+", self.stdout[-1])
            if found and not self.url:
                self.url = found.group().rstrip("/")
                self.started.set()
        self.started.set()

    def _read_err(self):
        for line in self.process.stderr:
            self.lines.append(line.decode("utf-8", "replace"))

    def start(self):
        assert self.binary.exists(), f"{self.binary} is not built"
        self.launch()
        assert self.started.wait(DEADLINE), f"the gateway printed no address:\n{self.log()}"
        assert self.url, (f"the gateway ended with {self.process.wait(DEADLINE)} before it was "
                          f"ready:\n{self.log()}")
        tcp = re.fullmatch(r"https?://(.*):(\d+)", self.url)
        self.host, self.port = (tcp[1], int(tcp[2])) if tcp else (None, None)
        return self

    def fails_to_start(self):
        """Starts a gateway that must refuse; returns its exit code and what it said."""
        self.launch()
        code = self.process.wait(DEADLINE)
        self._join()
        assert code > 0, f"ended with {code}, expected a refusal:\n{self.log()}"
        self.process = None
        return code, self.log()

    def _join(self):
        for thread in self.readers:
            thread.join(DEADLINE)

    def log(self):
        """What it said; the end of it, where that is much."""
        skipped = len(self.lines) - 60
        return (f"[{skipped} lines before]\n" if skipped > 0 else "") + "".join(self.lines[-60:])

    def wait_log(self, pattern, start=0):
        return wait_until(lambda: re.search(pattern, "".join(self.lines[start:])),
                          f"a log line like {pattern!r}; the log is:\n{self.log()}")

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def wait_exit(self, deadline=DEADLINE):
        try:
            code = self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"it did not end in {deadline} s:\n{self.log()}") from None
        self._join()
        self.process = None
        return code

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.process.wait(DEADLINE)
        self._join()
        self.process = None
        if self.database_name is not None:  # no test waits for its lease to end
            postgres.shared().sql("UPDATE gateway SET lease_until = now() - interval '1 s'",
                                  self.database_name)

    def stop(self, deadline=DEADLINE * 2):
        """SIGTERM; it must end with 0 and have written nothing that it may not write."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        code = self.wait_exit(deadline)
        self.check_log()  # first: a sanitizer's report is the reason of its status
        assert code == 0, f"it ended with {code} after SIGTERM:\n{self.log()}"

    def check_log(self):
        log = "".join(self.lines)
        found = SANITIZER.search(log)
        assert not found, f"the gateway complains:\n{log[max(0, found.start() - 500):][:8000]}"
        assert CANARY not in log, "a secret or content is in the log:\n" + "".join(
            line for line in self.lines if CANARY in line)

    def restart(self):
        if self.process is not None:
            self.stop()
        return self.start()

    def rss_bytes(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    def copy_database(self, target):
        """The files as they lie on the disk now, for a look with sqlite3."""
        for suffix in ("", "-wal", "-shm"):
            source = Path(str(self.database) + suffix)
            if source.exists():
                shutil.copy(source, str(target) + suffix)
        return target
