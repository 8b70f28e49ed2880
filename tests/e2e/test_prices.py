"""What a call costs by its prompt's size, its class and its hour, by a file of prices, and by what the provider says."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

import keys
import upstream as up
from client import Client
from fixtures import provider
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
MILLIONTH = Decimal("0.000001")
TIERED = {"input": 1, "output": 2, "cached": 0.5, "tiers": [{"above": 1000, "input": 3, "output": 4}],
          "classes": {"flex": 0.5, "priority": 2}}


def used(prompt=11, answer=7, read=0, **more):
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer,
            "prompt_tokens_details": {"cached_tokens": read, **more.pop("heard", {})}, **more}


def answers(stream, usage, **top):
    """The steps of an answer with this usage."""
    if not stream:
        return [up.reply({**up.completion("fine"), "usage": usage, **top})]
    return [up.sse(), *(up.data({**piece, **top}) for piece in (
        up.chunk({"role": "assistant", "content": "fine"}), up.chunk(finish="stop"), up.usage_chunk(usage))),
        up.data("[DONE]")]


@pytest.fixture
def asking(start, upstream, script):
    """asking(price, steps…, stream=…): the run of a call that was answered so."""
    made = []

    def make(price, *steps, stream=False, dialect="openai", upstream_model=None, config=None, **options):
        s = script(*steps)
        entry = {"name": "m", "provider": "p", "upstream_model": upstream_model or s.name, "max_output": 100}
        gateway = start({"providers": [provider(upstream, "p", dialect=dialect)],
                         "models": [entry | ({"price": price} if price else {})], **options})
        client = Client(gateway.url)
        made.append(client)
        more = {"store": True, **(config or {})}
        if stream:
            with client.complete_stream("m", **more) as answer:
                list(answer)
                return client.run(answer.headers["x-run-id"])
        return client.run(client.complete("m", **more).ok().headers["x-run-id"])
    yield make
    for client in made:
        client.close()


def price_of(run):
    only, = run["attempt_list"]
    assert only["cost"] == run["cost"]
    return Decimal(run["cost"]), (only["price_source"], only["price_tier"], only["price_class"])


CASES = {  # usage, members of the answer, what was asked for, millionths, the tier, the class
    "short": (used(1000, 10), {}, {}, 1000 + 20, None, None),
    "long": (used(1001, 10, read=500), {}, {}, 501 * 3 + 250 + 40, 1000, None),
    "asked for": (used(100, 10), {}, {"service_tier": "flex"}, 60, None, "flex"),
    "told otherwise": (used(100, 10), {"service_tier": "priority"}, {"service_tier": "flex"}, 240, None, "priority"),
    "long and dear": (used(2000, 10), {"service_tier": "priority"}, {}, 2 * (6000 + 40), 1000, "priority"),
    "standard": (used(100, 10), {"service_tier": "default"}, {}, 120, None, "standard"),
    "without a factor": (used(100, 10), {"service_tier": "scale"}, {}, 120, None, "scale"),
}


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("name", CASES)
def test_tiers_and_classes(asking, name, stream):
    usage, top, config, millionths, tier, served = CASES[name]
    run = asking(TIERED, *answers(stream, usage, **top), stream=stream, config=config)
    assert price_of(run) == (millionths * MILLIONTH, ("own", tier, served))


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_audio_and_a_fee_for_each_call(asking, stream):
    usage = used(100, 10, heard={"audio_tokens": 60}, completion_tokens_details={"audio_tokens": 4})
    run = asking({"input": 1, "output": 2, "audio_in": 10, "audio_out": 20, "call": 0.001},
                 *answers(stream, usage), stream=stream)
    assert price_of(run)[0] == (40 + 600 + 12 + 80 + 1000) * MILLIONTH


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("told, cost, source", [
    ({"cost": 0.00014}, "0.00014", "reported"), ({"cost": 0}, "0", "reported"),
    ({"cost_in_usd_ticks": 37756000}, "0.0037756", "reported"), ({"cost": "none"}, "0.000025", "own"),
    ({}, "0.000025", "own")])
def test_the_provider_s_own_cost(asking, told, cost, source, stream):
    run = asking({"input": 1, "output": 2, "reported": True}, *answers(stream, used(**told)), stream=stream)
    assert price_of(run) == (Decimal(cost), (source, None, None))


def test_a_cost_that_is_told_needs_no_price(asking):
    run = asking({"reported": True}, *answers(False, used(cost=1.5e-05)), price_table=False)
    assert price_of(run) == (Decimal("0.000015"), ("reported", None, None))


def test_a_cost_that_nobody_takes(asking):
    run = asking({"input": 1, "output": 2}, *answers(False, used(cost=5)))
    assert price_of(run)[0] == 25 * MILLIONTH


def test_hours_of_all_days(asking):
    run = asking({"input": 9, "output": 9, "hours": [{"utc": "00:00-00:00", "input": 1, "output": 2}]},
                 *answers(False, used()))
    assert price_of(run)[0] == 25 * MILLIONTH


def test_claude_s_hour_and_fast_mode(asking):
    usage = {"input_tokens": 10, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 70,
             "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 40},
             "output_tokens": 5, "service_tier": "standard", "speed": "fast"}
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
              "content": [{"type": "text", "text": "fine"}], "usage": usage}
    run = asking({"input": 4, "output": 20, "cached": 0.2, "cache_write": 5, "cache_write_1h": 8,
                  "classes": {"fast": 2}}, up.reply(answer), dialect="anthropic")
    assert price_of(run) == (2 * (40 + 4 + 150 + 320 + 100) * MILLIONTH, ("own", None, "fast"))


# --- a file of prices -----------------------------------------------------------------------------


LITELLM = {"sample_spec": {"input_cost_per_token": "words"},
           "openai/from-the-file": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06,
                                    "input_cost_per_token_priority": 5e-06}}


@pytest.fixture
def listing(start, upstream, script, tmp_path):
    """listing(prices): a gateway whose model's price is in a file."""
    def make(prices, name, **more):
        path = tmp_path / "prices.json"
        path.write_text(json.dumps(prices))
        entry = {"name": "m", "provider": "p", "upstream_model": name, "max_output": 100}
        return path, start({"providers": [provider(upstream, "p")], "models": [entry], "prices": str(path),
                            **more}, args=ADMIN)
    return make


