#!/usr/bin/env python3
"""What a stored turn of POST /v1/chat costs, counted: for a client alone, and for 64 at once.

turns.py BINARY TOOLS           TOOLS: the folder of mock and load (build/bench)
turns.py BINARY TOOLS --top 20  with the functions that take most of each thread's instructions
turns.py BINARY TOOLS --minutes 10  instead: 64 clients without a pause, and what waits for the search index

Four parts for each number of clients: instructions by thread (callgrind; the difference of two
runs), system calls (perf), pages that go into SQLite's log (strace), CPU and sleeps by thread.  On a
machine that is not quiet only the last is worthless, but with 64 clients whatever changes the size
of batches moves all of them.
"""

import argparse
import collections
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from instructions import CONF, address, stop
from run import chat, search_waiting

CLIENTS = {1: (100, 500), 64: (600, 3000)}  # turns of the smaller and the larger run
NATIVE = {1: 3000, 64: 30000}
# a function that is called on one kind of thread only, where callgrind names no thread
ROOTS = {"loop": "loop_run", "writer": "writer_serve", "indexer": "search_serve",
         "checkpoint": "checkpoint_serve", "log": "log_writer"}
CALLS = ("epoll_ctl epoll_wait recvfrom sendmsg pread64 pwrite64 fdatasync fcntl statx newfstatat futex "
         "read write sched_yield clock_gettime getrandom madvise mprotect mmap munmap").split()
SETTLE_S = 0.5  # until perf counts
LOOK_S = 1  # between two looks at what waits for the index
FRAME = 24 + 4096  # of SQLite's log: a header and a page


