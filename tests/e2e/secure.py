"""A provider that a test programs call by call, over http, https and HTTP/2.

Each request runs a function of the test's own, on a thread of its own, with an Ask: what was asked,
and the means to answer in pieces.  Whatever the protocol is, an Ask knows when the gateway has given it
up: by closing its connection or by resetting its stream.
"""

import contextlib
import itertools
import json
import select
import socket
import ssl
import subprocess
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

from waiting import DEADLINE, Moment

PLAIN, TLS, HTTP2 = "http", "https", "h2"


class Gone(Exception):
    """The gateway gave the request up, or the test is over."""


def certificate(folder, hosts=()):
    """Makes a key and a certificate for 127.0.0.1 and the hosts; the path of both in one file."""
    both = folder / "provider.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=provider",
                    "-addext", ",".join(["subjectAltName=IP:127.0.0.1,DNS:localhost", *[f"DNS:{host}" for host in hosts]]),
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                   check=True, capture_output=True, timeout=DEADLINE)
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


class Ask:
    """One request."""

    def __init__(self, connection, stream, headers):
        self.connection = connection
        self.stream = stream
        self.headers = headers
        self.body = b""
        self.gone = Moment()
        self.reset = False  # its stream was reset, the connection stays
        self.done = threading.Event()  # the test's function has ended
        self.framed = False

    @property
    def json(self):
        return json.loads(self.body)

    def header(self, name):
        values = [v for n, v in self.headers if n == name]
        assert len(values) < 2, f"header {name} was sent {len(values)} times"
        return values[0] if values else None

    def leave(self, reset=False):
        if not self.gone.is_set():
            self.reset = reset
            self.gone.set()

    def wait_gone(self):
        assert self.gone.wait(DEADLINE), "the gateway did not give the request up"

    def head(self, status=200, kind="application/json", length=None, **more):
        self.framed = length is None
        self.connection.head(self, status, kind, length, more)

    def send(self, data, end=False):
        self.connection.send(self, data, end)

    def reply(self, value, status=200, **more):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.head(status, length=len(body), **more)
        self.send(body, True)

    def events(self):
        self.head(kind="text/event-stream")

    def event(self, value):
        self.send(f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode())

    def end(self):
        self.send(b"", True)


class Connection:
    """What the protocols have in common: a socket that is read by one thread and written by many."""

    def __init__(self, provider, sock):
        self.provider = provider
        self.sock = sock
        self.lock = threading.RLock()
        self.asks = []
        self.closed = Moment()
        self.resumed = getattr(sock, "session_reused", None)

    def _write(self, data):
        """With the lock held."""
        view = memoryview(data)
        while view:
            try:
                view = view[self.sock.send(view):]
            except (BlockingIOError, ssl.SSLWantWriteError):
                self.lock.release()
                try:
                    select.select([], [self.sock], [], 0.05)
                finally:
                    self.lock.acquire()
                if self.closed.is_set() or self.provider.stopped.is_set():
                    raise Gone from None
            except (OSError, ValueError):
                raise Gone from None

    def read(self):
        """Some bytes; none at the end."""
        while not self.provider.stopped.is_set() and not self.closed.is_set():
            with self.lock:
                try:
                    return self.sock.recv(1 << 16)
                except (BlockingIOError, ssl.SSLWantReadError):
                    pass
                except (OSError, ValueError):
                    return b""
            with contextlib.suppress(OSError, ValueError):
                select.select([self.sock], [], [], 0.05)
        return b""

    def close(self):
        self.closed.set()
        with self.lock:
            with contextlib.suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)
            self.sock.close()
        for ask in self.asks:
            ask.leave()


