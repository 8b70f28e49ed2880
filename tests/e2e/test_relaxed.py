"""How much of a relaxed stream a kill takes while other turns keep the writer busy."""

import sqlite3
import threading
import time

import httpx

from client import Client
from waiting import DEADLINE, wait_until

PROMISE = 0.05  # docs/operations.md#storage
SECONDS = 1.0  # of stream before the kill
WRITERS = 6


def keep_writing(url, stop):
    """Stored turns, one after the other, of a few KiB each."""
    with Client(url) as client:
        while not stop.is_set():
            try:
                client.http.post("/v1/chat", json={"messages": ["x" * 4000],
                                                   "config": {"model": "quick"}})
            except httpx.TransportError:
                return


def follow(url, seen):
    """Notes when each block came, and its number, until the stream breaks."""
    with Client(url) as client, client.chat_stream("w " * 20000, model="slow") as stream:
        seen.append((time.monotonic(), 0, stream.headers["x-run-id"]))
        try:
            for block in stream:
                if block.id:
                    seen.append((time.monotonic(), int(block.id.split(".")[0]), None))
        except httpx.TransportError:
            pass


def logged_last(gateway):
    """The number of the newest event in the log of the one stream, as the next start will find it."""
    with sqlite3.connect(gateway.database) as db:
        found = db.execute("SELECT max(e.last) FROM event e JOIN run r ON r.id = e.run "
                           "WHERE r.model = 'slow' AND r.status < 2").fetchone()
    return found[0] or 0


def lost_by_a_kill(gateway):
    """Seconds between the first block that a client saw and the log lacks, and the last one."""
    seen, stop = [], threading.Event()
    threads = [threading.Thread(target=keep_writing, args=(gateway.url, stop))
               for _ in range(WRITERS)]
    threads.append(threading.Thread(target=follow, args=(gateway.url, seen)))
    for thread in threads:
        thread.start()
    wait_until(lambda: seen and seen[-1][0] - seen[0][0] > SECONDS, "a stream that goes on")
    gateway.process.kill()
    killed = time.monotonic()
    stop.set()
    for thread in threads:
        thread.join(DEADLINE)
    gateway.kill()
    last = logged_last(gateway)
    lost = [t for t, number, _ in seen if number > last and t <= killed]
    gateway.start()
    return killed - lost[0] if lost else 0, len(lost)


def busy_gateway(start):
    return start({"providers": [{"name": "quick", "dialect": "echo"},
                                {"name": "slow", "dialect": "echo", "delay": "2ms"}],
                  "models": [{"name": "quick", "provider": "quick"},
                             {"name": "slow", "provider": "slow"}]})


def test_a_kill_takes_no_more_than_is_promised_beside_busy_writers(start):
    """The best of a few tries: a core that is given to others for a while delays any thread, also the one
    that writes; what the program itself makes an event wait for is there in every try."""
    gateway = busy_gateway(start)
    tries = []
    while len(tries) < 5:
        tries.append(lost_by_a_kill(gateway)[0])
        if tries[-1] <= PROMISE:
            return
    raise AssertionError(f"never within {PROMISE} s: {tries}")
