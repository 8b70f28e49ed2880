#!/usr/bin/env python3
"""Fills an SQLite database with conversations whose time is over, and has them swept beside load.

keeping.py BINARY [--conversations 1000000] [--clients 8] [--rest SECONDS]

The rows are those of conversations.py.  Clients store turns, one after the other; first without retention for --rest
seconds (20), then with it until the sweep is over.  Prints the times of turns and of commits in both phases.  Ends with 1
if a commit of the sweep took 50 ms or more.
"""

import argparse
import http.client
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from conversations import fill_sqlite, migrate

TURN = json.dumps({"messages": ["and it goes on"], "config": {"model": "echo"}})
COMMIT = re.compile(r'parley_db_transaction_seconds_bucket\{op="(\w+)",le="([^"]+)"\} (\d+)')
MOST_S = 0.05


class Load(threading.Thread):
    def __init__(self, host, over):
        super().__init__()
        self.host, self.over, self.times = host, over, []

    def run(self):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        while not self.over.is_set():
            sent = time.perf_counter()
            connection.request("POST", "/v1/chat", TURN, {"content-type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            self.times.append((time.perf_counter() - sent) * 1000)
            time.sleep(0.02)
        connection.close()


def metrics(host):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def swept(text):
    found = re.search(r'parley_swept_total\{kind="run"\} (\d+)', text)
    return int(found[1]) if found else 0


def commits(text, op):
    """Lines of a histogram: the bound, and how many commits took at most so long."""
    return [(float(le), int(n)) for of, le, n in COMMIT.findall(text) if of == op]


def told(name, loads, text, seconds):
    times = sorted(t for load in loads for t in load.times)
    print(f"\n{name}: {seconds:.0f} s, {len(times)} turns: median {times[len(times) // 2]:.1f} ms, 99 % below "
          f"{times[len(times) * 99 // 100]:.1f} ms, slowest {times[-1]:.1f} ms")
    slow = False
    for op in ("write", "sweep"):
        rows = commits(text, op)
        total = rows[-1][1] if rows else 0
        if total == 0:
            continue
        quick = max(n for le, n in rows if le <= MOST_S)
        bounds = [next(le for le, n in rows if n >= total * share) for share in (0.5, 0.99, 1)]
        print(f"  commits of {op}: {total}; {total - quick} above {MOST_S * 1000:.0f} ms; median, 99 %, all within "
              + ", ".join(f"{le * 1000:g}" for le in bounds) + " ms", flush=True)
        slow = slow or (op == "sweep" and quick < total)
    return slow


def phase(binary, folder, clients, name, keep, until):
    config = folder / "parley.yaml"
    config.write_text(f"database: {folder}/parley.db\nlisten: 127.0.0.1:0\nlog_level: warn\nconversations_keep: {keep}\n")
    gateway = subprocess.Popen([binary, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
    try:
        line = next(line for line in gateway.stdout if line.startswith("parley ready on http://"))
        host = line.strip().removeprefix("parley ready on http://").rstrip("/")
        over, began = threading.Event(), time.time()
        loads = [Load(host, over) for _ in range(clients)]
        for load in loads:
            load.start()
        while not until(time.time() - began, host):
            time.sleep(1)
        over.set()
        for load in loads:
            load.join()
        return told(name, loads, metrics(host), time.time() - began)
    finally:
        gateway.terminate()
        gateway.wait()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary", type=pathlib.Path)
    p.add_argument("--conversations", type=int, default=1_000_000)
    p.add_argument("--clients", type=int, default=8)
    p.add_argument("--rest", type=int, default=20)
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "parley.yaml").write_text(f"database: {folder}/parley.db\n")
        migrate(o.binary, folder / "parley.yaml")
        fill_sqlite(folder / "parley.db", o.conversations, False)
        print(f"{o.conversations:,} conversations, {(folder / 'parley.db').stat().st_size / 1e6:.0f} MB", flush=True)
        phase(o.binary, folder, o.clients, "without retention", "0", lambda seconds, _: seconds > o.rest)
        want = o.conversations - 120  # the newest are of the last hour
        return int(phase(o.binary, folder, o.clients, "with it", "1h",
                         lambda _, host: swept(metrics(host)) >= want))


if __name__ == "__main__":
    sys.exit(main())
