"""kill -9 in the middle of everything, again and again, and what must be left each time.

A round starts the gateway, lets a crowd of clients do all that it offers, kills it after a random
number of answers and blocks, starts it again and looks at every single thing that somebody was told.
tests/e2e/test_kill.py runs some rounds, scripts/kill-loop any number of them.  A round's choices come
from its seed; only how the threads run beside each other differs from time to time.
"""

import collections
import contextlib
import os
import random
import re
import sqlite3
import threading
import time
import uuid

import httpx

import keys
import spec
import sse
import strict
import upstream as up
from client import Client, item_text
from gateway import Gateway
from waiting import DEADLINE, wait_until

FORMATS = ["openai", "lmc"]
LIVE = ("queued", "running")
PROMISE_MS = 50  # what `durability: relaxed` may lose
# What threads of ours and of the gateway may come late by where all of them share few cores.
SLACK_MS = 300
WORKERS = 12
STALL_EVERY_S = 0.02
QUIET = 0.5  # seconds without an answer or a block, after which all are taken to wait
FORM = {"Content-Type": "multipart/form-data; boundary=kill-loop"}


class Fault(AssertionError):
    """Something that was promised does not hold."""


class Over(Exception):
    """The gateway was killed."""


# --- what the provider says -----------------------------------------------------------------------


def pieces(rng, count):
    """Words with numbers, so that it can be told when each was sent; other things in between."""
    made = [("text", f"w{n} ") for n in range(count)]
    for n in range(rng.randrange(3)):
        made.insert(rng.randrange(len(made)), ("reasoning", f"hm{n} "))
    if rng.random() < 0.3:
        made.insert(rng.randrange(len(made)), ("text", "```py\nprint(1)\n```\n"))
    if rng.random() < 0.3:
        made += [("call", {"index": 0, "id": "c0", "type": "function",
                           "function": {"name": "weather", "arguments": "{\"city\":"}}),
                 ("call", {"index": 0, "function": {"arguments": "\"Rome\"}"}})]
    return made


def answer_of(rng, upstream):
    """A script that answers whole or as a stream; it remembers when it sent which word."""
    made = pieces(rng, rng.choice((3, 20, 60, 150)))
    pace = rng.choice((0, 0, 0.001, 0.004))
    stop = rng.randrange(len(made)) if rng.random() < 0.2 else None
    late = rng.choice((0, 0, 0.02, 0.1))
    times = {}

    def delta(kind, value):
        return {"text": {"content": value}, "reasoning": {"reasoning_content": value},
                "call": {"tool_calls": [value]}}[kind]

    def play(x):
        if late:
            time.sleep(late)  # a provider thinks
        if not x.request.json.get("stream"):
            text = "".join(v for k, v in made if k == "text")
            up.reply(up.completion(text))(x)
            return
        up.sse()(x)
        up.role()(x)
        for n, (kind, value) in enumerate(made):
            if n == stop:
                x.wait_gate(script.gate)
            if pace:
                time.sleep(pace)
            if kind == "text" and value not in times:
                times[value] = time.monotonic()
            up.data(up.chunk(delta(kind, value)))(x)
        for step in up.ending():
            step(x)

    # Its users ask on without a word about a call; what a real provider says to that is not the question.
    script = upstream.script(play, allows={"tool-pairs messages.*.tool_calls": strict.Perhaps("dice")})
    script.gate = up.Gate() if stop is not None else None
    script.times = times
    return script


# --- what was asked, and what was told ------------------------------------------------------------


class Call:
    """A request for an answer, and all that its client saw of it."""

    def __init__(self, script, path, body, key, strict):
        self.script, self.path, self.body, self.key = script, path, body, key
        self.strict = strict
        self.stored = body.get("store", path == "/v1/chat")
        self.native = path == "/v1/chat"
        self.format = body.get("format", "openai")
        self.run = self.conversation = self.reply = None
        self.seen = []  # (block, when)
        self.marker = None  # the text that was sent
        self.budgeted = False  # of a key with a budget, which shares what is stored
        self.refused = False
        self.continues = None
        self.final = None  # format -> blocks, as read after the kill

    @property
    def told(self):
        return self.run is not None or self.reply is not None

    def __repr__(self):
        return f"{self.path} {self.body} key={self.key} run={self.run}"


class Reading:
    """One reader of a run's events, over all its connections."""

    def __init__(self, call, format, after):
        self.call, self.format, self.after = call, format, after
        self.seen = []


class Answer:
    """A streamed response of OpenAI's Responses API, and the blocks that its client saw."""

    def __init__(self, script, strict):
        self.script, self.strict = script, strict
        self.id, self.seen = None, []  # (block, when)

    def __repr__(self):
        return f"/v1/responses {self.id}"


class Post:
    """A keyed request that makes something else than an answer."""

    def __init__(self, path, body, headers, key):
        self.path, self.body, self.headers, self.key = path, body, headers, key
        self.made = None  # what it made, once that was told

    def send(self, client):
        return client.post(self.path, self.body, headers={**self.headers, "Idempotency-Key": self.key})


class Things:
    """What is known to be there, or to be gone; True: it was told, "maybe": its answer was lost."""

    def __init__(self):
        self.calls, self.readings, self.answers = [], [], []
        self.items = {}  # (conversation, text): here, "gone", "maybe"
        self.conversations = {}
        self.files = {}  # id: [content, here]
        self.keys = {}  # id: [text that is good, texts that are not, here]
        self.posts = []  # what makes things, with keys


# --- the crowd ------------------------------------------------------------------------------------


