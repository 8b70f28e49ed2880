"""kill -9 of the gateway or of the runner while code runs, and what must be left each time.

Each round has code of its own that leaves a mark in the session and prints.  Whenever the kill comes,
no code has run twice, every run has an end, and its answer says what is known of the code.
scripts/kill-loop --computer runs any number of rounds, tests/e2e/test_computer_kill.py some.
"""

import collections
import contextlib
import random
import re
import threading
import time

import httpx

import computer as cp
import upstream as up
from waiting import DEADLINE, wait_until

FINAL = ("completed", "incomplete", "failed", "cancelled")
UNKNOWN = "whether this ran to its end is not known]"
LONGEST = 0.6  # seconds until the kill


class Fault(AssertionError):
    """Something that was promised does not hold."""


class Loop:
    def __init__(self, start, runner, upstream, seed):
        self.computer = cp.Computer(start, runner)
        self.runner = runner
        self.upstream = upstream
        self.seed = seed
        self.number = 0
        self.figures = collections.Counter()

    def round(self):
        self.number += 1
        self.rng = random.Random(f"{self.seed} {self.number}")
        self.mark = f"mark{self.number}"
        asks = self.rng.random() < 0.5
        kills = self.rng.choice(["gateway", "runner"])
        code = (f"open('log', 'a').write('{self.mark}\\n')\nprint('begun')\nimport time\n"
                f"time.sleep({self.rng.random() * 0.15})\nprint('over')")
        script = self.upstream.script(up.in_turn(cp.calls(("python", code)), up.stream("Done.")))
        try:
            self.play(script, asks, kills)
        finally:
            self.upstream.scripts.pop(script.name, None)
        self.figures["rounds"] += 1
        self.figures[f"kills of the {kills}"] += 1

    def play(self, script, asks, kills):
        client = self.computer.client
        path, body = "/v1/chat", self.computer.body(script)
        if asks:
            with client.stream(path, self.computer.body(script, {"confirm": "ask"})) as stream:
                cp.blocks(stream.check_head())
            path, body = f"/v1/runs/{stream.headers['x-run-id']}/approve", {"approve": True, "stream": True}
        below = self.runner.processes() if kills == "runner" else []
        asking = threading.Thread(target=self.ask, args=(path, body))
        asking.start()
        time.sleep(self.rng.random() * LONGEST)
        if kills == "gateway":
            self.computer.gateway.kill()
            asking.join()
            self.computer.gateway.start()
            self.computer.again()
        else:
            below += self.runner.processes()
            self.runner.restart()
            asking.join()
            wait_until(lambda: not any(alive(pid) for pid in below), "the end of all sandboxes")
        self.look(path if asks else None, kills)

    def ask(self, path, body):
        """What becomes of it is seen in the store."""
        with contextlib.suppress(httpx.HTTPError, AssertionError):
            with self.computer.client.stream(path, body) as stream:
                if stream.status == 200:
                    cp.blocks(stream)

    def runs(self):
        """Those of the round: they are the newest ones."""
        found = self.computer.client.get("/v1/runs?limit=4").ok().json["data"]
        return [self.computer.client.run(row["id"]) for row in found if self.of_round(row)]

    def of_round(self, row):
        if not row["conversation"]:
            return False
        text = self.computer.client.http.get(
            f"/v1/conversations/{row['conversation']}/messages?format=lmc").text
        return self.mark + "\\" in text

    def look(self, approval, kills):
        client = self.computer.client
        wait_until(lambda: all(row["status"] in FINAL for row in
                               client.get("/v1/runs?limit=4").ok().json["data"]), "an end of all runs")
        runs = self.runs()
        executions = [x for run in runs for x in run.get("executions", [])]
        if len(executions) > 1:
            raise Fault(f"executed twice: {runs}")
        for run in runs:
            self.look_at(run, run.get("executions", []))
        self.look_at_runner(executions)
        if kills == "gateway" and runs:
            self.look_at_session(runs[0]["conversation"], executions)
        if approval and executions:
            client.post(approval, {"approve": True}).error(409, "not_continuable")

    def look_at(self, run, executions):
        messages = self.computer.client.messages(run["conversation"], "lmc")
        outputs = [m["content"] for m in messages if m["type"] == "console"]
        if not executions:
            return
        self.figures[executions[0]["outcome"]] += 1
        if len(outputs) != 1:
            raise Fault(f"one execution, and these outputs: {outputs}")
        if (executions[0]["outcome"] == "unknown") != (UNKNOWN in outputs[0]):
            raise Fault(f"{executions[0]}, but its output is {outputs[0]!r}")
        if run["status"] == "completed" and outputs[0] != "begun\nover\n" and \
                not outputs[0].endswith("gone]\nbegun\nover\n"):
            raise Fault(f"a whole run with the output {outputs[0]!r}")

    def look_at_runner(self, executions):
        """The runner logs an execution at its end, with its id."""
        ids = re.findall(r'"event":"executed","exec":"(exec_[0-9a-f]+)"', self.runner.said())
        if len(ids) != len(set(ids)):
            raise Fault(f"the runner has executed one twice: {ids}")

    def look_at_session(self, conversation, executions):
        """How often the code has run, by what it has left."""
        path = f"/v1/conversations/{conversation}/computer"
        client = self.computer.client
        wait_until(lambda: client.get(path).ok().json["state"] != "busy", "the end of what was cut off",
                   DEADLINE)
        reply = client.get(f"{path}/files/log")
        ran = reply.body.decode().count(self.mark + "\n") if reply.status == 200 else 0
        self.figures["marks"] += ran
        if ran > 1 or ran > len(executions):
            raise Fault(f"{ran} marks of {self.mark}, and these executions: {executions}")

    def report(self):
        return "\n".join(f"{name:24} {count}" for name, count in sorted(self.figures.items()))


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