def overview(gateway):
    with Client(keys.admin_url(gateway)) as admin:
        return admin.get("/v1/admin/overview").ok().json


def target(seen):
    return next(m for m in seen["models"] if m["name"] == "m")["targets"][0]


def test_prices_from_a_file_are_taken_and_reloaded(listing, script):
    s = script(*answers(False, used(), service_tier="priority"))
    prices = {**LITELLM, f"openai/{s.name}": LITELLM["openai/from-the-file"]}
    path, gateway = listing(prices, s.name)
    os.utime(path, (1700000000, 1700000000))
    with Client(gateway.url) as client:
        run = client.run(client.chat("hi", config={"model": "m"}).ok().json["run"])
        assert price_of(run) == ((11 * 5 + 7 * 2) * MILLIONTH, ("file", None, "priority"))
    seen = overview(gateway)
    assert seen["prices"] == {**seen["prices"], "file": str(path), "form": "litellm", "models": 2}
    assert target(seen)["price_source"] == "file" and target(seen)["price"]["input"] == "1"
    assert target(seen)["price"]["classes"] == ["priority"]
    path.write_text(json.dumps({"p": {"models": {s.name: {"cost": {"input": 7, "output": 8, "tiers": [
        {"input": 9, "output": 9, "tier": {"type": "context", "size": 5000}}]}}}}}))
    os.utime(path, (1700000000, 1700000000))
    gateway.process.send_signal(signal.SIGHUP)
    wait_until(lambda: overview(gateway)["prices"]["form"] == "models.dev", "the new file")
    seen = overview(gateway)
    assert seen["prices"] == {"file": str(path), "form": "models.dev", "models": 1, "changed_at": 1700000000}
    assert (target(seen)["price"]["input"], target(seen)["price"]["tiers"]) == ("7", [5000])
    path.write_text("{")
    gateway.process.send_signal(signal.SIGHUP)
    gateway.wait_log("stays in use")
    seen = overview(gateway)
    assert target(seen)["price"]["input"] == "7" and str(path) in seen["config"]["reload"]["error"]


