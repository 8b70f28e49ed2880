"""An HTTP client of raw sockets: every byte of the request is the test's own."""

import socket
import ssl

import spec
from waiting import DEADLINE


class Closed(Exception):
    """The gateway closed the connection before an answer was complete."""


class RawReply:
    def __init__(self, status, headers, body, version, head):
        self.status = status
        self.headers = headers  # lower-case names; repeated ones joined with a comma
        self.body = body
        self.version = version
        self.head = head

    def __repr__(self):
        return f"{self.head!r} {self.body[:600]!r}"

    @property
    def closes(self):
        return self.headers.get("connection", "").lower() == "close"


def trusting_anybody():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Raw:
    def __init__(self, gateway, receive_buffer=None):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(DEADLINE)
        self.sock.connect((gateway.host, gateway.port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if gateway.url.startswith("https:"):
            self.sock = trusting_anybody().wrap_socket(self.sock, suppress_ragged_eofs=False)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass  # it answered and closed before it had read everything
        return self

    def _fill(self):
        try:
            data = self.sock.recv(1 << 16)
        except (ConnectionResetError, ssl.SSLError):
            data = b""
        if not data:
            raise Closed(self.buffer)
        self.buffer += data

    def read_head(self):
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        version, status = lines[0].split(" ")[:2]
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            name = name.lower()
            headers[name] = f"{headers[name]}, {value.strip()}" if name in headers \
                else value.strip()
        return RawReply(int(status), headers, b"", version, head)

    def pieces(self, reply):
        """The body's bytes as they come in, its framing taken off."""
        if "chunked" in reply.headers.get("transfer-encoding", ""):
            while True:
                while b"\r\n" not in self.buffer:
                    self._fill()
                size, self.buffer = self.buffer.split(b"\r\n", 1)
                size = int(size.split(b";")[0], 16)
                while len(self.buffer) < size + 2:
                    self._fill()
                piece, self.buffer = self.buffer[:size], self.buffer[size + 2:]
                if size == 0:
                    return
                yield piece
        elif "content-length" in reply.headers:
            size = int(reply.headers["content-length"])
            while len(self.buffer) < size:
                self._fill()
            piece, self.buffer = self.buffer[:size], self.buffer[size:]
            yield piece
        elif reply.status >= 200 and reply.status not in (204, 304):
            while True:
                piece, self.buffer = self.buffer, b""
                if piece:
                    yield piece
                try:
                    self._fill()
                except Closed:
                    return

    def read(self, method="GET", path=None):
        """The next answer, whole; noted for openapi.yaml if the path is given."""
        reply = self.read_head()
        if method != "HEAD":
            reply.body = b"".join(self.pieces(reply))
        if path:
            spec.check(method, path, reply.status, reply.headers, reply.body)
        return reply

    def rest(self):
        """Everything up to the close."""
        try:
            while True:
                self._fill()
        except Closed:
            return self.buffer

    def at_end(self):
        """The gateway has closed the connection and sent nothing more."""
        try:
            self._fill()
        except Closed:
            return not self.buffer
        return False


def post(path, body, *headers, version="HTTP/1.1", length=True):
    """The bytes of a POST."""
    lines = [f"POST {path} {version}", "Host: localhost", "Content-Type: application/json"]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join([*lines, *headers]) + "\r\n\r\n").encode("latin-1") + body


def get(path, *headers, method="GET", host="localhost", version="HTTP/1.1"):
    lines = [f"{method} {path} {version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    return ("\r\n".join([*lines, *headers]) + "\r\n\r\n").encode("latin-1")
