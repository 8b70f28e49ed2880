#!/usr/bin/env python3
"""What several gateways on one PostgreSQL database cost, and what they lose when they or the server are killed.

many.py [turns] [lag] [kills] [hot] [ceilings] [retention] [hour]      PARLEY_BIN: the binary; build/release/parley

It needs what the end-to-end tests need (tests/requirements.txt) and PostgreSQL, whose server it starts in a
folder below TMPDIR, with fsync where a figure is about the disk.  Clients, gateways and server share the machine.

turns      1, 2 and 4 gateways, 1 and 64 clients: stored calls of the built-in model echo, CPU of gateways and server
lag        a reader of a run at another gateway, beside other such readers
kills      kill -9 of the server and of gateways, and what was stored
hot        4 gateways, all calls with one key that has a budget
ceilings   4 gateways, 64 clients that race for the budgets of keys, their group and customers in both, and for the ceilings
           of conversations and sessions
retention  writes while old events are removed
hour       an hour of streams whose logs are kept for 16 minutes; only where it is asked for
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import httpx

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import keys  # noqa: E402
import postgres  # noqa: E402
import race  # noqa: E402
import upstream as up  # noqa: E402
from client import Client  # noqa: E402
from fixtures import gateways  # noqa: E402
from test_many import events, gated, new_key, wanted  # noqa: E402
from waiting import wait_until  # noqa: E402

PRICED = [{"name": name, "provider": provider, "price": {"input": 1, "output": 2}, "max_output": 100}
          for name, provider in (("echo", "echo"), ("t/*", "local"))]
TICK = os.sysconf("SC_CLK_TCK")
LOG = "FROM pg_inherits WHERE inhparent = 'event'::regclass"
SLOW = "0.025", "0.05", "0.1"  # seconds, bounds of the metric's buckets


def say(*lines):
    print(*lines, sep="\n", flush=True)


def tool(name):
    tool, source = ROOT / f"build/bench/{name}", ROOT / f"bench/{name}.c"
    if not tool.exists() or tool.stat().st_mtime < source.stat().st_mtime:
        tool.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-std=gnu17", "-O2", source, "-o", tool], check=True)
    return tool


class Bench:
    """A server, a database, and gateways on it, for one measurement."""

    def __init__(self, upstream, **settings):
        self.upstream, self.stack = upstream, contextlib.ExitStack()
        self.server = postgres.Server(max_connections="100", **settings).start()
        self.stack.callback(self.server.remove)
        self.database = self.server.create()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-many-"))
        self.make = self.stack.enter_context(gateways(pathlib.Path(folder), upstream))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def gateway(self, **usual):
        return self.make(usual={"database": self.server.url(self.database), "models": PRICED,
                                "log_level": "warn", **usual})

    def number(self, sql):
        return self.server.number(sql, self.database)

    def books(self):
        """Of the one key.  A reservation that has lost its call before the turn began is settled, too."""
        wait_until(lambda: self.number("SELECT reserved_nano FROM budget") == 0, "no reservation", 30)
        spent, booked, runs = map(self.number, ("SELECT spent_nano FROM budget", "SELECT sum(nano) FROM usage_day",
                                                "SELECT sum(cost_nano) FROM run"))
        return f"budget {spent}, settlements {booked}, costs of runs {runs}"

    def log_mb(self):
        """Of the event log's tables."""
        return self.number(f"SELECT sum(pg_relation_size(inhrelid)) {LOG}") / 1e6

    def work(self, sql):
        """A statement that may take its time."""
        subprocess.run([postgres.program("psql"), "-Xq", "-v", "ON_ERROR_STOP=1", "-h", str(self.server.folder), "-U",
                        "parley", "-d", self.database, "-c", sql], check=True, cwd=self.server.folder,
                       **self.server.as_user())

    def cpu_of_server(self):
        """Seconds, of all its processes, also of those that have ended."""
        pids = [self.server.process.pid]
        pids += map(int, pathlib.Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text().split())
        ticks = 0
        for pid in pids:
            with contextlib.suppress(FileNotFoundError):
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                ticks += sum(map(int, fields[11:15] if pid == pids[0] else fields[11:13]))
        return ticks / TICK


