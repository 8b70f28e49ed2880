#!/usr/bin/env python3
"""Fills the ledger of calls of an SQLite or PostgreSQL database with rows, and measures its pages.

ledger.py BINARY [--rows 10000000] [--postgres URL]

Rows are written as the gateway writes them (src/store/ledger_block.h), 200 a second over the last days: 20 keys,
12 models, 4 providers; one call in a thousand fails, and one key has 20 calls alone.  Then a gateway is started, and each
question is asked ten times; the median and the worst time are printed.
"""

import argparse
import http.client
import json
import pathlib
import random
import sqlite3
import statistics
import struct
import subprocess
import tempfile
import time

SHIFT = 20  # of the milliseconds in the key of an id
PER_SECOND = 200
KEYS, MODELS, PROVIDERS = 20, 12, 4
READY_S = 120


def number(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7f | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def text(s):
    b = s.encode()
    return number(len(b)) + b


def fnv(b, h=2166136261):
    for c in b:
        h = (h ^ c) * 16777619 & 0xffffffff
    return h


def bit(word, s):
    h = fnv(s.encode(), (2166136261 ^ word) * 16777619 & 0xffffffff)
    return 1 << (6 + (h ^ h >> 15) % 16 if word == 3 else 22 + (h ^ h >> 15) % 41)


def owner_bit(owner):
    return 1 << 22 + (owner * 0x9e3779b97f4a7c15 % 2**64 >> 33) % 41


def packed(counts):
    """A histogram."""
    out, last = b"", -1
    for place in sorted(counts):
        out += number(place - last - 1) + number(counts[place])
        last = place
    return out


class Hours:
    """Sums of hours, with one histogram for each."""

    def __init__(self):
        self.sums = {}

    @staticmethod
    def place(us):
        """The bucket of a duration."""
        b = us >> 6
        e = max(b.bit_length() - 4, -1)
        return b if b < 8 else (e + 1) * 8 + (b >> e & 7)

    def add(self, hour, facts):
        for names, failed, place in facts:
            s = self.sums.setdefault((hour, *names), [0, 0, {}])
            s[0] += 1
            s[1] += failed
            s[2][place] = s[2].get(place, 0) + 1

    def by_one(self):
        """Sums by nothing, key, model and provider."""
        sums = {}
        for (hour, *names), (calls, failed, counts) in self.sums.items():
            for kind, name in enumerate(("", *names)):
                s = sums.setdefault((kind, hour, name), [0, 0, {}])
                s[0] += calls
                s[1] += failed
                for place, n in counts.items():
                    s[2][place] = s[2].get(place, 0) + n
        return sums

    @staticmethod
    def rows(sums):
        for names, (calls, failed, counts) in sums.items():
            durations = packed(counts)
            yield (*names, 0, calls, failed, 0, 0, 0, calls * 900, calls * 300, calls * 1_000_000,
                   durations, durations)


class Block:
    """The rows of one second, which are written again and again with other keys."""

    def __init__(self, rare, rng):
        names, places, rows, self.bits, self.facts, at = b"", {}, b"", 0, [], []
        for i in range(PER_SECOND):
            who = KEYS if rare and i == 0 else rng.randrange(KEYS)
            model, failed = rng.randrange(MODELS), rng.random() < 0.001
            triple = (f"key_{who:08d}", f"model-{model}", f"provider-{model % PROVIDERS}")
            if triple not in places:
                places[triple] = len(names)
                names += b"".join(text(t) for t in triple)
                self.bits |= bit(0, triple[0]) | bit(1, triple[1]) | bit(2, triple[2])
            us = int(rng.lognormvariate(14, 1))
            code = "upstream_error" if failed else ""
            self.bits |= owner_bit(who + 1) | (2 if failed else 1) | 32 | (bit(3, code) if failed else 0)
            at.append(len(rows))
            rows += struct.pack("<qQq", 0, rng.getrandbits(64), who + 1) + number(places[triple])
            rows += bytes([1 | 4 << 4 if failed else 2 << 4, 2 | 4 | 8 | 32])
            rows += number(502 if failed else 200) + number(0) + number(us) + number(1) + number(1)
            rows += text("completions") + text(code) + text("" if failed else "stop")
            rows += number(us // 3) + b"".join(number(n) for n in (900, 300, 0, 0, 0))
            rows += number(1_000_000)
            self.facts.append((triple, failed, Hours.place(us)))
        head = b"\x01" + number(len(names)) + names
        self.data = bytearray(head + rows)
        self.at = [len(head) + n for n in at]

    def row(self, at_ms):
        keys = [(at_ms + i * 1000 // PER_SECOND << SHIFT) + i for i in range(PER_SECOND)]
        for place, key in zip(self.at, keys):
            struct.pack_into("<q", self.data, place, key)
        return keys[-1], keys[0], PER_SECOND, self.bits, bytes(self.data)


def fill(rows, put, days=30):
    """Calls put(table, rows) with what belongs into it, over so many days."""
    rng, hours, sizes, blocks = random.Random(4711), Hours(), {}, []
    seconds = rows // PER_SECOND
    usual, rare = [Block(False, rng) for _ in range(60)], Block(True, rng)
    stride = max(1, days * 86400 // seconds)
    begin = (int(time.time()) - 60 - seconds * stride) * 1000
    for s in range(seconds):
        at_ms = begin + s * stride * 1000
        one = rare if s % (seconds // 20 or 1) == 0 else usual[s % len(usual)]
        row = one.row(at_ms)
        blocks.append(row)
        sizes[at_ms // 3600_000] = sizes.get(at_ms // 3600_000, 0) + len(row[4]) + 80
        hours.add(at_ms // 3600_000, one.facts)
        if len(blocks) == 500:
            put("call_block", blocks)
            blocks = []
    put("call_block", blocks)
    put("call_hour", list(hours.rows(hours.sums)))
    put("call_sum", list(hours.rows(hours.by_one())))
    put("call_size", list(sizes.items()))


def fill_sqlite(file, rows, days=30):
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA synchronous = OFF")

        def put(table, some):
            if some:
                db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(some[0]))})", some)
        fill(rows, put, days)


def insertion(table, rows):
    """The rows as a statement of PostgreSQL."""
    def cell(v):
        return rf"'\x{v.hex()}'" if isinstance(v, bytes) else f"'{v}'" if isinstance(v, str) else str(v)
    return f"INSERT INTO {table} VALUES {','.join('(' + ','.join(map(cell, row)) + ')' for row in rows)}"


def fill_postgres(url, rows):
    with subprocess.Popen(["psql", "-qX", "-v", "ON_ERROR_STOP=1", url], stdin=subprocess.PIPE,
                          text=True) as psql:
        def cell(v):
            return r"\\x" + v.hex() if isinstance(v, bytes) else str(v)

        def put(table, some):
            psql.stdin.write(f"COPY {table} FROM STDIN;\n")
            psql.stdin.writelines("\t".join(map(cell, row)) + "\n" for row in some)
            psql.stdin.write("\\.\n")
        fill(rows, put)
        psql.stdin.write("VACUUM ANALYZE call_block, call_hour, call_sum;\n")


def ask(host, path):
    connection = http.client.HTTPConnection(host, timeout=READY_S)
    began = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    took = (time.perf_counter() - began) * 1000
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:300]}")
    return took, json.loads(body)


def measure(host):
    now = int(time.time())
    admin = "/v1/admin/runs?limit=20"
    _, first = ask(host, admin)
    middle = f"run_{(now - 7 * 86400) * 1000 << SHIFT:016x}" + "0" * 16
    questions = {
        "the newest page": admin,
        "a page of 100": "/v1/admin/runs?limit=100",
        "the oldest page": f"{admin}&order=asc",
        "a page of a week ago": f"{admin}&after={middle}",
        "failed ones": f"{admin}&outcome=failed",
        "by model": f"{admin}&model=model-3",
        "by key and error": f"{admin}&key=key_00000003&error=upstream_error",
        "a key with 20 calls": f"{admin}&key=key_{KEYS:08d}",
        "a key with none": f"{admin}&key=key_none",
        "an error that there is not": f"{admin}&error=never_seen",
        "longer than two minutes": f"{admin}&min_duration_ms=120000",
        "hours of a day": f"/v1/admin/calls/hours?from={now - 86400}",
        "hours of a day by model": f"/v1/admin/calls/hours?from={now - 86400}&by=model",
        "hours of 30 days": f"/v1/admin/calls/hours?from={now - 30 * 86400}",
        "hours of 30 days by key": f"/v1/admin/calls/hours?from={now - 30 * 86400}&by=key",
    }
    print(f"{'question':28} {'rows':>6} {'more':>6} {'median':>9} {'worst':>9}")
    for name, path in questions.items():
        try:
            times = [ask(host, path) for _ in range(10)]
        except SystemExit as e:
            print(name, e)
            continue
        ms = [t for t, _ in times]
        page = times[-1][1]
        print(f"{name:28} {len(page['data']):6} {page.get('has_more', '')!s:>6} "
              f"{statistics.median(ms):6.1f} ms {max(ms):6.1f} ms", flush=True)
    return first


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("binary")
    p.add_argument("--rows", type=int, default=10_000_000)
    p.add_argument("--postgres", help="URL of an empty database")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as name:
        database = o.postgres or f"{name}/parley.db"
        config = pathlib.Path(name, "parley.yaml")
        config.write_text(f"database: {database}\nlisten: 127.0.0.1:0\ncalls_keep_size: 0\n"
                          "calls_keep: 400d\nlog_level: warn\n")
        subprocess.run([o.binary, "migrate", "--config", config], check=True,
                       stdout=subprocess.DEVNULL)
        began = time.time()
        if o.postgres:
            fill_postgres(o.postgres, o.rows)
        else:
            fill_sqlite(database, o.rows)
            print(f"{o.rows:,} rows: {pathlib.Path(database).stat().st_size >> 20} MiB")
        print(f"filled in {time.time() - began:.0f} s", flush=True)
        gateway = subprocess.Popen([o.binary, "serve", "--config", config], stdout=subprocess.PIPE,
                                   text=True)
        try:
            for line in gateway.stdout:
                if line.startswith("parley ready on http://"):
                    break
            measure(line.strip().removeprefix("parley ready on http://").rstrip("/"))
        finally:
            gateway.terminate()
            gateway.wait()


if __name__ == "__main__":
    main()
