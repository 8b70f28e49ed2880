#!/usr/bin/env python3
"""Fills an SQLite or PostgreSQL database with conversations, and measures their lists, searches and the overview.

conversations.py BINARY [--conversations 1000000] [--postgres URL] [--old BINARY] [--no-search]

A conversation has a title, two labels, a run, a question and an answer; one in three was made with the console, one in
a thousand of these is pinned.  With --old, that program makes the tables, the rows are what it would have written, and
the migrations to BINARY's are timed.  Then a gateway is started, and when its search index is complete each question is
asked twenty times.  With SQLite, a conversation is deleted then, and turns are stored until its words have left the
search index.  Ends with 1 if a median is above 200 ms.
"""

import argparse
import http.client
import json
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

SHIFT = 20  # of the milliseconds in the key of an id
APART_MS = 60_000
LIMIT_MS = 200
TIMES = 20
READY_S = 3600
TEXTS = 20_000  # different ones
SYLLABLES = "ka lo mi ren su ta vor be dan fi gul her ni pos quin wes".split()
# What rows have since conversations have their own; of older ones the migration makes it.
ROW = ("origin", "pinned", "opening", "excerpt", "model", "messages", "cost_nano", "recent")
COLUMNS = {
    "conversation": ("id", "secret", "owner", "created_ms", "leaf", "title", "metadata"),
    "conversation_label": ("owner", "key", "value", "conversation"),
    "run": ("id", "secret", "owner", "conversation", "parent", "base", "status", "created_ms",
            "first_token_ms", "completed_ms", "attempts", "seq_reserved", "last_seq", "usage_estimated",
            "usage_in", "usage_out", "model", "provider", "shape", "finish_reason", "cost_nano"),
    "message": ("id", "secret", "owner", "conversation", "prev", "run", "created_ms", "body"),
    "search_queue": ("seq", "kind", "id"),
}


def text(rng, words):
    """Few words are common, most are rare, as languages have them."""
    def word():
        n = int(65536 * rng.random() ** 3)
        return "".join(SYLLABLES[n >> s & 15] for s in (0, 4, 8, 12)[:4 if n >> 12 else 3])
    return " ".join(word() for _ in range(words))


def rows_of(n, at, said, old):
    """What the n-th conversation has in each table."""
    title, question, answer = said
    conversation, run, secret = at << SHIFT, (at + 1) << SHIFT, n * 0x9e3779b97f4a7c15 % 2**62
    console = n % 3 == 0
    labels = {"topic": f"topic-{n % 20}", "user": f"user-{n >> 3}"}
    row = () if old else (int(console), int(n % 3000 == 0), question[:60], answer[:120], f"model-{n % 5}", 2,
                          12345, run if console else None)
    yield "conversation", (conversation, secret, 0, at, run, title, json.dumps(labels), *row)
    for key, value in labels.items():
        yield "conversation_label", (0, key, value, conversation)
    yield "run", (run, secret, 0, conversation, conversation + 1, 0, 2, at + 1, at + 300, at + 900, 1, 0, 0, 0,
                  20, 60, f"model-{n % 5}", "echo", "native" if console else "openai", "stop", 12345)
    for key, prev, ms, role, content in ((conversation + 1, 0, at, "user", question),
                                         (run, conversation + 1, at + 900, "assistant", answer)):
        yield "message", (key, secret, 0, conversation, prev, run, ms,
                          json.dumps({"role": role, "content": content}, separators=(",", ":")))
    yield "search_queue", (run, 1, run)
    yield "search_queue", (conversation, 6, conversation)


def fill(count, put, old):
    """Calls put(table, rows), a few thousand conversations each time."""
    rng = random.Random(4711)
    said = [(text(rng, 4), text(rng, 12), text(rng, 40)) for _ in range(TEXTS)]
    end = int(time.time() * 1000)
    some = {table: [] for table in COLUMNS}
    for n in range(count):
        for table, row in rows_of(n, end - (count - n) * APART_MS, said[n * 7919 % TEXTS], old):
            some[table].append(row)
        if n % 10_000 == 9_999 or n + 1 == count:
            for table, rows in some.items():
                put(table, columns(table, old), rows)
                rows.clear()


