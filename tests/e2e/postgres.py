"""A PostgreSQL server of the tests' own: on a socket in a temporary folder, ended with the process."""

import atexit
import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from waiting import DEADLINE, wait_until

PR_SET_PDEATHSIG = 1
# A pool_mode of PgBouncer, through which gateways use the servers.
POOL = os.environ.get("PARLEY_TEST_POOL")


def programs():
    """Where the server's programs are: as the environment says, or Debian's newest; None: on the path."""
    if os.environ.get("PARLEY_TEST_POSTGRES_BIN"):
        return Path(os.environ["PARLEY_TEST_POSTGRES_BIN"])
    found = [p.parent for p in Path("/usr/lib/postgresql").glob("[0-9]*/bin/postgres")]
    return max(found, key=lambda p: int(p.parent.name), default=None)


def program(name):
    folder = programs()
    return str(folder / name) if folder else name


def free_port():
    """One that the system chose; PostgreSQL can't let it choose."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class Pooler:
    """A PgBouncer before a server; its sockets are in a temporary folder."""

    def __init__(self, server, mode, **settings):
        self.server = server
        self.port = free_port()  # names its socket
        self.folder = Path(tempfile.mkdtemp(prefix="parley-pgb-", dir="/tmp"))
        lines = ["[databases]", f"* = host={server.folder} port={server.port} user=parley", "[pgbouncer]"]
        lines += [f"{k} = {v}" for k, v in {
            "pool_mode": mode, "auth_type": "any", "unix_socket_dir": self.folder,
            "listen_port": self.port, "server_login_retry": 1, "default_pool_size": 40,
            "max_client_conn": 500, **settings}.items()]
        file = self.folder / "pgbouncer.ini"
        file.write_text("\n".join([*lines, ""]))
        self.folder.chmod(0o777)
        self.process = subprocess.Popen(["/usr/sbin/pgbouncer", "-q", str(file)], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=die_with_parent,
                                        **server.as_user())
        wait_until((self.folder / f".s.PGSQL.{self.port}").exists, "PgBouncer's socket")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        # SIGTERM is an immediate shutdown up to 1.22 and waits for all clients from 1.23 on; SIGQUIT, which is
        # one from 1.23 on, dumps core before.
        self.process.kill()
        self.process.wait(DEADLINE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database):
        return f"postgres:///{database}?host={self.folder}&port={self.port}&user=parley"


class Server:
    def __init__(self, primary=None, **settings):
        """settings: of the server, beside those that a test wants.  primary: this one is its standby."""
        # The path of a socket has at most 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="parley-pg-", dir="/tmp"))
        # PostgreSQL refuses root.
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.settings = {"listen_addresses": "", "fsync": "off", "unix_socket_directories":
                         str(self.folder), **settings}
        self.port = self.settings.get("port", 5432)
        if POOL:
            self.settings["max_connections"] = 500
        self.process = None
        self.pooler = None
        self.databases = 0
        data = str(self.folder / "data")
        if primary:
            self.run(program("pg_basebackup"), "--no-sync", "--checkpoint=fast", "--write-recovery-conf",
                     "-D", data, "-d", f"host={primary.folder} port={primary.port} user=parley "
                     f"application_name={self.folder.name}")
        else:
            self.run(program("initdb"), "--no-sync", "-U", "parley", "-A", "trust", "-E", "UTF8",
                     "--locale=C", "-D", data)
        atexit.register(self.remove)

    def as_user(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid,
                "extra_groups": []} if self.user else {}

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE,
                              cwd=self.folder, check=False, **self.as_user())
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def start(self):
        self._launch()
        wait_until(self._has_started, "a server that answers")
        if POOL and not self.pooler:
            # Each database has a pool of its own.
            self.pooler = Pooler(self, POOL, server_idle_timeout=5,
                                 default_pool_size=10 if POOL == "transaction" else 40)
        return self

    def _launch(self):
        line = [program("postgres"), "-D", str(self.folder / "data")]
        for name, value in self.settings.items():
            line += ["-c", f"{name}={value}"]
        self.process = subprocess.Popen(line, cwd=self.folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=die_with_parent, **self.as_user())

    def _has_started(self):
        if self.process.poll() is not None:  # a killed one's processes still have its memory
            self._launch()
        return self.answers()

    def answers(self):
        return subprocess.run([program("pg_isready"), "-q", "-h", str(self.folder), "-p",
                               str(self.port)], check=False, timeout=DEADLINE).returncode == 0

    def kill(self):
        """kill -9 of the server: its other processes end by themselves."""
        self.process.kill()
        self.process.wait(DEADLINE)
        self.process = None

    def stop(self):
        """At once, as before a power cut; what was not synced is still there."""
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(DEADLINE)
            self.process = None

    def remove(self):
        if self.pooler:
            self.pooler.stop()
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, database="postgres", through=None):
        """Rows as lists of texts; through: a pooler."""
        host = through or self
        out = self.run(program("psql"), "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h",
                       str(host.folder), "-p", str(host.port), "-U", "parley", "-d", database, "-c", text)
        return [line.split("\t") for line in out.splitlines()]

    @contextlib.contextmanager
    def session(self, database):
        """do(statements): returns when they are done."""
        line = [program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-p",
                str(self.port), "-U", "parley", "-d", database]
        with subprocess.Popen(line, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True, **self.as_user()) as process:
            def do(text):
                process.stdin.write(f"{text}; SELECT 'done';\n")
                process.stdin.flush()
                assert any(said == "done\n" for said in iter(process.stdout.readline, ""))
            try:
                yield do
            finally:
                process.stdin.close()

    @contextlib.contextmanager
    def holding(self, text, database):
        """While the block runs, a transaction is open that has executed the statement."""
        with self.session(database) as do:
            do(f"BEGIN; {text}")
            yield

    def number(self, text, database):
        """The one number that a statement finds."""
        return int(self.sql(text, database)[0][0])

    def lapse(self, database):
        """The leases of the gateways that have live runs are over; who still lives, is paused."""
        self.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id IN "
                 "(SELECT gateway FROM run WHERE status < 2)", database)

    def has_synchronous(self, standby):
        """From now on, commits wait for the standby."""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '\"{standby.folder.name}\"'")
        self.sql("SELECT pg_reload_conf()")
        wait_until(lambda: self.sql("SELECT sync_state FROM pg_stat_replication") == [["sync"]],
                   "a synchronous standby")

    def promote(self):
        """A standby becomes a server of its own."""
        self.sql("SELECT pg_promote()")

    def url(self, database):
        if self.pooler:
            return self.pooler.url(database)
        return f"postgres:///{database}?host={self.folder}&port={self.port}&user=parley"

    def create(self):
        """A new, empty database; its name."""
        self.databases += 1
        name = f"p{self.databases}"
        self.sql(f"CREATE DATABASE {name}")
        return name


_shared = None


def shared():
    """The server that all tests of this process share."""
    global _shared
    if _shared is None:
        _shared = Server().start()
    return _shared