class Http1(Connection):
    def serve(self):
        pending = b""
        while True:
            while b"\r\n\r\n" not in pending:
                some = self.read()
                if not some:
                    return
                pending += some
            head, pending = pending.split(b"\r\n\r\n", 1)
            lines = head.decode("latin-1").split("\r\n")
            headers = [(":path", lines[0].split(" ")[1])]
            headers += [(n.lower(), v.strip()) for n, v in (x.split(":", 1) for x in lines[1:])]
            ask = Ask(self, None, headers)
            size = int(ask.header("content-length") or 0)
            while len(pending) < size:
                some = self.read()
                if not some:
                    return
                pending += some
            ask.body, pending = pending[:size], pending[size:]
            self.asks.append(ask)
            self.provider.take(ask)
            while not ask.done.is_set():
                # Nothing comes in the middle of an answer but the gateway's leaving.
                if select.select([self.sock], [], [], 0.002)[0]:
                    some = self.read()
                    if not some:
                        return
                    pending += some
            if self.closed.is_set():
                return

    def head(self, ask, status, kind, length, more):
        more = {"content-type": kind, **{n.replace("_", "-"): v for n, v in more.items()}}
        more |= {"transfer-encoding": "chunked"} if length is None else {"content-length": length}
        lines = [f"HTTP/1.1 {status} Any", *[f"{n}: {v}" for n, v in more.items()], "", ""]
        with self.lock:
            self._write("\r\n".join(lines).encode())

    def send(self, ask, data, end):
        if ask.framed:
            data = (b"%x\r\n%s\r\n" % (len(data), data) if data else b"") + (
                b"0\r\n\r\n" if end else b"")
        with self.lock:
            self._write(data)


class Http2(Connection):
    def __init__(self, provider, sock):
        super().__init__(provider, sock)
        self.open = {}
        self.goaway = False
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=False, header_encoding="utf-8"))
        self.windows = threading.Condition(self.lock)

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self._write(data)

    def serve(self):
        with self.lock:
            self.h2.initiate_connection()
            # In force when the client has acknowledged it (RFC 9113, 6.5.3): who opens streams on a
            # new connection can't know it before.
            self.h2.update_settings({
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.provider.streams})
            self.flush()
        while True:
            some = self.read()
            if not some:
                return
            with self.lock:
                try:
                    events = self.h2.receive_data(some)
                except h2.exceptions.ProtocolError as error:
                    self.provider.problems.append(repr(error))
                    return
                for event in events:
                    self.happened(event)
                with contextlib.suppress(Gone):
                    self.flush()

    def happened(self, event):
        stream = getattr(event, "stream_id", None)
        ask = self.open.get(stream)
        if isinstance(event, h2.events.RequestReceived):
            self.open[stream] = Ask(self, stream, event.headers)
            self.asks.append(self.open[stream])
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, stream)
            if ask:
                ask.body += event.data
        elif isinstance(event, h2.events.StreamReset):
            if ask:
                ask.leave(True)
            self.windows.notify_all()
        elif isinstance(event, h2.events.WindowUpdated):
            self.windows.notify_all()
        if isinstance(event, h2.events.StreamEnded):
            self.provider.take(ask)

    def head(self, ask, status, kind, length, more):
        fields = [(":status", str(status)), ("content-type", kind)]
        fields += [(n.replace("_", "-"), str(v)) for n, v in more.items()]
        with self.lock:
            self.check(ask)
            self.h2.send_headers(ask.stream, fields)
            self.flush()

    def check(self, ask):
        if ask.gone.is_set() or self.closed.is_set() or self.provider.stopped.is_set():
            raise Gone

    def send(self, ask, data, end):
        with self.lock:
            try:
                while data:
                    self.check(ask)
                    room = min(self.h2.local_flow_control_window(ask.stream),
                               self.h2.max_outbound_frame_size)
                    if room <= 0:
                        self.windows.wait(0.05)
                        continue
                    self.h2.send_data(ask.stream, data[:room])
                    data = data[room:]
                    self.flush()
                if end:
                    self.check(ask)
                    self.h2.end_stream(ask.stream)
                    self.flush()
            except h2.exceptions.ProtocolError:
                raise Gone from None

    def reset(self, ask, code=h2.errors.ErrorCodes.INTERNAL_ERROR):
        with self.lock:
            self.h2.reset_stream(ask.stream, code)
            self.flush()

    def say_goodbye(self, last, code=h2.errors.ErrorCodes.NO_ERROR):
        """A GOAWAY, and goes on: h2 itself would say no more after one."""
        payload = last.to_bytes(4, "big") + int(code).to_bytes(4, "big")
        with self.lock:
            self.flush()
            self._write(b"\0\0\x08\x07\0\0\0\0\0" + payload)


