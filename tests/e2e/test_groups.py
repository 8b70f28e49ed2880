"""Groups of keys: what a group may use, all its keys use together, whatever they may use themselves."""

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from urllib.parse import urlencode

import pytest

import gateway as gw
import keys
import race
import upstream as up
from client import Client
from fixtures import provider
from test_surplus import metric
from waiting import DEADLINE, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
PRICE = {"input": 1, "output": 2}  # a token costs 0.000001
TOLD = up.USAGE
COST = (TOLD["prompt_tokens"] + 2 * TOLD["completion_tokens"]) * Decimal("0.000001")


def command(gateway, *args, code=0):
    """parley groups …, beside the gateway."""
    done = gw.run("groups", *args, "--database", gateway.database_option())
    assert done.returncode == code, f"{args}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def read(client, path, **query):
    return client.get(f"{path}?{urlencode(query, doseq=True)}")


def make(gateway, *args):
    return json.loads(command(gateway, "create", "--json", *args).stdout)


@pytest.fixture
def house(start, upstream, script):
    """A gateway with a priced model `m`, and clients of it."""
    class House:
        def __init__(self):
            self.script = script(up.either("ok"))
            entry = {"name": "m", "provider": "p", "upstream_model": self.script.name,
                     "price": dict(PRICE), "max_output": 100}
            self.models = [{**entry, "name": name, "price": dict(PRICE), "cache": {"ttl": "10m"}}
                           for name in ("m", "other")]
            self.gateway = start({"providers": [provider(upstream, "p", retries=0)],
                                  "models": self.models}, args=ADMIN)
            self.clients = []

        def client(self, *args, admin=False):
            key = keys.known(self.gateway, keys.make(self.gateway, *args))
            url = keys.admin_url(self.gateway) if admin else self.gateway.url
            client = Client(url, keys.bearer(key["key"]))
            client.key = key
            self.clients.append(client)
            return client

    h = House()
    yield h
    for client in h.clients:
        client.http.close()


def test_a_group_is_made_changed_read_and_deleted(house):
    admin = house.client("--scopes", "admin", admin=True)
    made = admin.post("/v1/admin/groups", {"name": "research", "models": ["m"], "hooks": [],
                                           "limits": {"concurrent": 4}, "budget": {"money": "2", "window": "30d"},
                                           "metadata": {"cost_center": "7"}}).ok().json
    assert made["id"].startswith("grp_") and made["object"] == "group" and made["keys"] == 0
    assert (made["models"], made["hooks"], made["limits"]) == (["m"], None, {"concurrent": 4})
    assert made["left"] == {"cost": {"limit": "2", "spent": "0", "reserved": "0", "left": "2"},
                            "tokens": None, "renewed_at": None}
    path = f"/v1/admin/groups/{made['id']}"
    assert admin.get(path).ok().json == made
    changed = admin.post(path, {"name": "r", "budget": {}, "models": ["*"]}).ok().json
    assert (changed["name"], changed["budget"], changed["models"], changed["left"]) == ("r", None, None, None)
    assert (changed["limits"], changed["metadata"]) == (made["limits"], made["metadata"])

    key = admin.post("/v1/admin/keys", {"group": made["id"]}).ok().json
    assert key["group"] == made["id"] and admin.get(path).ok().json["keys"] == 1
    refused = admin.http.request("DELETE", path)
    assert refused.status_code == 409 and refused.json()["error"]["code"] == "group_in_use"
    out = admin.post(f"/v1/admin/keys/{key['id']}", {"group": ""}).ok().json
    assert out["group"] is None
    gone = admin.http.request("DELETE", path)
    assert gone.status_code == 200 and gone.json() == {"id": made["id"], "object": "group.deleted", "deleted": True}
    assert admin.get(path).status == 404
    for body in ({"group": made["id"]}, {"group": "grp_00000000"}, {"group": "x"}):
        answer = admin.post("/v1/admin/keys", body)
        assert (answer.status, answer.json["error"]["param"]) == (404, "group"), body
    audit = read(admin, "/v1/admin/audit", object=made["id"]).ok().json["data"]
    assert [x["action"] for x in audit] == ["group.delete", "group.update", "group.create"]