def columns(table, old):
    return COLUMNS[table] + (ROW if table == "conversation" and not old else ())


def lacks_rows(database):
    """Whether the tables are of a program whose conversations have no rows of their own."""
    if database.startswith("postgres"):
        found = subprocess.run(["psql", "-qXAt", database, "-c", "SELECT count(*) FROM information_schema.columns "
                                "WHERE table_name = 'conversation' AND column_name = 'opening'"],
                               check=True, stdout=subprocess.PIPE, text=True).stdout
        return found.strip() == "0"
    with sqlite3.connect(database) as db:
        return "opening" not in [row[1] for row in db.execute("PRAGMA table_info(conversation)")]


def fill_sqlite(file, count, old):
    """Without the queue: a new index takes everything."""
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA synchronous = OFF")

        def put(table, names, rows):
            if table != "search_queue":
                db.executemany(f"INSERT INTO {table} ({','.join(names)}) VALUES ({','.join('?' * len(names))})", rows)
        fill(count, put, old)


def fill_postgres(url, count, old):
    with subprocess.Popen(["psql", "-qX", "-v", "ON_ERROR_STOP=1", url], stdin=subprocess.PIPE, text=True) as psql:
        def put(table, names, rows):
            psql.stdin.write(f"COPY {table} ({','.join(names)}) FROM STDIN;\n")
            psql.stdin.writelines("\t".join(r"\N" if v is None else str(v) for v in row) + "\n" for row in rows)
            psql.stdin.write("\\.\n")
        # The gateway of a run that has ended is nobody.
        psql.stdin.write("ALTER TABLE run ALTER gateway SET DEFAULT 0;\n")
        fill(count, put, old)
        psql.stdin.write("ALTER TABLE run ALTER gateway DROP DEFAULT;\nVACUUM ANALYZE;\n")
    if psql.returncode:
        raise SystemExit(psql.returncode)


def ask(connection, path):
    began = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    took = (time.perf_counter() - began) * 1000
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:300]}")
    return took, json.loads(body)


def await_index(connection):
    began = time.time()
    while not ask(connection, "/v1/search?q=kakaka&limit=1")[1]["complete"]:
        if time.time() - began > READY_S:
            raise SystemExit("the search index is not complete in an hour")
        time.sleep(1)
    print(f"\nThe search index was complete {time.time() - began:.0f} s after the start.")