class Provider:
    """protocol: what it speaks; mute: it takes so many connections and says nothing to them, not even a
    handshake; before: is called with a connection's number before its handshake."""

    def __init__(self, protocol, pem=None, mute=0, streams=100, tls=None, before=None):
        self.protocol = protocol
        self.mute = mute
        self.streams = streams
        self.before = before
        self.pem = pem
        self.context = None
        if protocol != PLAIN:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(pem)
            self.context.set_alpn_protocols(["h2", "http/1.1"] if protocol == HTTP2 else
                                            ["http/1.1"])
            if tls:
                self.context.maximum_version = tls
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        scheme = "http" if protocol == PLAIN else "https"
        self.url = f"{scheme}://127.0.0.1:{self.port}/v1"
        self.stopped = threading.Event()
        self.changed = threading.Condition()
        self.connections = []
        self.asks = []
        self.scripts = {}
        self.problems = []
        self.accepted = 0
        self._names = itertools.count(1)
        self._start(self._accept)

    def entry(self, name, **more):
        """Its entry in a configuration."""
        extra = {} if self.protocol == PLAIN else {"ca_file": str(self.pem)}
        return {"name": name, "dialect": "openai", "base_url": self.url, **extra, **more}

    def on(self, function):
        """The name of a model whose requests run function(ask)."""
        name = f"s{next(self._names)}"
        self.scripts[name] = function
        return name

    def _start(self, target, *args):
        threading.Thread(target=target, args=args, daemon=True).start()

    def _accept(self):
        while not self.stopped.is_set():
            if not select.select([self.listener], [], [], 0.1)[0]:
                continue
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.changed:
                self.accepted += 1
                self.changed.notify_all()
            self._start(self._serve, sock, self.accepted)

    def _serve(self, sock, number):
        made = Connection(self, sock)
        try:
            if number <= self.mute:
                self._add(made)
                sock.setblocking(False)
                while made.read():
                    pass
                return
            sock.settimeout(DEADLINE)
            if self.before:
                self.before(number)
            if self.context:
                sock = self.context.wrap_socket(sock, server_side=True)
            sock.setblocking(False)
            is_h2 = self.context and sock.selected_alpn_protocol() == "h2"
            made = (Http2 if is_h2 else Http1)(self, sock)
            self._add(made)
            made.serve()
        except OSError:
            pass
        finally:
            made.close()

    def _add(self, connection):
        with self.changed:
            self.connections.append(connection)
            self.changed.notify_all()

    def take(self, ask):
        with self.changed:
            self.asks.append(ask)
            self.changed.notify_all()
        self._start(self._run, ask)

    def _run(self, ask):
        try:
            self.scripts[ask.json["model"]](ask)
        except Gone:
            pass
        except Exception as error:  # a test looks at them at its end
            self.problems.append(repr(error))
        finally:
            ask.done.set()

    def wait(self, condition, what):
        with self.changed:
            assert self.changed.wait_for(condition, DEADLINE), f"not in time: {what}"

    def ask(self, number=1):
        """The number-th request."""
        self.wait(lambda: len(self.asks) >= number, f"request {number} at the provider")
        return self.asks[number - 1]

    def close(self):
        self.stopped.set()
        self.listener.close()
        for connection in self.connections:
            connection.close()
        assert not self.problems, self.problems
