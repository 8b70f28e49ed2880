"""GET /v1/admin/overview: the configuration in force and where it is from, health, figures, no secret."""

import json
import signal
from contextlib import contextmanager
from decimal import Decimal

import pytest

import keys
import upstream as up
from client import Client
from fixtures import UPSTREAM_KEY, provider
from gateway import CANARY, ENGINE
from upstream import in_turn
from waiting import DEADLINE, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]


@contextmanager
def asking(gateway, key=None):
    """overview(): what the gateway tells now."""
    with Client(keys.admin_url(gateway), key and keys.bearer(key)) as admin:
        yield lambda: admin.get("/v1/admin/overview").ok().json


def target(overview, model, i=0):
    return next(m for m in overview["models"] if m["name"] == model)["targets"][i]


def option(overview, name):
    return next(o for o in overview["config"]["options"] if o["name"] == name)


@pytest.fixture
def busy(start, upstream, script):
    """busy(steps, …): a gateway whose model m is that script."""
    def make(*steps, health=None, env=None, **more):
        name = script(*steps).name
        more_health = {"health": {"failures": 0, "cooling": "0s", "dead_key": "0s", **(health or {})}}
        return start({"providers": [provider(upstream, "p", api_key_env="TEST_UPSTREAM_KEY",
                                             headers={"x-team": "red"}) | more_health],
                      "models": [{"name": "m", "provider": "p", "upstream_model": name,
                                  "max_output": 77, "fallback": ["echo"],
                                  "price": {"input": 1, "output": 2}},
                                 {"name": "gpt-4o", "provider": "p"},
                                 {"name": "s/*", "targets": [{"provider": "p", "weight": 3},
                                                             {"provider": "echo"}]},
                                 {"name": "echo", "provider": "echo"}], **more},
                     args=ADMIN, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY, **(env or {})})
    return make


def test_options_have_their_value_and_origin(busy):
    gateway = busy(up.either(), max_calls=123, keep_alive="7s", cors_origins=["https://a.example"],
                   env={"PARLEY_MAX_WAITING": "9"})
    with asking(gateway) as overview:
        seen = overview()
    file = str(gateway.config_file)
    assert seen["config"]["file"] == file and seen["config"]["reload"] is None
    lines = gateway.config_file.read_text().splitlines()

    def line(name):
        return f"{file}:{next(i for i, t in enumerate(lines, 1) if t.startswith(name))}"
    for name, value, source, place, on_reload in [
            ("max_calls", 123, "file", line("max_calls"), "applied"),
            ("keep_alive", "7s", "file", line("keep_alive"), "applied"),
            ("cors_origins", ["https://a.example"], "file", line("cors_origins"), "applied"),
            ("max_waiting", 9, "environment", "PARLEY_MAX_WAITING", "applied"),
            ("admin_listen", "127.0.0.1:0", "flag", "--admin-listen", "restart"),
            ("durability", "relaxed", "default", None, "restart"),
            ("max_body", "20MiB", "default", None, "restart"),
            ("price_table", True, "default", None, "applied")]:
        assert option(seen, name) == {"name": name, "value": value, "source": source,
                                      "place": place, "on_reload": on_reload, "pending": None}
    main, admin = seen["listeners"]
    assert (main["address"], main["admin"], main["tls"]) == ("127.0.0.1:0", False, False)
    assert f"http://{main['bound']}" == gateway.url
    assert admin["admin"] and f"http://{admin['bound']}" == keys.admin_url(gateway)
    assert seen["open"] and seen["started_at"] <= seen["now"] <= seen["started_at"] + 10 * DEADLINE


def test_what_a_reload_took_over_and_what_waits(busy):
    gateway = busy(up.either(), max_calls=10, readers=2)
    with asking(gateway) as overview:
        text = gateway.config_file.read_text()
        gateway.write_config(text.replace("max_calls: 10", "max_calls: 11")
                             .replace("readers: 2", "readers: 3"))
        gateway.process.send_signal(signal.SIGHUP)
        gateway.wait_log("was read again")
        wait_until(lambda: option(overview(), "max_calls")["value"] == 11, "the reload")
        seen = overview()
        assert seen["config"]["reload"] == {"at": seen["config"]["reload"]["at"], "ok": True,
                                            "error": None}
        readers = option(seen, "readers")
        assert readers["value"] == 2 and readers["pending"]["value"] == 3
        assert readers["pending"]["source"] == "file" == readers["source"]
        assert option(seen, "max_calls")["pending"] is None
        gateway.write_config(text.replace("max_calls: 10", "max_calls: none"))
        gateway.process.send_signal(signal.SIGHUP)
        gateway.wait_log("stays in use")
        seen = overview()
        assert not seen["config"]["reload"]["ok"] and "max_calls" in seen["config"]["reload"]["error"]
        assert option(seen, "max_calls")["value"] == 11
        gateway.write_config(text + f"x{'é' * 40}: 1\n")  # its name is cut, not in the middle of JSON
        gateway.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "unknown key" in overview()["config"]["reload"]["error"], "the reload")


