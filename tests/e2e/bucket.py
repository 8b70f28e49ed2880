"""An S3 server of the tests' own (tests/s3/serve.py), and in front of it a proxy that makes faults."""

import contextlib
import hashlib
import http.client
import http.server
import json
import re
import socket
import ssl
import subprocess
import sys
import threading

from gateway import CANARY, PROJECT
from waiting import DEADLINE, wait_until

NAME, PREFIX = "files", "some/prefix"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        """Status and body of the server's answer."""
        server = http.client.HTTPConnection("127.0.0.1", self.server.bucket.behind, timeout=DEADLINE)
        server.request(self.command, self.path, self.body, dict(self.headers))
        reply = server.getresponse()
        body = reply.read()
        server.close()
        return reply.status, body

    def answer(self):
        bucket = self.server.bucket
        bucket.connections.add(self.connection)
        self.body = self.rfile.read(int(self.headers.get("content-length", 0)))
        bucket.seen.append(self.command)
        if self.command == "PUT" and (hashlib.sha256(self.body).hexdigest() !=
                                      self.headers["x-amz-content-sha256"]):
            bucket.faults.append("a body is not the one that was signed")
        status, body, *length = (bucket.fault and bucket.fault(self.command, self.pass_on)) or self.pass_on()
        with contextlib.suppress(OSError):  # a killed gateway reads no answers
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Length", str(length[0] if length else len(body)))
            self.end_headers()
            for part in bucket.slowly(body) if bucket.slowly and self.command == "GET" else [body]:
                self.wfile.write(part)
            if bucket.surplus:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        self.close_connection = bool(length)

    do_PUT = do_GET = do_DELETE = do_POST = do_HEAD = answer


class Proxy(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A connection that ended."""


class Bucket:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(PROJECT / "tests/s3/serve.py"), NAME, PREFIX, CANARY],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.behind, self.env, self.lent = told["port"], told["env"], told["lent"]
        self.server, self.port = None, 0
        self.secure = None  # PEM file with key and certificate: it speaks TLS from its next start on
        self.faults = []
        self.reset()

    def reset(self):
        """It serves, without faults and without objects, and has seen nothing."""
        self.fault = None  # (method, pass on): status, body and what length is announced; or None
        self.slowly = None  # (body): its parts, one after the other
        self.surplus = False  # behind each answer comes one that says that all is well
        self.seen, self.connections = [], set()
        self._tell("clear")
        if not self.server:
            self.start()

    def _tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    @property
    def options(self):
        scheme = "https" if self.secure else "http"
        return {"files_s3": f"{scheme}://127.0.0.1:{self.port}/{NAME}/{PREFIX}/", "files_s3_region": "eu-central-1"}

    @property
    def objects(self):
        """The names of all objects, behind the prefix."""
        return [name.removeprefix(PREFIX + "/") for name in self._tell("list")]

    def clear(self):
        self._tell("clear")

    def overwrite(self, content):
        """The only object has another content now."""
        self._tell(f"overwrite {content.hex()}")

    def start(self):
        self.server = Proxy(("127.0.0.1", self.port), Handler)
        self.server.bucket = self
        self.port = self.server.server_port
        if self.secure:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.secure)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self):
        """It can't be reached: no connection goes on either."""
        self.server.shutdown()
        self.server.server_close()
        self.server = None
        for one in self.connections:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        if self.server:
            self.stop()
        self.process.stdin.close()
        self.process.wait(DEADLINE)
        assert not self.faults, self.faults

    def count(self, method):
        return self.seen.count(method)


class Held:
    """A fault: requests of one method wait until they are let go, before the server has them or after."""

    def __init__(self, bucket, method, after=False):
        self.method, self.after = method, after
        self.here, self.go = 0, threading.Event()
        bucket.fault = self

    def __call__(self, method, pass_on):
        if method != self.method:
            return None
        answer = pass_on() if self.after else None
        self.here += 1
        assert self.go.wait(DEADLINE)
        return answer

    def wait(self, count=1):
        wait_until(lambda: self.here >= count, f"{count} requests at the bucket")


class Trickle:
    """Answers that have no end, yet never stall: a piece now and then, as long as anybody reads."""

    def __init__(self, bucket):
        self.readers = 0
        self.end = threading.Event()
        bucket.slowly = self

    def __call__(self, body):
        self.readers += 1
        try:
            while not self.end.wait(0.1):
                yield body[:1000]
        finally:
            self.readers -= 1


def is_object(name, content):
    return re.fullmatch(hashlib.sha256(content).hexdigest() + "-[0-9a-f]{16}", name)
