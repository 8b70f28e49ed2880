"""A network of its own for a gateway, and one link from it to this machine, which can be cut.

It needs root.  What is in there (Namespace.inside, preexec_fn=Namespace.enter) reaches its own loopback
addresses and this machine's end of the link, and nothing else."""

import ctypes
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from waiting import DEADLINE

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def ran(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)


def must(*command):
    done = ran(*command)
    assert done.returncode == 0, f"{command}: {done.stderr}"


class Namespace:
    def __init__(self):
        """Skips the test where there can be none."""
        # It lasts as long as this process, which ends with ours.
        self.holder = subprocess.Popen(["unshare", "--net", "cat"], bufsize=0, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.holder.stdin.write(b"\n")
            begun = self.holder.stdout.readline()
        except BrokenPipeError:
            begun = b""
        if not begun:
            why = self.holder.stderr.read().decode().strip()
            self.close()
            pytest.skip(f"no network namespace can be made here: {why}")
        pid = self.holder.pid
        self.fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
        self.link = f"parley{pid}"
        # Of the addresses for tests of networks (RFC 2544), four for each of these networks.
        base = pid % (1 << 15) * 4
        self.here, self.there = (f"198.{18 + (at >> 16)}.{at >> 8 & 255}.{at & 255}"
                                 for at in (base + 1, base + 2))
        made = ran("ip", "link", "add", self.link, "type", "veth", "peer", "name", "out", "netns", str(pid))
        if made.returncode != 0:
            self.close()
            pytest.skip(f"no link into a network namespace can be made here: {made.stderr.strip()}")
        must("ip", "addr", "add", f"{self.here}/30", "dev", self.link)
        must("ip", "link", "set", self.link, "up")
        for words in (["addr", "add", f"{self.there}/30", "dev", "out"], ["link", "set", "out", "up"],
                      ["link", "set", "lo", "up"]):
            must("nsenter", f"--net=/proc/{pid}/ns/net", "ip", *words)

    def enter(self):
        """The calling thread, and what it starts, is in the namespace from now on."""
        if LIBC.setns(self.fd, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def inside(self, make):
        """What make() returns, called in the namespace: its sockets are there."""
        with ThreadPoolExecutor(1, initializer=self.enter) as pool:
            return pool.submit(make).result()

    def part(self):
        """No packet gets through any more, and nobody is told."""
        must("ip", "link", "set", self.link, "down")

    def silence(self):
        """What the gateway sends still arrives; no answer does: all go to a machine that is not there."""
        must("ip", "neigh", "replace", self.there, "lladdr", "02:00:00:00:00:01", "dev", self.link, "nud",
             "permanent")

    def mend(self):
        ran("ip", "neigh", "del", self.there, "dev", self.link)
        must("ip", "link", "set", self.link, "up")

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(DEADLINE)
        self.holder.stdout.close()
        self.holder.stderr.close()
        if hasattr(self, "fd"):
            os.close(self.fd)
