"""Measures Parley beside nginx and beside nothing, on one machine, in one run.  See README.md."""

import argparse
import base64
import contextlib
import http.client
import json
import os
import pathlib
import platform
import resource
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import peers

HERE = pathlib.Path(__file__).resolve().parent
GATEWAY_CPU, TOOLS_CPU = 0, 1
SETTLE_MS = 700  # between the last stream's start and the window
SCALE = "## Scale of the store"  # bench/run --scale writes it
CONNECTIONS = "## Connections to a provider"  # and --connections that
PARTS, PARTS_EVERY = "lmc-parts", 3  # the name of lmc.c's measurements; in each third round
QUIET = 0.05  # of the machine: what other programs may use in a round whose figures count
QUIET_ROUNDS = 5  # of a full run; it goes on until it has them
PATIENCE_S = 30 * 60  # and gives up then
STEADY_S = 120

# ---- what is sent ---------------------------------------------------------------------------

SENTENCE = ("Explain to a curious reader how a lighthouse keeps ships off the rocks, which parts "
            "it has, who looks after it and what has changed since lamps burned oil. ")
PROMPT = (SENTENCE * 4)[:600]
SYSTEM = "You are a patient teacher. Answer in plain words."
IMAGE = "data:image/png;base64," + base64.b64encode(
    bytes((i * 131 + i // 251) % 256 for i in range(3072)) * 256).decode()


def completions(model, stream=False, content=PROMPT, turns=0):
    messages = [{"role": "system", "content": SYSTEM}]
    for i in range(turns):
        role = "assistant" if i % 2 else "user"
        messages.append({"role": role, "content": (f"Turn {i}: " + SENTENCE * 7)[:1000]})
    messages.append({"role": "user", "content": content})
    body = {"model": model, "messages": messages, "temperature": 0.7, "max_tokens": 256}
    return body | ({"stream": True} if stream else {})


def chat(model, stream=False):
    body = {"instruction": SYSTEM, "messages": [PROMPT],
            "config": {"model": model, "temperature": 0.7, "max_tokens": 256}}
    return body | ({"stream": True} if stream else {})


def conversation(lmc=False, turns=20):
    """About a KB a turn: a question, code, its output, an answer; the same in either family."""
    messages = []
    for i in range(turns):
        text = (f"Turn {i}: " + SENTENCE * 7)[:1000]
        role, kind = (("user", {"type": "message"}),
                      ("assistant", {"type": "code", "format": "python"}),
                      ("computer", {"type": "console", "format": "output"}),
                      ("assistant", {"type": "message"}))[i % 4]
        if lmc:
            messages.append({"role": role, **kind, "content": text})
        else:
            messages.append({"role": "user" if role == "computer" else role, "content": text})
    return messages


def unstored(model, messages=(PROMPT,), stream=False, **more):
    body = {"messages": list(messages), "store": False, **more,
            "config": {"model": model, "temperature": 0.7, "max_tokens": 256}}
    return body | ({"stream": True} if stream else {})


def image_body():
    return completions("json", content=[
        {"type": "text", "text": PROMPT},
        {"type": "image_url", "image_url": {"url": IMAGE}}])


class Scenario:
    """One kind of load; ways: through what it goes, in this order (reversed in every other round);
    every: 3 means in each third round only, for what has no target; once: in one round, at its end,
    for what takes minutes."""

    def __init__(self, name, title, ways, connections, window_s, *, plain, native=None,
                 lmc=None, interval_ms=0, ramp_ms=0, again=0, every=1, once=False,
                 first_round_only=()):
        self.name, self.title, self.ways, self.connections = name, title, ways, connections
        self.window_s, self.interval_ms, self.ramp_ms = window_s, interval_ms, ramp_ms
        self.again, self.every, self.once = again, every, once
        self.first_round_only = first_round_only
        self.streams = bool(interval_ms or again)
        self.plain, self.native, self.lmc = plain, native, lmc
        self.model, self.events = "json", 0
        if interval_ms:  # each stream lasts from the ramp to a little after the window
            lasts = ramp_ms + SETTLE_MS + window_s * 1000 + 500
            self.events = -(-int(lasts) // interval_ms)
            self.model = f"sse-{self.events}-{interval_ms}"
        elif again:
            self.events, self.model = again, f"sse-{again}-0"

    def request(self, way):
        body = {"stored": self.native, "chat": self.native, "lmc": self.lmc}.get(way, self.plain)
        path = "/v1/chat" if way in ("stored", "chat", "lmc") else "/v1/chat/completions"
        return path, body(self.model)

    def load_arguments(self):
        args = ["-c", self.connections, "-d", int(self.window_s * 1000)]
        if self.interval_ms:
            warm = self.ramp_ms + SETTLE_MS
            hard = warm + int(self.window_s * 1000) + 15000
            args += ["-s", "-r", self.ramp_ms, "-w", warm, "-x", hard, "-e", self.events]
        elif self.again:
            args += ["-s", "-R", "-w", 500, "-e", self.events]
        else:
            args += ["-w", 300 if self.connections == 1 else 400]
        return [str(a) for a in args]


def scenarios(quick, others=()):
    """others: ways through other gateways (peers.py)."""
    others = list(others)

    def s(full, short):
        return short if quick else full
    small = completions
    stream = lambda model: completions(model, stream=True)
    both = {"plain": small, "native": chat}
    streams = {"plain": stream, "native": lambda model: chat(model, stream=True)}
    return [
        Scenario("json64", "JSON, 64 connections",
                 s(["direct", "floor", "nginx", "parley", "stored"],
                   ["direct", "nginx", "parley", "stored"]) + others, 64, s(1.2, 1), **both),
        Scenario("body20k", "JSON with 20 KB of messages, 64 connections",
                 ["nginx", "parley"] + others, 64, s(1.2, .8),
                 plain=lambda m: completions(m, turns=19)),
        Scenario("image1m", "JSON with a 1 MB image, 8 connections", ["nginx", "parley"], 8,
                 s(1.2, .8), plain=lambda m: image_body()),
        Scenario("json1", "JSON, 1 connection", ["direct", "nginx", "parley", "stored"] + others, 1,
                 s(1.2, .6), **both),
        Scenario("stream1", "streams of 16 events, one after another",
                 s(["direct", "floor", "nginx", "parley", "stored"], ["nginx", "parley"]) + others, 1,
                 s(1.5, .6), again=16, **streams),
        Scenario("stream64", "streams of 64 events, back to back, 64 at a time",
                 s(["nginx", "parley", "stored"], ["nginx", "parley"]), 64, s(1.5, .8), again=64, every=3,
                 **streams),
        Scenario("lmc500", "streams of 500 events, back to back, 16 at a time, as they come and as LMC",
                 ["parley", "lmc"], 16, s(1.5, .8), again=500, plain=stream,
                 lmc=lambda m: unstored(m, stream=True, format="lmc")),
        Scenario("lmc20k", "JSON with 20 KB of messages, 64 connections, OpenAI's and LMC",
                 ["chat", "lmc"], 64, s(1.2, .8), plain=small,
                 native=lambda m: unstored(m, conversation()),
                 lmc=lambda m: unstored(m, conversation(lmc=True), format="lmc")),
        Scenario("sse1000", "1,000 open streams, an event every 200 ms",
                 s(["direct", "floor", "nginx", "parley", "stored"], ["nginx", "parley", "stored"])
                 + others, 1000, s(4, 1.5), interval_ms=200, ramp_ms=1000, **streams),
        Scenario("sse5000", "5,000 open streams, an event every 500 ms",
                 s(["direct", "nginx", "parley"], ["nginx", "parley"]), 5000, s(4, 2),
                 interval_ms=500, ramp_ms=2500, first_round_only=("direct",), **streams),
        Scenario("steady", f"JSON, 64 connections, for {STEADY_S} s", s(["stored"], []), 64, STEADY_S,
                 once=True, **both),
    ]


PROBED = "sse-3-0"  # a short stream, to see that a way answers
MODELS = [PROBED, *sorted({s.model for s in scenarios(False)})]


# ---- processes ------------------------------------------------------------------------------

NICENESS = 0  # --nice: below 0 keeps other programs of a busy machine out of the figures a little


def pinned(cpu):
    """For preexec_fn: one CPU (None: all) and every descriptor that the hard limit allows."""
    def prepare():
        if NICENESS:
            os.nice(NICENESS)
        if cpu is not None and cpu in os.sched_getaffinity(0):
            os.sched_setaffinity(0, {cpu})
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return prepare


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(p) for p in (task / "children").read_text().split()]
    return found


def machine_busy_s():
    """CPU time that was used on the whole machine so far, all processors together."""
    fields = [int(x) for x in open("/proc/stat", encoding="ascii").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")  # less idle, iowait


def process_s(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


class Process:
    """A server under measure or the mock: started, read through /proc, stopped."""

    def __init__(self, argv, cpu, folder, name, ready=None, environment=None):
        self.log = folder / f"{name}.log"
        self.name = name
        with open(self.log, "wb") as log:
            self.p = subprocess.Popen(argv, stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                                      stdin=subprocess.DEVNULL, preexec_fn=pinned(cpu),
                                      env=environment)
        self.port = None
        if ready:
            self.port = self.wait_ready(ready)

    def wait_ready(self, start):
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            with open(self.log, "rb") as log:
                for line in log.read(65536).decode(errors="replace").splitlines(keepends=True):
                    if line.startswith(start) and line.endswith("\n"):
                        return int(line.strip().rsplit(":", 1)[1].rstrip("/"))
            if self.p.poll() is not None:
                break
            time.sleep(0.02)
        tail = self.log.read_text(errors="replace")[-2000:]
        self.stop()
        raise SystemExit(f"{self.name} did not become ready:\n{tail}")

    def pids(self):
        return [self.p.pid] + children(self.p.pid)

    def cpu(self):
        """CPU time so far: by thread in ns, and of the whole processes in ticks."""
        threads, ticks = {}, 0
        for pid in self.pids():
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    threads[task.name] = int((task / "schedstat").read_text().split()[0])
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return threads, ticks

    @staticmethod
    def cpu_s(before, after):
        """A thread that ended in between took its nanoseconds along; the ticks still have it."""
        if before[0].keys() <= after[0].keys():
            return sum(ns - before[0].get(tid, 0) for tid, ns in after[0].items()) / 1e9
        return (after[1] - before[1]) / os.sysconf("SC_CLK_TCK")

    def memory_kb(self):
        rss = pss = 0
        for pid in self.pids():
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    rss += int(line.split()[1])
            with contextlib.suppress(OSError):
                for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        pss += int(line.split()[1])
        return {"rss": rss, "pss": pss}

    def stop(self):
        if self.p.poll() is None:
            self.p.send_signal(signal.SIGTERM)
            try:
                self.p.wait(10)
            except subprocess.TimeoutExpired:
                self.p.kill()
                self.p.wait()
        return self.p.returncode


NGINX_CONF = """
daemon off;
{user}
worker_processes 1;
worker_rlimit_nofile {files};
error_log stderr crit;
pid {folder}/nginx.pid;
events {{ worker_connections {files}; multi_accept on; }}
http {{
	access_log off;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	keepalive_requests 1000000000;
	client_max_body_size 64m;
	client_body_buffer_size 2m;
	tcp_nodelay on;
	upstream provider {{
		server 127.0.0.1:{upstream};
		keepalive 256;
		keepalive_requests 1000000000;
	}}
	server {{
		listen 127.0.0.1:{port} backlog=8192;
		location / {{
			proxy_pass http://provider;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
			proxy_read_timeout 300s;
		}}
	}}
}}
"""

PARLEY_CONF = """
default_model: json
providers:
  - name: mock
    dialect: openai
    base_url: http://127.0.0.1:{upstream}/v1
models:
  - name: json
    provider: mock
  - name: "*"
    provider: mock
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def nginx_path():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def search_waiting(port):
    """Turns that are stored and not in the search index yet."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as r:
        for line in r.read().decode().splitlines():
            if line.startswith("parley_search_waiting "):
                return int(float(line.split()[1]))
    raise SystemExit("no parley_search_waiting in /metrics")


class Bench:
    def __init__(self, args):
        self.args = args
        self.tools = pathlib.Path(args.tools)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.tools))
        self.files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]

    def start_mock(self):
        return Process([self.tools / "mock", "-m", ",".join(MODELS)], TOOLS_CPU, self.folder, "mock", "mock ready on ")

    def start_nginx(self, upstream):
        port = free_port()
        conf = self.folder / "nginx.conf"
        conf.write_text(NGINX_CONF.format(
            folder=self.folder, upstream=upstream, port=port, files=self.files,
            user="user root;" if os.geteuid() == 0 else ""))
        p = Process([nginx_path(), "-c", conf, "-p", self.folder, "-e", "stderr"], GATEWAY_CPU,
                    self.folder, "nginx")
        p.port = port
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                if children(p.p.pid):
                    return p
            time.sleep(0.02)
        raise SystemExit("nginx did not start:\n" + p.log.read_text()[-2000:])

    def start_parley(self, upstream, cpu=GATEWAY_CPU, one_loop=True):
        for old in self.folder.glob("bench.db*"):
            old.unlink()
        conf = self.folder / "parley.yaml"
        conf.write_text(PARLEY_CONF.format(upstream=upstream))
        argv = [self.args.parley, "serve", "--config", conf, "--listen", "127.0.0.1:0",
                "--database", self.folder / "bench.db"] + self.args.parley_option
        return Process(argv + (["--loops", "1"] if one_loop else []), cpu, self.folder, "parley",
                       "parley ready on ")

    def start_peer(self, name, upstream):
        peer, port = peers.PEERS[name], free_port()
        folder = self.tools / "peers" / name
        p = Process(peer.command(port, upstream, folder), GATEWAY_CPU, self.folder, name,
                    environment={**os.environ,
                                 **peer.environment(port, upstream, MODELS)})
        p.port = port
        deadline = time.monotonic() + peer.ready_s
        while time.monotonic() < deadline and p.p.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return p
            time.sleep(0.05)
        tail = p.log.read_text(errors="replace")[-2000:]
        p.stop()
        raise SystemExit(f"{name} did not become ready:\n{tail}")

    def start_floor(self, upstream):
        return Process([self.tools / "floor", f"127.0.0.1:{upstream}"], GATEWAY_CPU, self.folder,
                       "floor", "floor ready on ")

    def start_gateway(self, way, mock):
        if way == "direct":
            return mock
        if way in peers.PEERS:
            return self.start_peer(way, mock.port)
        start = {"nginx": self.start_nginx, "floor": self.start_floor}
        return start.get(way, self.start_parley)(mock.port)

    def probe(self, port, path, body, stream, headers):
        """One request by hand: a wrong answer must not be measured as a quick one."""
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        c.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
        r = c.getresponse()
        text = r.read().decode(errors="replace")
        c.close()
        if r.status != 200:
            raise SystemExit(f"{path} answers {r.status}: {text[:600]}")
        if stream:
            if "@ns" not in text or ("[DONE]" not in text and "event: done" not in text):
                raise SystemExit(f"{path}: not a whole stream: {text[-600:]}")
        elif body.get("format") == "lmc":
            if not json.loads(text)["messages"][0]["content"]:
                raise SystemExit(f"{path}: no content: {text[:600]}")
        elif not json.loads(text)["choices"][0]["message"]["content"]:
            raise SystemExit(f"{path}: no content: {text[:600]}")

    def load(self, scenario, mock, gateway, body_file, path, headers, stored):
        argv = [self.tools / "load", "-t", f"127.0.0.1:{gateway.port}", "-p", path, "-b", body_file]
        argv += [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
        p = subprocess.Popen(argv + scenario.load_arguments(), stdout=subprocess.PIPE, text=True,
                             preexec_fn=pinned(TOOLS_CPU))
        marks, others, waiting, memory, result = {}, {}, {}, None, None
        for line in p.stdout:
            answer = json.loads(line)
            if "mark" in answer:
                if stored:
                    waiting[answer["mark"]] = search_waiting(gateway.port)
                marks[answer["mark"]] = gateway.cpu()
                ours = process_s(p.pid) + (process_s(mock.p.pid) if mock is not gateway else 0)
                others[answer["mark"]] = machine_busy_s() - ours
                if answer["mark"] == "end":
                    memory = gateway.memory_kb()
            else:
                result = answer
        p.wait()
        if not result or "start" not in marks:
            raise SystemExit(f"the load generator failed ({p.returncode}) in {scenario.name}")
        result["gateway_cpu_s"] = Process.cpu_s(marks["start"], marks["end"])
        result["memory_kb"] = memory
        if stored:
            result["search_waiting"] = waiting
        used = others["end"] - others["start"] - result["gateway_cpu_s"]
        result["others_share"] = max(0, used / result["seconds"] / os.cpu_count())
        return result

    def measure(self, scenario, way):
        """A fresh mock and a fresh gateway for every figure, so that none inherits a heap."""
        mock = self.start_mock()
        gateway = mock
        try:
            gateway = self.start_gateway(way, mock)
            path, body = scenario.request(way)
            text = json.dumps(body)
            body_file = self.folder / "body.json"
            body_file.write_text(text)
            probe = json.loads(text.replace(scenario.model, PROBED)) if scenario.streams else body
            headers = peers.PEERS[way].headers(mock.port) if way in peers.PEERS else {}
            self.probe(gateway.port, path, probe, scenario.streams, headers)
            before = gateway.memory_kb()
            r = self.load(scenario, mock, gateway, body_file, path, headers, way == "stored")
            r["body_bytes"] = len(text)
            r["memory_before_kb"] = before
            units = r["events"] if scenario.streams else r["answers"]
            r["cpu_us"] = r["gateway_cpu_s"] / units * 1e6 if units else None
            r["busy"] = r["gateway_cpu_s"] / r["seconds"]
            if scenario.interval_ms:
                r["kb_per_stream"] = (r["memory_kb"]["rss"] - before["rss"]) / scenario.connections
        finally:
            stopped = gateway.stop() if gateway is not mock else 0
            mock.stop()
        if stopped != 0 and way not in peers.PEERS:  # how others end is not judged
            r["fails"]["gateway_exit"] = stopped
            r["errors"] += 1
        with contextlib.suppress(IndexError, ValueError):
            r["mock"] = json.loads(mock.log.read_text().splitlines()[-1])
        if way == "stored":
            r["stored_rows"] = self.stored_rows()
            lost = r["ended_well"] - r["stored_rows"]
            if lost > 0:
                r["fails"]["not_stored"] = lost
                r["errors"] += lost
        return r

    def stored_rows(self):
        """Rows of the largest table: proof that the stored scenario stores."""
        db = self.folder / "bench.db"
        if not db.exists():
            return 0
        with contextlib.closing(sqlite3.connect(db)) as c:
            names = [n for (n,) in c.execute("select name from sqlite_master where type='table'")]
            return max((c.execute(f'select count(*) from "{n}"').fetchone()[0] for n in names),
                       default=0)

    def idle(self):
        """Memory a second after the start, before any request: as installed, and as pinned here."""
        mock, figures = self.start_mock(), {}
        try:
            for name, one_loop in (("default", False), ("one_loop", True)):
                p = self.start_parley(mock.port, cpu=None, one_loop=one_loop)
                time.sleep(1)
                figures[name] = p.memory_kb()
                p.stop()
            n = self.start_nginx(mock.port)
            time.sleep(0.5)
            figures["nginx"] = n.memory_kb()
            n.stop()
        finally:
            mock.stop()
        return figures

    def profile(self, scenario, way, seconds):
        """perf's view of the gateway under a scenario: most expensive functions first."""
        mock = self.start_mock()
        gateway = self.start_gateway(way, mock)
        try:
            path, body = scenario.request(way)
            body_file = self.folder / "body.json"
            body_file.write_text(json.dumps(body))
            argv = [self.tools / "load", "-t", f"127.0.0.1:{gateway.port}", "-p", path, "-b",
                    body_file] + scenario.load_arguments()
            load = subprocess.Popen(argv, stdout=subprocess.DEVNULL, preexec_fn=pinned(TOOLS_CPU))
            time.sleep((scenario.ramp_ms + SETTLE_MS) / 1000)
            data = self.folder / "perf.data"
            pids = ",".join(str(p) for p in gateway.pids())
            subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "1999", "-p", pids,
                            "-o", data, "--", "sleep", str(seconds)], check=True,
                           stderr=subprocess.DEVNULL, preexec_fn=pinned(TOOLS_CPU))
            load.wait()
            for keys, rows in (("comm", 12), ("dso", 12), ("dso,symbol", 60)):
                r = subprocess.run(["perf", "report", "-i", data, "--stdio", "-q", "--sort", keys,
                                    "--percent-limit", "0.3"], capture_output=True, text=True,
                                   check=True)
                lines = [l for l in r.stdout.splitlines() if l.strip()][:rows]
                print(f"\n## {scenario.title}, {way}: by {keys}\n" + "\n".join(lines))
        finally:
            if gateway is not mock:
                gateway.stop()
            mock.stop()

    def parts(self):
        """LMC's parts alone, in a process of their own (lmc.c): lists of rows."""
        r = subprocess.run([self.args.bench_lmc], capture_output=True, text=True, check=False,
                           preexec_fn=pinned(GATEWAY_CPU))
        if r.returncode:
            raise SystemExit(f"bench_lmc failed ({r.returncode}): {r.stderr}")
        return json.loads(r.stdout)

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)


