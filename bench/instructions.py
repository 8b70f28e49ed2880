#!/usr/bin/env python3
"""Counts the instructions of a plain call, an event of a stream, a stored turn, and hits of the answer cache.

instructions.py BINARY MOCK            compares with instructions.json: 2 % more or less is a failure
instructions.py BINARY MOCK --write    writes that file

One client asks a gateway under callgrind a smaller and a larger number of times; the difference of
the two counts, divided by the difference of the numbers, has neither start nor stop in it.  All
threads count.  Another compiler, libc or library makes other counts, so the file names them, and a
machine that has others is left alone; so is one that other programs keep busy.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile

from run import machine_busy_s

FILE = pathlib.Path(__file__).resolve().parent / "instructions.json"
MAY_DIFFER = 0.02
TRIES = 3
QUIET = 0.05  # of the machine: with more of other programs, threads wait otherwise, and counts move
READY_S = 60
# what: how often in the smaller and in the larger run
COUNTS = {"plain_call": (100, 600), "event": (100, 600), "stored_turn": (100, 400),
          "hit": (100, 600), "stored_hit": (100, 400)}
LIBRARIES = ("libc6", "libmicrohttpd12", "libcurl4", "libjson-c5", "libsqlite3-0", "libmimalloc2.0",
             "valgrind")

CONF = """
listen: 127.0.0.1:0
database: {folder}/parley.db
loops: 1
log_level: info
providers:
  - name: mock
    dialect: openai
    base_url: {mock}/v1
models:
  - name: "*"
    provider: mock
    cache: {{ttl: 1h}}
"""


def tools_of(binary):
    """What made the binary, and what it is linked with here."""
    found = {"compiler": subprocess.run(["readelf", "-p", ".comment", binary], capture_output=True,
                                        text=True, check=True).stdout.split("]")[-1].strip()}
    for name in LIBRARIES:
        r = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True,
                           text=True, check=False)
        found[name] = r.stdout if r.returncode == 0 else None
    found["machine"] = subprocess.run(["uname", "-m"], capture_output=True, text=True,
                                      check=True).stdout.strip()
    return found


def address(process, begin):
    """The address behind the first line that begins so."""
    for line in process.stdout:
        if line.startswith(begin):
            return line[len(begin):].strip().removeprefix("http://")
    raise SystemExit(f"{process.args[0]} ended without being ready")


def ask(connection, path, body, times, **headers):
    for _ in range(times):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path} answers {answer.status}: {text[:300]}")


def calls(connection, what, times):
    message = "Hello there"
    cache = {"x-parley-cache": "use"} if what.endswith("hit") else {}
    if what.startswith("stored"):
        ask(connection, "/v1/chat", {"config": {"model": "json"}, "messages": [message]}, times, **cache)
        return
    body = {"model": "json", "messages": [{"role": "user", "content": message}]}
    if what == "event":
        body |= {"model": f"sse-{times}-10", "stream": True}
        times = 1
    ask(connection, "/v1/chat/completions", body, times, **cache)


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=READY_S)


def count(binary, mock, what, times):
    """All instructions of a gateway that starts, answers and stops."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        provider = subprocess.Popen([mock], stdout=subprocess.PIPE, text=True)
        (folder / "parley.yaml").write_text(
            CONF.format(folder=folder, mock="http://" + address(provider, "mock ready on ")))
        with open(folder / "log", "wb") as log:
            gateway = subprocess.Popen(
                ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/out", binary,
                 "serve", "--config", folder / "parley.yaml"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            host = address(gateway, "parley ready on ").rstrip("/")
            connection = http.client.HTTPConnection(host, timeout=READY_S)
            calls(connection, what, times)
            connection.close()
        finally:
            stop(gateway)
            stop(provider)
        if gateway.returncode:
            raise SystemExit(f"the gateway ended with {gateway.returncode}")
        return sum(int(n) for part in folder.glob("out*") for n in
                   re.findall(r"^totals: (\d+)", part.read_text(errors="replace"), re.M)[-1:])


def per_unit(binary, mock, what):
    few, many = COUNTS[what]
    return (count(binary, mock, what, many) - count(binary, mock, what, few)) / (many - few)


def others_share(began, busy_s):
    """Of the machine since then: what neither this process nor its children used."""
    ours = sum(os.times()[:4]) - sum(began[:4])
    return (machine_busy_s() - busy_s - ours) / (os.times().elapsed - began.elapsed) / os.cpu_count()


def compare(measure, what, had):
    """False: it differs, and nothing but the code can be why."""
    began, busy_s = os.times(), machine_busy_s()
    for _ in range(TRIES):
        now = measure(what)
        change = now / had - 1
        print(f"instructions, {what.replace('_', ' ')}: {now:,} ({change:+.1%})", flush=True)
        if abs(change) <= MAY_DIFFER:
            return True
    share = others_share(began, busy_s)
    if share <= QUIET:
        return False
    print(f"not judged: other programs used {share:.0%} of the machine")
    return True


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary", type=pathlib.Path)
    p.add_argument("mock", type=pathlib.Path)
    p.add_argument("--write", action="store_true")
    args = p.parse_args()
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    tools = tools_of(args.binary)
    others = [name for name in tools if kept.get("tools", {}).get(name) != tools[name]]
    if others and not args.write:
        print("instructions: not compared, for this machine has another " + ", ".join(others))
        return 0
    def measure(what):
        return round(per_unit(args.binary.resolve(), args.mock.resolve(), what))

    if args.write:
        now = {what: round(statistics.median(measure(what) for _ in range(TRIES)))
               for what in COUNTS}
        FILE.write_text(json.dumps({"tools": tools, "instructions": now}, indent=1) + "\n")
        print(json.dumps(now))
        return 0
    same = [compare(measure, what, had) for what, had in kept["instructions"].items()]
    if not all(same):
        print(f"more than {MAY_DIFFER:.0%} from {FILE.name}: if it is meant, write the file anew "
              "(--write) in the same commit and say why")
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