def test_groups_are_listed_in_pages(house):
    admin = house.client("--scopes", "admin", admin=True)
    ids = [make(house.gateway, "--name", f"g{i}")["id"] for i in range(5)]
    first = read(admin, "/v1/admin/groups", limit=3).ok().json
    second = read(admin, "/v1/admin/groups", limit=3, after=first["last_id"]).ok().json
    found = [g["id"] for g in first["data"] + second["data"]]
    assert (sorted(found), first["has_more"], second["has_more"]) == (sorted(ids), True, False)
    assert read(admin, "/v1/admin/groups", after="grp_00000000").status == 400
    bad = admin.post("/v1/admin/groups", {"models": ["a*b"]})
    assert (bad.status, bad.json["error"]["param"]) == (400, "models[0]")


def test_the_command_line_does_the_same(house):
    g = house.gateway
    group = make(g, "--name", "team", "--models", "m", "--budget", "1/1d", "--limit", "concurrent=2")
    key = keys.make(g, "--group", group["id"])
    assert key["group"] == group["id"]
    listed = command(g, "list").stdout
    assert group["id"] in listed and "budget=1.00/1d" in listed and "concurrent=2" in listed
    assert f"group={group['id']}" in keys.command(g, "list").stdout
    assert "keys belong to this group" in command(g, "delete", group["id"], code=64).stderr
    command(g, "update", group["id"], "--budget", "none", "--hooks", "none")
    keys.command(g, "update", key["id"], "--group", "none")
    assert command(g, "delete", group["id"]).stdout == f"{group['id']} deleted\n"
    command(g, "delete", group["id"], code=66)
    command(g, "create", "--scopes", "chat", code=64)
    keys.command(g, "create", "--group", "grp_00000000", code=66)


def test_a_key_may_use_what_its_group_may_use_too(house):
    group = make(house.gateway, "--models", "m,x*")
    free, both, none = (house.client("--group", group["id"], *args)
                        for args in ((), ("--models", "m,other"), ("--models", "other")))
    for client, seen in ((free, ["m"]), (both, ["m"]), (none, [])):
        assert [m["id"] for m in client.get("/v1/models").ok().json["data"]] == seen
        assert client.chat("hi", model="m").status == (200 if seen else 404)
        assert client.chat("hi", model="other").status == 404
    assert none.get("/v1/me").ok().json["models"] == []
    me = free.get("/v1/me").ok().json
    assert (me["models"], me["group"]["id"]) == (["m", "x*"], group["id"])


def test_a_call_counts_for_the_key_s_group_in_usage_and_in_the_ledger(house):
    admin = house.client("--scopes", "admin", admin=True)
    group = make(house.gateway)
    inside, outside = house.client("--group", group["id"]), house.client()
    for client in (inside, inside, outside):
        client.chat("hi", model="m", store=client is inside).ok()
    inside.chat("hi", model="none")

    def report():
        return read(admin, "/v1/admin/usage", group=["group", "model"]).ok().json["data"]
    wait_until(lambda: sum(row["calls"] for row in report()) == 3, "the calls")
    assert [(r["group"], r["model"], r["calls"], Decimal(r["cost"])) for r in report()] == [
        (None, "m", 1, COST), (group["id"], "m", 2, 2 * COST)]
    mine = read(inside, "/v1/usage", group="group").ok().json["data"]
    assert [(r["group"], r["calls"]) for r in mine] == [(group["id"], 2)]

    def runs(**query):
        return read(admin, "/v1/admin/runs", group=group["id"], **query).ok().json["data"]
    wait_until(lambda: len(runs()) == 3, "the calls of the group")
    assert {r["group"] for r in runs()} == {group["id"]}
    assert [len(runs(stored=s)) for s in ("true", "false")] == [2, 1]
    assert {r["key"]["name"] for r in runs()} == {inside.key["name"]}
    read(inside, "/v1/runs", group=group["id"], conversation=f"conv_{32 * '0'}").error(400, "invalid_value")


