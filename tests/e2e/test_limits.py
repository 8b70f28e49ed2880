"""Limits and budgets of keys: set with the key, told, changed; nonsense is refused."""

import json

import pytest

import gateway as gw
import keys

ADMIN = ["--admin-listen", "127.0.0.1:0"]
LIMITS = {"requests": {"count": 60, "window": "1m"}, "tokens": {"count": 100000, "window": "1h"},
          "concurrent": 4, "max_body": 1048576}
BUDGET = {"money": "12.50", "tokens": 1000000, "window": "30d"}


@pytest.fixture
def serving(start):
    return start(args=ADMIN)


@pytest.fixture
def admin(serving):
    made = keys.known(serving, keys.make(serving, "--scopes", "admin", "--name", "root"))
    with keys.client_of(serving, made["key"], admin=True) as client:
        yield client


# --- set with a key ---

def test_the_command_sets_them_and_lists_them(serving):
    made = keys.make(serving, "--limit", "requests=60/1m", "--limit", "tokens=100000/60m", "--limit",
                     "concurrent=4", "--limit", "body=1MiB", "--budget", "12.50/30d",
                     "--budget-tokens", "1000000/30d")
    assert made["limits"] == LIMITS and made["budget"] == BUDGET
    other = keys.make(serving, "--budget", "0.000000001")
    assert other["limits"] is None and other["budget"] == {"money": "0.000000001"}
    plain = keys.make(serving)
    assert plain["limits"] is None and plain["budget"] is None
    listed = {row["id"]: row for row in map(json.loads, keys.command(serving, "list", "--json")
                                           .stdout.splitlines())}
    assert listed[made["id"]]["limits"] == LIMITS and listed[made["id"]]["budget"] == BUDGET
    line = next(row for row in keys.command(serving, "list").stdout.splitlines() if made["id"] in row)
    assert line.endswith(" requests=60/1m tokens=100000/1h concurrent=4 body=1048576"
                         " budget=12.50/30d budget-tokens=1000000/30d")


@pytest.mark.parametrize("args, says", [
    (["--limit", "requests=0/1m"], "requests=60/1m"),
    (["--limit", "requests=-5/1m"], "requests=60/1m"),
    (["--limit", "requests=60"], "NUMBER/TIME"),
    (["--limit", "requests=60/0s"], "from 1s to 366d"),
    (["--limit", "requests=60/1y"], "from 1s to 366d"),
    (["--limit", "tokens=99999999999999999999/1m"], "NUMBER/TIME"),
    (["--limit", "tokens=9999999999999/1m"], "1000000000000"),
    (["--limit", "concurrent=0"], "above 0"),
    (["--limit", "concurrent=1.5"], "above 0"),
    (["--limit", "body=0"], "1 to 64MiB"),
    (["--limit", "body=1GiB"], "1 to 64MiB"),
    (["--limit", "request=60/1m"], "requests=NUMBER/TIME"),
    (["--limit", "concurrent=1", "--limit", "concurrent=2"], "twice"),
    (["--budget", "0"], "above 0"),
    (["--budget", "-1"], "above 0"),
    (["--budget", "1e9"], "above 0"),
    (["--budget", "1.0000000001"], "9 places"),
    (["--budget", "99999999999999"], "1000000000"),
    (["--budget", "1/1m", "--budget-tokens", "5/2m"], "same time"),
    (["--budget", "1/1m", "--budget-tokens", "5"], "same time"),
    (["--budget-tokens", "x"], "NUMBER/TIME"),
])
def test_nonsense_on_the_command_line_makes_no_key(tmp_path, args, says):
    database = tmp_path / "keys.db"
    done = gw.run("keys", "create", *args, "--database", str(database))
    assert done.returncode == 64 and not done.stdout, done
    assert says in done.stderr, done.stderr
    assert not database.exists()


def test_admin_routes_set_and_change_them(admin):
    made = admin.post("/v1/admin/keys", {"limits": LIMITS, "budget": BUDGET}).json
    assert made["limits"] == LIMITS and made["budget"] == BUDGET
    path = "/v1/admin/keys/" + made["id"]
    assert admin.get(path).json["limits"] == LIMITS
    # one leaves the other alone, and takes the place of all that was in it
    changed = admin.post(path, {"limits": {"concurrent": 2}}).json
    assert changed["limits"] == {"concurrent": 2} and changed["budget"] == BUDGET
    changed = admin.post(path, {"budget": {"tokens": 5}}).json
    assert changed["limits"] == {"concurrent": 2} and changed["budget"] == {"tokens": 5}
    changed = admin.post(path, {"name": "n", "limits": None}).json
    assert changed["limits"] == {"concurrent": 2} and changed["budget"] == {"tokens": 5}
    changed = admin.post(path, {"limits": {}, "budget": {}}).json
    assert changed["limits"] is None and changed["budget"] is None


@pytest.mark.parametrize("body, param, code", [
    ({"limits": {"requests": {"count": 0, "window": "1m"}}}, "limits.requests.count", "invalid_value"),
    ({"limits": {"requests": {"count": -1, "window": "1m"}}}, "limits.requests.count", "invalid_value"),
    ({"limits": {"requests": {"count": 1.5, "window": "1m"}}}, "limits.requests.count", "invalid_type"),
    ({"limits": {"requests": {"count": 1e30, "window": "1m"}}}, "limits.requests.count", None),
    ({"limits": {"requests": {"count": 5}}}, "limits.requests.window", "missing_required_parameter"),
    ({"limits": {"requests": {"count": 5, "window": "0s"}}}, "limits.requests.window", "invalid_value"),
    ({"limits": {"tokens": {"count": 5, "window": "400d"}}}, "limits.tokens.window", "invalid_value"),
    ({"limits": {"tokens": {"count": 5, "window": 60}}}, "limits.tokens.window", "invalid_type"),
    ({"limits": {"tokens": 5}}, "limits.tokens", "invalid_type"),
    ({"limits": {"request": {}}}, "limits.request", "unknown_parameter"),
    ({"limits": {"concurrent": 0}}, "limits.concurrent", "invalid_value"),
    ({"limits": {"max_body": 99999999999}}, "limits.max_body", "invalid_value"),
    ({"budget": {"money": 12.5}}, "budget.money", "invalid_type"),
    ({"budget": {"money": "12,50"}}, "budget.money", "invalid_value"),
    ({"budget": {"money": "-1"}}, "budget.money", "invalid_value"),
    ({"budget": {"tokens": 0}}, "budget.tokens", "invalid_value"),
    ({"budget": {"window": "30d"}}, "budget", "invalid_value"),
    ({"budget": {"money": "1", "window": "soon"}}, "budget.window", "invalid_value"),
    ({"budget": "12.50"}, "budget", "invalid_type"),
])
def test_nonsense_is_refused_where_it_stands(admin, body, param, code):
    answer = admin.post("/v1/admin/keys", body)
    assert answer.status == 400
    error = answer.json["error"]
    assert error["param"] == param and (code is None or error["code"] == code), error
