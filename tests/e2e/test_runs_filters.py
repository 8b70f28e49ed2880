"""Lists of runs by model and by API key, a key's own and those of all; pages that end early."""

import sqlite3

import pytest

import keys
from client import Client
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
CONFIG = {"providers": [{"name": "echo", "dialect": "echo"}],
          "models": [{"name": n, "provider": "echo"} for n in ("echo", "one", "two")]}


def listed(client, query="", path="/v1/runs"):
    """The ids of all pages."""
    found, after = [], ""
    while True:
        page = client.get(f"{path}?limit=3&{query}{after}").ok().json
        found += [r["id"] for r in page["data"]]
        if not page["has_more"]:
            return found
        after = f"&after={page['last_id']}"


def say(client, model="one"):
    return client.chat("hi", model=model).ok().json["run"]


def test_by_model(start):
    with Client(start(CONFIG).url) as client:
        runs = [(m, say(client, m)) for m in ["one", "two", "one", "one", "echo", "one", "two"]]
        for model in ("one", "two", "echo"):
            want = [run for m, run in runs if m == model]
            assert listed(client, f"model={model}&order=asc") == want
            assert listed(client, f"model={model}") == want[::-1]
            assert listed(client, f"model={model}&status=completed") == want[::-1]
            assert listed(client, f"model={model}&status=failed") == []
        assert listed(client, "model=on") == []
        conversation = client.run(runs[0][1])["conversation"]
        assert listed(client, f"conversation={conversation}&model=one") == [runs[0][1]]
        assert listed(client, f"conversation={conversation}&model=two") == []
        client.get("/v1/runs?model=" + "m" * 257).error(400, "invalid_value", "model")
        client.get("/v1/runs?model=%ff").error(400, "invalid_value", "model")