def test_a_call_that_a_kill_cuts_off_counts_for_the_group(start, upstream, script):
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("begun"), up.wait(gate))
    gateway = start({"providers": [provider(upstream, "p")], "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "price": PRICE, "max_output": 50}]}, args=ADMIN)
    group = make(gateway)
    heads = [keys.bearer(keys.known(gateway, keys.make(gateway, "--group", group["id"], *args))["key"])
             for args in ((), ("--budget", "5"))]  # without a reservation, and with one
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True, "store": True}
    with Client(gateway.url, heads[0]) as one, Client(gateway.url, heads[1]) as two:
        with one.stream("/v1/chat/completions", body) as a, two.stream("/v1/chat/completions", body) as b:
            assert next(iter(a)) and next(iter(b))
            gateway.kill()
    gate.open()
    gateway.restart()
    with Client(gateway.url, heads[0]) as one, Client(gateway.url, heads[1]) as two:
        def rows(client):
            return [(r["group"], r["calls"]) for r in read(client, "/v1/usage", group="group").ok().json["data"]]
        wait_until(lambda: rows(one) and rows(two), "the sums")
        assert rows(one) == rows(two) == [(group["id"], 1)]


def test_keys_share_the_limits_of_their_group(house):
    group = make(house.gateway, "--limit", "requests=2/1h")
    a, b = (house.client("--group", group["id"], "--limit", "requests=5/1h") for _ in range(2))
    assert a.chat("hi", model="m").ok().headers["ratelimit"].count("group-requests") == 1
    b.chat("hi", model="m").ok()
    for client in (a, b):
        refused = client.chat("hi", model="m")
        assert (refused.status, refused.json["error"]["code"]) == (429, "rate_limit_exceeded")
        assert refused.json["error"]["param"] == "group"
        assert "the group of this API key" in refused.json["error"]["message"]
    alone = house.client("--limit", "requests=1/1h")
    alone.chat("hi", model="m").ok()
    assert alone.chat("hi", model="m").json["error"]["param"] == "key"


def test_keys_share_the_budget_of_their_group(house):
    admin = house.client("--scopes", "admin", admin=True)
    group = make(house.gateway, "--budget", "0.001")
    clients = [house.client("--group", group["id"], "--budget", "1") for _ in range(3)]

    def call(i):
        return clients[i % 3].chat("hi", model="m", config={"max_tokens": 100})
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(call, range(60)))
    refused = [a for a in answers if a.status == 429]
    assert {a.status for a in answers} == {200, 429}
    assert {a.json["error"]["param"] for a in refused} == {"group"}
    assert "the budget of this key's group" in refused[0].json["error"]["message"]
    spent = COST * (len(answers) - len(refused))

    def left():
        return admin.get(f"/v1/admin/groups/{group['id']}").ok().json["left"]["cost"]
    wait_until(lambda: left()["reserved"] == "0", "the ends of the calls")
    assert Decimal(left()["spent"]) == spent <= Decimal("0.001")
    listed = admin.get("/v1/admin/budgets").ok().json["data"]
    assert [(row["key"], row["group"]) for row in listed][0] == (None, group["id"]) and len(listed) == 4
    assert listed[0]["cost"] == left() and {row["group"] for row in listed[1:]} == {None}
    sums = [Decimal(c.get("/v1/usage").ok().json["budget"]["cost"]["spent"]) for c in clients]
    assert sum(sums) == spent
    admin.post(f"/v1/admin/groups/{group['id']}", {"budget": {"money": "1"}}).ok()
    call(0).ok()


def test_a_hook_that_a_group_asks_for_must_be_there(house):
    admin = house.client("--scopes", "admin", admin=True)
    group = make(house.gateway, "--hooks", "dlp")
    client = house.client("--group", group["id"])
    refused = client.chat("hi", model="m")
    assert (refused.status, refused.json["error"]["code"]) == (503, "hook_unavailable")
    assert "'dlp'" in refused.json["error"]["message"]
    admin.post(f"/v1/admin/groups/{group['id']}", {"hooks": []}).ok()
    client.chat("hi", model="m").ok()


