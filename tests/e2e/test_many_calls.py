"""A ledger with many calls: pages and hours answer soon, and who has few calls among many sees them soon."""

import importlib.util
import time

import pytest

import gateway as gw
import keys
import postgres
from client import Client
from test_calls import ADMIN, CONFIG, listed
from waiting import wait_until

ROWS = 200_000
DAYS = 6
SOON_S = 2.0  # generous: each takes some milliseconds where nothing else runs


def bench():
    """bench/ledger.py, which writes rows as the gateway does."""
    spec = importlib.util.spec_from_file_location("ledger", gw.PROJECT / "bench" / "ledger.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fill(gateway, ledger):
    if gw.ENGINE == "sqlite":
        ledger.fill_sqlite(gateway.file, ROWS, DAYS)
        return
    with postgres.shared().session(gateway.database_name) as do:
        ledger.fill(ROWS, lambda table, rows: rows and do(ledger.insertion(table, rows)), DAYS)
        do("ANALYZE call_block, call_hour")


@pytest.fixture
def many(start):
    """A gateway with the ledger of some days, a client of its administrator, and the bench."""
    ledger = bench()
    gateway = start(CONFIG | {"calls_keep": "400d", "calls_keep_size": "0"}, args=ADMIN)
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin", "--name", "root"))
    key = keys.known(gateway, keys.make(gateway, "--name", "rare"))
    fill(gateway, ledger)
    with keys.client_of(gateway, root["key"], admin=True) as admin:
        yield gateway, admin, ledger, key


def soon(client, path):
    began = time.monotonic()
    answer = client.get(path).ok().json
    assert time.monotonic() - began < SOON_S, path
    return answer


def pages(client, query, limit=100):
    """All runs of a list, and how many requests they took."""
    found, after = [], ""
    for n in range(1, 1000):
        page = soon(client, f"{query}&limit={limit}{after}")
        found += page["data"]
        if not page["has_more"]:
            return found, n
        after = f"&after={page['last_id']}"
    raise AssertionError("the list does not end")


def test_pages_and_hours_come_soon(many):
    _, admin, ledger, _ = many
    runs, now = "/v1/admin/runs?", int(time.time())
    for query in ("limit=100", "limit=100&order=asc", "outcome=failed", "model=model-3",
                  f"created_before={now - 3 * 86400}", "min_duration_ms=1000", "error=upstream_error"):
        assert soon(admin, runs + query)["data"], query
    # Nothing of this is there: the pages say so soon, and there are few of them.
    for query in ("error=never_seen", "outcome=cancelled", "key=key_none"):
        found, requests = pages(admin, runs + query)
        assert found == [] and requests <= 5, (query, requests)
    hours = f"/v1/admin/calls/hours?from={now - DAYS * 86400}"
    assert len(soon(admin, hours)["data"]) > 120
    by_key = soon(admin, f"{hours}&by=key")["data"]
    assert {h["key"] for h in by_key} >= {f"key_{n:08d}" for n in range(ledger.KEYS)}


def few_among_many(admin, ledger, order):
    rare = f"/v1/admin/runs?order={order}&key=key_{ledger.KEYS:08d}"
    found, requests = pages(admin, rare)
    assert len(found) >= 20 and requests <= 2
    assert {r["key"]["id"] for r in found} == {f"key_{ledger.KEYS:08d}"}
    ids = [r["id"] for r in found]
    assert ids == sorted(ids, reverse=order == "desc") and len(set(ids)) == len(ids)
    assert [r["id"] for r in listed(admin, rare.partition("?")[2], "/v1/admin/runs", limit=3)] == ids
    middle = found[10]["created_at"]
    before, requests = pages(admin, f"{rare}&created_before={middle}")
    assert requests <= 2
    assert [r["id"] for r in before] == [r["id"] for r in found if r["created_at"] < middle]
    usual, requests = pages(admin, f"/v1/admin/runs?order={order}&key=key_00000001", limit=100)
    assert len(usual) > 1000 and requests <= len(usual) // 100 + 5
    return ids


def test_who_has_few_calls_among_many_sees_them_soon(many):
    gateway, admin, ledger, key = many
    assert few_among_many(admin, ledger, "desc") == few_among_many(admin, ledger, "asc")[::-1]
    with Client(gateway.url, keys.bearer(key["key"])) as client:
        assert pages(client, "/v1/runs?") == ([], 1)
        # Nothing tells of other keys, not even where a page ends.
        nobody = soon(client, "/v1/runs?key=key_none")
        assert nobody["data"] == [] and not nobody["has_more"]
        for other in ("key_00000001", "*", f"key_{ledger.KEYS:08d}"):
            assert soon(client, f"/v1/runs?key={other}") == nobody
            assert soon(client, f"/v1/runs?key={other}&order=asc") == nobody
        client.complete("one").ok()
        client.complete("nothing").error(404)
        wait_until(lambda: len(pages(client, "/v1/runs?")[0]) == 2, "the rows")
        assert pages(client, "/v1/runs?")[1] == 1
