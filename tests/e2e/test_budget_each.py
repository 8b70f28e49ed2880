"""Budgets for each value of a tag, of a key and of a group: made on first use, reserved together with all others."""

import contextlib
import json
import time
from decimal import Decimal

import pytest

import keys
import upstream as up
from client import Client
from fixtures import provider
from gateway import ENGINE
from test_keeping import alter
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 10}
LARGE = {"messages": [{"role": "user", "content": "x" * 4950}]}
COST = Decimal(up.USAGE["prompt_tokens"] + up.USAGE["completion_tokens"]) / 1000
EACH = {"tag": "customer", "money": "5", "window": "1d"}


@pytest.fixture
def house(start, upstream, script):
    """A gateway, clients of it, and an administrator."""
    class House:
        def __init__(self):
            self.script = script(up.either("fine"))
            self.gateway = start({"providers": [provider(upstream, "p", retries=0)], "usage_tags": ["customer", "feature"],
                                  "models": [{"name": "m", "provider": "p", "upstream_model": self.script.name,
                                              "price": {"input": 1000, "output": 1000}, "max_output": 100}]}, args=ADMIN)
            self.stack = contextlib.ExitStack()
            root = keys.known(self.gateway, keys.make(self.gateway, "--scopes", "admin"))
            self.admin = self.stack.enter_context(keys.client_of(self.gateway, root["key"], admin=True))

        def client(self, **body):
            key = keys.known(self.gateway, self.admin.post("/v1/admin/keys", body).ok().json)
            client = self.stack.enter_context(Client(self.gateway.url, keys.bearer(key["key"])))
            client.key = key
            return client

    h = House()
    with h.stack:
        yield h


def named(customer):
    return {"x-parley-tag-customer": customer} if customer else {}


def ask(client, customer=None, **more):
    return client.post("/v1/chat/completions", {**ASK, **more}, headers=named(customer))


def each(client, customer=None):
    query = f"?tag.customer={customer}" if customer else ""
    return {one["of"]: one for one in client.get(f"/v1/usage{query}").ok().json["each"]}


def left(client, customer=None, of="key"):
    return Decimal(each(client, customer)[of]["cost"]["left"])


def refused(answer, whose):
    answer.error(429, "insufficient_quota", "tag.customer")
    assert f"left of {whose} of 5;" in answer.json["error"]["message"]
    assert 86000 < int(answer.headers["retry-after"]) <= 86400


def test_each_customer_has_a_budget_of_its_own(house):
    client = house.client(budget={"each": EACH})
    assert client.key["budget"] == {"each": {**EACH, "money": "5.00"}}
    assert each(client, "acme") == {"key": {
        "of": "key", "tag": "customer", "value": "acme", "renewed_at": None,
        "cost": {"limit": "5", "spent": "0", "reserved": "0", "left": "5"}}}
    ask(client, "acme").ok()
    with client.stream("/v1/chat/completions", {**ASK, "stream": True, "store": True}, headers=named("a cme")) as stream:
        stream.openai()
    wait_until(lambda: left(client, "a%20cme") == 5 - COST, "the end of the stream")
    wait_until(lambda: left(client, "acme") == 5 - COST, "the end of the call")
    assert left(client, "other") == 5 and left(client) == 5
    assert each(client, "acme")["key"]["renewed_at"] is not None
    refused(ask(client, "acme", **LARGE), "this key's budget for customer=acme")
    ask(client, "other", **LARGE).ok()
    ask(client).ok()
    refused(ask(client, **LARGE), "this key's budget for calls without customer")
    assert left(client, "acme") == 5 - COST
    assert "acme" not in house.gateway.log()


def test_all_keys_of_a_group_share_what_it_has_for_a_customer(house):
    group = house.admin.post("/v1/admin/groups", {"budget": {"each": EACH, "money": "100"}}).ok().json
    assert group["budget"]["each"]["tag"] == "customer"
    one, two = (house.client(group=group["id"], budget={"each": {**EACH, "money": money}}) for money in ("5", "7"))
    ask(one, "acme").ok()
    wait_until(lambda: (left(two, "acme", "group"), left(one, "acme"), left(two, "acme")) == (5 - COST, 5 - COST, 7),
               "the end of the call")
    refused(ask(one, "acme", **LARGE), "this key's budget for customer=acme")
    refused(ask(two, "acme", **LARGE), "the budget of this key's group for customer=acme")
    ask(two, "other", **LARGE).ok()

    def spent():
        return Decimal(house.admin.get(f"/v1/admin/groups/{group['id']}").ok().json["left"]["cost"]["spent"])
    wait_until(lambda: spent() == 2 * COST, "the group's own budget counts beside it")