# --- ceilings of conversations and sessions --------------------------------------------------------

CALL = Decimal("0.0003")  # what a call reserves at least: its prompt, and 100 tokens of an answer


def test_a_conversation_has_a_ceiling_that_may_be_raised(house):
    client = house.client()
    made = client.post("/v1/conversations", {"budget": {"money": "0.0003"}}).ok().json
    assert made["budget"] == {"limit": "0.0003", "spent": "0", "reserved": "0", "left": "0.0003"}
    path = f"/v1/conversations/{made['id']}"

    def ask(**config):
        return client.chat("hi", model="m", conversation=made["id"], config={"max_tokens": 100, **config})
    answers = []
    while len(answers) < 20 and (not answers or answers[-1].status == 200):
        answers.append(ask())
    told = answers[-1]
    assert (told.status, told.json["error"]["code"]) == (429, "insufficient_quota")
    assert told.json["error"]["param"] == "conversation" and "this conversation's ceiling" in told.json["error"]["message"]
    budget = client.get(path).ok().json["budget"]
    spent = (len(answers) - 1) * COST
    assert len(answers) > 1 and budget == {"limit": "0.0003", "spent": f"{spent.normalize():f}", "reserved": "0",
                                           "left": f"{(Decimal('0.0003') - spent).normalize():f}"}
    raised = client.post(path, {"budget": {"money": 1}}).ok().json
    assert (raised["budget"]["limit"], raised["budget"]["spent"]) == ("1", budget["spent"])
    ask().ok()
    ask(max_cost="0.00001").error(429, "insufficient_quota")
    ask(max_cost="5").ok()
    assert client.get(path).ok().json["budget"]["limit"] == "1", "a call can only make it smaller"
    assert "budget" not in client.post(path, {"budget": {}}).ok().json
    client.request("DELETE", path).ok()
    for bad in ({"money": "x"}, {"money": 0}, {"money": True}, {"tokens": 1}):
        answer = client.post("/v1/conversations", {"budget": bad})
        assert answer.status == 400 and answer.json["error"]["param"].startswith("budget."), bad


def test_a_call_sets_the_ceiling_of_a_new_conversation(house):
    client = house.client()
    first = client.chat("hi", model="m", store=True, config={"max_tokens": 100, "max_cost": 0.0003}).ok()
    conversation = first.json["conversation"]
    assert client.get(f"/v1/conversations/{conversation}").ok().json["budget"]["limit"] == "0.0003"
    statuses = [client.chat("hi", model="m", conversation=conversation, config={"max_tokens": 100}).status
                for _ in range(12)]
    assert statuses[-1] == 429
    fork = client.post(f"/v1/conversations/{conversation}/fork", {}).ok().json
    assert "budget" not in fork
    answer = client.post("/v1/responses", {"model": "m", "input": "hi", "max_output_tokens": 100},
                         headers={"x-parley-max-cost": "0.00001"})
    assert (answer.status, answer.json["error"]["param"]) == (429, "conversation")


CACHED = {"x-parley-cache": "use"}


def test_a_kept_answer_sets_the_ceiling_of_its_conversation(house):
    client = house.client()

    def ask(max_cost=None, **more):
        config = {"model": "m", "max_tokens": 100, **({"max_cost": max_cost} if max_cost else {})}
        return client.request("POST", "/v1/chat", {"messages": ["hi"], "config": config, **more}, headers=CACHED)
    ask().ok()
    hit = ask("0.0003").ok()
    assert hit.headers["x-parley-cache"] == "hit"
    path = f"/v1/conversations/{hit.json['conversation']}"
    assert client.get(path).ok().json["budget"] == {"limit": "0.0003", "spent": "0", "reserved": "0", "left": "0.0003"}
    statuses = [client.chat("more", model="m", conversation=hit.json["conversation"], config={"max_tokens": 100}).status
                for _ in range(12)]
    assert statuses[0] == 200 and statuses[-1] == 429


