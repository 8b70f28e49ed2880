"""A small disk, which a test may fill."""

import contextlib
import subprocess
import tempfile
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(size):
    """The folder of a disk of its own, in which anybody may write; skips the test where none may be mounted."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0777", "none", name], check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"may not mount a small disk: {done.stderr.strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)  # a test that failed may still use it


def fill(file, count):
    """Takes that many bytes of the disk."""
    with open(file, "wb", buffering=0) as out:
        while count > 0:
            count -= out.write(bytes(min(count, 1 << 20)))
