"""The program as it was before the newest migration of PostgreSQL, built from its commit."""

import fcntl
import functools
import shutil
import subprocess

import pytest

from gateway import PROJECT

MIGRATIONS = "migrations/postgres"
PLACE = PROJECT / "build" / "previous"
# Debug, because that is built soonest.
OPTIONS = ["-DCMAKE_BUILD_TYPE=Debug", "-DPARLEY_CONSOLE=OFF", "-DPARLEY_RUNNER=OFF", "-DPARLEY_MIMALLOC=OFF",
           "-DPARLEY_POSTGRES=ON"]


def migrations():
    return sorted(path.stem for path in (PROJECT / MIGRATIONS).glob("*.sql"))


def ran(*command, seconds=60, **more):
    return subprocess.run(command, cwd=PROJECT, capture_output=True, timeout=seconds, check=False, **more)


def git(*words):
    done = ran("git", *words)
    if done.returncode != 0:
        pytest.skip(f"needs the history of the project: {done.stderr.decode().strip()}")
    return done.stdout.decode().strip()


def commit():
    """The last one without the newest migration."""
    newest = f"{MIGRATIONS}/{migrations()[-1]}.sql"
    if git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("needs the history of the project, and this is a shallow clone")
    added = git("log", "-1", "--diff-filter=A", "--format=%H", "--", newest)
    return git("rev-parse", f"{added}^" if added else "HEAD")


def migrations_before():
    """Those that the program of that commit knows: all but the newest, or fewer where one commit added several."""
    names = git("ls-tree", "--name-only", f"{commit()}:{MIGRATIONS}").split()
    return sorted(name.removesuffix(".sql") for name in names if name.endswith(".sql"))


def make(folder, revision):
    """Builds there, unless that was done."""
    binary = folder / "build" / "parley"
    if (folder / "made").exists():
        return binary
    for old in PLACE.glob("*/"):
        shutil.rmtree(old)
    (folder / "source").mkdir(parents=True)
    files = ran("git", "archive", revision)
    for command, data in ((["tar", "-x", "-C", folder / "source"], files.stdout),
                          (["cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja", *OPTIONS],
                           None),
                          (["nice", "cmake", "--build", folder / "build", "--target", "parley"], None)):
        done = ran(*command, seconds=1200, input=data)
        assert done.returncode == 0, (done.stdout + done.stderr)[-4000:].decode()
    (folder / "made").touch()
    return binary


@functools.cache
def binary():
    """Skips the test where there is no history; others that build it meanwhile are waited for."""
    revision = commit()
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return make(PLACE / revision, revision)
