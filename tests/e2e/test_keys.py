"""API keys: made, listed, revoked and rotated, by the command and by the admin routes; what they may."""

import json
import re
import shlex
import sqlite3
import time
import zlib

import pytest

import gateway as gw
import keys
import upstream as up
from client import Client
from gateway import CANARY
from waiting import Watch, soonest, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def serving(start):
    """A gateway with an admin listener, open so far."""
    return start(args=ADMIN)


@pytest.fixture
def admin(serving):
    """A client of the admin routes, with the first key."""
    made = keys.known(serving, keys.make(serving, "--scopes", "admin", "--name", "root"))
    with keys.client_of(serving, made["key"], admin=True) as client:
        yield client


def asks(gateway, key, path="/v1/models", headers=None):
    with Client(gateway.url) as client:
        return client.get(path, headers=headers or keys.bearer(key))


# --- the text ---

def test_the_text_has_the_form_that_scanners_know(serving):
    made = keys.make(serving)
    text = made["key"]
    assert re.fullmatch(r"parley_sk_[0-9a-z]{8}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}", text)
    assert "key_" + text.split("_")[2] == made["id"]
    number, check = zlib.crc32(text[:-6].encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        check = DIGITS[digit] + check
    assert text.endswith(check)


def test_every_slip_in_a_text_is_the_same_refusal(serving):
    made = keys.known(serving, keys.make(serving))
    good = made["key"]
    keys.command(serving, "revoke", made["id"])
    wait_until(lambda: asks(serving, good).status == 401, "its end")
    seen = set()
    for text in (good, good[:-1] + "x", good.replace("_sk_", "_pk_"), "parley_sk_00000000_" + good[19:],
                 good.swapcase(), good[:-6], "x" * len(good)):
        error = asks(serving, text).error(401, "invalid_api_key")
        assert text not in error["message"]
        seen.add(error["message"])
    assert len(seen) == 1, seen


# --- the command ---

def test_the_command_makes_lists_and_revokes(serving):
    done = keys.command(serving, "create", "--name", "shop", "--scopes", "chat,read", "--models",
                        "echo,t/*", "--expires", "90d", "--metadata", "team=a", "--metadata", "b=c=d")
    text = done.stdout.strip()
    assert text.startswith("parley_sk_") and "\n" not in text
    assert text not in done.stderr
    listed = keys.command(serving, "list")
    assert text not in listed.stdout and "shop" in listed.stdout and "active" in listed.stdout
    row = json.loads(keys.command(serving, "list", "--json").stdout)
    assert row["id"] in done.stderr and row["id"] in listed.stdout
    assert row["scopes"] == ["chat", "read"] and row["models"] == ["echo", "t/*"]
    assert row["metadata"] == {"team": "a", "b": "c=d"} and "key" not in row
    assert row["expires_at"] - row["created_at"] == 90 * 86400
    assert "revoked" in keys.command(serving, "revoke", row["id"]).stdout
    row = json.loads(keys.command(serving, "list", "--json").stdout)
    assert row["status"] == "revoked" and row["revoked_at"] >= row["created_at"]


def test_the_command_updates_what_it_is_told(serving):
    made = keys.make(serving, "--name", "shop", "--scopes", "chat", "--models", "echo", "--metadata", "a=b",
                     "--limit", "concurrent=1", "--budget", "5/30d", "--expires", "90d")
    id = made["id"]
    done = keys.command(serving, "update", id, "--name", "web shop")
    assert done.stdout == f"{id} updated\n" and made["key"] not in done.stdout + done.stderr
    row = json.loads(keys.command(serving, "list", "--json").stdout)
    assert row == {**{k: v for k, v in made.items() if k != "key"}, "name": "web shop"}, "nothing else"
    told = json.loads(keys.command(
        serving, "update", id, "--json", "--name", "", "--scopes", "chat,read", "--models", "echo,t/*",
        "--expires", "never", "--metadata", "c=d", "--limit", "requests=60/1m", "--limit", "body=1MiB",
        "--budget-tokens", "100").stdout)
    assert told["name"] == "" and told["scopes"] == ["chat", "read"] and told["models"] == ["echo", "t/*"]
    assert told["expires_at"] is None and told["metadata"] == {"c": "d"}
    assert told["limits"] == {"requests": {"count": 60, "window": "1m"}, "max_body": 1 << 20}
    assert told["budget"] == {"tokens": 100}
    row = json.loads(keys.command(serving, "list", "--json").stdout)
    assert row == told
    told = json.loads(keys.command(serving, "update", id, "--json", "--models", "*", "--limit", "none",
                                   "--budget", "none").stdout)
    assert told["models"] is None and not told.get("limits") and not told.get("budget"), told


def test_a_gateway_that_serves_learns_of_an_update(serving):
    made = keys.known(serving, keys.make(serving, "--models", "other"))
    with keys.client_of(serving, made["key"]) as client:
        client.get("/v1/models/echo").error(404, "model_not_found")
        keys.command(serving, "update", made["id"], "--models", "other,ec*")
        wait_until(lambda: client.get("/v1/models/echo").status == 200, "the new models")
    keys.command(serving, "revoke", made["id"])
    assert "revoked" in keys.command(serving, "update", made["id"], "--name", "x", code=66).stderr


@pytest.mark.parametrize("args", [("list",), ("list", "--json"), ("create",), ("revoke", "key_00000000"),
                                  ("rotate", "key_00000000"), ("update", "key_00000000", "--name", "x")])
def test_a_database_that_is_not_there_is_not_made(tmp_path, args):
    done = gw.run("keys", *args, "--database", tmp_path / "none.db")
    assert done.returncode == 66 and done.stdout == ""
    assert f"there is no database {tmp_path}/none.db" in done.stderr and "parley migrate" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("args, code", [
    (("update",), 64), (("update", "key_00000000"), 64), (("update", "x", "--name", "x"), 64),
    (("update", "key_00000000", "key_00000001", "--name", "x"), 64),
    (("update", "key_00000000", "--name", "x"), 66), (("update", "key_00000000", "--share", "y"), 64),
    (("update", "key_00000000", "--grace", "1h"), 64), (("update", "key_00000000", "--scopes", "root"), 64),
    (("update", "key_00000000", "--models", "a*b"), 64), (("create", "--models", "a*b"), 64),
    (("update", "key_00000000", "--limit", "none", "--limit", "concurrent=1"), 64),
    (("update", "key_00000000", "--budget", "none", "--budget-tokens", "1"), 64),
    ((), 64), (("make",), 64), (("create", "key_00000000"), 64), (("revoke",), 64),
    (("rotate",), 64), (("revoke", "parley_sk_secret"), 64), (("revoke", "key_00000000"), 66),
    (("rotate", "key_00000000"), 66), (("create", "--scopes", "root"), 64),
    (("create", "--scopes", ""), 64), (("create", "--models", ""), 64),
    (("create", "--expires", "soon"), 64), (("create", "--expires", "2020-01-01"), 64),
    (("create", "--expires", "0s"), 64), (("create", "--share", "key_00000000"), 66),
    (("create", "--share", "x"), 66), (("create", "--grace", "1h"), 64),
    (("rotate", "key_00000000", "--grace", "31d"), 64), (("list", "--name", "x"), 64),
    (("create", "--name", "x" * 129), 64), (("create", "--name", "a\x1b[2Jb"), 64)])
def test_a_wrong_command_line_makes_nothing(tmp_path, args, code):
    database = tmp_path / "p.db"
    done = gw.run("keys", *args, "--database", database)
    assert done.returncode == code, done
    assert done.stdout == "" and done.stderr.startswith("parley: ")
    assert "parley_sk_" not in done.stderr
    assert gw.run("keys", "list", "--json", "--database", database).stdout == ""


def test_options_of_keys_are_for_keys_alone():
    done = gw.run("serve", "--name", "x")
    assert done.returncode == 64 and "--name" in done.stderr


def test_a_key_that_is_made_before_the_first_start(start):
    """The gateway is never open, and may listen anywhere."""
    gateway = start(listen="0.0.0.0:0", args=ADMIN, ready=False)
    keys.migrate(gateway)
    key = keys.make(gateway)["key"]
    gateway.start()
    gateway.url = f"http://127.0.0.1:{gateway.port}"
    assert asks(gateway, key).status == 200
    asks(gateway, "", headers={"x-none": "1"}).error(401, "missing_api_key")


def test_the_example_of_the_documentation_works(tmp_path):
    page = (gw.PROJECT / "docs/operations.md").read_text()
    command, shown = re.search(r"<!-- shown keys -->\n```sh\n(.*?)```\n\n```text\n(.*?)```", page,
                               re.S).groups()
    (tmp_path / "parley.yaml").write_text(f"database: {tmp_path / 'p.db'}\n")
    out = ""
    assert gw.run("migrate", "--config", "parley.yaml", cwd=tmp_path).returncode == 0
    for line in command.splitlines():
        done = gw.run(*shlex.split(line)[1:], cwd=tmp_path)
        assert done.returncode == 0, done
        out += done.stdout

    def plain(text):
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", text)
        return re.sub(r"parley_sk_\S+", "TEXT", re.sub(r"key_[0-9a-z]{8}", "ID", text))
    assert plain(out) == plain(shown)


# --- at once ---

def test_another_process_s_revocation_takes_effect_within_a_second(serving):
    def measure():
        made = keys.known(serving, keys.make(serving))
        with keys.client_of(serving, made["key"]) as client:
            keys.command(serving, "revoke", made["id"])
            watch = Watch(serving)
            wait_until(lambda: client.get("/v1/models").status == 401, "its end")
            return watch.seconds()

    soonest(measure, 1)


def test_the_admin_route_s_revocation_is_there_when_it_is_answered(serving, admin):
    for _ in range(20):
        made = admin.post("/v1/admin/keys").ok().json
        with keys.client_of(serving, made["key"]) as client:
            client.get("/v1/models").ok()
            assert admin.request("DELETE", f"/v1/admin/keys/{made['id']}").ok().json["status"] == \
                "revoked"
            client.get("/v1/models").error(401, "invalid_api_key")


def test_the_first_key_shuts_an_open_gateway(serving):
    with Client(serving.url) as client:
        client.chat("hi").ok()
        made = keys.make(serving)
        wait_until(lambda: client.get("/v1/models").status == 401, "the end of openness")
        keys.command(serving, "revoke", made["id"])
        wait_until(lambda: asks(serving, made["key"]).status == 401, "the key's end")
        client.get("/v1/models").error(401, "missing_api_key")
    serving.restart()
    with Client(serving.url) as client:
        client.get("/v1/models").error(401, "missing_api_key")


def test_a_key_ends_by_itself(serving, admin):
    made = admin.post("/v1/admin/keys", {"expires_in": 1}).ok().json
    asks(serving, made["key"]).ok()
    wait_until(lambda: asks(serving, made["key"]).status == 401, "its end")
    assert admin.get(f"/v1/admin/keys/{made['id']}").ok().json["status"] == "expired"
    admin.post(f"/v1/admin/keys/{made['id']}", {"expires_at": 0}).ok()
    asks(serving, made["key"]).ok()


def test_what_was_let_in_goes_on_to_its_end(start, script):
    gateway = start(usual={}, args=ADMIN)
    gate = up.Gate()
    made = keys.known(gateway, keys.make(gateway))
    slow = script(up.sse(), up.role(), up.text("one"), up.wait(gate), up.text(" two"),
                  *up.ending())
    with keys.client_of(gateway, made["key"]) as client:
        with client.chat_stream("hi", model=slow.model) as stream:
            stream.check_head()
            keys.command(gateway, "revoke", made["id"])
            with keys.client_of(gateway, made["key"]) as other:
                wait_until(lambda: other.get("/v1/models").status == 401, "the key's end")
            gate.open()
            answer = stream.native()
    assert answer.text == "one two"


def test_a_ticket_is_good_no_longer_than_its_key(serving, admin):
    made = admin.post("/v1/admin/keys").ok().json
    with keys.client_of(serving, made["key"]) as client:
        run = client.chat("hi").ok().headers["x-run-id"]
        ticket = client.post(f"/v1/runs/{run}/ticket").ok().json["url"]
    with Client(serving.url) as client:
        assert client.get(ticket).status == 200
        assert client.get(ticket).status == 200, "an EventSource comes again with its URL"
        admin.request("DELETE", f"/v1/admin/keys/{made['id']}").ok()
        client.get(ticket).error(401, "invalid_api_key")


def test_a_ticket_ends_with_the_time_of_its_key(serving, admin):
    made = admin.post("/v1/admin/keys", {"expires_at": int(time.time()) + 2}).ok().json
    with keys.client_of(serving, made["key"]) as client:
        run = client.chat("hi").ok().headers["x-run-id"]
        ticket = client.post(f"/v1/runs/{run}/ticket").ok().json["url"]
    with Client(serving.url) as client:
        wait_until(lambda: client.get(ticket).status == 401, "the key's end")


# --- rotation ---

def test_rotation_keeps_the_id_and_what_was_stored(serving, admin):
    made = admin.post("/v1/admin/keys", {"name": "one"}).ok().json
    with keys.client_of(serving, made["key"]) as client:
        conversation = client.chat("hi").ok().json["conversation"]
    again = admin.post(f"/v1/admin/keys/{made['id']}/rotate").ok().json
    assert again["id"] == made["id"] and again["owner"] == made["owner"]
    assert again["key"] != made["key"] and again["name"] == "one" and again["rotated_at"]
    asks(serving, made["key"]).error(401)
    assert asks(serving, again["key"], f"/v1/conversations/{conversation}").ok()


def test_during_its_grace_the_old_text_is_good_too(serving, admin):
    made = admin.post("/v1/admin/keys").ok().json
    second = admin.post(f"/v1/admin/keys/{made['id']}/rotate", {"grace": 3600}).ok().json
    assert second["grace_until"] > time.time() + 3500
    asks(serving, made["key"]).ok()
    asks(serving, second["key"]).ok()
    third = admin.post(f"/v1/admin/keys/{made['id']}/rotate", {"grace": 1}).ok().json
    asks(serving, made["key"]).error(401)
    wait_until(lambda: asks(serving, second["key"]).status == 401, "the grace's end")
    asks(serving, third["key"]).ok()
    admin.request("DELETE", f"/v1/admin/keys/{made['id']}").ok()
    asks(serving, third["key"]).error(401)
    admin.post(f"/v1/admin/keys/{made['id']}/rotate").error(410, "gone")


def test_the_command_rotates(serving):
    made = keys.known(serving, keys.make(serving))
    text = keys.command(serving, "rotate", made["id"], "--grace", "1h").stdout.strip()
    wait_until(lambda: asks(serving, text).status == 200, "the new text")
    assert asks(serving, made["key"]).status == 200
    text = keys.command(serving, "rotate", made["id"]).stdout.strip()
    wait_until(lambda: asks(serving, made["key"]).status == 401, "the old text's end")
    assert asks(serving, text).status == 200


# --- admin routes ---

@pytest.mark.parametrize("name", ["a*b", "*a", "**"])
def test_a_star_stands_at_a_names_end_alone(admin, name):
    admin.post("/v1/admin/keys", {"models": ["echo", name]}).error(400, param="models[1]")


def test_admin_routes_are_for_this_machine_alone(start):
    """On the admin listener; and on the main one while that is loopback, for those who come directly."""
    inner = start(args=ADMIN, name="inner")
    root = keys.known(inner, keys.make(inner, "--scopes", "admin"))["key"]
    with keys.client_of(inner, root) as client:
        client.get("/v1/admin/keys").ok()
        for proxy in ({"X-Forwarded-For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}, {"X-Forwarded-For": ""}):
            client.get("/v1/admin/keys", headers=proxy).error(404, "unknown_url")
            client.request("OPTIONS", "/v1/admin/keys", headers=proxy).error(404, "unknown_url")
    with keys.client_of(inner, root, admin=True) as client:
        client.get("/v1/admin/keys", headers={"X-Forwarded-For": "192.0.2.1"}).ok()
    outer = start(listen="0.0.0.0:0", args=ADMIN, ready=False, name="outer")
    keys.migrate(outer)
    root = keys.make(outer, "--scopes", "admin")["key"]
    outer.start()
    outer.url = f"http://127.0.0.1:{outer.port}"
    with keys.client_of(outer, root) as client:
        client.get("/v1/admin/keys").error(404, "unknown_url")
    with keys.client_of(outer, root, admin=True) as client:
        client.get("/v1/admin/keys").ok()


def test_the_admin_listener_has_all_other_routes_too(serving):
    with Client(keys.admin_url(serving)) as client:
        assert client.get("/v1/models").ok().json["data"]
        asked = {"messages": ["to the operator's own address"]}
        made = client.post("/v1/chat", asked).ok()
        listed = client.get("/v1/conversations").ok().json["data"]
        assert [c["id"] for c in listed] == [made.headers["x-conversation-id"]]
        assert b"parley_build_info" in client.get("/metrics").body
        assert client.get("/livez").status == 200


@pytest.fixture(params=["main", "admin"])
def address(serving, request):
    """Each of the two addresses, of a gateway on loopback, that have the admin routes."""
    return keys.admin_url(serving) if request.param == "admin" else serving.url


def test_an_open_gateway_s_admin_routes_make_the_first_key(address):
    with Client(address) as client:
        assert client.get("/v1/admin/keys").ok().json["data"] == []
        key = client.post("/v1/admin/keys", {"scopes": ["admin"]}).ok().json["key"]
        client.get("/v1/admin/keys").error(401, "missing_api_key")
        assert len(client.get("/v1/admin/keys", headers=keys.bearer(key)).ok().json["data"]) == 1


def test_no_page_of_a_browser_makes_the_first_key(address):
    with Client(address) as client:
        for origin in ("https://evil.example", "null", "http://localhost"):
            client.post("/v1/admin/keys", headers={"Origin": origin}).error(403, "host_not_allowed")
        client.post("/v1/admin/keys", headers={"Host": "evil.example"}).error(403, "host_not_allowed")
        client.post("/v1/admin/keys", b"{}", headers={"Content-Type": "text/plain"}) \
            .error(415, "unsupported_media_type")
        assert client.get("/v1/admin/keys").ok().json["data"] == []


def test_a_page_of_the_listener_s_own_origin_makes_it(serving, address):
    (other,) = {keys.admin_url(serving), serving.url} - {address}
    with Client(address) as client:
        for origin in (address.replace("http:", "ftp:"), address + "0", other):
            client.post("/v1/admin/keys", headers={"Origin": origin}).error(403, "host_not_allowed")
        assert client.post("/v1/admin/keys", headers={"Origin": address}).ok().json["key"]


def test_only_the_scope_admin_lets_in_there(start):
    config_key = f"pk-{CANARY}"
    gateway = start(args=ADMIN, env={"PARLEY_API_KEY": config_key})
    made = keys.known(gateway, keys.make(gateway, "--scopes", "chat,read,files"))
    for key in (made["key"], config_key):
        with keys.client_of(gateway, key, admin=True) as client:
            error = client.get("/v1/admin/keys").error(403, "insufficient_scope")
            assert "admin" in error["message"]
            client.post("/v1/admin/keys").error(403)
    assert asks(gateway, config_key).status == 200, "the configured key goes on working"


def test_pages_and_changes(admin):
    made = [admin.post("/v1/admin/keys", {"name": f"n{i}"}).ok().json for i in range(5)]
    page = admin.get("/v1/admin/keys?limit=3").ok().json
    assert [row["name"] for row in page["data"]] == ["n4", "n3", "n2"] and page["has_more"]
    page = admin.get(f"/v1/admin/keys?limit=3&after={page['last_id']}").ok().json
    assert [row["name"] for row in page["data"]] == ["n1", "n0", "root"] and not page["has_more"]
    assert all("key" not in row for row in page["data"])
    url = f"/v1/admin/keys/{made[0]['id']}"
    changed = admin.post(url, {"name": "new", "models": ["echo"], "scopes": ["read"],
                               "metadata": {"a": "b"}, "expires_in": 60}).ok().json
    assert changed["name"] == "new" and changed["models"] == ["echo"]
    assert changed["scopes"] == ["read"] and changed["metadata"] == {"a": "b"}
    assert changed["expires_at"] and changed == admin.get(url).ok().json
    changed = admin.post(url, {"models": ["*"], "expires_at": 0}).ok().json
    assert changed["models"] is None and changed["expires_at"] is None
    assert changed["name"] == "new" and "key" not in changed


@pytest.mark.parametrize("body, param, code", [
    ({"scopes": ["root"]}, "scopes[0]", "invalid_value"),
    ({"scopes": []}, "scopes", "invalid_value"),
    ({"scopes": ["chat", 7]}, "scopes[1]", "invalid_type"),
    ({"scopes": "chat"}, "scopes", "invalid_type"),
    ({"models": []}, "models", "invalid_value"),
    ({"models": ["a", ""]}, "models[1]", "invalid_value"),
    ({"models": [None]}, "models[0]", "invalid_type"),
    ({"expires_at": 5}, "expires_at", "invalid_value"),
    ({"expires_at": 10 ** 15}, "expires_at", "invalid_value"),
    ({"expires_in": 0}, "expires_in", "invalid_value"),
    ({"expires_in": 60, "expires_at": 0}, "expires_in", "invalid_value"),
    ({"metadata": {"a": 1}}, "metadata.a", "invalid_type"),
    ({"name": "a\nb"}, "name", "invalid_value"),
    ({"owner": "1"}, "owner", "unknown_parameter"),
    ({"shares": "key_00000000"}, "shares", "not_found"),
    ({"shares": "conv_1"}, "shares", "not_found")])
def test_wrong_bodies_make_nothing(admin, body, param, code):
    before = admin.get("/v1/admin/keys").ok().json
    reply = admin.post("/v1/admin/keys", body)
    reply.error(404 if code == "not_found" else 400, code, param)
    after = admin.get("/v1/admin/keys").ok().json
    assert [row["id"] for row in before["data"]] == [row["id"] for row in after["data"]]


def test_unknown_ids_are_404(admin):
    for key in ("key_00000000", "key_", "key_ABCDEFGH", "conv_00000000", "key_000000000"):
        for method, tail, body in (("GET", "", None), ("POST", "", {}), ("DELETE", "", None),
                                   ("POST", "/rotate", {})):
            admin.request(method, f"/v1/admin/keys/{key}{tail}", body).error(404)
    admin.get("/v1/admin/keys?after=key_00000000").error(400, "invalid_value", "after")


def test_keys_that_share_see_the_same(serving, admin):
    one = admin.post("/v1/admin/keys").ok().json
    two = admin.post("/v1/admin/keys", {"shares": one["id"]}).ok().json
    other = admin.post("/v1/admin/keys").ok().json
    assert two["owner"] == one["owner"] != other["owner"]
    with keys.client_of(serving, one["key"]) as client:
        conversation = client.chat("hi").ok().json["conversation"]
    assert asks(serving, two["key"], f"/v1/conversations/{conversation}").status == 200
    assert asks(serving, other["key"], f"/v1/conversations/{conversation}").status == 404


def test_the_last_use_is_kept(serving, admin):
    made = admin.post("/v1/admin/keys").ok().json
    assert made["last_used_at"] is None
    asks(serving, made["key"]).ok()
    serving.stop()
    row = [json.loads(line) for line in keys.command(serving, "list", "--json").stdout.splitlines()]
    used = {key["id"]: key["last_used_at"] for key in row}
    assert abs(used[made["id"]] - time.time()) < 60


# --- what a key may ---

def test_models_that_a_key_may_not_ask_are_not_there(start):
    gateway = start({"default_model": "echo", "models": [
        {"name": "echo", "provider": "echo"}, {"name": "hidden", "provider": "echo"},
        {"name": "x/*", "provider": "echo"}, {"name": "y/*", "provider": "echo"}]}, args=ADMIN)
    made = keys.known(gateway, keys.make(gateway, "--models", "x/*,y/one,nothing"))
    with keys.client_of(gateway, made["key"]) as client:
        names = [m["id"] for m in client.get("/v1/models").ok().json["data"]]
        assert names == ["y/one"]  # no provider lists anything behind x/*
        for name in ("hidden", "echo", "y/two", "absent"):
            for reply in (client.get(f"/v1/models/{name.replace('/', '%2F')}"),
                          client.chat("hi", model=name), client.complete(name),
                          client.post("/v1/embeddings", {"model": name, "input": "hi"})):
                error = reply.error(404, "model_not_found")
                known = error["message"].replace(f"'{name}'", "")
                assert "hidden" not in known and "echo" not in known, error
                assert "x/*" in known
        error = client.chat("hi").error(404, "model_not_found", "config.model")
        assert "echo" not in error["message"], error
        for name in ("x/a", "y/one"):
            client.get(f"/v1/models/{name.replace('/', '%2F')}").ok()
            client.chat("hi", model=name).ok()
            client.complete(name).ok()


def test_a_key_is_told_what_it_may_do(serving, admin):
    body = {"name": "mine \"1\"", "scopes": ["files", "chat"], "models": ["x/*", "y"],
            "limits": {"requests": {"count": 60, "window": "1m"}, "concurrent": 2},
            "budget": {"money": "2.50", "window": "30d"}, "expires_in": 172800}
    made = admin.post("/v1/admin/keys", body).ok().json
    assert made["expires_at"]
    with keys.client_of(serving, made["key"]) as client:
        told = client.get("/v1/me").ok()
        assert made["key"] not in told.body.decode()
        assert told.json == {"object": "me", "currency": "USD", "usage_tags": []} | {
            k: made[k] for k in ("id", "name", "owner", "group", "scopes", "models", "expires_at", "limits",
                                 "budget", "cache")}
    for scope in ("read", "files", "admin"):
        made = admin.post("/v1/admin/keys", {"scopes": [scope]}).ok().json
        with keys.client_of(serving, made["key"]) as client:
            told = client.get("/v1/me").ok().json
            assert told["scopes"] == [scope] and told["models"] is None


def test_callers_without_a_stored_key_are_told_so(start):
    with Client(start().url) as client:
        assert client.get("/v1/me").ok().json == {
            "object": "me", "id": None, "name": None, "owner": "0",
            "scopes": ["chat", "read", "files", "admin"], "models": None, "group": None, "expires_at": None,
            "limits": None, "budget": None, "cache": False, "currency": "USD", "usage_tags": []}
    gateway = start({"api_keys": [{"env": "ONE_KEY"}]}, env={"ONE_KEY": "k" * 20})
    with Client(gateway.url) as client:
        client.get("/v1/me").error(401, "missing_api_key")
        told = client.get("/v1/me", headers=keys.bearer("k" * 20)).ok()
        assert told.json["id"] == "config:1" and told.json["name"] is None
        assert "k" * 20 not in told.body.decode()


def test_a_run_is_not_gone_on_with_by_a_model_that_is_not_there(serving, admin):
    one = admin.post("/v1/admin/keys").ok().json
    with keys.client_of(serving, one["key"]) as client:
        run = client.chat("hi").ok().headers["x-run-id"]
        admin.post(f"/v1/admin/keys/{one['id']}", {"models": ["other"]}).ok()
        reply = client.post(f"/v1/runs/{run}/continue", {})
        assert reply.status in (404, 409), reply
        assert reply.json["error"]["code"] in ("model_not_found", "not_continuable"), reply


# What each scope opens; whatever is not here is refused to a key with that scope alone.
SCOPES = {
    "chat": {"POST /v1/chat", "POST /v1/chat/completions", "POST /v1/translate",
             "POST /v1/chat/completions/{id}", "DELETE /v1/chat/completions/{id}",
             "POST /v1/conversations", "POST /v1/conversations/import",
             "POST /v1/conversations/{id}", "DELETE /v1/conversations/{id}",
             "POST /v1/conversations/{id}/fork", "POST /v1/conversations/{id}/items",
             "DELETE /v1/conversations/{id}/items/{item}", "POST /v1/runs/{id}/continue",
             "POST /v1/runs/{id}/cancel", "POST /v1/embeddings", "POST /v1/completions", "POST /v1/messages",
             "POST /v1/messages/count_tokens", *(f"POST /v1/models/{{model}}:{verb}" for verb in (
                 "generateContent", "streamGenerateContent", "countTokens", "embedContent", "batchEmbedContents")),
             "POST /api/chat", "POST /api/generate", "POST /api/embed", "POST /api/embeddings",
             "POST /v1/responses", "POST /v1/responses/input_tokens", "DELETE /v1/responses/{id}",
             "POST /v1/responses/{id}/cancel", "DELETE /v1/cache", "POST /api/sdk/p/{project}/a/{agent}/r",
             "POST /api/sdk/threads", "POST /api/sdk/threads/{id}", "POST /api/sdk/threads/{id}/messages",
             "POST /api/sdk/threads/{id}/messages/{message}"},
    "read": {"GET /v1/chat/completions", "GET /v1/chat/completions/{id}",
             "GET /v1/chat/completions/{id}/messages", "GET /v1/conversations",
             "GET /v1/conversations/{id}", "GET /v1/conversations/{id}/items",
             "GET /v1/conversations/{id}/items/{item}", "GET /v1/conversations/{id}/export",
             "GET /v1/conversations/{id}/messages", "GET /v1/conversations/{id}/tree", "GET /v1/runs", "GET /v1/runs/live", "GET /v1/search",
             "GET /v1/conversations/{id}/computer", "GET /v1/conversations/{id}/computer/files",
             "GET /v1/conversations/{id}/computer/files/{path}",
             "GET /v1/usage", "GET /api/sdk/threads", "GET /api/sdk/threads/{id}",
             "GET /api/sdk/threads/{id}/messages", "GET /api/sdk/threads/{id}/messages/{message}",
             "GET /api/sdk/threads/{id}/runs"},
    "execute": {"POST /v1/runs/{id}/approve", "DELETE /v1/conversations/{id}/computer"},
    "files": {"POST /v1/files", "GET /v1/files", "GET /v1/files/{id}",
              "GET /v1/files/{id}/content", "DELETE /v1/files/{id}", "POST /api/sdk/files",
              "GET /api/sdk/files", "GET /api/sdk/files/{id}", "GET /api/sdk/files/{id}/content",
              "DELETE /api/sdk/files/{id}"},
    "admin": {"GET /v1/admin/groups", "POST /v1/admin/groups", "GET /v1/admin/groups/{id}",
              "POST /v1/admin/groups/{id}", "DELETE /v1/admin/groups/{id}",
              "GET /v1/admin/usage", "GET /v1/admin/keys", "POST /v1/admin/keys", "GET /v1/admin/keys/{id}",
              "POST /v1/admin/keys/{id}", "DELETE /v1/admin/keys/{id}",
              "POST /v1/admin/keys/{id}/rotate", "GET /v1/admin/usage", "GET /v1/admin/overview",
              "GET /v1/admin/runs", "GET /v1/admin/runs/{id}", "GET /v1/admin/runs/live", "GET /v1/admin/audit", "GET /v1/admin/budgets",
              "GET /v1/admin/log", "GET /v1/admin/providers", "POST /v1/admin/providers/{name}/test",
              "GET /v1/admin/providers/{name}/models", "GET /v1/admin/calls/hours",
              "DELETE /v1/admin/cache"},
}
ANY_KEY = {"GET /v1/me", "POST /v1/session", "DELETE /v1/session"}
EITHER = {"GET /v1/usage", "GET /v1/calls/hours", "GET /v1/models", "GET /v1/models/{id}", "GET /v1/runs/{id}", "GET /v1/runs/{id}/events",
          "POST /v1/runs/{id}/ticket", "GET /v1/responses/{id}", "GET /v1/responses/{id}/input_items",
          "GET /v1/messages/{id}/events", "GET /api/sdk/runs/{id}", "GET /api/sdk/ext/ping",
          "GET /api/tags", "POST /api/show", "GET /api/ps", "POST /api/create", "POST /api/copy", "POST /api/pull",
          "POST /api/push", "DELETE /api/delete", "POST /api/blobs/{digest}"}
ANYBODY = {"GET /", "GET /api/version", "GET /console", "GET /console/a/{name}", "GET /livez", "GET /readyz", "GET /healthz", "GET /metrics", "GET /openapi.yaml",
           "GET /openapi.json", "GET /v1/sign-in", "POST /v1/sign-in"}


def routes():
    return gw.run("--dump-routes").stdout.split("\n")[:-1]


def test_each_route_has_its_scope(serving):
    made = {scope: keys.known(serving, keys.make(serving, "--scopes", scope))["key"]
            for scope in SCOPES}
    admin = keys.admin_url(serving)
    for row in routes():
        method, path = row.split()
        at = path.replace("{id}", "x").replace("{item}", "x")
        url = admin if "/admin/" in path else serving.url
        for scope, key in made.items():
            opens = row in SCOPES[scope] or row in ANYBODY or row in ANY_KEY or \
                (row in EITHER and scope in ("chat", "read"))
            with Client(url, keys.bearer(key)) as client:
                body = b"" if method == "POST" else None
                if at.endswith("/live"):  # a stream without an end
                    with client.http.stream(method, at) as response:
                        status = response.status_code
                else:
                    status = client.request(method, at, body).status
            assert (status != 403) == opens, f"{row} with the scope {scope}: {status}"
            assert status != 401, f"{row} with the scope {scope}"


def test_each_route_needs_a_key(serving):
    keys.known(serving, keys.make(serving))
    for row in routes():
        method, path = row.split()
        if row in ANYBODY:
            continue
        url = keys.admin_url(serving) if "/admin/" in path else serving.url
        with Client(url) as client:
            at = path.replace("{id}", "x").replace("{item}", "x")
            client.request(method, at, b"" if method == "POST" else None) \
                .error(401, "missing_api_key")


def test_listening_elsewhere_for_admins_without_keys_is_refused(start):
    gateway = start(args=["--admin-listen", "0.0.0.0:0"], ready=False)
    code, said = gateway.fails_to_start()
    assert code == 78 and "admin_listen" in said


# --- secrets ---

@pytest.mark.sqlite
def test_no_text_of_a_key_is_kept_or_told(start):
    """Looked for in the log, the metrics, the errors, and all files beside the database."""
    gateway = start(args=[*ADMIN, "--log-level", "debug"])
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))["key"]
    texts = [root]
    with keys.client_of(gateway, root, admin=True) as admin:
        made = admin.post("/v1/admin/keys").ok().json
        texts += [made["key"], admin.post(f"/v1/admin/keys/{made['id']}/rotate",
                                          {"grace": 60}).ok().json["key"]]
        told = [admin.get("/v1/admin/keys").ok().body, admin.get(f"/v1/admin/keys/{made['id']}").body]
        told.append(admin.get(f"/v1/admin/keys/{texts[1]}").body)
    with keys.client_of(gateway, texts[2]) as client:
        client.chat("hi").ok()
        told.append(client.get("/metrics").body)
        told.append(client.get("/v1/models", headers={"Authorization": f"Basic {texts[1]}"}).body)
        told.append(client.get("/v1/models", headers=keys.bearer(texts[1] + "x")).body)
    gateway.wait_log(made["id"])
    gateway.stop()
    secrets = [text.split("_")[3][:43] for text in texts]
    files = {path.name: path.read_bytes() for path in gateway.folder.rglob("*") if path.is_file()}
    log = "".join(gateway.lines)
    for secret in secrets:
        assert secret not in log
        for what in told:
            assert secret.encode() not in what
        for name, content in files.items():
            assert secret.encode() not in content, name
    with sqlite3.connect(gateway.database) as db:
        assert db.execute("SELECT count(*), min(length(sha256)) FROM api_key").fetchone() == (2, 32)


def test_the_log_names_the_key_by_its_id(serving, admin):
    made = admin.post("/v1/admin/keys").ok().json
    asks(serving, made["key"]).ok()
    line = serving.wait_log(rf'.*"/v1/models".*"key_id":"{made["id"]}".*')
    assert made["key"] not in line.group()
