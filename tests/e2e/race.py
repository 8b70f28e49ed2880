"""Calls at several gateways that race for all budgets that a call may have at once: of its key and its key's group, of its
customer in both, and the ceilings of its conversation and its session."""

import http.client
import json
import multiprocessing
import re
import threading
import time
from decimal import Decimal
from urllib.parse import urlencode, urlsplit

import keys
from client import Client
from waiting import wait_until

PRICE = {"input": 1, "output": 2}  # a token costs 0.000001
MODEL = {"name": "echo", "provider": "echo", "price": PRICE, "max_output": 100}
CONFIG = {"models": [MODEL], "usage_tags": ["customer"]}
TEXT, TOKENS = 40 * "word ", 60
KEYS, SESSIONS, CONVERSATIONS = 4, 16, 8
CUSTOMERS = {10: "acme", 11: ""}  # of sessions; other clients have one of their own, or two of keys 0 and 1 the same
FREE = 10 ** 6  # calls that no race makes
PROCESSES = 2
KINDS = ("group", "key", "customer", "customer of group", "session", "conversation")
MILLIONTH = Decimal("0.000001")


def read(client, path, **query):
    return client.get(f"{path}?{urlencode(query)}").ok().json


class Caller:
    """One client: it calls until it has called so often, and counts what it got."""

    def __init__(self, url, key, session, ceiling, customer, conversation):
        self.url, self.most = urlsplit(url), Decimal(0)
        self.headers = {"authorization": f"Bearer {key}", "content-type": "application/json",
                        "x-parley-session": session, "x-parley-max-cost": ceiling}
        if customer:
            self.headers["x-parley-tag-customer"] = customer
        self.body = json.dumps({"messages": [TEXT], "conversation": conversation, "store": False,
                                "config": {"model": "echo", "max_tokens": TOKENS}})
        self.told, self.spent, self.others = {}, Decimal(0), []

    def one(self, connection):
        connection.request("POST", "/v1/chat", self.body, self.headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def run(self, calls):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        for _ in range(calls):
            status, body = self.one(connection)
            if status == 200:
                used = body["usage"]
                self.count("ok")
                self.spent += (used["prompt_tokens"] + 2 * used["completion_tokens"]) * MILLIONTH
            elif status == 429 and body["error"]["code"] == "insufficient_quota":
                group = "this key's group" in body["error"]["message"] and body["error"]["param"] != "group"
                self.count(body["error"]["param"] + (" of group" if group else ""))
                self.most = Decimal(re.search(r"up to ([0-9.]+)", body["error"]["message"]).group(1))
            else:
                self.others.append((status, body))
        connection.close()

    def count(self, what):
        self.told[what] = self.told.get(what, 0) + 1


def work(plans, calls, results):
    callers = [Caller(*plan) for plan in plans]
    threads = [threading.Thread(target=c.run, args=(calls,)) for c in callers]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    results.put([(c.told, c.spent, c.most, c.others[:3]) for c in callers])


class Race:
    """So many calls by so many clients.  A client has key, session, conversation and customer by its number."""

    def __init__(self, gateways, admin, calls, clients=64):
        self.gateways, self.admin, self.each = gateways, admin, calls // clients
        self.clients = clients
        with Client(gateways[0].url, self.bearer_of(admin)) as one:
            self.cost = self.price_of(one)

    @staticmethod
    def bearer_of(admin):
        return keys.bearer(admin.post("/v1/admin/keys", {"scopes": ["chat"]}).ok().json["key"])

    @staticmethod
    def price_of(client):
        used = client.chat(TEXT, model="echo", store=False, config={"max_tokens": TOKENS}).ok().json["usage"]
        return (used["prompt_tokens"] + 2 * used["completion_tokens"]) * MILLIONTH

    def money(self, calls):
        return f"{(self.cost * calls).normalize():f}"

    def budget(self, calls, each):
        return {"money": self.money(calls), "each": {"tag": "customer", "money": self.money(each), "window": "1d"}}

    def prepare(self):
        """At the pace of all clients, keys 0 and 1 end when they have made 0.4 and 0.5 of their calls, sessions 2 and 3 (0.55),
        conversation 6 (0.5), the customer of session 10 in the group (0.575) and that of session 11 in key 3 (0.525); then the
        group, which is all that ends sessions 7 and 15 (0.75).  So none ends for the clients of another one.  Numbers are in
        calls of a 64th of all clients."""
        unit = self.each * self.clients / 64
        self.limits = {"key": [int(16 * unit * part) for part in (0.4, 0.5)] + [FREE] * 2,
                       "session": [FREE] * 2 + [int(4 * unit * 0.55)] * 2 + [FREE] * (SESSIONS - 4),
                       "conversation": [FREE] * 6 + [int(8 * unit * 0.5), FREE],
                       "customer": [FREE] * 3 + [int(4 * unit * 0.525)]}
        group = self.admin.post("/v1/admin/groups", {"budget": self.budget(int(33.2 * unit), int(4 * unit * 0.575))}).ok().json
        self.group = group["id"]
        self.keys = [self.admin.post("/v1/admin/keys", {
            "group": self.group, "budget": self.budget(self.limits["key"][i], self.limits["customer"][i])}).ok().json["key"]
            for i in range(KEYS)]
        for gateway in self.gateways:
            with Client(gateway.url, keys.bearer(self.keys[-1])) as client:
                wait_until(lambda: client.get("/v1/me").status == 200, "the last key")  # noqa: B023
        self.readers = [Client(self.gateways[0].url, keys.bearer(key)) for key in self.keys]
        self.conversations = [self.readers[i % KEYS].post("/v1/conversations", {"budget": {
            "money": self.money(n)}}).ok().json["id"] for i, n in enumerate(self.limits["conversation"])]

    def plan(self, i):
        session = i % SESSIONS
        customer = CUSTOMERS.get(session, f"c{i - 1 if i % KEYS == 1 else i}")
        return (self.gateways[i % len(self.gateways)].url, self.keys[i % KEYS], f"s{session}",
                self.money(self.limits["session"][session]), customer, self.conversations[i % CONVERSATIONS])

    def states(self):
        """What each budget says of itself; sessions and conversations have the owner of their key."""
        yield "group", 0, read(self.admin, f"/v1/admin/groups/{self.group}")["left"]["cost"]
        for i, client in enumerate(self.readers):
            yield "key", i, read(client, "/v1/usage")["budget"]["cost"]
            for customer in self.customers[i]:
                for told in read(client, "/v1/usage", **({"tag.customer": customer} if customer else {}))["each"]:
                    if told["of"] == "key":
                        yield "customer", f"{i} {customer}", told["cost"]
                    elif i != 1 or customer not in self.customers[0]:
                        yield "customer of group", customer, told["cost"]
            for s in range(i, SESSIONS, KEYS):
                told = read(client, "/v1/usage", session=f"s{s}")["session"]
                if told:
                    yield "session", s, told
            for c in range(i, CONVERSATIONS, KEYS):
                yield "conversation", c, read(client, f"/v1/conversations/{self.conversations[c]}")["budget"]

    def watch(self, over):
        self.looks, self.passed = 0, []
        while not over.is_set():
            for what, which, told in self.states():
                if Decimal(told["spent"]) + Decimal(told["reserved"]) > Decimal(told["limit"]):
                    self.passed.append((what, which, told))
            self.looks += 1
            over.wait(0.05)

    def run(self):
        self.prepare()
        plans = [self.plan(i) for i in range(self.clients)]
        self.customers = [{plan[4] for plan in plans[i::KEYS]} for i in range(KEYS)]
        over, context = threading.Event(), multiprocessing.get_context("fork")
        results = context.Queue()
        begun = time.monotonic()
        workers = [context.Process(target=work, args=(plans[i::PROCESSES], self.each, results))
                   for i in range(PROCESSES)]
        for w in workers:
            w.start()
        watcher = threading.Thread(target=self.watch, args=(over,))
        watcher.start()
        told = [one for _ in workers for one in results.get()]
        for w in workers:
            w.join()
        self.seconds = time.monotonic() - begun
        over.set()
        watcher.join()
        return self.judge(told)

    def judge(self, told):
        counts = {}
        for one, _, _, _ in told:
            for what, n in one.items():
                counts[what] = counts.get(what, 0) + n
        others = [x for _, _, _, list_of in told for x in list_of]
        assert not others and not self.passed, (others[:3], self.passed[:3])
        spent, most = sum(s for _, s, _, _ in told), max(m for _, _, m, _ in told)
        last = {(what, which): t for what, which, t in self.states()}
        sums = {kind: sum(Decimal(t["spent"]) for (what, _), t in last.items() if what == kind)
                for kind in KINDS}
        assert set(sums.values()) == {spent}, (sums, spent)
        assert all(Decimal(t["reserved"]) == 0 for t in last.values()), last
        ended = [("group", 0), ("key", 0), ("key", 1), ("session", 2), ("session", 3), ("conversation", 6),
                 ("customer", "3 "), ("customer of group", "acme")]
        left = {f"{what} {which}": Decimal(last[what, which]["left"]) for what, which in ended}
        assert all(rest < most for rest in left.values()), (left, most)
        assert {"ok", "group", "key", "tag.customer", "tag.customer of group", "conversation", "session"} == set(counts), counts
        for client in self.readers:
            client.http.close()
        return {"calls": sum(counts.values()), "counts": counts, "seconds": round(self.seconds, 1),
                "looks": self.looks, "left": {k: str(v) for k, v in left.items()},
                "limits": {f"{w} {i}": last[w, i]["limit"] for w, i in ended}, "a call reserves": str(most)}
