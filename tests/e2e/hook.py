"""A hook of the tests: a service that is asked about texts, and refuses whatever is no question.

    hook = Hook(protocol="litellm")
    hook.config(stream="window", …)      # its entry in a configuration
    hook.judge = lambda asked: block()   # what it answers; asked.texts, asked.phase, asked.body
    hook.asked                           # all questions so far

For the protocol of LiteLLM it refuses what the model GenericGuardrailAPIRequest of
litellm/types/proxy/guardrails/guardrail_hooks/generic_guardrail_api.py refuses: a member that is missing, and one of
another type.
"""

import hashlib
import hmac
import json
import os
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

WORDS = {"parley": ("allow", "replace", "block"), "litellm": ("NONE", "GUARDRAIL_INTERVENED", "BLOCKED")}
# Of the model: which of its members may be null, and what they are else.
LITELLM = {"input_type": (str,), "litellm_call_id": (str, type(None)), "litellm_trace_id": (str, type(None)),
           "structured_messages": (list, type(None)), "images": (list, type(None)), "tools": (list, type(None)),
           "texts": (list, type(None)), "tool_calls": (list, type(None)), "request_data": (dict,),
           "additional_provider_specific_params": (dict, type(None))}


class Asked:
    def __init__(self, hook, headers, raw):
        self.raw, self.headers, self.body = raw, headers, json.loads(raw)
        self.phase, self.texts = self.body["input_type"], self.body["texts"]
        assert self.phase in ("request", "response")
        assert all(isinstance(t, str) for t in self.texts)
        if hook.protocol == "litellm":
            for name, types in LITELLM.items():
                assert isinstance(self.body[name], types), name


class Verdict:
    """status, body: what is answered; raw: in place of the body; gate: not before it opens."""

    def __init__(self, action=None, status=200, raw=None, gate=None, **members):
        self.action, self.status, self.raw, self.gate, self.members = action, status, raw, gate, members


def allow(**more):
    return Verdict("allow", **more)


def block(**more):
    return Verdict("block", **more)


def replace(texts, **more):
    return Verdict("replace", texts=texts, **more)


class Hook:
    def __init__(self, protocol="parley", path=None, secret=None):
        self.protocol, self.path, self.secret = protocol, path, secret
        self.asked, self.faults, self.judge = [], [], lambda asked: allow()
        hook = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                raw = self.rfile.read(int(self.headers["content-length"]))
                try:
                    hook.answer(self, raw)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                except Exception as error:  # noqa: BLE001
                    hook.faults.append(f"{type(error).__name__}: {error}")
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
            address_family = socket.AF_UNIX if path else socket.AF_INET
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128

        self.server = Server(str(path) if path else ("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"unix:{self.path}" if self.path else f"http://127.0.0.1:{self.server.server_address[1]}/check"

    def config(self, **more):
        return {"name": "dlp", "url": self.url, "protocol": self.protocol, "timeout": "20s", **more}

    def check_signature(self, headers, raw):
        stamp = headers["x-parley-timestamp"]
        mine = hmac.new(self.secret.encode(), f"{stamp}.".encode() + raw, hashlib.sha256).hexdigest()
        assert headers["x-parley-signature"] == f"sha256={mine}"

    def answer(self, handler, raw):
        if self.secret:
            self.check_signature(handler.headers, raw)
        asked = Asked(self, handler.headers, raw)
        self.asked.append(asked)
        verdict = self.judge(asked)
        if verdict.gate:
            verdict.gate.wait()
        words = dict(zip(("allow", "replace", "block"), WORDS[self.protocol], strict=True))
        body = {"action": words.get(verdict.action, verdict.action), **verdict.members}
        text = verdict.raw if verdict.raw is not None else json.dumps(body).encode()
        handler.send_response(verdict.status)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def texts(self, phase):
        return [t for asked in self.asked if asked.phase == phase for t in asked.texts]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        if self.path:
            os.unlink(self.path)
        assert not self.faults, "\n".join(self.faults)


def forbids(word):
    """A judge that blocks each text with this word, in whatever case."""
    return lambda asked: block(blocked_reason="no") if any(word.lower() in t.lower() for t in asked.texts) else allow()


def masks(word, by):
    """A judge that replaces the word."""
    def judge(asked):
        if not any(word in t for t in asked.texts):
            return allow()
        return replace([t.replace(word, by) for t in asked.texts])
    return judge


def files_of(folder):
    """The bytes of all files below a folder."""
    return b"".join(p.read_bytes() for p in sorted(Path(folder).rglob("*")) if p.is_file())
