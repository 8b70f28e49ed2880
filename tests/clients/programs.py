"""A client's program: a process that is given jobs, and tells what became of them."""

import json
import subprocess
import threading

from gateway import environment
from waiting import DEADLINE, wait_until

PATIENCE = DEADLINE * 15  # some clients wait two minutes in all before they give up


class Job:
    def __init__(self):
        self.began = None  # true from the first piece of the answer on
        self.result = None

    def has_begun(self):
        return self.began

    def wait(self):
        return wait_until(lambda: self.result, "what became of a job", PATIENCE)


class Program:
    def __init__(self, client, log):
        self.log = log
        self.jobs = []
        with open(log, "wb") as errors:
            self.process = subprocess.Popen(
                client.command(), cwd=client.folder(), env=environment(client.runtime.environment),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            told = json.loads(line)
            job = self.jobs[told["id"]]
            if "text" in told:
                job.result = told
            job.began = told.get("began") or job.began

    def ask(self, **job):
        made = Job()
        self.jobs.append(made)
        print(json.dumps({"id": len(self.jobs) - 1, **job}), file=self.process.stdin, flush=True)
        return made

    def said(self):
        """Its complaints."""
        return self.log.read_text(errors="replace")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()  # a client that waits for what was taken from it
            self.process.wait(DEADLINE)
        self.reader.join(DEADLINE)
