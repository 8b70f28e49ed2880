"""The ledger of calls: what is not stored is listed, too, and so is what was refused."""

import contextlib
import json
import sqlite3
import time


import pytest

import gateway as gw
import keys
import upstream as up
from client import Client
from fixtures import provider
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
CONFIG = {"providers": [{"name": "echo", "dialect": "echo"}],
          "models": [{"name": n, "provider": "echo"} for n in ("echo", "one", "two")]}


def calls(client, count, query="", path="/v1/runs"):
    """The list, once it has so many entries: rows are there within two seconds."""
    def look():
        page = client.get(f"{path}?limit=100&{query}").ok().json
        return page["data"] if len(page["data"]) == count else None
    return wait_until(look, f"{count} calls")


def listed(client, query="", path="/v1/runs", limit=3):
    found, after = [], ""
    for _ in range(1000):
        page = client.get(f"{path}?limit={limit}&{query}{after}").ok().json
        found += page["data"]
        if not page["has_more"]:
            return found
        after = f"&after={page['last_id']}"
    raise AssertionError("the list does not end")


def test_calls_that_are_not_stored(start):
    with Client(start(CONFIG).url) as client:
        client.complete("one").ok()
        client.complete("two", stream=False, max_tokens=5).ok()
        with client.complete_stream("one") as stream:
            stream.openai()
        seen = calls(client, 3)
        assert [r["model"] for r in seen] == ["one", "two", "one"]
        for run in seen:
            assert (run["stored"], run["conversation"], run["status"], run["outcome"]) == \
                (False, None, "completed", "completed")
            assert (run["http_status"], run["family"], run["provider"]) == (200, "completions", "echo")
            assert run["error"] is None and run["weight"] == 1 and run["attempts"] == 1
            assert 0 <= run["first_token_ms"] <= run["duration_ms"] < 60_000
            assert run["created_at_ms"] // 1000 == run["created_at"]
            assert run["usage"]["completion_tokens"] > 0 and run["finish_reason"] == "stop"
            alone = client.get(f"/v1/runs/{run['id']}").ok().json
            alone.pop("attempt_list")
            assert alone == run
        wrong = seen[0]["id"][:-1] + ("0" if seen[0]["id"][-1] != "0" else "1")
        client.get(f"/v1/runs/{wrong}").error(404, "not_found")


def test_stored_and_other_calls_are_one_list(start):
    with Client(start(CONFIG).url) as client:
        stored = []
        for i in range(8):
            if i % 3 == 0:
                stored.append(client.chat("hi", model="two").ok().json["run"])
            else:
                client.complete("one").ok()
        seen = calls(client, 8)
        assert [r["model"] for r in seen] == ["one", "two", "one", "one", "two", "one", "one", "two"]
        assert [r["id"] for r in seen if r["stored"]] == stored[::-1]
        wait_until(lambda: all(r["family"] for r in client.get("/v1/runs").json["data"]), "the rows")
        seen = calls(client, 8)
        for limit in (1, 2, 3, 7, 8, 9):
            assert listed(client, limit=limit) == seen
            assert listed(client, "order=asc", limit=limit) == seen[::-1]
        assert listed(client, "stored=true") == [r for r in seen if r["stored"]]
        assert listed(client, "stored=false") == [r for r in seen if not r["stored"]]
        assert listed(client, "model=two") == [r for r in seen if r["stored"]]
        # A conversation that is deleted takes its runs with it.
        client.request("DELETE", f"/v1/conversations/{seen[1]['conversation']}").ok()
        assert len(listed(client)) == 7


