"""TLS on the listener: streams, uploads, kept connections, and certificates that change."""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import warnings

import httpx
import pytest

import sse
import upstream as up
from gateway import run
from waiting import DEADLINE, wait_until

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make keys with")


def make_certificate(folder, name):
    """(certificate, key): for 127.0.0.1, signed by itself."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key,
                    "-out", cert], check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    return {name: make_certificate(folder, name) for name in ("one", "two")}


def trusting(*certs):
    context = ssl.create_default_context()
    for cert in certs:
        context.load_verify_locations(cert)
    return context


def options(pair):
    return {"tls_cert": str(pair[0]), "tls_key": str(pair[1])}


@pytest.fixture
def served(start, pairs):
    gateway = start(usual=options(pairs["one"]))
    assert gateway.url.startswith("https://127.0.0.1:")
    return gateway


@pytest.fixture
def https(served, pairs):
    with httpx.Client(base_url=served.url, verify=trusting(pairs["one"][0]), trust_env=False,
                      timeout=DEADLINE) as client:
        yield client


def body(text="hi", **more):
    return {"messages": [text], **more}


def test_answers_and_kept_connections(https):
    for i in range(20):
        reply = https.post("/v1/chat", json=body(f"hi {i}"))
        assert reply.json()["choices"][0]["message"]["content"] == f"hi {i}"
        assert reply.headers.get("connection") != "close"


def test_a_stream_comes_piece_by_piece_and_the_connection_stays(https, script):
    gates = [up.Gate() for _ in range(3)]
    steps = [step for i, gate in enumerate(gates) for step in (up.text(f"t{i} "), up.wait(gate))]
    s = script(up.sse(), up.role(), *steps, *up.ending())
    for round in range(2):
        with https.stream("POST", "/v1/chat", json=body(stream=True, config={"model": s.model})) as r:
            assert r.headers["transfer-encoding"] == "chunked"
            blocks = sse.Blocks(r.iter_raw())
            for i, gate in enumerate(gates):
                blocks.until_text(f"t{i} ")
                gate.open()
            list(blocks)
            answer = sse.native(blocks.seen)
            assert answer.text == "t0 t1 t2 " and answer.error is None


def test_many_streams_at_once(served, pairs, script):
    """More than libmicrohttpd resumes one by one, each in small pieces."""
    s = script(up.sse(), up.role(), *[up.text(f"{i} ") for i in range(50)], *up.ending())
    expected = "".join(f"{i} " for i in range(50))
    context = trusting(pairs["one"][0])
    request = json.dumps(body(stream=True, config={"model": s.model}, store=False)).encode()
    socks = []
    for _ in range(40):
        sock = context.wrap_socket(socket.create_connection(("127.0.0.1", served.port)),
                                   server_hostname="127.0.0.1")
        sock.sendall(b"POST /v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                     b"\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(request) + request)
        socks.append(sock)
    for sock in socks:
        sock.settimeout(DEADLINE)
        with sock:
            data = b""
            while piece := sock.recv(65536):
                data += piece
        assert data.endswith(b"0\r\n\r\n"), "cut"
        texts = [json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
                 for line in data.decode().split("\n")
                 if line.startswith("data: {") and json.loads(line[6:])["choices"]]
        assert "".join(texts) == expected


def test_the_provider_is_told_that_a_client_left(https, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    with https.stream("POST", "/v1/chat",
                      json=body(stream=True, store=False, config={"model": s.model})) as r:
        sse.Blocks(r.iter_raw()).until_text("one")
    s.wait().wait_closed()


def test_a_drain_ends_streams_with_an_error(start, pairs, script):
    gateway = start(usual={**options(pairs["one"]), "drain_timeout": "1s"})
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate))
    with httpx.Client(base_url=gateway.url, verify=trusting(pairs["one"][0]), timeout=DEADLINE) as client:
        with client.stream("POST", "/v1/chat",
                           json=body(stream=True, config={"model": s.model})) as r:
            blocks = sse.Blocks(r.iter_raw())
            blocks.until_text("one")
            gateway.signal(signal.SIGTERM)
            list(blocks)
    assert blocks.seen[-1].json["error"]["code"] == "server_shutting_down"
    assert gateway.wait_exit() == 0


def test_large_bodies_up_and_down(https):
    content = os.urandom(6 << 20)
    made = https.post("/v1/files", files={"file": ("a.bin", content)}, data={"purpose": "user_data"})
    assert made.status_code == 200, made.text
    assert https.get(f"/v1/files/{made.json()['id']}/content").content == content
    text = "x" * (3 << 20)
    reply = https.post("/v1/chat", json=body(text))
    assert reply.json()["choices"][0]["message"]["content"] == text


def test_openai_s_sdk(served, pairs):
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(base_url=served.url + "/v1", api_key="any", max_retries=0,
                           http_client=httpx.Client(verify=trusting(pairs["one"][0]), timeout=DEADLINE),
                           _strict_response_validation=True)
    with client:
        asked = {"model": "echo", "messages": [{"role": "user", "content": "hello"}]}
        assert client.chat.completions.create(**asked).choices[0].message.content == "hello"
        parts = client.chat.completions.create(**asked, stream=True)
        assert "".join(p.choices[0].delta.content or "" for p in parts if p.choices) == "hello"


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
def test_curl(served, pairs):
    done = subprocess.run(["curl", "-sS", "--cacert", pairs["one"][0], "-N", "-d",
                           json.dumps(body("hello", stream=True)), "-H",
                           "Content-Type: application/json", served.url + "/v1/chat"],
                          capture_output=True, text=True, timeout=DEADLINE, check=True)
    assert done.stdout.rstrip().endswith("data: [DONE]")


def test_the_health_command_speaks_it_too(served):
    address = ["--listen", f"127.0.0.1:{served.port}"]
    done = run("health", "--config", served.config_file, *address,
               env={"TEST_UPSTREAM_KEY": "any"})
    assert done.returncode == 0, done.stderr
    done = run("health", *address)
    assert done.returncode != 0, "without the configuration it asks in plain text"


def test_old_protocols_and_plain_text_get_nowhere(served, pairs):
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        context = trusting(pairs["one"][0])
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = version
        with pytest.raises((ssl.SSLError, ConnectionError)):
            context.wrap_socket(socket.create_connection(("127.0.0.1", served.port)),
                                server_hostname="127.0.0.1")
    with socket.create_connection(("127.0.0.1", served.port)) as plain:
        plain.settimeout(DEADLINE)
        plain.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            assert not plain.recv(4096).startswith(b"HTTP")
        except ConnectionError:
            pass
    for version in ("TLSv1_2", "TLSv1_3"):
        context = trusting(pairs["one"][0])
        context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
        with httpx.Client(verify=context, timeout=DEADLINE) as client:
            assert client.get(served.url + "/livez").status_code == 200


def test_a_reload_brings_another_certificate_and_drops_nothing(served, pairs, https, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text(" two"), *up.ending())
    with https.stream("POST", "/v1/chat", json=body(stream=True, config={"model": s.model})) as r:
        blocks = sse.Blocks(r.iter_raw())
        blocks.until_text("one")
        text = served.config_file.read_text()
        for old, new in zip(pairs["one"], pairs["two"]):
            text = text.replace(str(old), str(new))
        served.config_file.write_text(text)
        mark = len(served.lines)
        served.signal(signal.SIGHUP)
        served.wait_log("configuration was read again", mark)
        with httpx.Client(verify=trusting(pairs["two"][0]), timeout=DEADLINE) as client:
            assert client.get(served.url + "/livez").status_code == 200
        with pytest.raises(httpx.ConnectError), httpx.Client(
                verify=trusting(pairs["one"][0]), timeout=DEADLINE) as client:
            client.get(served.url + "/livez")
        gate.open()
        list(blocks)
        assert sse.native(blocks.seen).text == "one two"


@pytest.mark.parametrize("bad", ["missing", "garbage", "other key", "cut"])
def test_a_reload_with_bad_files_keeps_the_old_certificate(start, pairs, tmp_path, bad):
    cert, key = tmp_path / "c.pem", tmp_path / "c.key"
    shutil.copy(pairs["one"][0], cert)
    shutil.copy(pairs["one"][1], key)
    gateway = start(options((cert, key)))
    spoil(bad, cert, key, pairs)
    mark = len(gateway.lines)
    gateway.signal(signal.SIGHUP)
    gateway.wait_log("the old configuration stays", mark)
    with httpx.Client(verify=trusting(pairs["one"][0]), timeout=DEADLINE) as client:
        assert client.get(gateway.url + "/livez").status_code == 200


def spoil(bad, cert, key, pairs):
    if bad == "missing":
        cert.unlink()
    elif bad == "garbage":
        cert.write_text("no certificate")
    elif bad == "other key":
        shutil.copy(pairs["two"][1], key)
    elif bad == "cut":
        key.write_bytes(key.read_bytes()[:90])


@pytest.mark.parametrize("bad, name", [("missing", "tls_cert"), ("garbage", "tls_cert"),
                                       ("other key", "tls_key"), ("cut", "tls_key")])
def test_bad_files_are_refused_at_the_start(start, pairs, tmp_path, bad, name):
    cert, key = tmp_path / "c.pem", tmp_path / "c.key"
    shutil.copy(pairs["one"][0], cert)
    shutil.copy(pairs["one"][1], key)
    spoil(bad, cert, key, pairs)
    gateway = start(options((cert, key)), ready=False)
    code, log = gateway.fails_to_start()
    assert code == 78 and name in log
    assert run("--check-config", "--config", gateway.config_file).returncode == 78


@pytest.mark.parametrize("lone", ["tls_cert", "tls_key"])
def test_one_file_without_the_other_is_refused(start, pairs, lone):
    code, log = start({lone: options(pairs["one"])[lone]}, ready=False).fails_to_start()
    assert code == 78 and "needs tls_" in log


def test_tls_is_not_switched_by_a_reload(start, pairs):
    gateway = start({})
    gateway.write_config(options(pairs["one"]))
    gateway.signal(signal.SIGHUP)
    gateway.wait_log("can't be switched")
    with httpx.Client(timeout=DEADLINE) as client:
        assert client.get(gateway.url + "/livez").status_code == 200


def test_who_sends_no_handshake_holds_nobody_up(served, https):
    idle = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(30)]
    for s in idle[::2]:
        s.sendall(b"\x16\x03\x01\x02\x00\x01")
    assert https.get("/livez").status_code == 200
    for s in idle:
        s.close()
    wait_until(lambda: https.get("/livez").status_code == 200, "it goes on")