def cpu_of(gateway):
    fields = pathlib.Path(f"/proc/{gateway.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / TICK


def under_load(bench, running, connections, seconds, headers=()):
    """Calls of so many clients at each of these gateways: answers a second, latencies, CPU a turn."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as body:
        json.dump({"messages": ["hello there"], "config": {"model": "echo", "max_tokens": 50}}, body)
        body.flush()
        loads = [subprocess.Popen([tool("load"), "-t", f"127.0.0.1:{gateway.port}", "-p", "/v1/chat", "-b",
                                   body.name, "-c", str(n), "-w", "500", "-d", str(int(seconds * 1000)),
                                   *headers], stdout=subprocess.PIPE, text=True)
                 for gateway, n in zip(running, connections)]
        marks, figures = [], []
        for load in loads:
            for line in load.stdout:
                one = json.loads(line)
                if "mark" not in one:
                    figures.append(one)
                elif load is loads[0]:
                    marks.append((bench.cpu_of_server(), sum(map(cpu_of, running))))
            assert load.wait() == 0, figures[-1]
    assert not any(one["errors"] for one in figures), figures
    turns = sum(one["answers"] for one in figures)
    server, own = (1e6 * (after - before) / turns for before, after in zip(*marks))
    return {"rps": turns / seconds, "turns": turns, "server_us": server, "gateway_us": own,
            **{name: max(one["latency"][f"{name}_us"] for one in figures) / 1000
               for name in ("p50", "p99", "max")}}


def turns(upstream, options):
    say("| gateways | clients | turns/s | p50 / p99 ms | gateways + server µs CPU a turn |", "|---|---|---|---|---|")
    for count in (1, 2, 4):
        for clients in (1, 64):
            with Bench(upstream, fsync="on") as bench:
                running = [bench.gateway() for _ in range(count)]
                share = [clients // count] * count if clients > 1 else [1]
                found = under_load(bench, running[:len(share)], share, options.seconds)
                say(f"| {count} | {clients} | {found['rps']:.0f} | {found['p50']:.1f} / {found['p99']:.1f} | "
                    f"{found['gateway_us']:.0f} + {found['server_us']:.0f} |")


def lag(upstream, options):
    say("| readers of foreign runs | behind the first client, ms: median, 90 %, most |", "|---|---|")
    for readers in (1, 10, 100):
        with Bench(upstream) as bench, contextlib.ExitStack() as stack:
            one, two = (stack.enter_context(Client(bench.gateway().url)) for _ in range(2))
            words = [f"word{n} " for n in range(40)]
            others = []
            for _ in range(readers - 1):
                gates, s = gated(upstream.script, words[:1])
                first = stack.enter_context(one.chat_stream("go", model=s.model))
                wanted(first, words[0])
                reader = stack.enter_context(events(two, f"/v1/runs/{first.headers['x-run-id']}/events"))
                wanted(reader, words[0])
                others.append((gates[0], first, reader))
            gates, s = gated(upstream.script, words)
            first = stack.enter_context(one.chat_stream("go", model=s.model))
            reader = stack.enter_context(events(two, f"/v1/runs/{first.headers['x-run-id']}/events"))
            behind = []
            for word, gate in zip(words, gates):
                wanted(first, word)
                began = time.monotonic()
                wanted(reader, word)
                behind.append(1000 * (time.monotonic() - began))
                gate.open()
            for gate, *_ in others:
                gate.open()
            for stream in (first, reader, *(s for _, *both in others for s in both)):
                list(stream)
            behind.sort()
            say(f"| {readers} | {statistics.median(behind):.0f}, {behind[35]:.0f}, {behind[-1]:.0f} |")


class Caller(threading.Thread):
    """Asks for turns, also when its gateway goes; remembers which were acknowledged."""

    def __init__(self, running, model, key, stop):
        super().__init__(daemon=True)
        self.running, self.model, self.stop = running, model, stop
        self.head = {"Authorization": f"Bearer {key}"}
        self.acknowledged, self.refused, self.unknown, self.problem = [], 0, 0, None

    def run(self):
        try:
            while not self.stop.is_set():
                self.ask(random.choice(self.running))
        except Exception as problem:  # noqa: BLE001  # told by the main thread
            self.problem = repr(problem)

    def ask(self, gateway):
        text = f"turn {uuid.uuid4()}"
        try:
            answer = httpx.post(f"{gateway.url or 'http://127.0.0.1:9'}/v1/chat", headers=self.head, timeout=60,
                                trust_env=False, json={"messages": [text], "config": {"model": self.model}})
        except httpx.TransportError:  # it was killed
            self.unknown += 1
            return
        if answer.status_code == 200:
            self.acknowledged.append(text)
        else:
            assert answer.status_code == 503, answer.text
            self.refused += 1


def paced(upstream):
    """A provider that takes some 20 ms, so that many calls go on when the kill comes."""
    return upstream.script(lambda x: time.sleep(random.uniform(0.005, 0.035)),
                           lambda x: up.reply(up.completion("an answer"))(x))


def killed(bench, upstream, kill, rounds):
    key = new_key(bench.server, bench.database, "--name", "k", "--budget", "1000")["key"]
    running = [bench.gateway() for _ in range(3)]
    stop = threading.Event()
    model = paced(upstream).model
    callers = [Caller(running, model, key, stop) for _ in range(8)]

    def acknowledged():
        assert not any(x.problem for x in callers), [x.problem for x in callers]
        return sum(len(x.acknowledged) for x in callers)
    for caller in callers:
        caller.start()
    began = time.monotonic()
    for done in range(rounds):
        had = acknowledged()
        wait_until(lambda: acknowledged() >= had + 8, "turns", 60)
        time.sleep(random.uniform(0, 0.05))
        kill(running)
        if done % 20 == 19:
            say(f"  {done + 1} kills, {acknowledged()} turns, {time.monotonic() - began:.0f} s")
    had = acknowledged()
    wait_until(lambda: acknowledged() >= had + 8, "turns", 60)
    stop.set()
    for caller in callers:
        caller.join(90)
    wait_until(lambda: bench.number("SELECT count(*) FROM run WHERE status < 2") == 0, "an end of every run", 30)
    told = {text for x in callers for text in x.acknowledged}
    stored = bench.server.sql("SELECT t.text, t.n, r.status, (SELECT count(*) FROM message a WHERE a.id = t.run) FROM "
                              "(SELECT substring(body from 'turn [0-9a-f-]{36}') AS text, count(*) AS n, min(run) AS run "
                              "FROM message WHERE id <> run GROUP BY text) t JOIN run r ON r.id = t.run", bench.database)
    whole = {text for text, count, status, answers in stored if (count, status, answers) == ("1", "2", "1")}
    late = bench.number("SELECT coalesce(max(completed_ms - created_ms), 0) FROM run WHERE status <> 2")
    cut = bench.number("SELECT count(*) FROM run WHERE status <> 2")
    return (f"{len(told)} turns acknowledged, of which {len(told - whole)} missing or without their answer; "
            f"{sum(row[1] != '1' for row in stored)} stored twice; {cut} runs were cut off, the last end of one came "
            f"{late / 1000:.1f} s after its begin; {bench.books()}; "
            f"{sum(x.refused for x in callers)} calls refused, {sum(x.unknown for x in callers)} broke; "
            f"{time.monotonic() - began:.0f} s")


def kills(upstream, options):
    with Bench(upstream) as bench:
        def kill_server(_):
            bench.server.kill()
            bench.server.start()
        say(f"{options.kills} x kill -9 of the server, 3 gateways, 8 clients:",
            killed(bench, upstream, kill_server, options.kills))
    with Bench(upstream) as bench:
        def kill_gateway(running):
            one = random.choice(running)
            one.kill()
            one.start()
        say(f"{options.kills} x kill -9 of one of 3 gateways, 8 clients:",
            killed(bench, upstream, kill_gateway, options.kills))


def hot(upstream, options):
    with Bench(upstream, deadlock_timeout="200ms") as bench:
        key = new_key(bench.server, bench.database, "--name", "k", "--budget", "100000")["key"]
        found = under_load(bench, [bench.gateway() for _ in range(4)], [16] * 4, options.hot,
                           ["-H", f"Authorization: Bearer {key}"])
        locks = bench.number(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{bench.database}'")
        say(f"4 gateways x 16 clients, one key, {options.hot:.0f} s: {found['rps']:.0f} turns/s, {found['p50']:.1f} / "
            f"{found['p99']:.1f} / {found['max']:.0f} ms (median, 99 %, most), {locks} deadlocks; {bench.books()}")


def ceilings(upstream, options):
    with Bench(upstream, deadlock_timeout="200ms") as bench:
        made = [bench.make(usual={"database": bench.server.url(bench.database), **race.CONFIG},
                           args=["--admin-listen", "127.0.0.1:0"]) for _ in range(4)]
        key = new_key(bench.server, bench.database, "--scopes", "admin,chat")["key"]
        with Client(keys.admin_url(made[0]), keys.bearer(key)) as admin:
            wait_until(lambda: admin.get("/v1/admin/groups").status == 200, "the key")
            found = race.Race(made, admin, options.calls, 64).run()
        locks = bench.number(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{bench.database}'")
        say(f"4 gateways, 64 clients, {locks} deadlocks: {json.dumps(found, indent=2)}")


EMPTY = """
DO $$ DECLARE made text; BEGIN
FOR made IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'event'::regclass
    AND inhrelid <> 'event_rest'::regclass LOOP EXECUTE 'DROP TABLE ' || made; END LOOP;
FOR made IN SELECT conname FROM pg_constraint WHERE conrelid = 'event_rest'::regclass AND contype = 'c' LOOP
    EXECUTE 'ALTER TABLE event_rest DROP CONSTRAINT ' || made; END LOOP;
TRUNCATE event, run; END $$"""
TABLES = """
DO $$ DECLARE first bigint := {first}; step bigint := {step}; BEGIN
FOR n IN 0..{count} - 1 LOOP EXECUTE format('CREATE TABLE event_{name}_%s PARTITION OF event FOR VALUES FROM (%s) TO (%s)', n,
    first + n * step, first + (n + 1) * step); END LOOP;
EXECUTE format('CREATE TABLE event_{name} PARTITION OF event FOR VALUES FROM (%s) TO (MAXVALUE)', first + {count} * step);
END $$"""


def fill(bench, name, gigabytes):
    """Logs of runs that ended two to three days ago, 100 pieces of 300 bytes each, in the tables that gateways would
    have made, or, without a name, all in the table of the time before there were such."""
    runs = int(gigabytes * 1e9 / 30000)
    count = min(32, max(16, int(gigabytes * 1e9 / 2**28)))  # PARTS_LARGE, PARTS and LARGE of partition.c
    first, step = (int(time.time() * 1000) - 72 * 3600 * 1000) << 20, (24 * 3600 * 1000 << 20) // count
    every = count * step // runs
    bench.work(EMPTY)
    if name:
        bench.work(TABLES.format(name=name, first=first, step=step, count=count))
    bench.work("INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, created_ms, completed_ms, "
               f"seq_reserved) SELECT id, 1, 1, 1, 1, 1, 1, 2, id >> 20, id >> 20, 100 FROM "
               f"(SELECT {first} + n::bigint * {every} AS id FROM generate_series(1, {runs - 1}) n) r")
    for at in range(0, runs, 4000):
        bench.work(f"INSERT INTO event SELECT {first} + n::bigint * {every}, p, p, "
                   "decode(repeat(md5(random()::text), 19), 'hex') "
                   f"FROM generate_series({at + 1}, {min(runs - 1, at + 4000)}) n, generate_series(1, 100) p")
    bench.work("VACUUM ANALYZE event")
    bench.work("CHECKPOINT")


def slow_writes(gateway):
    """Commits of the writer: all, and those above each bound."""
    text = httpx.get(f"{gateway.url}/metrics", trust_env=False).text

    def sums(pattern):
        return sum(int(float(n)) for n in re.findall(pattern + r" (\S+)$", text, re.M))
    every = sums(r"^parley_db_transaction_seconds_count\{[^}]*\}")
    return every, *(every - sums(r'^parley_db_transaction_seconds_bucket\{[^}]*le="' + bound + r'"\}')
                    for bound in SLOW)


# What a gateway takes for a change of the log's tables (partition.c); nobody waits for it.
CHANGES = "SELECT pg_advisory_xact_lock(1349283687)"


class Removal(threading.Thread):
    """Begins some seconds into the load: until then, the changes of the log's tables belong to another transaction."""

    def __init__(self, bench, size):
        super().__init__(daemon=True)
        self.bench, self.size, self.began, self.took = bench, size, time.monotonic(), None

    def run(self):
        with self.bench.server.holding(CHANGES, self.bench.database):
            time.sleep(4)
        was, began = self.size(), time.monotonic()
        while time.monotonic() < began + 15:
            now = self.size()
            if now < was:
                was, self.took = now, time.monotonic() - began
            time.sleep(0.5)


def retention(upstream, options):
    """The size is that of the tables' files: where rows are deleted, it stays."""
    none, by_age = (("none", {"events_keep": "0", "events_keep_size": "0"}),
                    ("by age", {"events_keep": "24h", "events_keep_size": "0"}))
    by_size = ("by size", {"events_keep": "0", "events_keep_size": "100MiB"})
    with Bench(upstream, fsync="on", max_wal_size="4GB", checkpoint_timeout="30min") as bench:
        bench.gateway().stop()

        def rows():
            return bench.number("SELECT coalesce(sum(pg_column_size(data)), 0) FROM event") / 1e6
        say(f"4 clients, {options.retention:.0f} s each", "",
            "| retention | log before, MB | turns/s | p50 / p99 / most ms | commits, above 25 ms, 50 ms, 100 ms | removed MB, "
            "within s |", "|---|---|---|---|---|---|")
        for n, (table, (name, usual)) in enumerate((
                (True, none), (False, by_age), (False, none), (True, by_size), (False, none),
                (None, by_age), (False, none), (None, by_size))):
            if table is not False:
                fill(bench, f"n{n}" if table else "", options.gigabytes)
            was = rows()
            gateway = bench.gateway(**usual)
            removal = Removal(bench, bench.log_mb)
            if name != "none":
                removal.start()
            before = slow_writes(gateway)
            found = under_load(bench, [gateway], [4], options.retention)
            commits = ", ".join(str(after - b) for after, b in zip(slow_writes(gateway), before))
            gateway.stop()
            if name != "none":
                removal.join()
            removed = f"{was - rows():.0f}" + (f", {removal.took:.1f}" if removal.took else "")
            say(f"| {name}{', old table' if table is None else ''} | {was:.0f} | {found['rps']:.0f} | {found['p50']:.1f} / "
                f"{found['p99']:.1f} / {found['max']:.0f} | {commits} | {removed} |")


@contextlib.contextmanager
def mock():
    """A provider that streams at a steady pace."""
    provider = subprocess.Popen([tool("mock")], stdout=subprocess.PIPE, text=True)
    try:
        yield provider.stdout.readline().split()[-1]
    finally:
        provider.terminate()
        provider.wait()


def hour(upstream, options):
    """100 clients, each with one stream of a minute after the other, ten events a second; a table covers a minute."""
    with mock() as url, Bench(upstream, fsync="on") as bench:
        gateway = bench.gateway(events_keep="16m", events_keep_size="0",
                                providers=[{"name": "mock", "dialect": "openai", "base_url": f"{url}/v1"}],
                                models=[{"name": "mock/*", "provider": "mock"}])
        body = bench.server.folder / "body.json"
        body.write_text(json.dumps({"messages": ["hello there"], "config": {"model": "mock/sse-600-100"}, "stream": True}))
        load = subprocess.Popen([tool("load"), "-t", f"127.0.0.1:{gateway.port}", "-p", "/v1/chat", "-b", body, "-c", "100",
                                 "-s", "-R", "-r", "60000", "-w", "60000", "-d", str(int(options.hour * 1000)),
                                 "-x", str(int(options.hour * 1000) + 180000)], stdout=subprocess.PIPE, text=True)
        made, began = set(), time.monotonic()
        say("| minutes | tables made, of these there | log, MB | gateway, MB | gateway and server, s of CPU | commits, above "
            "25 ms, 50 ms, 100 ms |", "|---|---|---|---|---|---|")
        for minute in range(1, int(options.hour / 60) + 1):
            with contextlib.suppress(subprocess.TimeoutExpired):
                load.wait(began + 60 * minute - time.monotonic())
                raise AssertionError("the load has ended early")
            there = {row[0] for row in bench.server.sql(f"SELECT inhrelid::regclass {LOG}", bench.database)}
            made |= there
            if minute % 10 == 0 or minute == int(options.hour / 60):
                rss = int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{gateway.process.pid}/status").read_text())[1])
                say(f"| {minute} | {len(made)}, {len(there)} | {bench.log_mb():.0f} | {rss / 1024:.1f} | "
                    f"{cpu_of(gateway):.0f}, {bench.cpu_of_server():.0f} | {', '.join(map(str, slow_writes(gateway)))} |")
        out = json.loads(load.communicate()[0].splitlines()[-1])
        say("", f"{out['events']} events, {out['events_per_s']:.0f} a second; errors: {out['errors']}; a stream took, s: "
            f"{out['latency']['p50_us'] / 1e6:.2f}, {out['latency']['p99_us'] / 1e6:.2f}, "
            f"{out['latency']['max_us'] / 1e6:.2f} (median, 99 %, most); load of the machine: {os.getloadavg()[2]:.1f}",
            "runs by status: " + str(bench.server.sql("SELECT status, count(*) FROM run GROUP BY status", bench.database)))


PARTS = {"turns": turns, "lag": lag, "kills": kills, "hot": hot, "ceilings": ceilings,
         "retention": retention, "hour": hour}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=5, help="of each row of turns")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--hot", type=float, default=120, help="seconds")
    parser.add_argument("--calls", type=int, default=100_000, help="of the race for ceilings")
    parser.add_argument("--gigabytes", type=float, default=1, help="of the event log")
    parser.add_argument("--retention", type=float, default=30, help="seconds of each row")
    parser.add_argument("--hour", type=float, default=3600, help="seconds")
    options = parser.parse_args()
    if set(options.parts) - set(PARTS):
        parser.error(f"parts: {', '.join(PARTS)}")
    upstream = up.Upstream()
    for name, part in PARTS.items():
        if name in options.parts or not options.parts and part is not hour:
            say("", f"{name}; load of the machine before it: {os.getloadavg()[0]:.1f}", "")
            part(upstream, options)
    upstream.close()


if __name__ == "__main__":
    main()