# ---- what it means --------------------------------------------------------------------------

def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def others_of(results):
    """The shares of the machine that other programs took in one round's measurements."""
    return [r["others_share"] for ways in results.values() for r in ways.values()]


def quiet(results):
    shares = others_of(results)
    return bool(shares) and statistics.mean(shares) <= QUIET


class Figures:
    """rounds: a list of {scenario: {way: result}}; parts: a list of what Bench.parts gave."""

    def __init__(self, rounds, idle, parts):
        self.rounds, self.idle, self.parts = rounds, idle, parts

    def each(self, f):
        out = []
        for r in self.rounds:
            with contextlib.suppress(KeyError, TypeError, ZeroDivisionError):
                out.append(f(r))
        return out

    def value(self, scenario, way, *keys):
        def one(r):
            v = r[scenario][way]
            for k in keys:
                v = v[k]
            return v
        return median(self.each(one))

    def ratio(self, scenario, way, *, base=("nginx",), of=("cpu_us",)):
        def one(r):
            a, b = r[scenario][way], r[scenario][base[0]]
            for k in of:
                a, b = a[k], b[k]
            return a / b
        return self.each(one)

    def added(self, scenario, way, kind, share):
        return median(self.each(lambda r: r[scenario][way][kind][share]
                                - r[scenario]["direct"][kind][share]))

    def errors(self, scenario=None, way=None):
        """All of them: without those of other gateways, which are no fault of ours."""
        return sum(result["errors"] for r in self.rounds for s, ways in r.items()
                   for w, result in ways.items() if scenario in (None, s) and
                   (w == way or (way is None and w not in peers.PEERS)))

    def others(self):
        return [share for r in self.rounds for share in others_of(r)]

    def steady(self):
        """The steady load's CPU beside nginx's in the short one of the same round."""
        return self.each(lambda r: r["steady"]["stored"]["cpu_us"] / r["json64"]["nginx"]["cpu_us"])

    def backlog_s(self):
        """How many seconds of the steady load are not in the search index at its end.  An index that
        keeps up is a second and a batch behind."""
        def one(r):
            steady = r["steady"]["stored"]
            return steady["search_waiting"]["end"] / steady["rps"]
        return self.each(one)

    def worst_part(self, name, key, wanted=lambda row: True):
        return [max(row[key] for row in p[name] if wanted(row)) for p in self.parts]

    def part_rows(self, name):
        """The rows of one list of the parts, each number the median over the rounds."""
        for i, row in enumerate(self.parts[0][name]):
            yield {k: v if isinstance(v, str) else median([p[name][i][k] for p in self.parts])
                   for k, v in row.items()}

    def targets(self):
        """(what, unit, limit, every round's figure, scenario, way)"""
        def beside(what, limit, scenario, way):
            return what, "x nginx", limit, self.ratio(scenario, way), scenario, way

        def memory(way):
            return self.each(lambda r: r["sse1000"][way]["kb_per_stream"])

        yield beside("unstored `/v1/chat/completions`, 64 connections: CPU per request", 1.6,
                     "json64", "parley")
        yield beside("stored `/v1/chat`, 64 connections: CPU per request", 4.0, "json64", "stored")
        yield (f"the same for {STEADY_S} s", "x nginx", 4.0, self.steady(), "steady", "stored")
        yield ("its search index: what waits at the end", "s of the load", 2, self.backlog_s(), "steady",
               "stored")
        yield beside("unstored, one call after another: CPU", 1.5, "json1", "parley")
        yield beside("stored, one call after another: CPU", 4.0, "json1", "stored")
        yield beside("one short stream after another: CPU per event", 1.5, "stream1", "parley")
        yield beside("1,000 open streams, unstored: CPU per event", 1.15, "sse1000", "parley")
        yield beside("1,000 open streams, stored: CPU per event", 1.3, "sse1000", "stored")
        yield ("an open stream's memory, unstored", "KB", 18, memory("parley"), "sse1000", "parley")
        yield ("an open stream's memory, stored", "KB", 24, memory("stored"), "sse1000", "stored")
        yield beside("5,000 open streams: CPU per event", 1.2, "sse5000", "parley")
        yield ("5,000 open streams: latency of an event, p99", "x nginx", 1,
               self.ratio("sse5000", "parley", of=("event_latency", "p99_us")), "sse5000", "parley")
        yield beside("20 KB of messages: CPU per request", 1.8, "body20k", "parley")
        yield beside("1 MB image: CPU per request", 1.6, "image1m", "parley")
        yield ("idle: RSS", "MB", 16,
               [self.idle["default"]["rss"] / 1024] if self.idle else [], None, None)
        yield ("a streamed chunk as LMC: CPU over passing it through", "µs",
               1.5, self.each(lambda r: r["lmc500"]["lmc"]["cpu_us"] - r["lmc500"]["parley"]["cpu_us"]),
               "lmc500", "lmc")
        yield ("LMC messages and answer, unstored `/v1/chat`: CPU for each KB over OpenAI's", "µs",
               10, self.each(lambda r: (r["lmc20k"]["lmc"]["cpu_us"] - r["lmc20k"]["chat"]["cpu_us"])
                             / (r["lmc20k"]["lmc"]["body_bytes"] / 1024)), "lmc20k", "lmc")
        yield ("LMC's encoder alone, an event: CPU over passing it through, the worst text", "µs",
               1.5, self.worst_part("streams", "added_us"), None, None)
        yield ("translation alone, a KB of messages: CPU, the worst list", "µs",
               10, self.worst_part("translations", "translate_us_per_kb",
                                   lambda row: row["form"].endswith("messages")), None, None)
        yield ("a prompt of LMC messages, a KB: CPU over OpenAI's, checked and rendered", "µs",
               10, [sum(row["added_us_per_kb"] for row in p["prompts"]) for p in self.parts],
               None, None)