class Gateway:
    """A gateway with a mock behind it, in a folder of its own."""

    def __init__(self, binary, tools, under=(), pinned=False):
        self.folder_owner = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.folder_owner.name)
        self.tools = tools
        self.mock = subprocess.Popen(["taskset", "-c", "1", tools / "mock"], stdout=subprocess.PIPE, text=True)
        (self.folder / "parley.yaml").write_text(CONF.format(
            folder=self.folder, mock="http://" + address(self.mock, "mock ready on ")))
        (self.folder / "body").write_text(json.dumps(chat("json")))
        with open(self.folder / "log", "wb") as log:
            # as run.py does: a core for the gateway, the other for the tools
            self.process = subprocess.Popen(
                [*(["taskset", "-c", "0"] if pinned else ()), *(part.format(folder=self.folder) for part in under), binary, "serve",
                 "--config", self.folder / "parley.yaml"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        self.host = address(self.process, "parley ready on ").rstrip("/")

    def turns(self, clients, times):
        """Right turns, which may be a few more than `times`."""
        r = subprocess.run(
            ["taskset", "-c", "1", self.tools / "load", "-t", self.host, "-p", "/v1/chat", "-b", self.folder / "body",
             "-c", str(clients), "-n", str(times), "-d", "600000"],
            stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(r.stdout.splitlines()[-1])["answers"]

    def pid(self):
        """Of the gateway itself, also below strace."""
        below = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int((below.read_text().split() or [self.process.pid])[0])

    def threads(self):
        """CPU in nanoseconds and sleeps, by the name of the thread."""
        found = collections.defaultdict(lambda: [0, 0])
        for task in pathlib.Path(f"/proc/{self.pid()}/task").iterdir():
            sleeps = re.search(r"^voluntary_ctxt_switches:\s+(\d+)",
                               (task / "status").read_text(), re.M)
            of = found[(task / "comm").read_text().strip()]
            of[0] += int((task / "schedstat").read_text().split()[0])
            of[1] += int(sleeps[1])
        return found

    def stop(self):
        stop(self.process)
        stop(self.mock)


def callgrind(args, clients, times):
    """Instructions by thread, and by function within it, of a whole run; and its turns."""
    gateway = Gateway(args.binary, args.tools,
                      ("valgrind", "-q", "--tool=callgrind", "--separate-threads=yes",
                       "--fair-sched=yes", "--callgrind-out-file={folder}/out"))
    done = gateway.turns(clients, times)
    gateway.stop()
    totals, functions = collections.Counter(), collections.Counter()
    for part in gateway.folder.glob("out-*"):
        text = part.read_text(errors="replace")
        total = re.findall(r"^totals: (\d+)", text, re.M)
        name = next((n for n, root in ROOTS.items() if re.search(rf"\) {root}\b", text)), "others")
        totals[name] += int(total[-1]) if total else 0
        if args.top:
            for function, n in own_instructions(text).items():
                functions[name, function] += n
    return totals, functions, done


def own_instructions(text):
    """What each function takes itself, without those that it calls."""
    names, own, at, skip = {}, collections.Counter(), None, False
    for line in text.splitlines():
        if m := re.match(r"fn=\((\d+)\)(?: (.*))?", line):
            if m[2]:
                names[m[1]] = m[2]
            at = m[1]
        elif m := re.match(r"cfn=\((\d+)\)(?: (.*))?", line):
            if m[2]:
                names[m[1]] = m[2]
        elif line.startswith("calls="):
            skip = True  # the next line has the cost of the call
        elif re.match(r"[+\-*\d]", line) and at:
            if not skip:
                own[at] += int(line.split()[-1])
            skip = False
    return {names.get(n, n): count for n, count in own.items()}


def show(title, rows):
    print(f"\n{title}")
    for name, value in rows:
        print(f"  {name:32} {value}")


def count_instructions(args, clients):
    few, many = CLIENTS[clients]
    small, small_functions, small_n = callgrind(args, clients, few)
    large, functions, n = callgrind(args, clients, many)
    n -= small_n
    large.subtract(small)
    functions.subtract(small_functions)
    show("instructions", [("all", f"{sum(large.values()) / n:,.0f}")] +
         [(name, f"{count / n:,.0f}") for name, count in large.most_common()])
    for name in list(ROOTS)[:3] if args.top else ():
        mine = collections.Counter({f: c for (t, f), c in functions.items() if t == name})
        show(f"instructions of {name}, each function's own",
             [(f[:60], f"{c / n:,.0f}") for f, c in mine.most_common(args.top)])


def count_calls(args, clients):
    """By perf, which does not slow the gateway down, so that batches stay as large as they are."""
    gateway = Gateway(args.binary, args.tools, pinned=True)
    gateway.turns(clients, NATIVE[clients] // 10)
    counter = subprocess.Popen(
        ["perf", "stat", "-x,", *(part for name in CALLS for part in
                                  ("-e", f"syscalls:sys_enter_{name}")),
         "-e", "page-faults", "-p", str(gateway.pid())], stderr=subprocess.PIPE, text=True)
    time.sleep(SETTLE_S)
    n = gateway.turns(clients, NATIVE[clients])
    counter.send_signal(signal.SIGINT)
    counted = counter.communicate()[1]
    gateway.stop()
    rows = [line.split(",") for line in counted.splitlines() if line[:1].isdigit()]
    rows = [(row[2].removeprefix("syscalls:sys_enter_"), int(row[0]) / n) for row in rows]
    show("system calls, page faults",
         [(name, f"{count:.2f}") for name, count in sorted(rows, key=lambda r: -r[1])
          if count >= 0.005])


def count_pages(args, clients):
    """By strace, which makes batches larger: right for one client only."""
    gateway = Gateway(args.binary, args.tools,
                      ("strace", "-f", "-qq", "-y", "-e", "trace=pwrite64", "-o", "{folder}/calls"))
    n = gateway.turns(clients, CLIENTS[clients][1])
    subprocess.run(["kill", "-TERM", str(gateway.pid())], check=True)
    gateway.process.communicate(timeout=60)
    stop(gateway.mock)
    logged = 0
    for line in open(gateway.folder / "calls", errors="replace"):
        if ".db-wal>" in line:
            size = re.search(r"= (\d+)$", line) or re.search(r", (\d+), \d+ <unfin", line)
            logged += int(size[1]) if size else 0
    show("SQLite's log", [("pages", f"{logged / FRAME / n:.2f}")])


def measure_cpu(args, clients):
    gateway = Gateway(args.binary, args.tools, pinned=True)
    gateway.turns(clients, NATIVE[clients] // 10)
    before = gateway.threads()
    n = gateway.turns(clients, NATIVE[clients])
    after = gateway.threads()
    gateway.stop()
    rows = {name: (cpu - before[name][0], sleeps - before[name][1])
            for name, (cpu, sleeps) in after.items()}
    show("CPU in microseconds, sleeps",
         [("all", f"{sum(r[0] for r in rows.values()) / n / 1000:.1f}, "
                  f"{sum(r[1] for r in rows.values()) / n:.2f}")] +
         [(name, f"{cpu / n / 1000:.1f}, {sleeps / n:.2f}")
          for name, (cpu, sleeps) in sorted(rows.items(), key=lambda r: -r[1][0])
          if cpu > n * 100])


def keep_on(args):
    """A steady load, the gateway on all processors: how fast, and how many turns wait for the index."""
    gateway = Gateway(args.binary, args.tools)
    gateway.turns(64, NATIVE[64] // 10)
    before = gateway.threads()
    port = gateway.host.rsplit(":", 1)[1]
    load = subprocess.Popen(
        [args.tools / "load", "-t", gateway.host, "-p", "/v1/chat", "-b", gateway.folder / "body",
         "-c", "64", "-d", str(int(args.minutes * 60_000))], stdout=subprocess.PIPE, text=True)
    waiting = []
    while True:
        try:
            text = load.communicate(timeout=LOOK_S)[0]
            break
        except subprocess.TimeoutExpired:
            waiting.append(search_waiting(port))
    waiting.append(search_waiting(port))
    after = gateway.threads()
    r = json.loads(text.splitlines()[-1])
    sizes = {f.name: f.stat().st_size >> 20 for f in gateway.folder.glob("parley.db*")}
    status = pathlib.Path(f"/proc/{gateway.pid()}/status").read_text()
    gateway.stop()
    cpu = {name: (ns - before[name][0]) / r["begun"] / 1000 for name, (ns, _) in after.items()}
    show(f"{r['seconds']:.0f} s of 64 clients", [
        ("turns", f"{r['answers']:,}, {r['rps']:,.0f} a second, {r['errors']} errors"),
        ("p50, p99, longest", ", ".join(f"{r['latency'][k] / 1000:.1f} ms"
                                        for k in ("p50_us", "p99_us", "max_us"))),
        ("waited for the index", f"at most {max(waiting):,}, at the end {waiting[-1]:,}"),
        ("CPU in microseconds", f"{sum(cpu.values()):.1f}: " + ", ".join(
            f"{name} {us:.1f}" for name, us in sorted(cpu.items(), key=lambda c: -c[1]) if us > 0.1)),
        ("RSS in MB", int(re.search(r"VmRSS:\s+(\d+)", status)[1]) >> 10),
        ("files in MB", ", ".join(f"{name} {mb}" for name, mb in sorted(sizes.items()) if mb))])


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary", type=pathlib.Path)
    p.add_argument("tools", type=pathlib.Path)
    p.add_argument("--top", type=int, default=0)
    p.add_argument("--clients", type=int, choices=CLIENTS, action="append")
    p.add_argument("--only", choices=("instructions", "calls", "pages", "cpu"), action="append")
    p.add_argument("--minutes", type=float)
    args = p.parse_args()
    args.binary, args.tools = args.binary.resolve(), args.tools.resolve()
    if args.minutes:
        if args.only or args.clients or args.top:
            p.error("--minutes goes with no other option")
        keep_on(args)
        return
    parts = {"instructions": count_instructions, "calls": count_calls, "pages": count_pages,
             "cpu": measure_cpu}
    for clients in args.clients or CLIENTS:
        print(f"\n{clients} at once, for each turn")
        for name in args.only or parts:
            parts[name](args, clients)


if __name__ == "__main__":
    main()