@pytest.mark.parametrize("stream", [False, True])
def test_a_kept_answer_sets_the_ceiling_of_its_session(house, stream):
    client = house.client()

    def ask(text="hi", most=None):
        body = {"model": "m", "messages": [{"role": "user", "content": text}], "max_tokens": 100, "stream": stream}
        session = {"x-parley-session": "s1", "x-parley-max-cost": most} if most else {}
        return client.request("POST", "/v1/chat/completions", body, headers={**CACHED, **session})

    ask().ok()
    for most, limit in (("0.0003", "0.0003"), ("5", "0.0003"), ("0.0001", "0.0001")):
        assert ask(most=most).ok().headers["x-parley-cache"] == "hit"
        told = wait_until(lambda: (s := read(client, "/v1/usage", session="s1").ok().json["session"])["reserved"] == "0" and s,
                          "what a call has reserved that came before the answer was kept")
        assert (told["limit"], told["spent"]) == (limit, "0")
    ask("another", "1").error(429, "insufficient_quota", "session")
    assert ask(most="1").ok().headers["x-parley-cache"] == "hit"


def test_a_ceiling_counts_what_its_conversation_has_cost_before(house):
    client = house.client()

    def ask(conversation=None, **config):
        where = {"conversation": conversation} if conversation else {"store": True}
        return client.chat("hi", model="m", config={"max_tokens": 100, **config}, **where)

    def put(conversation, budget):
        return client.post(f"/v1/conversations/{conversation}", {"budget": budget}).ok().json.get("budget")
    one, two = (ask().ok().json["conversation"] for _ in range(2))
    ask(one).ok()
    assert Decimal(put(one, {"money": 1})["spent"]) == 2 * COST
    ask(one).ok()
    assert Decimal(put(one, {"money": 2})["spent"]) == 3 * COST
    assert put(one, {}) is None
    ask(one).ok()
    assert Decimal(put(one, {"money": 1})["spent"]) == 4 * COST
    for _ in range(3):
        ask(two).ok()
    refused = ask(two, max_cost="0.0003")
    refused.error(429, "insufficient_quota", "conversation")
    assert f"and {(Decimal('0.0003') - 4 * COST).normalize():f} is left" in refused.json["error"]["message"]
    ask(two, max_cost="1").ok()
    assert Decimal(client.get(f"/v1/conversations/{two}").ok().json["budget"]["spent"]) == 5 * COST


def test_a_call_that_is_not_stored_counts_in_the_ceiling_of_its_conversation(house):
    client = house.client()
    first = client.chat("hi", model="m", store=True, config={"max_tokens": 100, "max_cost": "0.0004"}).ok()
    conversation = first.json["conversation"]
    session = {"x-parley-session": "s1", "x-parley-max-cost": "1"}

    def ask(headers):
        return client.post("/v1/chat", {"messages": ["hi"], "conversation": conversation, "store": False,
                                        "config": {"model": "m", "max_tokens": 100}}, headers=headers)

    def settled():
        budget = client.get(f"/v1/conversations/{conversation}").ok().json["budget"]
        return budget if budget["reserved"] == "0" else None
    answers = []
    while len(answers) < 20 and (not answers or answers[-1].status == 200):
        answers.append(ask(session if len(answers) % 2 else {}))
        wait_until(settled, "the end of the call")
    answers[-1].error(429, "insufficient_quota", "conversation")
    assert len(answers) > 2 and Decimal(settled()["spent"]) == len(answers) * COST
    counted = read(client, "/v1/usage", session="s1").ok().json["session"]
    assert Decimal(counted["spent"]) == (len(answers) - 1) // 2 * COST, "the session's ceiling counts beside it"