def number(v, digits=None):
    if v is None:
        return ""
    if digits is None:
        digits = 0 if abs(v) >= 100 else 1 if abs(v) >= 10 else 2
    return f"{v:,.{digits}f}"


def machine():
    model = "unknown CPU"
    for line in open("/proc/cpuinfo", encoding="ascii", errors="replace"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def version(argv):
    r = subprocess.run(argv, capture_output=True, text=True, check=False)
    return (r.stdout + r.stderr).strip().splitlines()[0] if (r.stdout + r.stderr).strip() else "?"


WAYS = {"direct": "directly", "floor": "a program that only forwards bytes", "nginx": "nginx", "parley": "Parley, unstored",
        "stored": "Parley, stored `/v1/chat`", "chat": "Parley, unstored `/v1/chat`",
        "lmc": "Parley, unstored `/v1/chat`, LMC"}


def way_title(way):
    peer = peers.PEERS.get(way)
    return f"{peer.title} {peer.version}" if peer else WAYS[way]


def table(figures, list_of_scenarios):
    out = []
    for s in list_of_scenarios:
        if not any(s.name in r for r in figures.rounds):
            continue
        v = lambda way, *keys: figures.value(s.name, way, *keys)
        unit, kind = ("event", "event_latency") if s.interval_ms else ("request", "latency")
        per = "event" if s.streams else "request"
        rate = "events_per_s" if s.streams else "rps"
        out += ["", f"### {s.title}", "",
                f"| through | {per}s/s | CPU µs per {per} | x nginx | {unit} p50 ms | {unit} p99 ms "
                "| added p50 ms | added p99 ms | busy | RSS MB | KB per stream | errors |",
                "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
        for way in s.ways:
            if v(way, "rps") is None:
                continue
            gateway = way != "direct"
            ms = lambda x: None if x is None else x / 1000
            added = [ms(figures.added(s.name, way, kind, q)) if gateway else None
                     for q in ("p50_us", "p99_us")]
            rss = v(way, "memory_kb", "rss")
            cells = [way_title(way), number(v(way, rate), 0),
                     number(v(way, "cpu_us")) if gateway else "",
                     number(median(figures.ratio(s.name, way)), 2) if gateway else "",
                     number(ms(v(way, kind, "p50_us")), 3), number(ms(v(way, kind, "p99_us")), 3),
                     number(added[0], 3), number(added[1], 3),
                     f"{v(way, 'busy') * 100:.0f} %" if gateway else "",
                     number(rss / 1024, 1) if gateway else "",
                     number(v(way, "kb_per_stream"), 1) if gateway else "",
                     str(figures.errors(s.name, way))]
            out.append("| " + " | ".join(cells) + " |")
    return out


def parts_tables(figures):
    """What bench_lmc measured, without HTTP, sockets or storage around it."""
    if not figures.parts:
        return []
    out = ["", "## LMC's parts alone (medians)", "",
           "CPU time of one thread in a process of its own; see `lmc.c`.", "",
           "| an event of a stream | as it came, µs | as LMC, µs | added, µs |", "|---|---:|---:|---:|"]
    out += [f"| {r['name']} | {number(r['openai_us'], 3)} | {number(r['lmc_us'], 3)} "
            f"| {number(r['added_us'], 3)} |" for r in figures.part_rows("streams")]
    out += ["", "| translation of 20 KB | elements | scan of the JSON, µs per KB | translation, µs per KB "
            "| both | translation, µs per element |", "|---|---:|---:|---:|---:|---:|"]
    out += [f"| {r['form']}: {r['corpus']} | {number(r['count'], 0)} | {number(r['scan_us_per_kb'])} "
            f"| {number(r['translate_us_per_kb'])} "
            f"| {number(r['scan_us_per_kb'] + r['translate_us_per_kb'])} "
            f"| {number(r['translate_us_each'])} |" for r in figures.part_rows("translations")]
    out += ["", "| 20 messages of 1 KB | OpenAI's, µs | LMC, µs | added, µs per KB |",
            "|---|---:|---:|---:|"]
    out += [f"| {r['name']} | {number(r['openai_us'], 1)} | {number(r['lmc_us'], 1)} "
            f"| {number(r['added_us_per_kb'])} |" for r in figures.part_rows("prompts")]
    return out


def noise(figures):
    others = figures.others()
    if not others:
        return ""
    return (f" Other programs took {median(others) * 100:.0f} % of the "
            f"machine (median; at most {max(others) * 100:.0f} %).")


def report(figures, meta, list_of_scenarios):
    out = ["# Benchmark results", "",
           "Written by `bench/run`; how to read it: [README.md](README.md). Raw figures: "
           "`results.json`.", "",
           f"{meta['date']}; {meta['machine']}; {meta['parley']}; {meta['nginx']}; "
           f"{meta['rounds']} interleaved round{'s' if meta['rounds'] > 1 else ''}"
           f"{', quick' if meta['quick'] else ''}"
           f"{', of ' + str(meta['rounds_made']) if meta['rounds_made'] > meta['rounds'] else ''}; "
           f"{meta['seconds']} s." + noise(figures)]
    if (median(figures.others()) or 0) > 0.05:
        out += ["", "**The machine was not quiet: latencies and requests/s say little, ratios are "
                "rough.**"]
    out += ["", "## Targets", "", "| figure | target | median | rounds | reached |",
           "|---|---:|---:|---|---|"]
    for what, unit, limit, values, scenario, way in figures.targets():
        if not values:
            out.append(f"| {what} | ≤ {number(limit)} {unit} | | | not measured |")
            continue
        m = median(values)
        errors = figures.errors(scenario, way) if scenario else 0
        reached = "yes" if m <= limit and not errors else "**no**"
        if errors:
            reached += f" ({errors} errors)"
        out.append(f"| {what} | ≤ {number(limit)} {unit} | {number(m)} {unit} | "
                   f"{', '.join(number(x) for x in values)} | {reached} |")
    if figures.idle:
        idle = figures.idle
        out += ["", "Idle RSS (PSS), MB: " + "; ".join(
            f"{title} {idle[k]['rss'] / 1024:.1f} ({idle[k]['pss'] / 1024:.1f})" for k, title in (
                ("default", "Parley as installed"), ("one_loop", "Parley with one loop"),
                ("nginx", "nginx, master and one worker")) if k in idle) + "."]
    out += parts_tables(figures)
    if figures.others():
        out += ["", "## All figures (medians)"] + table(figures, list_of_scenarios)
    return "\n".join(out) + "\n"


def kept_scale(results):
    """The parts that bench/run --connections and --scale wrote."""
    old = results.read_text() if results.exists() else ""
    at = min((at for at in (old.find("\n" + title + "\n") for title in (CONNECTIONS, SCALE))
              if at >= 0), default=len(old))
    return old[at:]


def put_section(results, title, text):
    """Puts a part of its own into a file of results: in its old place, or before the store's scale."""
    old = results.read_text() if results.exists() else ""
    at = old.find("\n" + title + "\n")
    if at >= 0:
        end = old.find("\n## ", at + 1)
        old = old[:at] + (old[end:] if end >= 0 else "")
    else:
        at = old.find("\n" + SCALE + "\n")
        at = at if at >= 0 else len(old)
    results.write_text(old[:at] + "\n" + text + old[at:])


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--connections", action="store_true",
                   help="connections to a provider over http, https and HTTP/2, instead")
    p.add_argument("--loss", type=float, default=0, metavar="PERCENT",
                   help="packets lost between gateway and provider, for --connections; as root, in a network "
                   "namespace of its own")
    p.add_argument("--quick", action="store_true", help="one short round, under a minute")
    p.add_argument("--rounds", type=int)
    p.add_argument("--only", help=f"scenarios, separated by commas; {PARTS}: LMC's parts alone")
    p.add_argument("--ways", help="direct,floor,nginx,parley,stored,chat,lmc or some of them")
    p.add_argument("--peers", nargs="?", const=",".join(peers.PEERS), default="",
                   help="other gateways as ways too, installed if need be: " + ",".join(peers.PEERS))
    p.add_argument("--profile", metavar="WAY", help="perf's profile of this way, for each --only")
    p.add_argument("--nice", type=int, default=0, help="niceness of all that is measured, e.g. -20")
    p.add_argument("--parley", required=True)
    p.add_argument("--parley-option", action="append", default=[], help="more for parley serve")
    p.add_argument("--bench-lmc", required=True, help="the program that measures LMC's parts")
    p.add_argument("--tools", required=True, help="folder with mock and load; also for scratch files")
    p.add_argument("--results", help="where RESULTS.md and results.json go; bench/ after a full run, "
                   "the tools' folder otherwise")
    args = p.parse_args()
    global NICENESS
    NICENESS = args.nice
    if args.connections:
        import connections  # which stands on this module
        return connections.measure(args, not args.results and not args.rounds)
    others = peers.ready(pathlib.Path(args.tools), [n for n in args.peers.split(",") if n])
    chosen = scenarios(args.quick, others)
    if args.only:
        chosen = [s for s in chosen if s.name in args.only.split(",")]
    if args.ways:
        for s in chosen:
            s.ways = [w for w in s.ways if w in args.ways.split(",") + others]
    bench = Bench(args)
    try:
        if args.profile:
            for s in chosen:
                bench.profile(s, args.profile, 2)
            return 0
        return run(bench, args, chosen)
    finally:
        bench.clean()


def show(label, s, way, r):
    rate = r["events_per_s"] if s.streams else r["rps"]
    lat = r["event_latency" if s.interval_ms else "latency"]
    print(f"{label} {s.name:9}{way:8}{rate:8.0f}/s {r['cpu_us'] or 0:8.1f} us "
          f"p50 {lat['p50_us'] / 1000:8.3f} ms p99 {lat['p99_us'] / 1000:8.3f} ms "
          f"busy {r['busy'] * 100:3.0f} % rss {r['memory_kb']['rss'] / 1024:6.1f} MB "
          f"errors {r['errors']} {r['fails'] or ''} {r['sample']}", flush=True)


def one_round(bench, chosen, i, label):
    results = {}
    for s in (s for s in chosen if i % s.every == 0 and not s.once):
        for way in (s.ways if i % 2 == 0 else s.ways[::-1]):
            if i > 0 and way in s.first_round_only:
                continue
            try:
                r = bench.measure(s, way)
            except SystemExit as e:  # another gateway that can't do this is left out of it
                if way not in peers.PEERS:
                    raise
                print(f"{label} {s.name:9}{way:8}left out: {str(e)[:200]!r}", flush=True)
                continue
            results.setdefault(s.name, {})[way] = r
            show(label, s, way, r)
    return results


def all_rounds(bench, args, chosen, whole, has_parts):
    """The rounds that count, how many there were, whether those were quiet, and LMC's parts."""
    began = time.monotonic()
    count = args.rounds or (1 if args.quick else QUIET_ROUNDS)
    wanted = min(count, QUIET_ROUNDS)  # quiet ones
    rounds, parts = [], []
    while len(rounds) < count or (whole and sum(map(quiet, rounds)) < wanted
                                  and time.monotonic() - began < PATIENCE_S):
        i = len(rounds)
        if has_parts and i % PARTS_EVERY == 0:
            parts.append(bench.parts())
            print(f"{i + 1} {PARTS}", flush=True)
        rounds.append(one_round(bench, chosen, i, str(i + 1)))
    good = [r for r in rounds if quiet(r)]
    is_quiet = len(good) >= wanted
    counted = good if is_quiet else rounds
    for s in (s for s in chosen if s.once):
        for way in s.ways:
            r = bench.measure(s, way)
            counted[-1].setdefault(s.name, {})[way] = r
            show("once", s, way, r)
    return counted, len(rounds), is_quiet, parts


def run(bench, args, chosen):
    began = time.monotonic()
    has_parts = PARTS in args.only.split(",") if args.only else not args.ways
    has_parley = any(w in ("parley", "stored", "chat", "lmc") for s in chosen for w in s.ways)
    whole = not (args.quick or args.only or args.ways)
    idle = bench.idle() if has_parley else None
    rounds, made, is_quiet, parts = all_rounds(bench, args, chosen, whole, has_parts)
    figures = Figures(rounds, idle, parts)
    meta = {"date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "machine": machine(),
            "parley": version([args.parley, "--version"]) if has_parley else "without Parley",
            "nginx": version([nginx_path(), "-v"]).removeprefix("nginx version: "),
            "rounds": len(rounds), "rounds_made": made, "quiet": is_quiet, "quick": args.quick,
            "seconds": round(time.monotonic() - began)}
    text = report(figures, meta, chosen)
    folder = pathlib.Path(args.results) if args.results else HERE if whole else bench.tools
    if whole and not is_quiet and not args.results:
        folder = bench.tools
        print(f"Other programs used more than {QUIET:.0%} of the machine in all but "
              f"{sum(map(quiet, rounds))} rounds of {made}: the results are in {folder} alone.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "RESULTS.md").write_text(text + (kept_scale(HERE / "RESULTS.md") if whole else ""))
    (folder / "results.json").write_text(json.dumps(
        {"meta": meta, "idle": idle, "parts": parts, "rounds": rounds}, indent=1) + "\n")
    print("\n" + text)
    return 1 if figures.errors() else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