def test_what_can_be_no_budget_of_each_is_refused(house):
    client = house.client(budget={"each": EACH, "money": "7", "window": "30d"})
    for path in ("/v1/admin/keys", "/v1/admin/groups"):
        for wrong, member in (({"tag": "region"}, "tag"), ({"tag": "x y"}, "tag"), ({"money": "-5"}, "money"),
                              ({"window": "1y"}, "window")):
            house.admin.post(path, {"budget": {"each": {**EACH, **wrong}}}).error(
                400, "invalid_value", f"budget.each.{member}")
        for missing in EACH:
            body = {"budget": {"each": {k: v for k, v in EACH.items() if k != missing}}}
            house.admin.post(path, body).error(400, "missing_required_parameter", f"budget.each.{missing}")
    path = f"/v1/admin/keys/{client.key['id']}"
    assert house.admin.post(path, {"name": "x"}).ok().json["budget"] == client.key["budget"]
    assert house.admin.post(path, {"budget": {}}).ok().json["budget"] is None
    wait_until(lambda: "each" not in client.get("/v1/usage?tag.customer=acme").ok().json, "the change")
    database = house.gateway.database_option()
    said = keys.command(house.gateway, "create", "--budget-each", "region=5/1d", "--usage-tags", "customer", code=64)
    assert "budget.each.tag: is none of usage_tags" in said.stderr, database
    keys.command(house.gateway, "create", "--budget-each", "customer=5", code=64)
    keys.command(house.gateway, "create", "--budget", "none", "--budget-each", "customer=5/1d", code=64)
    made = json.loads(keys.command(house.gateway, "create", "--json", "--budget", "9/2d", "--budget-each", "customer=5/1d",
                                   "--usage-tags", "customer").stdout)
    assert made["budget"] == {"money": "9.00", "window": "2d", "each": {**EACH, "money": "5.00"}}
    assert "budget=9.00/2d budget-each=customer=5.00/1d" in keys.command(house.gateway, "list").stdout


def test_a_budget_of_each_ends_with_its_window_and_is_forgotten(house):
    client = house.client(budget={"each": {**EACH, "window": "1s"}})

    def rows():
        return int(house.gateway.rows("SELECT count(*) FROM budget WHERE key LIKE 'each:%'")[0][0])
    for customer in ("a", "b", None):
        ask(client, customer, **LARGE).ok()
    assert rows() == 3
    wait_until(lambda: left(client, "a") == 5, "the end of the window")
    ask(client, "a", **LARGE).ok()
    assert rows() == 3


DAY_MS = 86_400_000


def ago(days):
    return int(time.time() * 1000) - days * DAY_MS


def key_at(days):
    return ago(days) << 20


def test_what_no_call_needs_any_more_is_swept(start):
    """Budgets whose window is over, ceilings without a conversation, and marks of removals."""
    gateway = start(usual={})
    with Client(gateway.url) as client:
        client.post("/v1/conversations", {"budget": {"money": "1"}}).ok()
    gateway.stop()
    kept, old, held, young = (key_at(days) for days in (9, 8, 7, 1))
    alter(gateway, f"UPDATE conversation SET id = {kept}")
    alter(gateway, f"UPDATE budget SET key = 'conv:{kept}'")

    def budget(key, reserved=0, until="NULL"):
        alter(gateway, "INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens, "
              f"until_ms) VALUES ('{key}', 1, 1, {reserved}, 1, 0, {until})")
    for key, more in ((f"conv:{old}", {}), (f"conv:{held}", {"reserved": 1}), (f"conv:{young}", {}), ("each:a", {"until": ago(1)}),
                      ("key_a", {}), ("each:b", {"until": ago(1), "reserved": 1}), ("each:c", {"until": ago(-1)})):
        budget(key, **more)
    # More than one step removes: the next one does not wait for a minute.
    alter(gateway, "INSERT INTO budget (key, began_ms, spent_nano, reserved_nano, spent_tokens, reserved_tokens, until_ms) "
          f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
          f"SELECT 'each:many' || i, 1, 1, 0, 1, 0, {ago(1)} FROM n")
    for name, days in (("o5", 10), ("o6", 3), ("o7", 1)):
        alter(gateway, f"INSERT INTO cached_clear (name, at_ms) VALUES ('{name}', {ago(days)})")
    blob = "x'00'" if ENGINE == "sqlite" else r"'\x00'"
    alter(gateway, "INSERT INTO cached (id, secret, owner, key, digest, began_ms, created_ms, expires_ms, stream, apart, "
          f"nano, size, body) VALUES ({key_at(5)}, 1, 6, '', {blob}, {ago(5)}, {ago(5)}, {ago(-5)}, 0, 0, 0, 1, {blob})")
    gateway.start()

    def names(table, column):
        return {row[0] for row in gateway.rows(f"SELECT {column} FROM {table}")}
    stay = {f"conv:{key}" for key in (kept, held, young)} | {"key_a", "each:b", "each:c"}
    wait_until(lambda: names("budget", "key") == stay, "the budgets")
    wait_until(lambda: names("cached_clear", "name") == {"o6", "o7"}, "the marks")


def test_a_kill_gives_back_what_was_reserved_of_each(start, upstream, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("begun"), up.wait(gate))
    gateway = start({"providers": [provider(upstream, "p")], "usage_tags": ["customer"], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "price": {"input": 1000, "output": 1000},
         "max_output": 100}]}, args=ADMIN)
    key = keys.known(gateway, keys.make(gateway, "--budget-each", "customer=5/1d", "--usage-tags", "customer"))
    head = keys.bearer(key["key"])
    with Client(gateway.url, head) as client, contextlib.ExitStack() as streams:
        for store in (True, False):
            streams.enter_context(client.stream("/v1/chat/completions", {**ASK, "stream": True, "store": store},
                                                headers=named("acme")))
        s.wait(2)
        wait_until(lambda: int(gateway.rows("SELECT count(*) FROM reservation")[0][0]) == 2, "both")
        gateway.kill()
    gate.open()
    gateway.restart()
    with Client(gateway.url, head) as again:
        def cost():
            return each(again, "acme")["key"]["cost"]
        wait_until(lambda: cost()["reserved"] == "0", "the end of both")
        wait_until(lambda: again.get("/v1/usage?tag.customer=acme").ok().json["data"], "the sums")
        assert Decimal(cost()["spent"]) == Decimal(
            again.get("/v1/usage?tag.customer=acme").ok().json["data"][0]["cost"]) > 0