@pytest.mark.parametrize("stream", [False, True])
def test_a_session_has_a_ceiling(house, stream):
    client, other = house.client(), house.client()
    headers = {"x-parley-session": "s1", "x-parley-max-cost": "0.0003"}

    def ask(who=client, **more):
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 100}
        if not stream:
            return who.post("/v1/chat/completions", body, headers={**headers, **more})
        with who.stream("/v1/chat/completions", {**body, "stream": True}, headers={**headers, **more}) as answer:
            if answer.status == 200:
                list(answer)
            return answer

    def status(answer):
        return answer.status
    answers = []
    while 429 not in answers and len(answers) < 20:
        answers.append(status(ask()))
        wait_until(lambda: read(client, "/v1/usage", session="s1").ok().json["session"]["reserved"] == "0", "the ends")
    assert answers[0] == 200 and answers[-1] == 429
    left = read(client, "/v1/usage", session="s1").ok().json["session"]
    assert Decimal(left["spent"]) == answers.count(200) * COST <= Decimal("0.0003") == Decimal(left["limit"])
    assert read(other, "/v1/usage", session="s1").ok().json["session"] is None
    assert status(ask(other)) == 200, "the session of another owner"
    assert status(ask(**{"x-parley-session": "s2"})) == 200
    refused = client.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
                          headers={"x-parley-max-cost": "1"})
    assert (refused.status, refused.json["error"]["param"]) == (400, "x-parley-max-cost")
    refused = client.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
                          headers={**headers, "x-parley-max-cost": "-1"})
    assert (refused.status, refused.json["error"]["param"]) == (400, "x-parley-max-cost")


def test_a_ceiling_that_is_forgotten_while_a_call_waits_for_it_is_made_again(join, server, database):
    gateway = join(models=[{**race.MODEL, "name": "echo"}])
    body = {"model": "echo", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 50}
    headers = {"x-parley-session": "s1", "x-parley-max-cost": "1"}
    with Client(gateway.url) as client, server.session(database) as do, ThreadPoolExecutor(1) as pool:
        client.post("/v1/chat/completions", body, headers=headers).ok()
        wait_until(lambda: server.number("SELECT reserved_nano FROM budget", database) == 0, "the end of the call")
        do("BEGIN; SELECT 1 FROM budget FOR UPDATE")
        answer = pool.submit(client.post, "/v1/chat/completions", body, headers=headers)
        wait_until(lambda: server.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
                                         database), "the call that waits")
        do("DELETE FROM budget; COMMIT")
        answer.result().ok()
        wait_until(lambda: server.number("SELECT count(*) FROM budget WHERE spent_nano > 0 AND limit_nano = 1000000000 "
                                         "AND reserved_nano = 0", database) == 1, "the ceiling")


def test_two_gateways_that_settle_the_same_budgets_do_not_wait_for_each_other(join, server, database, script):
    """The ends of a stored and of an unstored call are in one batch at each gateway, with their keys the other way round."""
    server.sql(f"ALTER DATABASE {database} SET deadlock_timeout = '100ms'")
    pair = [join(models=[{"name": "t/*", "provider": "local", "price": PRICE, "max_output": 100}]) for _ in range(2)]
    made = [json.loads(gw.run("keys", "create", "--json", "--budget", "1", "--database", server.url(database)).stdout)
            for _ in range(3)]
    plug, *both = sorted(made, key=lambda key: key["id"])
    for g in pair:
        for key in made:
            keys.known(g, key)
    locked = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND wait_event_type = 'Lock'"

    def hold(do, *those):
        names = ", ".join(f"'{key['id']}'" for key in those)
        do(f"BEGIN; SELECT 1 FROM budget WHERE key IN ({names}) ORDER BY key FOR UPDATE")

    with server.session(database) as first, server.session(database) as second, contextlib.ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(6))

        def begin(gateway, key, store):
            gate = up.Gate()
            s = script(up.sse(), up.role(), up.text("begun"), up.wait(gate), *up.ending())
            client = stack.enter_context(Client(gateway.url, keys.bearer(key["key"])))
            body = {"messages": ["hi"], "stream": True, "store": store, "config": {"model": s.model}}
            stream = stack.enter_context(client.stream("/v1/chat", body))
            gate.wait_reached()
            return gate, pool.submit(list, stream)
        plugs = [begin(g, plug, False) for g in pair]
        calls = [begin(g, key, store) for g, order in zip(pair, (both[::-1], both))
                 for key, store in zip(order, (True, False))]
        hold(first, plug)
        for gate, _ in plugs:
            gate.open()
        wait_until(lambda: server.number(locked, database) == 2, "both gateways wait for the first one")
        hold(second, *both)
        for gate, _ in calls:
            gate.open()
        wait_until(lambda: all(metric(g, "parley_db_queue_depth") >= 2 for g in pair), "the ends gather")
        first("COMMIT")
        wait_until(lambda: server.number(f"SELECT count(*) FROM reservation WHERE key = '{plug['id']}'", database) == 0,
                   "the first settlements")
        wait_until(lambda: server.number(locked, database) == 2, "both wait for the others")
        second("COMMIT")
        for _, done in plugs + calls:
            done.result(30)
        wait_until(lambda: server.number("SELECT count(*) FROM reservation", database) == 0, "the settlements")
    for g in pair:
        g.stop()
    # A connection that ends has told what it has counted.
    wait_until(lambda: server.number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND "
                                     f"datname = '{database}'", database) == 1, "the ends of all connections")
    assert server.number(f"SELECT deadlocks FROM pg_stat_database WHERE datname = '{database}'", database) == 0