def questions(connection, count):
    """What the console's pages ask, and what is worst for each; ids of the middle and the end are looked up."""
    first = "/v1/conversations?limit=50"
    console = "/v1/conversations?origin=console&sort=recent&limit=50"
    api = "/v1/conversations?origin=api&limit=50"

    def deep(path):
        """The page that has half of the list before it: the labels find a conversation there."""
        for n in range(count // 2, count // 2 + 64, 8):
            for one in ask(connection, f"/v1/conversations?limit=8&metadata[user]=user-{n >> 3}")[1]["data"]:
                if "origin" not in path or one["origin"] in path:
                    return f"{path}&after={one['id']}"
        raise SystemExit("there is no conversation in the middle")
    return {
        "the list, first page": first,
        "the list, from its middle": deep(first),
        "the list, its end": f"{first}&order=asc",
        "the sidebar's list": console,
        "the sidebar's list, from its middle": deep(console),
        "the sidebar's pinned ones": "/v1/conversations?pinned=true&limit=50",
        "\"From the API\", first page": api,
        "\"From the API\", from its middle": deep(api),
        "filter: a common label": f"{first}&metadata[topic]=topic-3",
        "filter: a rare label": f"{first}&metadata[user]=user-{count >> 4}",
        "filter: a common label and a rare one": f"{first}&metadata[topic]=topic-3&metadata[user]=user-{count >> 4}",
        "filter: a label that nobody has": f"{first}&metadata[topic]=none",
        "search: a common word": "/v1/search?limit=30&q=kakaka",
        "search: two common words": "/v1/search?limit=30&q=kakaka+lokaka",
        "search: a beginning": "/v1/search?limit=30&q=kak*",
        "search: a phrase that is not there": "/v1/search?limit=30&q=%22kakaka+nowhere%22",
        "search: nothing that is there": "/v1/search?limit=30&q=nothingofthis",
        "the overview": "/v1/admin/overview",
    }


def measure(host, count, search):
    connection = http.client.HTTPConnection(host, timeout=READY_S)
    if search:
        await_index(connection)
    slow = False
    print(f"\n| {count:,} conversations | rows | median ms | slowest ms |\n|---|---:|---:|---:|")
    for name, path in questions(connection, count).items():
        if name.startswith("search") and not search:
            continue
        times = [ask(connection, path) for _ in range(TIMES)]
        median = statistics.median(ms for ms, _ in times)
        slow = slow or median > LIMIT_MS
        print(f"| {name} | {len(times[0][1].get('data', ''))} | {median:.1f} | {max(ms for ms, _ in times):.1f} |",
              flush=True)
    connection.close()
    return slow


def forget(host, database):
    """Deletes a conversation, and stores turns until its words have left the search index."""
    connection = http.client.HTTPConnection(host, timeout=READY_S)
    one = ask(connection, "/v1/conversations?limit=1")[1]["data"][0]["id"]
    turn = json.dumps({"messages": ["and it goes on"], "config": {"model": "echo"}})
    connection.request("DELETE", f"/v1/conversations/{one}")
    connection.getresponse().read()
    began, times, stained = time.perf_counter(), [], True
    while stained or time.perf_counter() - began < 30:
        sent = time.perf_counter()
        connection.request("POST", "/v1/chat", turn, {"content-type": "application/json"})
        connection.getresponse().read()
        times.append((time.perf_counter() - sent) * 1000)
        with sqlite3.connect(f"file:{database}.search?mode=ro", uri=True) as index:
            now = index.execute("SELECT count(*) FROM stain").fetchone()[0] > 0
        if (stained or len(times) == 1) and not now and time.perf_counter() - began > 1:
            print(f"\nThe words of a deleted conversation left the index after {time.perf_counter() - began:.1f} s.")
            stained = False
        time.sleep(0.02)
    times.sort()
    print(f"Turns stored meanwhile: {len(times)}, median {statistics.median(times):.1f} ms, "
          f"99 % below {times[len(times) * 99 // 100]:.1f} ms, slowest {times[-1]:.1f} ms.")
    connection.close()


def migrate(binary, config):
    began = time.time()
    subprocess.run([binary, "migrate", "--config", config], check=True, stdout=subprocess.DEVNULL)
    return time.time() - began


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary", type=pathlib.Path)
    p.add_argument("--conversations", type=int, default=1_000_000)
    p.add_argument("--postgres", help="URL of an empty database")
    p.add_argument("--old", type=pathlib.Path, help="an older program, which makes the tables")
    p.add_argument("--no-search", dest="search", action="store_false", help="don't wait for the search index")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as name:
        database = o.postgres or f"{name}/parley.db"
        config = pathlib.Path(name, "parley.yaml")
        config.write_text(f"database: {database}\nlisten: 127.0.0.1:0\nlog_level: warn\n")
        migrate(o.old or o.binary, config)
        began = time.time()
        (fill_postgres if o.postgres else fill_sqlite)(database, o.conversations, lacks_rows(database))
        print(f"{o.conversations:,} conversations, filled in {time.time() - began:.0f} s", flush=True)
        if o.old:
            print(f"migrated in {migrate(o.binary, config):.1f} s", flush=True)
        gateway = subprocess.Popen([o.binary, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        try:
            for line in gateway.stdout:
                if line.startswith("parley ready on http://"):
                    break
            host = line.strip().removeprefix("parley ready on http://").rstrip("/")
            slow = measure(host, o.conversations, o.search)
            if o.search and not o.postgres:
                forget(host, database)
            return int(slow)
        finally:
            gateway.terminate()
            gateway.wait()


if __name__ == "__main__":
    sys.exit(main())
