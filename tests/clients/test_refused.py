"""A refusal of a large body is seen by every client: its status, once, and nothing is sent again."""

import http.client
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import httpx
import openai
import pytest

from gateway import environment
from overload import metric

HERE = Path(__file__).resolve().parent
KEY = "a-key-of-the-environment"
SIZES = [5_000_000, 22_000_000]


@pytest.fixture
def locked(start):
    return start(env={"PARLEY_API_KEY": KEY})


def pieces(size):
    return (b"x" * 65536 for _ in range(size // 65536))


def of_python(url, size):
    """The calls, by name; each gives a status."""
    text = "x" * size
    sdk = openai.OpenAI(api_key="wrong", base_url=url + "/v1", max_retries=2,
                        _strict_response_validation=True)

    def refused(call):
        with pytest.raises(openai.APIStatusError) as told:
            call()
        return told.value.status_code

    def with_urllib():
        with pytest.raises(urllib.error.HTTPError) as told:
            urllib.request.urlopen(urllib.request.Request(url + "/v1/chat", data=text.encode()))
        return told.value.code

    def with_http_client(**more):
        connection = http.client.HTTPConnection(httpx.URL(url).netloc.decode())
        try:
            connection.request("POST", "/v1/chat", **more)
            return connection.getresponse().status
        finally:
            connection.close()

    return {
        "openai chat": lambda: refused(lambda: sdk.chat.completions.create(
            model="echo", messages=[{"role": "user", "content": text}])),
        "openai file": lambda: refused(lambda: sdk.files.create(
            purpose="user_data", file=("a.txt", text.encode()))),
        "urllib": with_urllib,
        "http.client": lambda: with_http_client(body=text),
        "http.client in chunks": lambda: with_http_client(
            body=pieces(size), encode_chunked=True, headers={"Transfer-Encoding": "chunked"}),
        "httpx in chunks": lambda: httpx.post(url + "/v1/chat", content=pieces(size)).status_code,
    }


def refused_requests(gateway):
    """How many were: a client that sends all again counts twice."""
    return metric(gateway, "parley_auth_failures_total")


@pytest.mark.parametrize("size", SIZES)
def test_python(locked, size):
    calls = of_python(locked.url, size)
    for name, call in calls.items():
        assert call() == 401, name
    assert refused_requests(locked) == len(calls)


def of_a_program(gateway, *command, cwd):
    done = subprocess.run([*command], cwd=cwd, env=environment(), capture_output=True, text=True,
                          timeout=170)
    assert done.returncode == 0, done.stderr[-4000:]
    seen = dict(json.loads(line) for line in done.stdout.splitlines())
    assert seen and set(seen.values()) == {401}, seen
    assert refused_requests(gateway) == len(seen)


@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
@pytest.mark.skipif(not (HERE / "node" / "node_modules").exists(), reason="npm ci was not run")
@pytest.mark.parametrize("size", SIZES)
def test_node(locked, size):
    of_a_program(locked, "node", "refused.mjs", locked.url, str(size), cwd=HERE / "node")


@pytest.mark.skipif(not shutil.which("java"), reason="no Java")
@pytest.mark.parametrize("size", SIZES)
def test_java(locked, size):
    of_a_program(locked, "java", "Refused.java", locked.url, str(size), cwd=HERE / "java")


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("how", [[], ["-H", "Expect:"], ["-H", "Transfer-Encoding: chunked"]],
                         ids=["asks for leave", "does not ask", "in chunks"])
def test_curl(locked, tmp_path, size, how):
    (tmp_path / "body").write_bytes(b"x" * size)
    done = subprocess.run(["curl", "-sS", "-o", tmp_path / "answer", "-w", "%{http_code}", *how,
                           "--data-binary", f"@{tmp_path / 'body'}", locked.url + "/v1/chat"],
                          env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "401"), done.stderr
    assert refused_requests(locked) == 1