# --- budgets --------------------------------------------------------------------------------------


@pytest.fixture
def holder(start, upstream):
    """holder(budget, price, script…): a client whose key has this much money."""
    made = []

    def make(budget, price, s, **more):
        gateway = start({"providers": [provider(upstream, "p", retries=0)],
                         "models": [{"name": "m", "provider": "p", "upstream_model": s.name, "max_output": 10,
                                     "price": price}], **more}, args=ADMIN)
        key = keys.known(gateway, keys.make(gateway, "--budget", budget))
        client = Client(gateway.url, keys.bearer(key["key"]))
        client.gateway = gateway
        made.append(client)
        return client
    yield make
    for client in made:
        client.http.close()


def spent(client):
    def cost():
        return client.get("/v1/usage").ok().json["budget"]["cost"]
    wait_until(lambda: cost()["reserved"] == "0", "the end of all reservations")
    return Decimal(cost()["spent"])


BOUNDS = {  # the price, what is asked for, whether a thousandth pays for it at a thousandth for ten tokens
    "base": ({}, {}, True),
    "the class asked for": ({"classes": {"priority": 2}}, {"service_tier": "priority"}, False),
    "any class, where none is asked for": ({"classes": {"priority": 2}}, {}, False),
    "the standard": ({"classes": {"priority": 2}}, {"service_tier": "default"}, True),
    "flex may become standard": ({"classes": {"flex": 0.1}}, {"service_tier": "flex"}, True),
    "a batch was not asked for": ({"classes": {"batch": 3}}, {}, True),
    "a tier that is out of reach": ({"tiers": [{"above": 5000, "output": 1000}]}, {}, True),
    "a tier within reach": ({"tiers": [{"above": 1, "output": 1000}]}, {}, False),
    "the dearest hour": ({"hours": [{"utc": "00:00-00:01", "output": 1000}]}, {}, False),
    "a fee": ({"call": 0.001}, {}, False),
    "pictures": ({"image": 0.001}, {}, False),
    "audio": ({"audio_out": 1000}, {}, False),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_what_may_happen_is_reserved(holder, script, name):
    price, config, fits = BOUNDS[name]
    # ten tokens of an answer cost 0.001; the prompt is free
    client = holder("0.001", {"input": 0, "output": 100, **price}, script(*answers(False, used(1, 1))))
    reply = client.complete("m", **config)
    assert (reply.status == 200) == fits, reply.json
    if not fits:
        assert reply.status == 429 and reply.json["error"]["code"] == "insufficient_quota"


def test_no_ceiling_is_passed(holder, script):
    """Calls that all turn out as dear as they may: together they never cost more than the budget."""
    price = {"input": 0, "output": 10, "classes": {"priority": 3}, "tiers": [{"above": 20, "output": 20}],
             "call": 0.0001}
    s = script(*answers(False, used(21, 10), service_tier="priority"))
    client = holder("0.005", price, s)

    def ask(_):
        return client.complete("m").status
    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(ask, range(24)))
    each = 3 * (10 * 20 * MILLIONTH + Decimal("0.0001"))
    assert set(seen) == {200, 429}
    assert spent(client) == seen.count(200) * each <= Decimal("0.005")
