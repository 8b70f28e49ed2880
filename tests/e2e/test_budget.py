"""Budgets of keys: reserved before a call, settled after it, whatever becomes of either; and usage."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import httpx
import pytest

import keys
import upstream as up
from client import NO_TLS, Client
from fixtures import DEAD, provider
from upstream import in_turn
from waiting import DEADLINE, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
PRICE = {"input": 1, "output": 2, "cached": 0.5}  # a token costs 0.000001
MILLIONTH = Decimal("0.000001")
TOLD = up.USAGE
COST = (TOLD["prompt_tokens"] + 2 * TOLD["completion_tokens"]) * MILLIONTH


@pytest.fixture
def gateway(start, upstream):
    def make(*models, completions=False, **more):
        entries = [provider(upstream, "p", retries=1, completions=completions),
                   {"name": "dead", "dialect": "openai", "retries": 0,
                    "base_url": f"http://127.0.0.1:{DEAD.getsockname()[1]}/v1"}]
        return start({"providers": entries, "models": list(models), **more}, args=ADMIN)
    return make


def model(script, name="m", **more):
    return {"name": name, "provider": "p", "upstream_model": script.name, "price": dict(PRICE),
            "max_output": 100, **more}


@pytest.fixture
def holder(gateway):
    """holder(model…, budget=…): a client whose key has a budget, on a gateway of its own."""
    made = []

    def make(*models, budget=("--budget", "1"), **more):
        g = gateway(*models, **more)
        key = keys.known(g, keys.make(g, *budget))
        client = Client(g.url, keys.bearer(key["key"]))
        client.gateway, client.key = g, key
        made.append(client)
        return client
    yield make
    for client in made:
        client.http.close()


def report(client, query=""):
    return client.get("/v1/usage" + query).ok().json


def cost(client):
    return report(client)["budget"]["cost"]


def settled(client):
    """What is spent, once nothing is reserved any more."""
    wait_until(lambda: cost(client)["reserved"] == "0", "the end of all reservations")
    return Decimal(cost(client)["spent"])


def ask(client, name="m", **more):
    return client.chat("hi", config={"model": name, **more.pop("config", {})}, **more)


def rows(client, table):
    return int(client.gateway.rows(f"SELECT count(*) FROM {table}")[0][0])


# --- what is charged ------------------------------------------------------------------------------


@pytest.mark.parametrize("store", [True, False], ids=["stored", "unstored"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_a_call_costs_what_its_tokens_do(holder, script, stream, store):
    s = script(*up.stream("fine")) if stream else script(up.reply(up.completion("fine")))
    client = holder(model(s))
    fields = {"store": store}
    if stream:
        with client.chat_stream("hi", config={"model": "m"}, **fields) as answer:
            answer.native()
    else:
        ask(client, **fields).ok()
    assert settled(client) == COST
    assert rows(client, "reservation") == 0
    line = json.loads(client.gateway.wait_log(r'.*"path":"/v1/chat".*').group(0))
    assert Decimal(line["cost"]) == COST
    wait_until(lambda: report(client)["data"], "the day's sums")
    day, = report(client)["data"]
    assert (day["calls"], day["calls_estimated"], day["calls_unpriced"]) == (1, 0, 0)
    assert Decimal(day["cost"]) == COST and day["input_tokens"] == TOLD["prompt_tokens"]
    with Client(keys.admin_url(client.gateway)) as admin:
        figures = admin.get("/metrics").body.decode()
    assert f'parley_cost_total{{model="m"}} {COST}' in figures


def test_a_run_tells_its_cost(holder, script):
    client = holder(model(script(up.reply(up.completion("fine")))))
    run = client.run(ask(client).ok().json["run"])
    assert Decimal(run["cost"]) == COST and run["usage_source"] == "provider"


def test_cached_tokens_cost_less(holder, script):
    usage = {**TOLD, "prompt_tokens": 1000, "completion_tokens": 0, "total_tokens": 1000,
             "prompt_tokens_details": {"cached_tokens": 800}}
    client = holder(model(script(up.reply({**up.completion("fine"), "usage": usage}))))
    ask(client).ok()
    assert settled(client) == (200 + 400) * MILLIONTH


def test_what_nobody_counted_is_estimated(holder, script):
    answer = up.completion("x" * 400)
    del answer["usage"]
    client = holder(model(script(up.reply(answer))))
    run = client.run(ask(client).ok().json["run"])
    assert run["usage_source"] == "estimated"
    assert 100 <= run["usage"]["completion_tokens"] <= 120
    assert settled(client) == Decimal(run["cost"]) > 200 * MILLIONTH
    with Client(keys.admin_url(client.gateway)) as admin:
        assert 'parley_tokens_estimated_total{model="m",type="output"}' in \
            admin.get("/metrics").body.decode()


@pytest.mark.parametrize("failure", ["4xx", "connect"])
def test_what_cost_nothing_is_given_back(holder, script, failure):
    refused = up.reply({"error": {"message": "no", "type": "invalid_request_error"}}, 400)
    client = holder(model(script(refused)), {**model(script(), "dead"), "provider": "dead"})
    reply = ask(client, "m" if failure == "4xx" else "dead")
    assert reply.status in (400, 502)
    assert settled(client) == 0 and rows(client, "reservation") == 0


def test_an_answer_that_broke_off_costs_its_text(holder, script):
    client = holder(model(script(up.sse(), up.role(), up.text("y" * 400))))
    with client.chat_stream("hi", config={"model": "m"}) as answer:
        list(answer)
    spent = settled(client)
    assert 200 * MILLIONTH < spent < 300 * MILLIONTH


def test_a_client_that_leaves_pays_for_what_came(holder, script, upstream):
    gate = up.Gate()
    client = holder(model(script(up.sse(), up.role(), up.text("y" * 400), up.wait(gate))))
    with client.http.stream("POST", "/v1/chat", json={"messages": ["hi"], "stream": True,
                                                      "config": {"model": "m"},
                                                      "store": False}) as answer:
        gate.wait_reached()
        pieces = answer.iter_raw()  # kept: an iterator that is dropped closes the connection
        next(pieces)
        assert Decimal(cost(client)["reserved"]) > 200 * MILLIONTH
    assert 0 < settled(client) < 300 * MILLIONTH
    gate.open()


def test_attempts_that_were_dropped_are_charged(holder, script):
    broken = [up.sse(), up.data(up.usage_chunk()), up.data({"error": {"message": "overloaded"}}),
              up.end()]
    client = holder(model(script(in_turn(broken, up.stream("fine")))))
    with client.chat_stream("hi", config={"model": "m"}) as answer:
        answer.native()
    assert settled(client) == 2 * COST


def test_a_replayed_answer_costs_nothing(holder, script):
    client = holder(model(script(up.reply(up.completion("fine")))))
    body = {"messages": ["hi"], "config": {"model": "m"}}
    for _ in range(3):
        client.request("POST", "/v1/chat", body, headers={"Idempotency-Key": "a"}).ok()
    assert settled(client) == COST


def test_embeddings_have_no_max_output(holder, script):
    s = script(up.embeddings([0.5]))
    client = holder({"name": "e", "provider": "p", "upstream_model": s.name, "price": PRICE})
    client.post("/v1/embeddings", {"model": "e", "input": "hello"}).ok()
    assert settled(client) == 11 * MILLIONTH


# --- what is refused ------------------------------------------------------------------------------


def test_no_room_is_refused_before_anything_happens(holder, script):
    s = script(up.reply(up.completion("fine")))
    client = holder(model(s), budget=("--budget", "0.0001/1h"))
    for path, body in [("/v1/chat", {"messages": ["hi"], "config": {"model": "m"}}),
                       ("/v1/chat", {"messages": ["hi"], "config": {"model": "m"}, "store": False}),
                       ("/v1/chat/completions", {"model": "m", "stream": True,
                                                 "messages": [{"role": "user", "content": "hi"}]})]:
        reply = client.post(path, body)
        error = reply.error(429, "insufficient_quota", type="insufficient_quota")
        assert reply.headers["x-should-retry"] == "false"
        assert "0.0001 is left of this key's budget of 0.0001" in error["message"]
    assert not s.exchanges and rows(client, "conversation") == rows(client, "run") == 0
    assert cost(client) == {"limit": "0.0001", "spent": "0", "reserved": "0", "left": "0.0001"}


def test_a_used_up_budget_tells_when_it_is_renewed(holder, script):
    client = holder(model(script(up.reply(up.completion("fine")))), budget=("--budget", "0.00015/1h"))
    config = {"max_tokens": 20}
    ask(client, config=config).ok()
    settled(client)
    for _ in range(9):
        reply = ask(client, config=config)
        if reply.status == 429:
            break
    reply.error(429, "insufficient_quota")
    assert 3500 < int(reply.headers["retry-after"]) <= 3600
    assert "renewed in" in reply.json["error"]["message"]
    assert settled(client) <= Decimal("0.00015")
    assert report(client)["budget"]["renewed_at"] > 0


def test_a_key_with_a_refused_call_may_be_used_again(holder, script):
    s = script(up.reply(up.completion("fine")))
    client = holder(model(s), budget=("--budget", "0.0002"))
    head = {"Idempotency-Key": "k"}
    body = {"messages": ["hi"], "config": {"model": "m", "max_tokens": 5000}}
    client.request("POST", "/v1/chat", body, headers=head).error(429, "insufficient_quota")
    body["config"]["max_tokens"] = 10
    client.request("POST", "/v1/chat", body, headers=head).ok()


def test_what_the_answer_may_have_is_sent(holder, script):
    s = script(up.reply(up.completion("fine")))
    client = holder(model(s))
    ask(client).ok()
    ask(client, config={"max_tokens": 7}).ok()
    client.complete("m", max_completion_tokens=9).ok()
    sent = [e.request.json for e in s.exchanges]
    assert [x.get("max_tokens", x.get("max_completion_tokens")) for x in sent] == [100, 7, 9]


def test_keys_without_a_budget_are_left_alone(gateway, script):
    s = script(up.reply(up.completion("fine")))
    g = gateway(model(s))
    with Client(g.url) as client:
        ask(client).ok()
        assert "max_tokens" not in s.exchanges[0].request.json
        assert report(client)["budget"] is None


def test_a_model_without_a_price_is_refused(holder, script):
    s = script(up.reply(up.completion("fine")))
    free = {**model(s, "free")}
    del free["price"]
    endless = {**model(s, "endless")}
    del endless["max_output"]
    client = holder(free, endless, {**model(s, "far"), "fallback": ["free"]})
    assert "price" in ask(client, "free").error(403, "budget_not_enforceable")["message"]
    assert "'free'" in ask(client, "far").error(403, "budget_not_enforceable")["message"]
    assert not s.exchanges
    ask(client, "endless", config={"max_tokens": 5}).ok()
    for bad in (0, -1, 1.5, 10 ** 12):
        client.complete("endless", max_tokens=bad).error(400)


def test_tokens_need_no_price(holder, script):
    free = model(script(up.reply(up.completion("fine"))), "free")
    del free["price"]
    client = holder(free, budget=("--budget-tokens", "600"))
    ask(client, "free").ok()
    wait_until(lambda: report(client)["budget"]["tokens"]["reserved"] == 0, "its end")
    budget = report(client)["budget"]
    assert budget["cost"] is None
    assert budget["tokens"]["spent"] == TOLD["prompt_tokens"] + TOLD["completion_tokens"]
    ask(client, "free", config={"max_tokens": 600}).error(429, "insufficient_quota")
    wait_until(lambda: report(client)["data"], "the day's sums")
    assert report(client)["data"][0]["calls_unpriced"] == 1


def test_several_answers_are_several_times_as_dear(holder, script):
    client = holder(model(script(up.reply(up.completion("fine")))), budget=("--budget", "0.001"))
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 100}
    client.post("/v1/chat/completions", {**body, "n": 3}).ok()
    client.post("/v1/chat/completions", {**body, "n": 6}).error(429, "insufficient_quota")
    escaped = json.dumps({**body, "n": 6}).replace('"n"', r'"\u006e"')
    client.post("/v1/chat/completions", escaped.encode()).error(429, "insufficient_quota")
    client.post("/v1/chat/completions", {**body, "n": 1000}).error(400, param="n")


def test_each_prompt_and_each_candidate_is_as_dear(holder, script):
    s = script(up.reply({"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "x",
                         "choices": [{"text": "x", "index": 0, "logprobs": None,
                                      "finish_reason": "stop"}]}))
    client = holder(model(s, name="m"), budget=("--budget", "0.001"), completions=True)
    body = {"model": "m", "prompt": ["a", "b"], "max_tokens": 100}
    client.post("/v1/completions", {**body, "best_of": 3}).error(429, "insufficient_quota")
    client.post("/v1/completions", {**body, "best_of": 2}).ok()


@pytest.fixture
def held(holder, script):
    """held(model…, body): what is reserved while a call goes on."""
    def make(body, *others, **more):
        gate = up.Gate()
        s = script(up.sse(), up.role(), up.text("y"), up.wait(gate), *up.ending())
        client = holder(model(s, **more), *others)
        with client.http.stream("POST", "/v1/chat/completions",
                                json={"model": "m", "stream": True, **body}) as answer:
            gate.wait_reached()
            pieces = answer.iter_raw()
            next(pieces)
            reserved = Decimal(cost(client)["reserved"])
            gate.open()
            for _ in pieces:
                pass
        settled(client)
        return reserved / MILLIONTH
    return make


HELLO = {"role": "user", "content": "hi"}


def test_a_byte_is_a_token_at_most(held):
    text = {"role": "user", "content": "a" * 5000}
    assert 200 + 5000 < held({"messages": [text]}) < 200 + 5200


def test_the_dearest_of_all_that_may_be_asked_is_reserved(held, script):
    other = model(script(), "dear", price={"input": 1, "output": 50})
    assert held({"messages": [HELLO]}, other, fallback=["dear"]) > 5000


def test_images_count_by_a_table(held):
    url = "data:image/png;base64," + "A" * 400_000
    image = {"role": "user", "content": [{"type": "text", "text": "what?"},
                                         {"type": "image_url", "image_url": {"url": url}}]}
    assert 10_000 < held({"messages": [image]}) < 11_000


# --- many, and the end of the process -------------------------------------------------------------


def crowd(client, number, codes, *models):
    """Calls from as many threads, all at once, of the models in turn."""
    barrier = threading.Barrier(number)

    def one(n):
        barrier.wait()
        try:
            with httpx.Client(base_url=client.gateway.url, timeout=DEADLINE * 4, verify=NO_TLS,
                              trust_env=False, headers=keys.bearer(client.key["key"])) as http:
                codes.append(http.post("/v1/chat", json={
                    "messages": ["hello there"], "store": n % 4 < 2,
                    "config": {"model": models[n % len(models)], "max_tokens": 50}}).status_code)
        except httpx.HTTPError:
            codes.append(0)
    with ThreadPoolExecutor(number) as pool:
        list(pool.map(one, range(number)))


ECHO = {"name": "echo", "provider": "echo", "price": PRICE, "max_output": 100}
ONE_CALL = 300 * MILLIONTH  # what one may cost is less; as many go on at once as fit


def test_two_hundred_at_once_never_pass_the_limit(holder):
    client = holder(ECHO, budget=("--budget", "0.0005"))
    codes, last = [], None
    while last != {429}:  # until nothing is left that would do for one
        number = 20 if codes else 200
        crowd(client, number, codes, "echo")
        last = set(codes[-number:])
        assert last <= {200, 429}
        assert settled(client) <= Decimal("0.0005")
    assert 200 in codes and 429 in codes[:200]
    assert rows(client, "reservation") == 0
    assert Decimal(cost(client)["spent"]) > Decimal("0.0005") - ONE_CALL
    wait_until(lambda: sum(d["calls"] for d in report(client)["data"]) == codes.count(200),
               "the day's sums")
    assert Decimal(report(client)["data"][0]["cost"]) == Decimal(cost(client)["spent"])


def test_a_kill_in_the_middle_leaves_no_reservation(holder):
    providers = [{"name": name, "dialect": "echo", "delay": delay}
                 for name, delay in (("echo", "20ms"), ("endless", "1h"))]
    client = holder(ECHO, {**ECHO, "name": "endless", "provider": "endless", "price": dict(PRICE)},
                    budget=("--budget", "0.05"), providers=providers)
    for _ in range(2):
        codes = []
        thread = threading.Thread(target=crowd, args=(client, 100, codes, "echo", "endless"))
        thread.start()
        wait_until(lambda: rows(client, "reservation") > 5, "some calls that go on")
        client.gateway.kill()
        thread.join()
        client.gateway.start()
        client.http.base_url = client.gateway.url
        now = cost(client)
        assert now["reserved"] == "0" and rows(client, "reservation") == 0
        assert 0 < Decimal(now["spent"]) <= Decimal("0.05")
    wait_until(lambda: report(client)["data"][0]["calls_estimated"] > 5, "the day's sums")


# --- reports --------------------------------------------------------------------------------------


def test_usage_is_each_key_s_own_and_the_admin_s_all(gateway, script):
    g = gateway(model(script(up.reply(up.completion("fine")))))
    root = keys.make(g, "--scopes", "admin,read")
    made = [keys.known(g, keys.make(g)) for _ in range(2)]
    for i, key in enumerate(made):
        with keys.client_of(g, key["key"]) as client:
            for _ in range(i + 1):
                ask(client).ok()
            wait_until(lambda: report(client)["data"], "the day's sums")
            wait_until(lambda: report(client)["data"][0]["calls"] == i + 1, "all of them")
            assert report(client, "?group=model")["data"][0]["model"] == "m"
            assert report(client, "?group=key")["data"][0]["key"] == key["id"]
            client.get("/v1/admin/usage").error(403, "insufficient_scope")
    with keys.client_of(g, root["key"], admin=True) as admin:
        data = admin.get("/v1/admin/usage").ok().json["data"]
        assert {d["key"]: d["calls"] for d in data} == {made[0]["id"]: 1, made[1]["id"]: 2}
        one = admin.get(f"/v1/admin/usage?group=day&group=model&key={made[1]['id']}").ok().json
        assert [d["calls"] for d in one["data"]] == [2] and one["data"][0]["model"] == "m"
        page = admin.get("/v1/admin/usage?limit=1").ok().json
        assert page["has_more"] and page["data"][0]["key"] == min(m["id"] for m in made)
        page = admin.get(f"/v1/admin/usage?limit=1&after={page['next']}").ok().json
        assert not page["has_more"] and page["next"] is None and len(page["data"]) == 1
        old = admin.get("/v1/admin/usage?from=2000-02-29&to=2000-03-01").ok().json
        assert old["data"] == [] and (old["from"], old["to"]) == ("2000-02-29", "2000-03-01")
    with keys.client_of(g, made[0]["key"], admin=True) as other:
        other.get("/v1/admin/usage").error(403, "insufficient_scope")


def test_budgets_near_their_end_stand_first(holder, script):
    client = holder(model(script(up.reply(up.completion("fine")))))
    g = client.gateway
    made = {}
    for name, *limits in (("far", "--budget", "100"), ("tokens", "--budget-tokens", "100000000"),
                          ("near", "--budget", "0.01"), ("unused", "--budget", "5"), ("none",)):
        key = keys.known(g, keys.make(g, "--name", name, *limits))
        made[name] = key["id"]
        if name != "unused":
            with keys.client_of(g, key["key"]) as other:
                ask(other).ok()
    ask(client).ok()
    settled(client)
    root = keys.known(g, keys.make(g, "--scopes", "admin"))
    with keys.client_of(g, root["key"], admin=True) as admin:
        def listed(query=""):
            return admin.get("/v1/admin/budgets" + query).ok().json
        wait_until(lambda: all(row["cost"]["reserved"] == "0" for row in listed()["data"] if row["cost"]), "the ends")
        found = listed()["data"]
        order = [row["key"] for row in found]
        assert not {made["unused"], made["none"], root["id"]} & set(order)
        assert set(order) == {made["near"], made["tokens"], made["far"], client.key["id"]}
        near = found[0]
        assert near["key"] == made["near"] and near["name"] == "near" and near["group"] is None
        assert near["tokens"] is None and near["renewed_at"] is None
        assert Decimal(near["cost"]["spent"]) == COST and Decimal(near["cost"]["left"]) == Decimal("0.01") - COST
        assert found[1]["key"] == client.key["id"], "a whole unit of money, of which as much is spent"
        first = listed("?limit=1")
        assert [row["key"] for row in first["data"]] == [made["near"]] and first["has_more"]
        admin.get("/v1/admin/budgets?limit=101").error(400, "invalid_value", param="limit")
    client.get("/v1/admin/budgets").error(403, "insufficient_scope")


def test_reports_name_the_currency(start):
    with Client(start({"currency": "EUR"}).url) as client:
        assert client.get("/v1/me").ok().json["currency"] == "EUR"
    assert "no code of a currency" in start({"currency": "eur"}, ready=False).fails_to_start()[1]


@pytest.mark.parametrize("query, param", [
    ("from=2001-02-29", "from"), ("from=2001-13-01", "from"), ("to=yesterday", "to"),
    ("from=2026-11-21&to=2026-11-20", "from"), ("group=owner", "group"), ("limit=0", "limit"),
    ("limit=1001", "limit"), ("after=-1", "after"), ("after=99999999", "after"),
    ("from=0000-01-01", "from"),
])
def test_a_bad_question_is_refused(client, query, param):
    client.get("/v1/usage?" + query).error(400, "invalid_value", param=param)


# --- the configuration ----------------------------------------------------------------------------


@pytest.mark.parametrize("price, says", [
    ({"input": "cheap", "output": 1}, "must be a price"), ({"input": -1, "output": 1}, "must be a price"),
    ({"input": 1}, "needs input and output"), ({"input": 1, "output": 1, "cache": 1}, "did you mean"),
    ({"input": "1e3", "output": 1}, "must be a price"), (3, "has to be a map"),
])
def test_a_price_that_is_none_is_refused(start, price, says):
    gateway = start({"models": [{"name": "m", "provider": "echo", "price": price}]}, ready=False)
    assert says in gateway.fails_to_start()[1]


def test_common_models_have_a_price_that_can_be_switched_off(holder):
    shipped = {"name": "gpt-4o-mini", "provider": "echo", "max_output": 5}
    client = holder(shipped)
    ask(client, "gpt-4o-mini").ok()
    assert settled(client) > 0
    other = holder(shipped, price_table=False)
    ask(other, "gpt-4o-mini").error(403, "budget_not_enforceable")
