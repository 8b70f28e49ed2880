"""Lists as comma-separated values: the same rows and pages as JSON, and no formulas."""

import csv
import datetime
import io

import pytest

import keys
from client import Client
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
CONFIG = {"providers": [{"name": "echo", "dialect": "echo"}],
          "models": [{"name": n, "provider": "echo"} for n in ("one", "two, \"three\"", "=1+2")]}
NUMBERS = ("http_status", "duration_ms", "first_token_ms", "attempts", "weight")
TEXTS = ("id", "status", "outcome", "family", "provider", "conversation", "usage_source", "cost",
         "finish_reason")


def lines(client, path, **headers):
    reply = client.get(path, headers=headers).ok()
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in reply.headers["content-disposition"]
    text = reply.body.decode()
    assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", "")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True)), reply.headers.get("x-next")


def same(line, run):
    assert all(line[n] == str("" if run[n] is None else run[n]) for n in NUMBERS)
    assert all(line[n] == (run[n] or "") for n in TEXTS)
    assert line["error"] == (run["error"] or {"code": ""})["code"]
    assert line["stored"] == str(run["stored"]).lower()
    usage = run["usage"] or {"prompt_tokens": "", "completion_tokens": ""}
    assert (line["prompt_tokens"], line["completion_tokens"]) == \
        (str(usage["prompt_tokens"]), str(usage["completion_tokens"]))
    at = datetime.datetime.fromisoformat(line["created_at"].replace("Z", "+00:00"))
    assert round(at.timestamp() * 1000) == run["created_at_ms"]


def test_runs(start):
    with Client(start(CONFIG).url) as client:
        for model in ("one", 'two, "three"', "=1+2"):
            client.complete(model).ok()
            client.chat("hi", model=model).ok()
        client.complete("@nothing").error(404)
        client.complete("nothing").error(404)
        wait_until(lambda: len(client.get("/v1/runs").json["data"]) == 8 and
                   all(r["family"] for r in client.get("/v1/runs").json["data"]), "the rows")
        runs = client.get("/v1/runs").ok().json["data"]
        told, after = lines(client, "/v1/runs?format=csv")
        assert after is None
        assert [t["model"] for t in told] == ["nothing", "'@nothing", "'=1+2", "'=1+2", 'two, "three"', 'two, "three"', "one", "one"]
        for line, run in zip(told, runs, strict=True):
            same(line, run)
        assert "key" not in told[0]
        assert lines(client, "/v1/runs", accept="text/csv")[0] == told
        assert lines(client, "/v1/runs", accept="Text/CSV; q=0.9, application/json")[0] == told
        assert client.get("/v1/runs?format=json", headers={"accept": "text/csv"}).ok().json["data"] == runs
        assert client.get("/v1/runs", headers={"accept": "*/*, text/csv"}).ok().json["data"] == runs
        client.get("/v1/runs?format=xml").error(400, "invalid_value", "format")
        # The same pages, and the same filters.
        found, query = [], ""
        for _ in range(9):
            page, after = lines(client, f"/v1/runs?format=csv&limit=3{query}")
            found += page
            query = f"&after={after}"
            if after is None:
                break
        assert found == told
        assert lines(client, "/v1/runs?format=csv&stored=true")[0] == [t for t in told if t["stored"] == "true"]
        assert lines(client, "/v1/runs?format=csv&outcome=refused")[0] == told[:2]
        assert lines(client, "/v1/runs?format=csv&model=missing")[0] == []
        client.get("/v1/runs?format=csv&outcome=lost").error(400, "invalid_value", "outcome")


@pytest.fixture
def shop(start):
    """A gateway with two keys, one of which has a name that a spreadsheet would run; the administrator, and the key."""
    gateway = start(CONFIG, args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin", "--name", "root"))
    with keys.client_of(gateway, root["key"], admin=True) as admin:
        key = admin.post("/v1/admin/keys", {"name": "+shop"}).ok().json
        with Client(gateway.url, keys.bearer(key["key"])) as client:
            client.complete("one").ok()
            client.chat("hi", model="=1+2").ok()
            yield admin, client, key


def test_runs_of_all_keys(shop):
    admin, _, key = shop
    wait_until(lambda: len(admin.get("/v1/admin/runs").json["data"]) == 2, "the rows")
    told, _ = lines(admin, "/v1/admin/runs?format=csv")
    assert [(t["key"], t["key_name"]) for t in told] == [(key["id"], "'+shop")] * 2


def test_usage(shop):
    admin, client, key = shop

    def rows():
        data = client.get("/v1/usage?group=day&group=model").ok().json["data"]
        return len(data) == 2 and data
    data = wait_until(rows, "the sums")
    told, after = lines(client, "/v1/usage?format=csv&group=day&group=model")
    assert after is None and [list(t) for t in told] == [list(d) for d in data]
    for line, row in zip(told, data, strict=True):
        assert line["model"].lstrip("'") == row["model"]
        assert all(line[n] == str(row[n]) for n in row if n != "model")
    first, after = lines(client, "/v1/usage?group=day&group=model&limit=1", accept="text/csv")
    assert after == "1"
    rest, end = lines(client, f"/v1/usage?format=csv&group=day&group=model&after={after}")
    assert first + rest == told and end is None
    told, _ = lines(admin, "/v1/admin/usage?format=csv")
    assert [(t["key"], t["calls"]) for t in told] == [(key["id"], "2")]
    client.get("/v1/usage?format=pdf").error(400, "invalid_value", "format")
