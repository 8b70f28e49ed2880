"""Long bodies are with workers when their clients leave, their runs are cancelled, their time is over, the
configuration is read again or the gateway stops: nothing is lost and nothing stays behind.

What is met at which moment is chance, so clients pause for a random while; nothing is concluded from how long
that was.  Each run prints its seed; PARLEY_LONG_SEED takes it again, and PARLEY_LONG_BODIES=60 goes on for so
many seconds, which is worth it with a sanitizer's build."""

import contextlib
import json
import os
import random
import signal
import socket
import struct
import threading
import time

import pytest

import keys
import strict
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import Gateway
from overload import metric
from waiting import DEADLINE, wait_until

SECONDS = float(os.environ.get("PARLEY_LONG_BODIES", "4"))
CLIENTS = 6
KIB = 1 << 10
ADMIN = ["--admin-listen", "127.0.0.1:0"]
PRICE = {"input": 1, "output": 2}


def contents(size):
    """What a message's text is made of, and what stands beside the messages."""
    yield b'"' + b"a" * size + b'"', b""
    yield b'"' + b"\\n" * (size // 2) + b'"', b""
    yield b'"' + b"\\u00e9\\ud83d\\ude00" * (size // 18) + b'"', b""
    yield b'"a"', b',"x":{' + b",".join(b'"k%d":0' % i for i in range(size // 10)) + b"}"
    yield b'"a"', b',"x":[' + b",".join([b"0"] * (size // 2)) + b"]"
    yield b'"' + b"a" * size, b""  # broken
    yield b'"a"', b',"x":1' + b" " * size + b',"x":2'  # a key that comes twice, at the end


def request(dice, models):
    """A path and a body."""
    size = dice.choice([300 * KIB, 300 * KIB, 500 * KIB, 1 << 20, 4 << 20])
    if dice.random() < 0.04:
        size = 15 << 20
    content, more = dice.choice(list(contents(size)))
    model = dice.choice(models).encode()
    kind = dice.randrange(6)
    if kind == 0:
        return "/v1/translate", b'{"from":"openai","to":"lmc","messages":[{"role":"user","content":' + \
            content + b"}]" + more + b"}"
    if kind == 1:
        return "/v1/embeddings", b'{"model":"' + model + b'","input":' + content + more + b"}"
    stream = dice.choice([b"true", b"false"])
    if kind in (2, 3):
        return "/v1/chat/completions", b'{"model":"' + model + b'","stream":' + stream + \
            b',"messages":[{"role":"user","content":' + content + b"}]" + more + b"}"
    store = dice.choice([b"true", b"false"])
    background = b',"background":true' if store == b"true" and dice.random() < 0.3 else b""
    return "/v1/chat", b'{"config":{"model":"' + model + b'"},"stream":' + stream + b',"store":' + \
        store + background + b',"messages":[{"role":"user","content":' + content + b"}]" + \
        (more if dice.random() < 0.2 else b"") + b"}"


def one(gateway, key, dice, models):
    path, body = request(dice, models)
    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    with contextlib.closing(socket.create_connection((gateway.host, gateway.port), DEADLINE)) as sock:
        how = dice.choice(["read", "reset", "reset", "half", "close", "cut", "read"])
        if how == "cut":
            body = body[:dice.randrange(len(body))]
        with contextlib.suppress(OSError):
            sock.sendall(head + body)
            if how == "half":
                time.sleep(dice.random() * 0.02)
                sock.shutdown(socket.SHUT_WR)
            elif how != "read":
                time.sleep(dice.random() ** 3 * 0.6)
            if how in ("reset", "cut"):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if how in ("read", "half"):
                sock.settimeout(dice.choice([0.3, 1, 3]))
                first = sock.recv(1 << 16)
                assert how == "half" or first.startswith(b"HTTP/1.1 "), first[:100]


def cancel_some(client, dice):
    listed = client.get("/v1/runs?status=running&limit=50")
    if listed.status != 200:
        return
    for run in listed.json["data"]:
        if dice.random() < 0.5:
            client.post(f"/v1/runs/{run['id']}/cancel", b"")


@pytest.fixture
def provider_of_long_answers(upstream, script):
    big = up.completion("x" * (400 * KIB))
    failed = {"error": {"message": "no: " + "y" * (400 * KIB), "type": "server_error"}}
    vectors = [[0.25] * 60_000]

    def load(*steps):
        return script(*steps, allows={"* x": strict.Perhaps("what makes the bodies long")})
    return {
        "short": load(up.either("fine")),
        "long": load(up.reply(big)),
        "failed": load(up.reply(failed)),
        "vectors": load(up.embeddings(*vectors)),
        "again": load(up.in_turn(up.reply({"error": {"message": "later"}}, 500), up.either("fine"))),
        "late": load(up.wait(up.Gate())),
    }


def config(upstream, scripts):
    providers = [provider(upstream, "a", retries=1),
                 provider(upstream, "b", retries=1, timeouts={"total": "300ms", "first_byte": "200ms"})]
    models = [{"name": f"{p}-{name}", "provider": p, "upstream_model": s.name, "price": dict(PRICE),
               "max_output": 100}
              for name, s in scripts.items() for p in "ab" if (name, p) != ("late", "a")]
    models += [{"name": "both", "price": dict(PRICE), "max_output": 100,
                "targets": [{"provider": p, "upstream_model": scripts["again"].name} for p in "ba"]}]
    return {"default_model": "a-short", "providers": providers, "models": models, "loops": 2,
            "max_calls": 5, "drain_timeout": "2s"}, [m["name"] for m in models]


@pytest.mark.long
def test_long_bodies_whose_clients_leave(tmp_path, upstream, provider_of_long_answers):
    settings, models = config(upstream, provider_of_long_answers)
    gateway = Gateway(tmp_path / "g", settings, args=ADMIN, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
    gateway.start()
    made = [keys.known(gateway, keys.make(gateway, *limits)) for limits in
            ([], ["--budget", "1000000"], ["--limit", "concurrent=3"])]
    seed = int(os.environ.get("PARLEY_LONG_SEED", random.randrange(1 << 30)))
    print("seed", seed)
    over, failures = threading.Event(), []

    def client(number):
        dice = random.Random(seed + number)
        with Client(gateway.url, keys.bearer(made[number % 3]["key"])) as beside:
            while not over.is_set():
                try:
                    one(gateway, made[number % 3]["key"], dice, models)
                    if dice.random() < 0.3:
                        cancel_some(beside, dice)
                except Exception as error:  # whatever it is, the test shall tell
                    if not over.is_set():
                        failures.append(repr(error))
                    return

    def crowd():
        threads = [threading.Thread(target=client, args=(i,)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        return threads

    threads = crowd()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and gateway.alive():
        time.sleep(0.3)
        gateway.signal(signal.SIGHUP)
    over.set()
    for thread in threads:
        thread.join()
    assert gateway.alive(), gateway.log()
    assert not failures, failures

    def quiet():
        return (metric(gateway, "parley_http_requests_in_flight") == 1 and  # this one
                metric(gateway, "parley_calls_active") == 0 and
                metric(gateway, "parley_queue_depth") == 0)
    wait_until(quiet, "the end of all requests and calls", DEADLINE * 2)
    with Client(gateway.url, keys.bearer(made[1]["key"])) as paying:
        wait_until(lambda: paying.get("/v1/usage").ok().json["budget"]["cost"]["reserved"] == "0",
                   "the end of all reservations")

    # And in the middle of it all it is stopped.
    over.clear()
    threads = crowd()
    wait_until(lambda: metric(gateway, "parley_http_requests_in_flight") > CLIENTS // 2, "some requests")
    gateway.signal(signal.SIGTERM)
    over.set()
    code = gateway.wait_exit(DEADLINE * 4)
    for thread in threads:
        thread.join()
    gateway.check_log()
    assert code == 0, gateway.log()