class Worker(threading.Thread):
    def __init__(self, crowd, number):
        super().__init__(daemon=True)
        self.crowd, self.number = crowd, number
        self.rng = random.Random(f"{crowd.seed}:{number}")
        self.mine = []  # conversations of its own
        self.problem = None
        self.doing = None

    def run(self):
        actions = [(30, self.ask_stream), (12, self.ask_whole), (8, self.background),
                   (10, self.respond),
                   (14, self.follow), (8, self.again), (5, self.cancel), (5, self.go_on),
                   (8, self.append), (3, self.remove_item), (2, self.remove_conversation),
                   (5, self.upload), (2, self.remove_file), (2, self.make_key),
                   (1, self.revoke_key), (1, self.rotate_key)]
        weights = [w for w, _ in actions]
        with Client(self.crowd.url, self.crowd.who) as self.client, \
                Client(self.crowd.admin_url, self.crowd.who) as self.admin:
            while not self.crowd.killed.is_set():
                action = self.rng.choices(actions, weights)[0][1]
                self.doing = action.__name__
                try:
                    action()
                except (Over, httpx.TransportError) as error:
                    if not self.crowd.dies(error):
                        self.problem = f"{self.doing}: {error!r} before the kill"
                    return
                except AssertionError as error:
                    # A block that was cut in two by the kill.
                    if not ("without its blank line" in str(error) and self.crowd.dies(error)):
                        self.problem = f"{self.doing}: {error}"
                    return

    def told(self, count=1):
        self.crowd.told(count)

    # asking

    def new_call(self, stream, **fields):
        native = self.rng.random() < 0.7
        store = self.rng.random() < 0.75
        script = answer_of(self.rng, self.crowd.upstream)
        key = str(uuid.UUID(int=self.rng.getrandbits(128))) if self.rng.random() < 0.4 else None
        marker = f"q{self.crowd.round}-{self.number}-{self.rng.getrandbits(32)}"
        if native:
            body = {"messages": [marker], "config": {"model": script.model},
                    "format": self.rng.choice(FORMATS), "store": store}
            if store and self.mine and self.rng.random() < 0.4:
                body["conversation"] = self.rng.choice(self.mine)
        else:
            body = {"model": script.model, "messages": [{"role": "user", "content": marker}],
                    "store": store}
        body.update(fields, **({"stream": True} if stream else {}))
        call = Call(script, "/v1/chat" if native else "/v1/chat/completions", body, key,
                    self.crowd.strict)
        call.marker = marker
        call.budgeted = self.rng.random() < 0.3
        self.crowd.add("calls", call)
        return call

    def heard(self, call, headers):
        """The head of an answer: what it names is on the disk."""
        call.conversation = headers.get("x-conversation-id")
        call.run = headers.get("x-run-id")
        if call.stored and call.conversation:
            self.crowd.things.items.setdefault((call.conversation, call.marker), True)
            if call.conversation not in self.mine:
                self.mine.append(call.conversation)

    def send(self, call):
        headers = {"Idempotency-Key": call.key} if call.key else {}
        if call.budgeted:
            headers.update(self.crowd.payer)
        if not call.body.get("stream"):
            reply = self.client.post(call.path, call.body, headers=headers)
            if reply.status == 409 and reply.json["error"]["code"] == "conversation_busy":
                call.refused = True
                return
            if reply.status == 499:
                self.cancelled(call, reply)
                return
            reply.ok(202 if call.body.get("background") else 200)
            if call.body.get("background"):
                call.run = reply.json["id"]
                self.heard(call, {"x-run-id": call.run,
                                  "x-conversation-id": reply.json["conversation"]})
            else:
                call.reply = reply.json
                self.heard(call, reply.headers)
            self.told()
            return
        with self.client.stream(call.path, call.body, headers) as stream:
            if stream.status == 409:
                call.refused = True
                return
            if stream.status == 499:
                self.cancelled(call, stream.reply())
                return
            stream.check_head()
            self.heard(call, stream.headers)
            # Some leave; the run goes on where it is stored.
            leaves = self.rng.randrange(1, 30) if self.rng.random() < 0.15 and not call.key else 0
            for block in stream:
                if not block.is_comment:
                    call.seen.append((block, time.monotonic()))
                    self.told()
                if leaves and len(call.seen) >= leaves:
                    return

    def cancelled(self, call, reply):
        """Somebody cancelled it before its first piece."""
        reply.error(499, "cancelled")
        self.heard(call, reply.headers)
        self.told()

    def ask_stream(self):
        self.send(self.new_call(stream=True))

    def ask_whole(self):
        self.send(self.new_call(stream=False))

    def background(self):
        call = self.new_call(stream=False, store=True)
        if call.native:
            call.key = None
            call.body["background"] = True
            call.stored = True
        self.send(call)

    def respond(self):
        answer = Answer(answer_of(self.rng, self.crowd.upstream), self.crowd.strict)
        self.crowd.add("answers", answer)
        body = {"model": answer.script.model, "input": "x", "stream": True}
        with self.client.stream("/v1/responses", body) as stream:
            stream.check_head()
            for block in stream:
                if not block.is_comment:
                    answer.seen.append((block, time.monotonic()))
                    self.told()

    def again(self):
        """The same request with the same key: one call of the provider, whoever asks."""
        with self.crowd.lock:
            keyed = [c for c in self.crowd.things.calls if c.key and not c.refused]
        keyed = [c for c in keyed if self.stays(c)]
        if not keyed:
            return
        call = self.rng.choice(keyed)
        status, headers, _, _ = asked_again(self.client, call, self.told)
        if status in (404, 409) and call.body.get("conversation"):
            return  # its conversation is busy, or was removed meanwhile
        assert status in (200, 499), f"again: {status} {call}"
        run = headers.get("x-run-id")
        if call.run is None:
            call.run, call.conversation = run, headers.get("x-conversation-id")
        assert run == call.run or not self.stays(call), f"another run for one key: {call}"

    def stays(self, call):
        """Nobody has tried to remove its conversation: that frees its key."""
        conversation = call.conversation or call.body.get("conversation")
        return self.crowd.things.conversations.get(conversation, True) is True

    # runs

    def some_run(self):
        with self.crowd.lock:
            runs = [c for c in self.crowd.things.calls[-60:] if c.run and c.stored]
        return self.rng.choice(runs) if runs else None

    def follow(self):
        """A reader that comes back, each time behind the last block it saw."""
        call = self.some_run()
        if not call:
            return
        reading = Reading(call, self.rng.choice(FORMATS), None)
        self.crowd.add("readings", reading)
        after = None
        for _ in range(self.rng.randrange(1, 6)):
            most = self.rng.choice((1, 3, 10, 1000))
            with events(self.client, call.run, reading.format, after) as got:
                if isinstance(got, httpx.Response):
                    assert got.status_code in (204, 404, 410), got.status_code
                    return
                for block in got:
                    if block.is_comment:
                        continue
                    reading.seen.append((block, time.monotonic()))
                    self.told()
                    after = block.id
                    most -= 1
                    if block.event:
                        return
                    if most == 0:
                        break

    def cancel(self):
        call = self.some_run()
        if call and self.rng.random() < 0.5:
            reply = self.client.post(f"/v1/runs/{call.run}/cancel")
            assert reply.status in (200, 404), repr(reply)
            if reply.status == 200:
                assert reply.json["status"] not in LIVE, repr(reply)
                self.crowd.cancelled[call.run] = reply.json["status"]
            self.told()

    def go_on(self):
        call = self.some_run()
        if not call:
            return
        script = answer_of(self.rng, self.crowd.upstream)
        reply = self.client.post(f"/v1/runs/{call.run}/continue",
                                 {"config": {"model": script.model}, "background": True})
        assert reply.status in (202, 404, 409), repr(reply)
        if reply.status == 202:
            made = Call(script, "/v1/chat", {"background": True}, None, self.crowd.strict)
            made.run, made.conversation = reply.json["id"], reply.json["conversation"]
            made.continues = call.run
            self.crowd.add("calls", made)
        self.told()

    # conversations

    def append(self):
        things = self.crowd.things
        if not self.mine or self.rng.random() < 0.3:
            conversation = self.make("/v1/conversations", {}).ok().json["id"]
            things.conversations[conversation] = True
            self.mine.append(conversation)
            self.told()
        conversation = self.rng.choice(self.mine)
        texts = [f"i{self.crowd.round}-{self.number}-{self.rng.getrandbits(40)}" for _ in range(2)]
        for text in texts:
            things.items[conversation, text] = "maybe"
        reply = self.client.post(f"/v1/conversations/{conversation}/items", {
            "items": [{"type": "message", "role": "user", "content": t} for t in texts]})
        for text in texts:
            if reply.status == 200:
                things.items[conversation, text] = True
            else:
                assert reply.status in (404, 409), repr(reply)
                del things.items[conversation, text]
        self.told()

    def remove_item(self):
        things = self.crowd.things
        mine = [k for k, v in list(things.items.items())
                if k[0] in self.mine and k[1].startswith("i") and v is True]
        if not mine:
            return
        conversation, text = self.rng.choice(mine)
        page = self.client.get(f"/v1/conversations/{conversation}/items?order=desc&limit=100")
        found = [i["id"] for i in page.ok().json["data"]
                 if i["type"] == "message" and item_text(i) == text]
        if not found:
            return
        things.items[conversation, text] = "maybe"
        self.client.request("DELETE", f"/v1/conversations/{conversation}/items/{found[0]}").ok()
        things.items[conversation, text] = "gone"
        self.told()

    def remove_conversation(self):
        if not self.mine:
            return
        things = self.crowd.things
        conversation = self.rng.choice(self.mine)
        things.conversations[conversation] = "maybe"
        reply = self.client.request("DELETE", f"/v1/conversations/{conversation}")
        assert reply.status in (200, 409), repr(reply)
        things.conversations[conversation] = "gone" if reply.status == 200 else True
        if reply.status == 200:
            self.mine.remove(conversation)
        self.told()

    def make(self, path, body, headers=()):
        """Half of them with a key, so that whoever was told nothing can ask again."""
        key = str(uuid.UUID(int=self.rng.getrandbits(128)))
        if self.rng.random() < 0.5:
            return self.client.post(path, body, headers=dict(headers))
        post = Post(path, body, dict(headers), key)
        self.crowd.add("posts", post)
        reply = post.send(self.client)
        post.made = reply.json["id"]
        return reply

    # keys

    def make_key(self):
        made = self.admin.post("/v1/admin/keys", {"scopes": ["read"]}).ok().json
        self.crowd.things.keys[made["id"]] = [made["key"], [], True]
        self.told()

    def some_key(self):
        """That nobody else changes from now on: its state is not known until it is told."""
        with self.crowd.lock:
            here = [k for k in self.crowd.things.keys.values() if k[2] is True]
            key = self.rng.choice(here) if here else None
            if key:
                key[2] = "maybe"
        return key and next(i for i, k in self.crowd.things.keys.items() if k is key)

    def revoke_key(self):
        key = self.some_key()
        if key:
            self.admin.request("DELETE", f"/v1/admin/keys/{key}").ok()
            self.crowd.things.keys[key][2] = "gone"
            self.told()

    def rotate_key(self):
        key = self.some_key()
        if key:
            made = self.admin.post(f"/v1/admin/keys/{key}/rotate").ok().json
            state = self.crowd.things.keys[key]
            state[1].append(state[0])
            state[0] = made["key"]
            state[2] = True
            self.told()

    # files

    def upload(self):
        size = self.rng.choice((1, 3000, 300_000))
        content = self.rng.randbytes(8) * (size // 8 + 1)
        form = (b"--kill-loop\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nuser_data\r\n"
                b"--kill-loop\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
                b"Content-Type: text/plain\r\n\r\n" + content + b"\r\n--kill-loop--\r\n")
        file = self.make("/v1/files", form, FORM).ok().json["id"]
        self.crowd.things.files[file] = [content, True]
        self.told()

    def remove_file(self):
        files = self.crowd.things.files
        here = [f for f, (_, there) in list(files.items()) if there is True]
        if not here:
            return
        file = self.rng.choice(here)
        with self.crowd.lock:
            if files[file][1] is not True:
                return
            files[file][1] = "maybe"
        self.client.request("DELETE", f"/v1/files/{file}").ok()
        files[file][1] = "gone"
        self.told()


class Crowd:
    """The clients of one round."""

    def __init__(self, seed, loop, strict):
        self.seed, self.round, self.upstream = seed, loop.number, loop.upstream
        self.url, self.admin_url = loop.gateway.url, loop.admin_url
        self.who, self.payer = loop.who, loop.payer
        self.strict, self.things = strict, loop.things
        self.lock = threading.Lock()
        self.killed = threading.Event()
        self.killed_at = None
        self.count = 0
        self.cancelled = {}
        self.workers = [Worker(self, n) for n in range(WORKERS)]

    def add(self, list_name, thing):
        with self.lock:
            getattr(self.things, list_name).append(thing)

    def told(self, count):
        with self.lock:
            self.count += count

    def dies(self, _):
        """A connection broke: was that the kill, which may be a moment away from being noted?"""
        return self.killed.wait(DEADLINE)

    def run_until(self, wanted, kill):
        for worker in self.workers:
            worker.start()
        # All of them may come to wait for a provider that says nothing more.
        before, quiet_since = 0, time.monotonic()
        while self.count < wanted and time.monotonic() < quiet_since + QUIET:
            if self.count > before:
                before, quiet_since = self.count, time.monotonic()
            time.sleep(0.002)  # between two looks
        doing = collections.Counter(w.doing for w in self.workers)
        self.killed_at = time.monotonic()
        kill()
        self.killed.set()
        for worker in self.workers:
            worker.join(DEADLINE)
            if worker.is_alive():
                raise Fault(f"{worker.doing} of worker {worker.number} did not notice the kill")
        problems = [w.problem for w in self.workers if w.problem]
        if problems:
            raise Fault("\n".join(problems))
        return doing


@contextlib.contextmanager
def events(client, run, format=None, after=None):
    """A run's blocks, or the answer that is no stream."""
    query = "&".join([f"format={format}"] * bool(format) + [f"after={after}"] * bool(after))
    request = client.http.build_request("GET", f"/v1/runs/{run}/events?{query}")
    response = client.http.send(request, stream=True)
    try:
        yield sse.Blocks(response.iter_raw()) if response.status_code == 200 else response
    finally:
        response.close()


def asked_again(client, call, told=lambda: None):
    """The same request with the same key: status, headers, blocks or JSON."""
    key = {"Idempotency-Key": call.key}
    if not call.body.get("stream"):
        reply = client.post(call.path, call.body, headers=key)
        told()
        return reply.status, reply.headers, [], reply.json
    with client.stream(call.path, call.body, key) as stream:
        if stream.status != 200:
            return stream.status, stream.headers, [], stream.reply().json
        blocks = []
        for block in stream:
            if not block.is_comment:
                blocks.append(block)
                told()
        return 200, stream.headers, blocks, None


def all_events(client, run, format=None, after=None):
    with events(client, run, format, after) as got:
        if isinstance(got, httpx.Response):
            return got.status_code
        return [b for b in got if not b.is_comment]


def said(response):
    """What a response says, kind by kind."""
    texts = collections.defaultdict(str)
    for item in response["output"]:
        for part in [*item.get("content", []), *item.get("summary", [])]:
            texts[item["type"]] += part["text"]
        texts[item["type"]] += item.get("arguments", "")
    return texts


# --- what must be left ----------------------------------------------------------------------------


def must(condition, what):
    if not condition:
        raise Fault(what)


# Each finds nothing where all is well.
ORPHANS = {
    "runs that look alive": "SELECT id FROM run WHERE status < 2",
    "keys of nothing": "SELECT id FROM idempotency WHERE http = 0",
    "answers of runs that are gone":
        "SELECT id FROM idempotency WHERE stored AND id NOT IN (SELECT id FROM run) "
        "AND (http <> 410 OR body IS NOT NULL)",
    "one key twice": "SELECT owner, key FROM idempotency GROUP BY owner, key HAVING count(*) > 1",
    "messages without a conversation":
        "SELECT id FROM message WHERE conversation NOT IN (SELECT id FROM conversation)",
    "runs without a conversation":
        "SELECT id FROM run WHERE conversation NOT IN (SELECT id FROM conversation)",
    "messages behind nothing":
        "SELECT id FROM message WHERE prev > 0 AND prev NOT IN (SELECT id FROM message)",
    "runs whose question is gone":
        "SELECT id FROM run WHERE parent > 0 AND parent NOT IN (SELECT id FROM message)",
    "events without a run": "SELECT DISTINCT run FROM event WHERE run NOT IN (SELECT id FROM run)",
    "logs with a gap":
        "SELECT run, first, before FROM (SELECT run, first, lag(last, 1, 0) "
        "OVER (PARTITION BY run ORDER BY id) AS before FROM event) WHERE first <> before + 1",
    "logs that go on behind their end":
        "SELECT run.id FROM run JOIN event ON event.run = run.id WHERE event.last >= run.last_seq",
    "bills of runs that have ended": "SELECT id FROM run WHERE status > 1 AND bill_model IS NOT NULL",
    "runs that were cut off and tell nothing of their attempts, or of what they have used":
        "SELECT id FROM run WHERE instr(error, 'server_stopped') "
        "AND (attempts = 0 OR usage_estimated IS NULL)",
    "reservations of nobody": "SELECT run FROM reservation",
    "budgets that are not what their usage says":
        "SELECT key, spent_nano, spent_tokens FROM budget b WHERE reserved_nano OR reserved_tokens "
        "OR spent_nano <> (SELECT total(nano) FROM usage_day u WHERE u.key = b.key) OR spent_tokens "
        "<> (SELECT total(tokens_in + tokens_out) FROM usage_day u WHERE u.key = b.key)",
    "two ends":
        "SELECT conversation, run FROM message WHERE id = run GROUP BY run HAVING count(*) > 1",
}


class Stalls:
    """How long the machine itself held a write and its sync, such as the gateway's, in one round."""

    def __init__(self, folder):
        self.worst_ms = 0.0
        self.path = folder / "stalls"
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.probe)

    def probe(self):
        with open(self.path, "wb", buffering=0) as file:
            before = time.monotonic()
            while not self.over.wait(STALL_EVERY_S):
                file.write(b"x")
                os.fsync(file.fileno())
                now = time.monotonic()
                self.worst_ms = max(self.worst_ms, (now - before - STALL_EVERY_S) * 1000)
                before = now

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


