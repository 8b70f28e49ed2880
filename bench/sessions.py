#!/usr/bin/env python3
"""How soon many sessions of the computer answer at once, and what a chat beside them costs.

sessions.py [--sessions 16] [--rounds 5] [--chats 400]     PARLEY_BIN: the binary; build/release/parley

It needs what the end-to-end tests need (tests/requirements.txt), and a machine with sandboxes.  Sessions:
requests that execute `print(1 + 1)` in new conversations, all sent at once; the time is that from the first
byte of the first request to the output of the last one, with the start of its sandbox.  Chats: plain calls
of the built-in model echo, one after the other: alone, beside so many sessions that have nothing to do, and
beside as many as a runner executes at once, which print a line ten times a second; the three in turns, and
each ratio is one of medians within its round.
Client, provider and runner share the machine with the gateway.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "e2e"))

import computer as cp  # noqa: E402
import keys  # noqa: E402
import upstream as up  # noqa: E402
from client import Client  # noqa: E402
from fixtures import gateways  # noqa: E402

AT_ONCE = max(2, len(os.sched_getaffinity(0)))  # executions of one key, if a runner is not told otherwise
LINES = "import time\nwhile True:\n    print('.')\n    time.sleep(0.1)"


class Session(threading.Thread):
    """One request that executes code, and when its first output came."""

    def __init__(self, computer, model, barrier):
        super().__init__(daemon=True)
        self.computer, self.model, self.barrier = computer, model, barrier
        self.sent = self.answered = self.run_id = None
        self.printed = threading.Event()

    def run(self):
        with Client(self.computer.gateway.url, keys.bearer(self.computer.key["key"])) as client:
            self.barrier.wait()
            self.sent = time.monotonic()
            with client.stream("/v1/chat", self.computer.body(self.model)) as stream:
                self.run_id = stream.check_head().headers["x-run-id"]
                for block in stream:
                    if not block.is_comment and block.json.get("format") == "output" and \
                            not self.printed.is_set():
                        self.answered = time.monotonic()
                        self.printed.set()


def begin(computer, model, count):
    barrier = threading.Barrier(count)
    made = [Session(computer, model, barrier) for _ in range(count)]
    for one in made:
        one.start()
    for one in made:
        assert one.printed.wait(60), "a session without output"
    return made


def once(code):
    """A model that executes the code, and then says something."""
    def step(x):
        answered = x.request.json["messages"][-1]["role"] == "tool"
        for inner in up.stream("Done.") if answered else cp.calls(("python", code)):
            inner(x)
    return step


def reset(computer, sessions):
    """Ends the sessions, so that the next ones are new."""
    for one in sessions:
        one.join(60)
        run = computer.client.run(one.run_id)
        computer.client.request("DELETE", f"/v1/conversations/{run['conversation']}/computer").ok()


def start_times(computer, script, count, rounds):
    taken = []
    for _ in range(rounds):
        made = begin(computer, script(once("print(1 + 1)")), count)
        taken.append(max(one.answered for one in made) - min(one.sent for one in made))
        reset(computer, made)
    return taken


def median_chat(computer, count):
    body = {"messages": ["hello"], "config": {"model": "echo"}}
    taken = []
    for _ in range(count):
        began = time.monotonic()
        response = computer.client.http.post("/v1/chat", json=body)
        taken.append(time.monotonic() - began)
        assert response.status_code == 200, response.text
    return statistics.median(taken)


def chat_times(computer, script, sessions, rounds, chats):
    """[(alone, beside idle sessions, beside printing ones)], seconds."""
    found = []
    median_chat(computer, chats)
    for _ in range(rounds):
        alone = median_chat(computer, chats)
        idle = begin(computer, script(once("print(1 + 1)")), sessions)
        for one in idle:
            one.join(60)
        beside_idle = median_chat(computer, chats)
        reset(computer, idle)
        printing = begin(computer, script(once(LINES)), AT_ONCE)
        beside_printing = median_chat(computer, chats)
        for one in printing:
            computer.client.post(f"/v1/runs/{one.run_id}/cancel").ok()
        reset(computer, printing)
        found.append((alone, beside_idle, beside_printing))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chats", type=int, default=400)
    options = parser.parse_args()
    upstream = up.Upstream()
    with tempfile.TemporaryDirectory(prefix="bench-computer-") as folder, \
            cp.runner(config=f"  sessions: {options.sessions}\n"
                             f"  sessions_of_key: {options.sessions}\n") as runner, \
            gateways(pathlib.Path(folder), upstream) as start:
        computer = cp.Computer(start, runner)
        taken = start_times(computer, upstream.script, options.sessions, options.rounds)
        print(f"{options.sessions} sessions at once, until the last one has answered: "
              f"{statistics.median(taken):.2f} s (of {', '.join(f'{t:.2f}' for t in sorted(taken))})", flush=True)
        found = chat_times(computer, upstream.script, options.sessions, options.rounds, options.chats)
        alone = statistics.median(row[0] for row in found)
        for name, n in ((f"{options.sessions} idle", 1), (f"{AT_ONCE} printing", 2)):
            ratio = statistics.median(row[n] / row[0] for row in found)
            print(f"a chat beside {name} sessions: {ratio:.2f} times as long as alone "
                  f"({alone * 1e3:.2f} ms)", flush=True)


if __name__ == "__main__":
    main()