def test_refusals(start):
    gateway = start(CONFIG, args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin", "--name", "root"))
    with keys.client_of(gateway, root["key"], admin=True) as admin:
        def make(**fields):
            return admin.post("/v1/admin/keys", fields).ok().json
        key = make(name="shop", limits={"requests": {"count": 1, "window": "1h"}}, models=["one", "two"])
        mute = make(name="mute", scopes=["read"])
        with Client(gateway.url, keys.bearer("parley_sk_wrong")) as client:
            client.complete("one").error(401)
        with Client(gateway.url, keys.bearer(mute["key"])) as client:
            client.complete("one").error(403)
        with Client(gateway.url, keys.bearer(key["key"])) as client:
            client.post("/v1/messages", {"model": "one"}).error(400)
            client.complete("nothing").error(404, "model_not_found")
            client.complete("one").ok()
            client.complete("one").error(429, "rate_limit_exceeded")
            own = calls(client, 4)
            assert [(r["http_status"], r["outcome"], r["status"], (r["error"] or {}).get("code"))
                    for r in own] == [
                (429, "refused", "failed", "rate_limit_exceeded"),
                (200, "completed", "completed", None),
                (404, "refused", "failed", "model_not_found"),
                (400, "refused", "failed", own[3]["error"]["code"])]
            assert own[0]["model"] == "one" and own[0]["provider"] is None
            assert own[2]["model"] == "nothing"
            assert own[3]["family"] == "messages" and own[3]["first_token_ms"] is None
            one = client.get(f"/v1/runs/{own[0]['id']}").ok().json
            assert one["outcome"] == "refused" and one["attempt_list"] == []
            assert "key" not in own[0]
            assert listed(client, "error=rate_limit_exceeded") == own[:1]
            assert listed(client, "outcome=refused") == [own[0], own[2], own[3]]
            assert listed(client, "status=failed") == [own[0], own[2], own[3]]
        every = calls(admin, 6, path="/v1/admin/runs")
        names = [r["key"] and r["key"]["name"] for r in every]
        assert names == ["shop"] * 4 + ["mute", None]
        assert every[5]["key"] is None and every[5]["error"]["code"] == "invalid_api_key"
        assert listed(admin, f"key={mute['id']}", "/v1/admin/runs") == [every[4]]
        assert listed(admin, "provider=echo", "/v1/admin/runs") == [every[1]]
        assert listed(admin, "outcome=refused&error=invalid_api_key", "/v1/admin/runs") == [every[5]]


def test_a_refusal_tells_its_id(start):
    gateway = start(CONFIG, args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    with keys.client_of(gateway, root["key"], admin=True) as admin:
        key = admin.post("/v1/admin/keys", {
            "name": "shop", "limits": {"requests": {"count": 1, "window": "1h"}}}).ok().json
        with Client(gateway.url, keys.bearer("parley_sk_wrong")) as client:
            nobody = client.chat("hi").error_id(401)
        with Client(gateway.url, keys.bearer(key["key"])) as client:
            told = [client.post("/v1/messages", {"model": "one"}).error_id(400),
                    client.complete("nothing").error_id(404), client.chat("hi", model="nothing").error_id(404)]
            client.complete("one").ok()
            told += [client.complete("one").error_id(429), client.chat("hi", model="one", stream=True).error_id(429)]
            seen = {run["id"]: run for run in calls(client, 6)}
            for id in told:
                assert seen[id]["outcome"] == "refused" and not seen[id]["stored"]
                run = client.get(f"/v1/runs/{id}").ok().json
                assert (run["outcome"], run["attempts"], run["attempt_list"]) == ("refused", 0, [])
                lines = [json.loads(x) for x in "".join(gateway.lines).splitlines() if f'"run":"{id}"' in x]
                assert [x["outcome"] for x in lines] == ["refused"]
            client.get(f"/v1/runs/{nobody}").error(404, "not_found")
        run = admin.get(f"/v1/admin/runs/{nobody}").ok().json
        assert (run["key"], run["outcome"], run["error"]["code"]) == (None, "refused", "invalid_api_key")
        run = admin.get(f"/v1/admin/runs/{told[0]}").ok().json
        assert run["key"] == {"id": key["id"], "name": "shop"} and run["http_status"] == 400


ASKED = {
    "/v1/chat": lambda m: {"messages": ["hi"], "config": {"model": m}},
    "/v1/chat/completions": lambda m: {"model": m, "messages": [{"role": "user", "content": "hi"}]},
    "/v1/completions": lambda m: {"model": m, "prompt": "hi"},
    "/v1/responses": lambda m: {"model": m, "input": "hi"},
    "/v1/messages": lambda m: {"model": m, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]},
    "/v1/embeddings": lambda m: {"model": m, "input": "hi"},
    "/api/chat": lambda m: {"model": m, "messages": [{"role": "user", "content": "hi"}]},
}


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize("name", ["gpt-99", "ü" * 100])
def test_a_name_that_no_model_has_is_told(start, path, name):
    gateway = start(CONFIG)
    with Client(gateway.url) as client:
        id = client.post(path, ASKED[path](name)).error_id(404)
        run, = calls(client, 1)
        assert (run["id"], run["outcome"], run["model"]) == (id, "refused", name)
    line, = (json.loads(x) for x in "".join(gateway.stop() or gateway.lines).splitlines() if f'"run":"{id}"' in x)
    assert line["model"] == name


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", [p for p in ASKED if p != "/v1/embeddings"])
def test_a_call_that_is_not_stored_tells_its_id(start, upstream, script, path, stream):
    """So that its client can tell the operator which one has failed."""
    answers = {"completed": script(up.either("ok")), "failed": script(up.reply({"error": {"message": "no"}}, status=400))}
    gateway = start({"providers": [provider(upstream, "p")], "models": [{"name": "*", "provider": "p"}]})
    with Client(gateway.url) as client:
        for count, (outcome, s) in enumerate(answers.items(), start=1):
            reply = client.post(path, {**ASKED[path](s.name), "stream": stream, **({"store": False} if path.endswith("s") else {})})
            assert (reply.status == 200) == (outcome == "completed")
            newest = calls(client, count)[0]
            assert (newest["id"], newest["outcome"]) == (reply.headers["x-run-id"], outcome)


def test_a_refusal_without_a_ledger_has_no_id(start):
    with Client(start(CONFIG, args=["--calls-keep", "0"]).url) as client:
        reply = client.complete("nothing")
        reply.error(404, "model_not_found")
        assert "x-run-id" not in reply.headers


def test_filters(start):
    with Client(start(CONFIG).url) as client:
        client.get("/v1/runs?outcome=lost").error(400, "invalid_value", "outcome")
        client.get("/v1/runs?stored=maybe").error(400, "invalid_value", "stored")
        client.get("/v1/runs?created_before=soon").error(400, "invalid_value", "created_before")
        client.get("/v1/runs?min_duration_ms=-1").error(400, "invalid_value", "min_duration_ms")
        client.get(f"/v1/runs?after=run_{'0' * 15}1{'1' * 16}").error(400, "invalid_value", "after")
        client.complete("one").ok()
        client.chat("hi", model="two").ok()
        seen = calls(client, 2)
        now = int(time.time())
        assert listed(client, f"created_before={now - 60}") == []
        assert len(listed(client, f"created_before={now + 60}&created_after={now - 60}")) == 2
        assert listed(client, f"created_after={now + 60}") == []
        assert listed(client, "min_duration_ms=60000") == []
        assert len(listed(client, "provider=echo")) == 2
        assert listed(client, "provider=acme") == []
        assert seen[1]["id"] == listed(client, "stored=false")[0]["id"]


def test_after_a_kill_and_a_stop(start):
    gateway = start(CONFIG)
    with Client(gateway.url) as client:
        client.complete("one").ok()
        calls(client, 1)
    gateway.kill()
    gateway.start()
    with Client(gateway.url) as client:
        assert len(listed(client)) == 1
        client.complete("two").ok()
    gateway.stop()
    gateway.start()
    with Client(gateway.url) as client:
        assert [r["model"] for r in listed(client)] == ["two", "one"]


def test_without_a_ledger(start):
    with Client(start(CONFIG | {"calls_keep": "0"}).url) as client:
        client.complete("one").ok()
        run = client.chat("hi", model="two").ok().json["run"]
        seen, = listed(client)
        assert (seen["id"], seen["stored"], seen["outcome"]) == (run, True, "completed")
        assert seen["duration_ms"] >= 0 and seen["family"] is None


def test_hours(start):
    gateway = start(CONFIG, args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin", "--name", "root"))
    with keys.client_of(gateway, root["key"], admin=True) as admin:
        made = [admin.post("/v1/admin/keys", {"name": n}).ok().json for n in ("shop", "other")]
        with Client(gateway.url) as client:
            client.complete("one").error(401)
        for i, key in enumerate(made):
            with Client(gateway.url, keys.bearer(key["key"])) as client:
                for _ in range(3):
                    client.complete("one").ok()
                client.chat("hi", model="two").ok()
                client.complete("nothing").error(404)
                wait_until(lambda: client.get("/v1/calls/hours").json["total"]["calls"] == 5, "sums")
                hours = client.get("/v1/calls/hours?by=model").ok().json
                total = hours["total"]
                assert (total["calls"], total["refused"], total["failed"]) == (5, 1, 0)
                assert sum(h["calls"] for h in hours["data"]) == 5
                assert {h["model"] for h in hours["data"]} == {"one", "two", None}
                assert total["completion_tokens"] > 0 and total["cost"] == "0"
                assert 0 < total["p50_ms"] <= total["p95_ms"] <= total["p99_ms"] < 60_000
                assert 0 < total["first_token_p50_ms"] <= total["first_token_p95_ms"]
                client.get("/v1/calls/hours?by=day").error(400, "invalid_value", "by")
                client.get("/v1/calls/hours?from=9&to=8").error(400, "invalid_value", "from")
        path = "/v1/admin/calls/hours"
        assert admin.get(path).ok().json["total"]["calls"] == 11
        by_key = admin.get(f"{path}?by=key").ok().json["data"]
        assert {(h["key"], h["key_name"], h["calls"]) for h in by_key} == \
            {(k["id"], k["name"], 5) for k in made} | {(None, None, 1)}
        one = admin.get(f"{path}?by=provider&key={made[0]['id']}&model=one").ok().json
        assert [(h["provider"], h["calls"]) for h in one["data"]] == [("echo", 3)]
        assert all(h["hour"] % 3600 == 0 for h in by_key)
        assert admin.get(f"{path}?from=0&to=7200").ok().json["data"] == []


def change(gateway, *statements):
    """Changes the database of a gateway that has stopped."""
    for text in statements:
        if gw.ENGINE == "sqlite":
            with contextlib.closing(sqlite3.connect(gateway.file)) as db, db:
                db.execute(text)
        else:
            gateway.rows(text + " RETURNING 1")


def test_hours_of_an_older_version(start):
    """It kept the sums of all calls among those by name, and no others; and it may have written a part of an hour."""
    gateway = start(CONFIG)

    def counts():
        return [sum(h["calls"] for h in client.get(f"/v1/calls/hours?{by}").ok().json["data"])
                for by in ("", "by=key", "by=model", "by=provider", "model=one")]

    with Client(gateway.url) as client:
        client.complete("one").ok()
        wait_until(lambda: counts() == [1] * 5, "sums")
    gateway.stop()
    names = "calls, failed, cancelled, client_left, refused, tokens_in, tokens_out, nano, durations, firsts"
    change(gateway, "DELETE FROM call_sum",
           f"INSERT INTO call_hour (hour, key, model, provider, gateway, {names}) "
           f"SELECT hour, '*', '', '', gateway, {names} FROM call_hour")
    gateway.start()
    with Client(gateway.url) as client:
        assert counts() == [1] * 5
        client.complete("one").ok()
        wait_until(lambda: counts() == [2] * 5, "sums of both versions")


def age_calls(gateway, hours):
    """Makes everything in the ledger so much older: rows name calls by the key of their ids, which tells the time."""
    key = hours * 3600 * 1000 << 20
    change(gateway, f"UPDATE call_block SET high = high - {key}, low = low - {key}",
           f"UPDATE call_hour SET hour = hour - {hours}", f"UPDATE call_sum SET hour = hour - {hours}",
           f"UPDATE call_size SET hour = hour - {hours}")


def of_ledger(gateway):
    return [int(gateway.rows(f"SELECT count(*) FROM {t}")[0][0]) for t in
            ("call_block", "call_hour", "call_sum", "call_size")]


@pytest.mark.parametrize("keep, left", [({"calls_keep": "48h", "calls_keep_size": "0"}, 1),
                                        ({"calls_keep": "30d", "calls_keep_size": "1"}, 2)],
                         ids=["age", "size"])
def test_retention(start, keep, left):
    gateway = start(CONFIG)
    with Client(gateway.url) as client:
        client.complete("one").ok()
        calls(client, 1)
    gateway.stop()
    age_calls(gateway, 49)
    gateway.write_config(CONFIG | keep)
    gateway.start()
    with Client(gateway.url) as client:
        client.complete("two").ok()
        wait_until(lambda: [r["model"] for r in client.get("/v1/runs").json["data"]] == ["two"],
                   "the old call's end")
        wait_until(lambda: of_ledger(gateway) == [1, left, 4 * left, 1], "the old hour's end")
        assert [r["model"] for r in listed(client)] == ["two"]


def line_of(gateway, run):
    """The log line of the request that made the run."""
    def look():
        lines = [json.loads(t) for t in list(gateway.lines) if run in t and t[0] == "{"]
        return next((x for x in lines if x["event"] == "request" and x.get("run") == run
                     and x["route"] in ("chat", "completions")), None)
    return wait_until(look, f"the line of {run}")


def test_streams_that_do_not_end_well(start, script):
    gate = up.Gate()
    broken = script(up.sse(), up.role(), up.text("x" * 40), up.wait(gate), up.hang_up())
    silent = script(up.sse(), up.role(), up.text("x" * 40), up.wait(up.Gate()))
    gateway = start(usual={"calls_rate": 100})
    with Client(gateway.url) as client:
        with client.chat_stream("hi", model=broken.model, store=False) as stream:
            failed = stream.headers["x-run-id"]
            stream.until_text("x")
            gate.open()
            assert stream.native().error
        with client.chat_stream("hi", model=silent.model, store=False) as stream:
            left = stream.headers["x-run-id"]
            stream.until_text("x")
        silent.wait().wait_closed()
        with client.chat_stream("hi", model=silent.model, store=False) as stream:
            cancelled = stream.headers["x-run-id"]
            stream.until_text("x")
            client.post(f"/v1/runs/{cancelled}/cancel").ok()
            assert stream.native().error["code"] == "cancelled"
        rows = {r["id"]: r for r in calls(client, 3)}
        for run, outcome, status, code in ((failed, "failed", "failed", None),
                                           (left, "client_left", "cancelled", "cancelled"),
                                           (cancelled, "cancelled", "cancelled", "cancelled")):
            row, line = rows[run], line_of(gateway, run)
            assert (row["outcome"], row["status"], row["http_status"]) == (outcome, status, 200)
            assert code in (None, row["error"]["code"]) and line["outcome"] == outcome
            assert line["status"] == 200 and line["tokens_out"] == row["usage"]["completion_tokens"]
            assert row["usage"]["completion_tokens"] > 0 and row["first_token_ms"] is not None
            assert outcome == "client_left" or line["error_code"] == row["error"]["code"]
        client.complete("nothing").error(404)
        line = json.loads(gateway.wait_log(r".*model_not_found.*").group(0))
        assert (line["outcome"], line["error_code"]) == ("refused", "model_not_found")
        ended = client.chat("hi", model="echo").ok().json["run"]
        assert line_of(gateway, ended)["outcome"] == "completed"