def test_models_targets_and_prices(busy):
    gateway = busy(up.either())
    with asking(gateway) as overview:
        seen = overview()
        p = next(p for p in seen["providers"] if p["name"] == "p")
        assert p == {**p, "dialect": "openai", "key": "set", "headers": ["x-team"],
                     "health": "fine"} and p["base_url"].startswith("http://127.0.0.1:")
        assert p["place"].startswith(str(gateway.config_file))
        echo = next(p for p in seen["providers"] if p["name"] == "echo")
        assert (echo["base_url"], echo["key"], echo["place"]) == (None, "not set", None)
        m = next(m for m in seen["models"] if m["name"] == "m")
        assert (m["fallback"], m["max_output"]) == (["echo"], 77)
        own, table, star = target(seen, "m"), target(seen, "gpt-4o"), target(seen, "s/*")
        assert own["price_source"] == "own" and own["price"]["output"] == "2"
        assert (own["context"], own["max_output"]) == (None, 77)
        assert (table["context"], table["max_output"]) == (128000, 16384)
        assert (star["context"], star["max_output"]) == (None, None)
        assert table["price_source"] == "table" and Decimal(table["price"]["input"]) > 0
        assert (star["price_source"], star["price"], star["upstream_model"]) == ("asked", None, None)
        assert (star["weight"], target(seen, "s/*", 1)["weight"]) == (3, 1)
        assert target(seen, "echo")["price_source"] == "none"
        assert seen["secrets"] == {"api_keys": "not set", "PARLEY_OTLP_HEADERS": "not set",
                                   "PARLEY_ALERT_TOKEN": "not set"}


def test_calls_times_and_the_last_error_without_secrets(busy):
    gateway = busy(in_turn(up.either(), up.reply(
        {"error": {"message": f"no {UPSTREAM_KEY} here"}}, 400)))
    with asking(gateway) as overview, Client(gateway.url) as client:
        assert target(overview(), "m") == {**target(overview(), "m"), "calls": 0, "failed": 0,
                                           "first_token_ms": None, "last_error": None}
        client.chat("hi", model="m").ok()
        good = target(overview(), "m")
        assert (good["calls"], good["failed"]) == (1, 0)
        assert 0 <= good["first_token_ms"] < DEADLINE * 1000 and good["last_error"] is None
        client.chat("hi", model="m").error(400)
        seen = overview()
        bad = target(seen, "m")
        assert (bad["calls"], bad["failed"]) == (2, 1)
        assert bad["last_error"]["http_status"] == 400 and "here" in bad["last_error"]["message"]
        assert seen["started_at"] <= bad["last_error"]["at"] <= seen["now"]
        assert CANARY not in json.dumps(seen)
        # A reload keeps them.
        gateway.process.send_signal(signal.SIGHUP)
        gateway.wait_log("was read again")
        wait_until(lambda: overview()["config"]["reload"], "the reload")
        assert target(overview(), "m")["calls"] == 2


@pytest.mark.parametrize("answer, rules, state", [
    (up.reply({"error": {"message": "no"}}, 500), {"failures": 1, "pause": "60s"}, "open"),
    (up.reply({"error": {"message": "no"}}, 429), {"cooling": "60s"}, "cooling"),
    (up.reply({"error": {"message": "no", "code": "invalid_api_key"}}, 401), {"dead_key": "60s"},
     "dead_key")], ids=["open", "cooling", "dead key"])
def test_the_health_of_a_target(busy, answer, rules, state):
    gateway = busy(answer, health=rules)
    with asking(gateway) as overview, Client(gateway.url) as client:
        assert target(overview(), "m")["health"] == "fine" and not target(overview(), "m")["until"]
        client.chat("hi", model="m").ok()  # the fallback answers
        seen = overview()
        sick = target(seen, "m")
        assert sick["health"] == state and seen["now"] < sick["until"] <= seen["now"] + 61
        assert next(p for p in seen["providers"] if p["name"] == "p")["health"] == state
        assert sick["failures"] == (state == "open")
        assert target(seen, "echo")["health"] == "fine"
        # Another model of the same provider shares its key, not its breaker.
        assert target(seen, "gpt-4o")["health"] == (state if state == "dead_key" else "fine")


def test_places_connections_and_sizes(busy):
    gate = up.Gate()
    gateway = busy([up.sse(), up.role(), up.text("so far "), up.wait(gate), *up.ending()],
                   max_calls=5, max_waiting=4, max_connections=50)
    with asking(gateway) as overview, Client(gateway.url) as client:
        with client.chat_stream("hi", model="m") as stream:
            stream.until_text("so far ")
            seen = overview()
            assert seen["calls"] == {"active": 1, "max_calls": 5, "waiting": 0, "max_waiting": 4}
            at = seen["connections"]
            assert at["limit"] == 50 and at["streams"] == 1 and at["open"] >= 2
            assert at["requests"] >= 1
            gate.open()
            stream.native()
        store = overview()["store"]
        assert store["engine"] == ENGINE and store["writable"] and store["problem"] is None
        assert (store["log_bytes"] > 0) == (ENGINE == "sqlite")
        wait_until(lambda: overview()["store"]["database_bytes"] >= 4096, "a page at least")
        wait_until(lambda: overview()["store"]["search"]["messages"] == 2, "the index")
        wait_until(lambda: overview()["store"]["search"]["bytes"] > 0, "its size")


def test_only_an_administrator_is_told(start):
    gateway = start(args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    other = keys.make(gateway, "--scopes", "chat,read,files")
    with asking(gateway, root["key"]) as overview:
        assert not overview()["open"]
    with keys.client_of(gateway, other["key"], admin=True) as client:
        wait_until(lambda: client.get("/v1/models").status == 200, "the second key")
        client.get("/v1/admin/overview").error(403, "insufficient_scope")
