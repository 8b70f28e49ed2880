"""parley health: what probes without an HTTP client of their own ask."""

import signal
import socket
import tempfile
import threading

import pytest

import gateway as gw
from raw import Raw, post
from waiting import wait_until


def health(*args, **more):
    done = gw.run("health", *args, **more)
    assert not gw.SANITIZER.search(done.stderr), done.stderr
    return done


@pytest.fixture
def answering():
    """answering(bytes): the address of a server that says just this; None: that says nothing."""
    made = []

    def make(answer):
        server = socket.create_server(("127.0.0.1", 0))
        made.append(server)

        def serve():
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                made.append(peer)
                peer.recv(65536)
                if answer is not None:
                    peer.sendall(answer)
                    peer.close()
        threading.Thread(target=serve, daemon=True).start()
        return f"127.0.0.1:{server.getsockname()[1]}"
    yield make
    for one in made:
        one.close()


def test_a_gateway_that_serves_is_ready(shared):
    address = f"{shared.host}:{shared.port}"
    done = health("--listen", address)
    assert done.returncode == 0 and done.stdout == f"{address} is ready\n" and not done.stderr


def test_the_address_is_that_of_the_configuration(start, tmp_path):
    g = start({"log_level": "error"})
    file = tmp_path / "health.yaml"
    file.write_text(f"listen: [127.0.0.1:{g.port}]\n")
    assert health("--config", file).returncode == 0
    assert health(env={"PARLEY_CONFIG": str(file)}).returncode == 0
    assert health(env={"PARLEY_LISTEN": f"127.0.0.1:{g.port}"}).returncode == 0


@pytest.mark.parametrize("listen, host", [("0.0.0.0:0", "0.0.0.0"), ("[::]:0", "[::]")])
def test_a_gateway_on_all_addresses_is_asked_on_loopback(start, listen, host):
    g = start(listen=listen, env={"PARLEY_API_KEY": "any"}, args=["--admin-listen", "127.0.0.1:0"])
    done = health("--listen", f"{host}:{g.port}", env={"PARLEY_API_KEY": "any"})
    assert done.returncode == 0, done.stderr


def test_proxies_of_the_environment_are_not_asked(shared):
    done = health("--listen", f"{shared.host}:{shared.port}",
                  env={"http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"})
    assert done.returncode == 0, done.stderr


def test_where_nobody_listens_it_is_1():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        done = health("--listen", f"127.0.0.1:{nobody.getsockname()[1]}")
    assert done.returncode == 1 and "does not answer" in done.stderr and not done.stdout


def test_a_gateway_that_stops_is_not_ready(start):
    g = start({"models": [{"name": "slow", "provider": "slow"}],
               "providers": [{"name": "slow", "dialect": "echo", "delay": "1h"}]})
    body = b'{"model": "slow", "messages": ["hi"], "stream": true}'
    with Raw(g) as raw:
        raw.send(post("/v1/chat", body))
        wait_until(lambda: health("--listen", f"127.0.0.1:{g.port}").returncode == 0, "it is ready")
        g.signal(signal.SIGTERM)
        g.wait_log('"drain"')
        done = health("--listen", f"127.0.0.1:{g.port}")
        assert done.returncode == 1 and done.stderr, done
        g.kill()


@pytest.mark.parametrize("answer, said", [
    (b"HTTP/1.1 503 No\r\nContent-Length: 5\r\n\r\nb\x1b[31", "is not ready: 503 b[31"),
    (b"HTTP/1.1 302 No\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "302"),
    (b"HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100000, "500 xxx"),
    (b"no HTTP at all\r\n\r\n", "does not answer"),
    (b"", "does not answer"),
])
def test_what_is_no_good_answer_is_1(answering, answer, said):
    done = health("--listen", answering(answer))
    assert done.returncode == 1 and said in done.stderr and not done.stdout, done
    assert len(done.stderr) < 1000


def test_a_gateway_that_hangs_is_1_before_the_probe_gives_up(answering):
    done = health("--listen", answering(None))
    assert done.returncode == 1 and "does not answer" in done.stderr


def test_what_can_not_be_asked_is_told():
    done = health("--listen", "127.0.0.1:0")
    assert done.returncode == 1 and "--listen" in done.stderr
    assert health("extra").returncode == 64
    assert health("--config", "/no/such.yaml").returncode == 66


def test_a_gateway_on_a_unix_socket_is_asked_there(start):
    with tempfile.TemporaryDirectory(prefix="p") as folder:  # short enough for an address
        g = start(listen=f"unix:{folder}/p.sock")
        done = health("--listen", f"unix:{folder}/p.sock")
        assert done.returncode == 0 and "is ready" in done.stdout, done.stderr
        g.stop()
        done = health("--listen", f"unix:{folder}/p.sock")
        assert done.returncode == 1 and "does not answer" in done.stderr


@pytest.mark.parametrize("place", ["systemd", "fd:3", "fd:web"])
def test_inherited_sockets_can_not_be_asked_by_their_names(place):
    done = health("--listen", place)
    assert done.returncode == 1 and "name one with --listen" in done.stderr