def test_the_end_of_a_dead_gateways_calls_holds_no_budget_while_it_waits_for_another(join, server, database, script):
    """Others lock them in the order of their names: here first the one of the stored call, then the other one."""
    dead, _ = (join(models=[{"name": "t/*", "provider": "local", "price": PRICE, "max_output": 100}]) for _ in range(2))
    made = sorted((json.loads(gw.run("keys", "create", "--json", "--budget", "1", "--database",
                                       server.url(database)).stdout) for _ in range(2)), key=lambda key: key["id"])
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("begun"), up.wait(gate))
    with server.session(database) as do, contextlib.ExitStack() as stack:
        for key, store in zip(made, (True, False)):
            client = stack.enter_context(Client(dead.url, keys.bearer(keys.known(dead, key)["key"])))
            body = {"messages": ["hi"], "stream": True, "store": store, "config": {"model": s.model}}
            stack.enter_context(client.stream("/v1/chat", body))
        s.wait(2)
        wait_until(lambda: server.number("SELECT count(*) FROM reservation", database) == 2, "both calls")
        first, second = (f"SELECT 1 FROM budget WHERE key = '{key['id']}' FOR UPDATE" for key in made)
        do(f"BEGIN; {first}")
        dead.process.kill()
        dead.process.wait(DEADLINE)
        dead.process = None
        gate.open()
        server.sql("UPDATE gateway SET lease_until = now() - interval '1 s' WHERE id IN (SELECT gateway FROM run)", database)
        wait_until(lambda: server.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                                         f"datname = '{database}'", database), "the other gateway waits")
        do(f"{second} NOWAIT; COMMIT")
        wait_until(lambda: server.number("SELECT count(*) FROM reservation", database) == 0, "the ends of both")


def race_of(gateways, calls, clients, database):
    done = gw.run("keys", "create", "--json", "--scopes", "admin,chat", "--database", database)
    admin_key = json.loads(done.stdout)
    for g in gateways:
        keys.known(g, admin_key)
    with keys.client_of(gateways[0], admin_key["key"], admin=True) as admin:
        return race.Race(gateways, admin, calls, clients).run()


def test_no_ceiling_is_passed_in_a_race_and_what_is_left_is_spent(start):
    gateway = start(race.CONFIG, args=ADMIN)
    found = race_of([gateway], 960, 32, gateway.database_option())
    assert found["calls"] == 960 and found["looks"] > 0, found


def test_no_ceiling_is_passed_in_a_race_of_gateways(join, server, database):
    gateways = [join(*ADMIN, **race.CONFIG) for _ in range(3)]
    found = race_of(gateways, 960, 32, server.url(database))
    assert found["calls"] == 960 and found["looks"] > 0, found