class Loop:
    """Rounds on one database; figures of all of them."""

    def __init__(self, folder, upstream, config, seed, say=lambda line: None, env=None):
        self.upstream, self.seed, self.say = upstream, seed, say
        self.config = config  # durability -> configuration
        self.folder = folder
        self.gateway = Gateway(folder, self.with_prices("strict"), env=env,
                               args=["--admin-listen", "127.0.0.1:0"])
        keys.migrate(self.gateway)
        first = keys.make(self.gateway, "--scopes", "chat,read,files,admin")
        self.who = keys.bearer(first["key"])
        # Its calls are charged: none is refused for that.
        self.payer = keys.bearer(keys.make(self.gateway, "--share", first["id"], "--budget",
                                           "1000000", "--budget-tokens", "1000000000000")["key"])
        self.things = Things()
        self.old = []  # calls of earlier rounds, some of which are looked at again
        # Read once, and not by a dozen threads at the same time.
        spec.templates()
        self.figures = collections.Counter()
        self.sent_ms = 0.0
        self.lost = []  # (ms, characters) of each run that lost something
        self.number = 0

    def with_prices(self, durability):
        config = self.config(durability)
        for model in config["models"]:
            model |= {"price": {"input": 1, "output": 2}, "max_output": 1000}
        return config

    def start(self):
        mark = len(self.gateway.lines)
        self.gateway.start()
        self.admin_url = self.gateway.wait_log(r"keys on (http://[0-9.:]+)", mark)[1]

    def kill_starting(self, rng):
        """What a kill left is mended by a start that is killed as well, some way through."""
        while rng.random() < 0.4:
            self.gateway.launch()
            time.sleep(rng.uniform(0, 0.08))  # a random moment is what is wanted
            self.figures["killed while starting"] += not self.gateway.started.is_set()
            self.gateway.kill()

    # one round

    def round(self):
        rng = random.Random(f"{self.seed}:{self.number}")
        strict = rng.random() < 0.5
        self.figures["rounds"] += 1
        self.things = Things()
        self.gateway.lines.clear()
        self.gateway.write_config(self.with_prices("strict" if strict else "relaxed"))
        self.start()
        try:
            crowd = Crowd(f"{self.seed}:{self.number}", self, strict)
            # Early and late: few answers, or hundreds of blocks.
            wanted = int(2 ** rng.uniform(1, 12))
            with Stalls(self.folder) as self.stalls:
                doing = crowd.run_until(wanted, self.gateway.kill)
            for what, n in doing.items():
                self.figures[f"doing {what}"] += n
            self.gateway.check_log()
            # What the gateway had sent in its last moments counts, too.
            wait_until(self.upstream.idle, "calls of the provider go on without the gateway")
            self.kill_starting(rng)
            self.start()
            self.look(crowd, rng)
        except Fault as fault:
            raise Fault(f"round {self.number} of seed {self.seed} "
                        f"({'strict' if strict else 'relaxed'}): {fault}\n"
                        f"{self.warnings()}") from fault
        finally:
            if self.gateway.process is not None:
                self.gateway.kill()
        for call in [*self.things.calls, *self.things.answers]:
            self.upstream.scripts.pop(call.script.name, None)
            call.script.gate = call.script.steps = None  # its descriptor is needed again
        self.number += 1

    def warnings(self):
        return "".join(line for line in self.gateway.lines if '"level":"info"' not in line)

    def look(self, crowd, rng):
        self.look_at_database()
        self.look_at_keys()
        with Client(self.gateway.url, self.who) as client:
            self.client = client
            self.ask_posts_again()
            self.look_at_files()
            for conversation, there in self.things.conversations.items():
                status = client.get(f"/v1/conversations/{conversation}").status
                must(status == 200 if there is True else status == 404 if there == "gone"
                     else status in (200, 404), f"{conversation} ({there}): {status}")
            for call in self.things.calls:
                if call.run:
                    self.look_at_run(call, crowd)
            for reading in self.things.readings:
                self.look_at_reading(reading)
            for answer in self.things.answers:
                if answer.seen:
                    self.look_at_response(answer, crowd)
            self.look_at_items()
            for call in self.things.calls:
                if call.key and not call.refused:
                    self.ask_again(call)
            for call in rng.sample(self.old, min(5, len(self.old))):
                self.look_again(call)
            self.go_on(rng)
        # Of this round's: those that may be looked at later.
        kept = [c for c in self.things.calls if c.run and c.stored and c.final]
        self.old += rng.sample(kept, min(5, len(kept)))

    # the disk

    def query(self, sql):
        database = sqlite3.connect(f"file:{self.gateway.database}?mode=ro", uri=True)
        with contextlib.closing(database):
            return database.execute(sql).fetchall()

    def look_at_database(self):
        found = self.query("PRAGMA integrity_check")
        must(found == [("ok",)], f"integrity_check: {found[:3]}")
        for what, sql in ORPHANS.items():
            found = self.query(sql)
            must(not found, f"{what}: {found[:5]}")

    def look_at_files(self):
        folder = self.gateway.database.parent / (self.gateway.database.name + ".files")
        on_disk = {p.name: p for p in folder.rglob("*") if p.is_file()} if folder.exists() else {}
        rows = {row[0].hex() for row in self.query("SELECT DISTINCT sha256 FROM file")}
        must(set(on_disk) == rows, f"contents without rows: {sorted(set(on_disk) - rows)[:3]}, "
             f"rows without contents: {sorted(rows - set(on_disk))[:3]}")
        for file, (content, there) in self.things.files.items():
            got = self.client.http.get(f"/v1/files/{file}/content")
            must(got.status_code == 200 if there is True else got.status_code == 404
                 if there == "gone" else got.status_code in (200, 404),
                 f"{file} ({there}): {got.status_code}")
            if got.status_code == 200:
                must(got.content == content, f"{file} has another content")
            self.figures["files"] += 1

    def look_at_keys(self):
        def good(text):
            with Client(self.gateway.url, keys.bearer(text)) as client:
                return client.get("/v1/runs?limit=1").status == 200

        for key, (text, old, there) in self.things.keys.items():
            must(good(text) is (there is True) or there == "maybe", f"{key} ({there})")
            must(not any(map(good, old)), f"an old text of {key} is good")
            self.figures["API keys"] += 1

    def ask_posts_again(self):
        """One key is one thing, whether anybody was told of it or not."""
        for post in self.things.posts:
            first, again = (post.send(self.client) for _ in range(2))
            if post.made and first.status == 410:  # it was deleted
                must(again.status == 410, f"{again!r}")
                there = self.things.conversations.get(post.made) or self.things.files[post.made][1]
                must(there is not True, f"{post.made} ({there}): {first!r}")
                continue
            must(first.status == again.status == 200, f"{first!r}{again!r}")
            made = first.json["id"]
            must(again.json["id"] == made, f"two things for one key: {made} {again.json['id']}")
            must(post.made in (None, made), f"another thing for one key: {made}, not {post.made}")
            self.figures["keys of things asked again"] += 1

    # runs

    def removed(self, call):
        """Whether its conversation is gone; where nobody knows, it is asked."""
        conversation = call.conversation or call.body.get("conversation")
        there = self.things.conversations.get(conversation, True)
        if there == "maybe":
            return self.client.get(f"/v1/conversations/{conversation}").status == 404
        return there == "gone"

    def look_at_run(self, call, crowd):
        self.figures["runs"] += 1
        reply = self.client.get(f"/v1/runs/{call.run}")
        if not call.stored:
            must(reply.status == 404 or reply.json["stored"] is False, f"a run that is stored nowhere is there: {call}")
            return
        if self.removed(call):
            must(reply.status == 404, f"a run outlived its conversation: {call}")
            must(all_events(self.client, call.run) == 404, f"its events, too: {call}")
            self.figures["deleted"] += 1
            return
        must(reply.status == 200, f"a run that was told is lost: {reply.status} {call}")
        run = reply.json
        must(run["status"] not in LIVE, f"it looks alive: {call}")
        must(crowd.cancelled.get(call.run, run["status"]) == run["status"],
             f"cancel said {crowd.cancelled.get(call.run)}, now {run['status']}: {call}")
        self.figures[run["status"]] += 1
        formats = {f: all_events(self.client, call.run, f) for f in FORMATS}
        for format, blocks in formats.items():
            must(isinstance(blocks, list), f"its events: {blocks}: {call}")
            self.look_at_end(call, run, format, blocks)
        call.final = {f: [b.raw for b in blocks] for f, blocks in formats.items()}
        if run["status"] == "incomplete" and run["error"]["code"] == "server_stopped":
            self.figures["cut off while streaming" if len(formats["openai"]) > 1
                         else "cut off before the first piece"] += 1
        must(len(call.script.exchanges) <= 1, f"the provider was called twice: {call}")
        self.look_at_gaps(call, formats["openai"])
        self.look_at_seen(call, run, crowd)
        self.look_at_answer(call, run, formats["openai"])

    def look_at_end(self, call, run, format, blocks):
        end = blocks[-1].event
        must(end == ("done" if run["status"] == "completed" else "error"),
             f"{run['status']}, but its end is {end}: {call}")
        ids = [tuple(map(int, b.id.split("."))) for b in blocks]
        must(ids == sorted(set(ids)), f"its ids do not grow: {call}")
        (sse.lmc if format == "lmc" else sse.native)(blocks)

    def look_at_gaps(self, call, blocks):
        """As OpenAI's chunks every event makes a block; only in front of the end numbers may lack."""
        if call.reply:
            return
        numbers = [int(b.id.split(".")[0]) for b in blocks]
        far = [n for n, (a, b) in enumerate(zip(numbers, numbers[1:])) if b - a > 1]
        must(far in ([], [len(numbers) - 2]), f"gaps in its numbers {numbers}: {call}")

    def look_at_seen(self, call, run, crowd):
        if not (call.native and call.seen):
            if call.seen and call.seen[-1][0].data == "[DONE]":
                must(run["status"] == "completed", f"its client saw its end: {call}")
            elif call.seen:
                self.look_at_text(call)
            return
        want = call.final[call.format]
        seen = [b.raw for b, _ in call.seen]
        self.figures["blocks seen"] += len(seen)
        same = 0
        while same < min(len(seen), len(want)) and seen[same] == want[same]:
            same += 1
        if call.seen[-1][0].event:
            must(seen == want, f"its client saw its end, and now it is another: {call}")
        if same == len(seen):
            return
        must(not call.strict, f"{len(seen) - same} of {len(seen)} blocks are lost: {call}\n"
             f"{seen[same]}\n{want[same:same + 1]}")
        # What follows is the end alone, which in LMC makes several blocks.
        ends = {re.match(rb"id: (\d+)", block).group(1) for block in want[same:]}
        must(run["status"] == "incomplete" and len(ends) == 1, f"its client saw something else: {seen[same]} {want[same:]}: {call}")
        self.note_loss(call, call.seen[same:], len(seen) - same, crowd.killed_at)

    def response_events(self, id, after=None):
        query = "stream=true" + ("" if after is None else f"&starting_after={after}")
        response = self.client.http.get(f"/v1/responses/{id}?{query}")
        must(response.status_code in (200, 204), f"{id}: {response.status_code}")
        return [b for b in sse.Blocks([response.content]) if not b.is_comment]

    def look_at_response(self, answer, crowd):
        """Its events are what its client saw, but for the last ones, and go on behind each number."""
        def number(block):
            return block.json["sequence_number"]

        answer.id = answer.seen[0][0].json["response"]["id"]
        want = self.response_events(answer.id)
        seen = [b for b, _ in answer.seen]
        numbers = [number(b) for b in want]
        must(numbers == sorted(set(numbers)), f"numbers come again: {numbers}: {answer}")
        must(want[-1].event in ("response.completed", "response.failed"),
             f"it has no end: {want[-1]}: {answer}")
        self.figures["events of responses seen"] += len(seen)
        last = number(seen[-1])
        rest = [b.raw for b in self.response_events(answer.id, last)]
        must(rest == [b.raw for b in want if number(b) > last],
             f"another stream behind {last}: {answer}")
        found = self.client.get(f"/v1/responses/{answer.id}").ok().json
        # A stored answer has its reasoning first, and its text in one item.
        must(said(found) == said(want[-1].json["response"]) or found["status"] == "failed",
             f"another answer: {found}: {answer}")
        same = 0
        while same < min(len(seen), len(want)) and seen[same].raw == want[same].raw:
            same += 1
        if same == len(seen):
            return
        must(not answer.strict, f"{len(seen) - same} of {len(seen)} events are lost: {answer}")
        must([b.event for b in want[same:]] == ["error", "response.failed"],
             f"its client saw something else: {seen[same]} {want[same:]}: {answer}")
        must(number(want[same]) > last, f"the end comes too early: {answer}")
        self.note_loss(answer, answer.seen[same:], len(seen) - same, crowd.killed_at)

    def note_loss(self, call, lost, count, killed_at):
        ms = (killed_at - lost[0][1]) * 1000
        words = re.findall(r"w\d+ ", lost[0][0].raw.decode())
        if words and words[0] in call.script.times:
            self.sent_ms = max(self.sent_ms, (killed_at - call.script.times[words[0]]) * 1000)
        self.figures["runs that lost blocks"] += 1
        self.figures["blocks lost"] += count
        self.figures["lost more than 50 ms"] += ms > PROMISE_MS
        text = "".join(w for b, _ in lost for w in re.findall(r"w\d+ ", b.raw.decode()))
        self.lost.append((ms, len(text)))
        # Events that are written next wait for the commit under way, and so for its sync.
        stall_ms = self.stalls.worst_ms
        must(ms <= PROMISE_MS + SLACK_MS + stall_ms,
             f"the last {ms:.0f} ms are lost, and no sync took above {stall_ms:.0f} ms: {call}")

    def look_at_text(self, call):
        """Its dialect has no ids: the text is compared."""
        if not call.strict:
            return
        text = "".join(sse.text_of(b.json) for b, _ in call.seen
                       if b.data != "[DONE]" and "choices" in b.json)
        now = sse.native([sse.Block(r) for r in call.final["openai"]]).text
        must(now.startswith(text), f"text is lost: {call}")

    def look_at_answer(self, call, run, blocks):
        """What its conversation has of it is what its events say."""
        if run["status"] == "failed" or not call.conversation:
            return
        text = sse.native(blocks).text
        item = self.client.get(f"/v1/conversations/{call.conversation}/items/msg_{call.run[4:]}")
        must(item.status in (200, 404), repr(item))
        if text:
            must(item.status == 200, f"the answer is in its events alone: {call}")
            must(item_text(item.json) == text, f"two answers: {item_text(item.json)!r}, "
                 f"events say {text!r}: {call}")

    def look_at_reading(self, reading):
        """What readers of events were given came from the log: nothing of it may lack."""
        if not reading.call.final:
            return
        want = reading.call.final[reading.format]
        seen = [b.raw for b, _ in reading.seen]
        self.figures["blocks read again"] += len(seen)
        must(want[:len(seen)] == seen, f"a reader ({reading.format}) saw something else: "
             f"{reading.call}\n{[s for s, w in zip(seen, want) if s != w][:1]}")

    def look_at_items(self):
        conversations = {}
        for (conversation, text), there in self.things.items.items():
            if self.things.conversations.get(conversation, True) is True:
                conversations.setdefault(conversation, []).append((text, there))
        for conversation, wanted in conversations.items():
            if all(text[0] == "q" for text, _ in wanted) and len(wanted) == 1:
                continue  # asked and looked at by its run
            texts = collections.Counter(self.all_texts(conversation))
            for text, there in wanted:
                must(texts[text] == 1 if there is True else texts[text] == 0 if there == "gone"
                     else texts[text] < 2, f"{text} ({there}) is {texts[text]} times in "
                     f"{conversation}: {texts}")
                self.figures["messages"] += 1

    def all_texts(self, conversation):
        """Of all branches."""
        key = int(conversation.split("_")[1][:16], 16)
        rows = self.query(f"SELECT body FROM message WHERE conversation = {key}")
        return [t for (body,) in rows for t in re.findall(r"[qi]\d+-\d+-\d+", body)]

    # keys

    def ask_again(self, call):
        """One key is one call of the provider, and what was told before is told again."""
        if self.removed(call):
            return
        if call.script.gate:
            call.script.gate.open()
        before = len(call.script.exchanges)
        must(before <= 1, f"the provider was called {before} times: {call}")
        self.figures["keys asked again"] += 1
        status, headers, blocks, reply = asked_again(self.client, call)
        if status == 500:  # a call that was stored nowhere, lost with its process
            must(not call.stored and headers.get("x-should-retry") == "false",
                 f"again: {reply} {headers}: {call}")
            return
        if status == 499:  # it was cancelled before its first piece
            must(reply["error"]["code"] == "cancelled", f"again: {reply}: {call}")
            must(len(call.script.exchanges) == before, f"the provider was called again: {call}")
            return
        must(status == 200, f"again: {status} {reply}: {call}")
        if not call.told:
            self.figures["keys that were free again"] += len(call.script.exchanges) > before
            must(len(call.script.exchanges) <= before + 1, f"two calls for one: {call}")
            return
        must(len(call.script.exchanges) == before, f"the provider was called again: {call}")
        must(headers.get("x-run-id") == call.run, f"another run for one key: {call}")
        if call.reply:
            must(reply == call.reply, f"another answer for one key: {call}")
        if call.native and call.stored and blocks:
            must([b.raw for b in blocks] == call.final[call.format],
                 f"a key gives other blocks than the events: {call}")

    # earlier ones, and going on

    def look_again(self, call):
        for format in FORMATS:
            got = all_events(self.client, call.run, format)
            must(isinstance(got, list) and [b.raw for b in got] == call.final[format],
                 f"a run of an earlier round has changed: {call}")
        self.figures["runs looked at again"] += 1

    def go_on(self, rng):
        """An answer that broke off can be gone on with."""
        cut = [c for c in self.things.calls if c.run and c.stored and c.final and
               b"server_stopped" in c.final["openai"][-1] and len(c.final["openai"]) > 1]
        for call in rng.sample(cut, min(2, len(cut))):
            script = self.upstream.script(up.either("and so on"))
            reply = self.client.post(f"/v1/runs/{call.run}/continue",
                                     {"config": {"model": script.model}})
            if reply.status == 409:  # not the newest, or nothing was said yet
                self.figures["not continuable"] += 1
                continue
            must(reply.status == 200, f"going on with {call}: {reply!r}")
            run = self.client.run(reply.json["run"])
            must(run["continues"] == call.run and run["status"] == "completed", f"{run}")
            sent = script.request.json["messages"]
            must("assistant" in [m["role"] for m in sent[-3:]], f"the partial answer was not sent: {sent}")
            self.figures["gone on with"] += 1
            self.upstream.scripts.pop(script.name, None)

    # figures

    def losses(self):
        if not self.lost:
            return "lost by relaxed: nothing"

        def spread(values):
            values = sorted(values)
            return ", ".join(f"{values[int(part * (len(values) - 1))]:.0f}"
                             for part in (0.5, 0.9, 0.99, 1))
        return (f"lost by relaxed (of {len(self.lost)} runs that lost something: median, 90 %, 99 %, "
                f"most): {spread(ms for ms, _ in self.lost)} ms as their clients saw them, "
                f"{spread(n for _, n in self.lost)} characters; at most {self.sent_ms:.0f} ms as the "
                f"provider sent them")

    def report(self):
        names = sorted(k for k in self.figures if not k.startswith("doing "))
        lines = [f"{name}: {self.figures[name]}" for name in names]
        doing = ", ".join(f"{k[6:]} {v}" for k, v in sorted(self.figures.items())
                          if k.startswith("doing "))
        return "\n".join([f"seed: {self.seed}", *lines,
                          self.losses(),
                          f"what clients were at when the kill came: {doing}"])