@pytest.fixture
def two(start):
    """A gateway with an administrator, a key, one that shares its owner, and a stranger; each has run."""
    gateway = start(CONFIG, args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin", "--name", "root"))
    with keys.client_of(gateway, root["key"], admin=True) as admin:
        def make(**fields):
            return admin.post("/v1/admin/keys", fields).ok().json
        a = make(name="shop")
        made = {"a": a, "b": make(name="", shares=a["id"]), "c": make(name="other")}
        runs = {}
        for name, key in made.items():
            with Client(gateway.url, keys.bearer(key["key"])) as client:
                runs[name] = [say(client, "one"), say(client, "two")]
        yield gateway, admin, made, runs


def test_by_key_of_the_same_owner(two):
    gateway, _, made, runs = two
    with Client(gateway.url, keys.bearer(made["a"]["key"])) as client:
        assert listed(client, "order=asc") == runs["a"] + runs["b"]
        for name in "ab":
            assert listed(client, f"order=asc&key={made[name]['id']}") == runs[name]
        assert listed(client, f"key={made['b']['id']}&model=two") == [runs["b"][1]]
        assert listed(client, f"key={made['c']['id']}") == []
        assert "key" not in client.get("/v1/runs").json["data"][0]
        client.get("/v1/runs?key=" + "k" * 33).error(400, "invalid_value", "key")


def test_the_runs_of_all(two):
    gateway, admin, made, runs = two
    path = "/v1/admin/runs"
    every = runs["a"] + runs["b"] + runs["c"]
    assert listed(admin, "order=asc", path) == every
    assert listed(admin, "", path) == every[::-1]
    assert listed(admin, "model=two&order=asc", path) == [r[1] for r in runs.values()]
    assert listed(admin, f"key={made['c']['id']}&order=asc", path) == runs["c"]
    assert listed(admin, "status=running", path) == []
    page = admin.get(f"{path}?order=asc&limit=100").ok().json
    assert (page["first_id"], page["last_id"], page["has_more"]) == (every[0], every[-1], False)
    want = [{"id": made[n]["id"], "name": made[n]["name"]} for n in runs for _ in runs[n]]
    assert [r["key"] for r in page["data"]] == want
    assert all(r["status"] == "completed" and "attempt_list" not in r for r in page["data"])
    newest = page["data"][-1]["created_at"]
    assert listed(admin, f"created_after={newest}", path) == []
    assert listed(admin, f"created_after={newest - 1000}&order=asc", path) == every
    # The name goes with a revoked key, too; a key of the configuration has none.
    admin.request("DELETE", f"/v1/admin/keys/{made['c']['id']}").ok()
    assert admin.get(f"{path}?limit=1").json["data"][0]["key"] == want[-1]
    admin.get(f"{path}?after=run_{'0' * 15}1{'1' * 16}").error(400, "invalid_value", "after")


def test_a_run_of_another_key(two):
    gateway, admin, made, runs = two
    for name in "ac":
        wait_until(lambda n=name: admin.get(f"/v1/admin/runs/{runs[n][0]}").ok().json["http_status"] == 200,
                   "the row in the ledger")
        run = admin.get(f"/v1/admin/runs/{runs[name][0]}").ok().json
        assert run.pop("key") == {"id": made[name]["id"], "name": made[name]["name"]}
        assert run.pop("group") is None
        assert len(run["attempt_list"]) == 1 and run["attempt_list"][0]["outcome"] == "completed"
        with Client(gateway.url, keys.bearer(made[name]["key"])) as client:
            assert client.get(f"/v1/runs/{runs[name][0]}").ok().json == run
            client.get(f"/v1/admin/runs/{runs[name][0]}").error(403, "insufficient_scope")
    wrong = runs["a"][0][:-1] + ("0" if runs["a"][0][-1] != "0" else "1")
    admin.get(f"/v1/admin/runs/{wrong}").error(404, "not_found")
    admin.get("/v1/admin/runs/x").error(404, "not_found")
    with Client(gateway.url, keys.bearer(made["b"]["key"])) as client:
        client.complete("one").ok()
        found = wait_until(lambda: client.get("/v1/runs?stored=false").ok().json["data"], "the call")[0]
        run = admin.get(f"/v1/admin/runs/{found['id']}").ok().json
        assert run["key"] == {"id": made["b"]["id"], "name": made["b"]["name"]}
        assert run["stored"] is False and len(run["attempt_list"]) == 1


def test_keys_of_the_configuration_and_none(start):
    gateway = start(CONFIG | {"api_keys": [{"env": "MINE"}]}, args=ADMIN, env={"MINE": "k" * 20})
    root = keys.make(gateway, "--scopes", "admin")
    with Client(gateway.url, keys.bearer("k" * 20)) as client:
        run = say(client)
        assert listed(client, "key=config:1") == [run]
    with Client(keys.admin_url(gateway), keys.bearer(root["key"])) as admin:
        wait_until(lambda: admin.get("/v1/admin/runs").status == 200, "the key")
        assert admin.get("/v1/admin/runs").json["data"][0]["key"] == {"id": "config:1",
                                                                      "name": None}
    with Client(start(CONFIG, args=ADMIN).url) as client:
        say(client)
        assert "key" not in client.get("/v1/runs").json["data"][0]


def test_an_open_gateway_s_runs_have_no_key(start):
    gateway = start(CONFIG, args=ADMIN)
    with Client(gateway.url) as client, Client(keys.admin_url(gateway)) as admin:
        run = say(client)
        seen, = admin.get("/v1/admin/runs").ok().json["data"]
    assert seen["id"] == run and seen["key"] is None


FILL = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
INSERT INTO run (id, secret, owner, conversation, parent, base, status, created_ms, seq_reserved, model,
                 bill_key)
SELECT (SELECT min(id) FROM run) - i * ((1 << 20) * 10 / 100), 7, {owner}, 1, 0, 0, 2,
       (SELECT min(created_ms) FROM run) - i / 10, 0, 'old', 'key_zzzzzzzz' FROM n
"""


def test_a_page_ends_after_so_many_runs(two):
    """A hundred thousand older runs of a stranger's: no page looks at all of them, none is left out."""
    gateway, admin, made, runs = two
    with sqlite3.connect(gateway.database, timeout=15) as db:
        owner = db.execute("SELECT owner FROM run ORDER BY id DESC LIMIT 1").fetchone()[0]
        db.execute(FILL.format(count=120000, owner=owner))
        first = db.execute("SELECT printf('%016x', id) FROM run ORDER BY id LIMIT 1").fetchone()[0]
    db.close()
    with Client(gateway.url, keys.bearer(made["a"]["key"])) as client:
        page = client.get("/v1/runs?model=one").ok().json
        assert [r["id"] for r in page["data"]] == [runs["b"][0], runs["a"][0]]
        assert page["has_more"] and page["last_id"] not in runs["a"]
        pages = 1
        while page["has_more"]:
            page = client.get(f"/v1/runs?model=one&after={page['last_id']}").ok().json
            assert page["data"] == [] and page["first_id"] is None
            pages += 1
        assert pages == 3
        assert listed(client, "model=one&order=asc") == [runs["a"][0], runs["b"][0]]
    path = "/v1/admin/runs"
    assert listed(admin, "model=one&order=asc", path) == [r[0] for r in runs.values()]
    oldest = admin.get(f"{path}?model=old&order=asc&limit=1").ok().json["data"][0]["id"]
    assert oldest.startswith(f"run_{first}")
    assert len(admin.get(f"{path}?model=old&limit=100").json["data"]) == 100
