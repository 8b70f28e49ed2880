"""A family with a framing of its own, a dialect that signs, and a table of the store; and what is released has none."""

import hashlib
import hmac
import http.server
import json
import os
import re
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import gateway as gw

KEY = "k-1"


def chunk(delta, finish=None):
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


CHUNKS = [chunk({"role": "assistant", "content": 'a "}] \\'}), chunk({"content": "b"}), chunk({}, "stop")]
WHOLE = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "whole"}, "finish_reason": "stop"}]}


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers only what is signed: with an array of chunks, or with a completion."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def signature(self, body):
        host = self.headers["host"]
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items()
                       if name.lower() not in ("content-length", "x-signature"))
        signed = f"POST\nhttp://{host}{self.path}\n{head}\n".encode() + body
        return hmac.new(hashlib.sha256(KEY.encode()).digest(), signed, hashlib.sha256).hexdigest()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen.append(self.headers)
        good = self.headers["x-signature"] == self.signature(body)
        asked = json.loads(body)
        answer = WHOLE if not asked.get("stream") else CHUNKS
        if not good:
            answer = {"error": {"message": "the signature is wrong", "type": "x", "code": "x"}}
        data = json.dumps(answer, indent=1).encode()
        self.send_response(200 if good else 403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for byte in data:
            self.wfile.write(b"1\r\n%c\r\n" % byte)
        self.wfile.write(b"0\r\n\r\n")


@pytest.fixture
def signed():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.seen = []
    threading.Thread(target=server.serve_forever).start()
    yield server
    server.shutdown()
    server.server_close()


def config(server=None):
    providers = [{"name": "said", "dialect": "echo", "reply": "one two three"},
                 {"name": "fails", "dialect": "echo", "reply": "one two three", "error_at": 2}]
    if server:
        url = f"http://127.0.0.1:{server.server_port}"
        common = {"dialect": "scratch-signed", "base_url": url, "retries": 0}
        providers += [{"name": "signed", "api_key_env": "SIGNED_KEY", **common},
                      {"name": "wrong", "api_key_env": "WRONG_KEY", **common}]
    return {"default_model": "said/a", "providers": providers,
            "models": [{"name": f"{p['name']}/*", "provider": p["name"]} for p in providers]}


KEYS = {"SIGNED_KEY": KEY, "WRONG_KEY": "another one"}


def ask(gateway, path, body, method="POST", **headers):
    """(status, headers, body)"""
    request = urllib.request.Request(gateway.url + path, json.dumps(body).encode(), method=method,
                                     headers={"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=gw.DEADLINE) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def text_of(lines):
    return "".join(choice["delta"].get("content") or "" for line in lines for choice in line["choices"])


def test_a_stream_has_a_value_a_line(start):
    gateway = start(config=config())
    for path in ("/scratch/said/a:ask", "/scratch/said%2Fa:b:ask", "/scratch/said/a/b%3Aask"):
        status, headers, body = ask(gateway, path, {"text": "hi", "stream": True})
        assert status == 200 and headers["content-type"] == "application/x-ndjson", (path, body)
        assert body.endswith("}\n") and "data:" not in body
        lines = [json.loads(line) for line in body.splitlines()]
        assert text_of(lines) == "one two three" and lines[0]["object"] == "chat.completion.chunk"
    status, _, body = ask(gateway, "/scratch/said/a:ask", {"text": "hi"})
    assert status == 200 and json.loads(body)["choices"][0]["message"]["content"] == "one two three"


def test_a_stream_that_fails_ends_with_an_error(start):
    status, _, body = ask(start(config=config()), "/scratch/fails/a:ask", {"text": "hi", "stream": True})
    assert status == 200 and "error" in json.loads(body.splitlines()[-1]), body


def test_a_silent_stream_shows_that_it_is_alive(start):
    slow = config()
    slow["providers"][0]["delay"] = "300ms"
    gateway = start(config={**slow, "keep_alive": "50ms"})
    _, _, body = ask(gateway, "/scratch/said/a:ask", {"text": "hi", "stream": True})
    assert "" in body.split("\n")[:-1] and ":" not in body.split("\n\n")[0][:1]
    assert text_of(json.loads(line) for line in body.splitlines() if line) == "one two three"


def test_the_family_reads_its_header(start):
    gateway = start(config=config())
    for value, stored in (("true", True), ("false", False)):
        _, headers, _ = ask(gateway, "/scratch/said/a:ask", {"text": "hi"}, **{"X-Scratch-Store": value})
        assert ("x-conversation-id" in headers) == stored


def test_verbs_that_are_none(start):
    gateway = start(config=config())
    assert ask(gateway, "/scratch/said/a:asks", {"text": "hi"})[0] == 404
    assert ask(gateway, "/scratch/:ask", {"text": "hi"})[0] == 404
    status, headers, _ = ask(gateway, "/scratch/said/a:ask", {}, method="PUT")
    assert status == 405 and headers["allow"] == "POST, OPTIONS"


def test_a_dialect_signs_its_request(start, signed):
    gateway = start(config=config(signed), env=KEYS)
    for path in ("/v1/chat/completions", "/scratch/signed/m:ask"):
        asked = {"model": "signed/m", "messages": [{"role": "user", "content": "hi"}]} \
            if path.startswith("/v1") else {"text": "hi"}
        status, _, body = ask(gateway, path, asked)
        assert status == 200 and json.loads(body)["choices"][0]["message"]["content"] == "whole", body
        status, _, body = ask(gateway, path, {**asked, "stream": True})
        lines = [json.loads(line.removeprefix("data: ")) for line in body.splitlines()
                 if line and "[DONE]" not in line]
        assert status == 200 and text_of(lines) == 'a "}] \\b', body
    assert all("authorization" not in seen and KEY not in str(seen) for seen in signed.seen)


def test_a_wrong_signature_is_the_provider_s_refusal(start, signed):
    status, _, body = ask(start(config=config(signed), env=KEYS), "/v1/chat/completions", {
        "model": "wrong/m", "messages": [{"role": "user", "content": "hi"}]})
    assert status >= 400, body


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_table_of_its_own(start, tmp_path, request, engine):
    place = str(tmp_path / "notes.db") if engine == "sqlite" else \
        request.getfixturevalue("server").url(request.getfixturevalue("database"))
    gateway = start(config={**config(), "database": place})

    def answer(method, path):
        status, _, body = ask(gateway, "/scratch/notes/" + path, None, method=method)
        return json.loads(body) if status == 200 else status

    assert answer("GET", "a") == 404
    assert answer("PUT", "a/one") == {"before": None}
    assert answer("PUT", "b/%22%C3%A4%20%27") == {"before": None}
    assert answer("PUT", "a/two") == {"before": "one"}
    gateway.stop()
    gateway.start()
    assert answer("GET", "a") == {"text": "two"} and answer("GET", "b") == {"text": '"\u00e4 \''}


# --- what is released ---

def names_of(binary):
    return {line.split()[-1] for line in
            subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout.splitlines()}


def test_the_program_without_them_has_none():
    """PARLEY_RELEASED is a program that was built without PARLEY_SCRATCH; by default the one beside this."""
    released = Path(os.environ.get("PARLEY_RELEASED", gw.BINARY.with_name("parley")))
    rows = (gw.PROJECT / "tests/scratch/rows.def").read_text()
    names = set(re.findall(r"\bscratch_\w+", rows))
    assert {"scratch_ndjson", "scratch_signed", "scratch_upper", "scratch_note_write"} <= names
    for name in names:  # a part of names, such as that of the function that submits a job
        assert any(name in one for one in names_of(gw.BINARY)), name
        assert not any(name in one for one in names_of(released)), name
    with_them, without = gw.BINARY.read_bytes(), released.read_bytes()
    for word in (b"/scratch/", b"scratch-signed", b"x-scratch-store", b"scratch-upper/", b"scratch_note"):
        assert word in with_them and word not in without, word
    routes = subprocess.run([released, "--dump-routes"], capture_output=True, text=True, check=True).stdout
    assert "scratch" not in routes and "/v1/chat" in routes
