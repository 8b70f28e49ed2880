"""Sessions: a token for a key, which can do no more than the key, and dies before it or with it."""

import contextlib
import hashlib
import hmac
import re
import sqlite3
import time

import pytest

import keys
from client import Client
from raw import Raw, get
from test_takeover import succeed  # noqa: F401  a fixture
from waiting import Watch, soonest, wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
HOUR, DAY = 3600, 12 * 3600
WEEK, MONTH = 7 * 86400, 30 * 86400
CONFIG_KEY = "configured-" + "k" * 20


@pytest.fixture
def serving(start):
    return start(args=ADMIN)


@pytest.fixture
def key(serving):
    return keys.known(serving, keys.make(serving, "--name", "desk", "--scopes", "chat,read,files,admin"))


def ask(gateway, token, path="/v1/me", method="GET", body=None, url=None):
    with Client(url or gateway.url, keys.bearer(token)) as client:
        return client.request(method, path, body)


def begin(gateway, secret, **body):
    return ask(gateway, secret, "/v1/session", "POST", body or None).ok().json


def works(gateway, token):
    return ask(gateway, token).status == 200


def dead(gateway, token):
    ask(gateway, token).error(401, "invalid_session")


def end(gateway, token):
    return ask(gateway, token, "/v1/session", "DELETE").ok().json


def forged(gateway, token, key, begun=0, until=0, scopes=None, secret=None):
    """The token with other times, relative to its own: made as the gateway makes them."""
    front, session, times, name, _ = re.fullmatch(
        r"(parley_st)_([0-9a-f]{32})_([0-9a-f]{22})_([0-9a-z]+)_([0-9a-f]{32})", token).groups()
    now = [int(times[:10], 16) + begun, int(times[10:20], 16) + until]
    text = f"{front}_{session}_{now[0]:010x}{now[1]:010x}{scopes or times[20:]}_{name}_"
    if secret is None:
        with contextlib.closing(sqlite3.connect(gateway.database)) as db:
            (secret,), = db.execute("SELECT ticket_secret FROM api_key_change")
    mac = hmac.new(secret, text.encode() + hashlib.sha256(key.encode()).digest(), "sha256")
    return text + mac.hexdigest()[:32]


# --- what a token is ---

def test_a_key_becomes_a_token(serving, key):
    before = int(time.time())
    made = begin(serving, key["key"])
    assert set(made) == {"object", "id", "token", "expires_at", "ends_at", "key", "name", "scopes"}
    assert (made["object"], made["key"], made["name"]) == ("session", key["id"], "desk")
    assert made["scopes"] == ["chat", "read", "files", "admin"]
    assert before <= made["expires_at"] - HOUR <= time.time()
    assert made["ends_at"] == made["expires_at"] - HOUR + DAY
    assert made["token"].startswith("parley_st_" + made["id"].removeprefix("sess_") + "_")
    assert key["key"] not in str(made)


def test_a_token_works_wherever_its_key_does(serving, key):
    token = begin(serving, key["key"])["token"]
    for headers in (keys.bearer(token), {"x-api-key": token}, {"api-key": token}, {"API_KEY": token}):
        with Client(serving.url) as client:
            assert client.get("/v1/me", headers=headers).ok().json["id"] == key["id"]
    with keys.client_of(serving, token) as of_token, keys.client_of(serving, key["key"]) as of_key:
        assert of_token.get("/v1/me").ok().json == of_key.get("/v1/me").ok().json
        conversation = of_token.chat("hi").ok().json["conversation"]
        of_key.get(f"/v1/conversations/{conversation}").ok()
        run = of_key.chat("hi").ok().json["run"]
        of_token.get(f"/v1/runs/{run}/events")
        ticket = of_token.post(f"/v1/runs/{run}/ticket").ok().json["ticket"]
    with Client(serving.url) as client:
        assert client.get(f"/v1/runs/{run}/events?ticket={ticket}").status == 200
    listed = ask(serving, token, "/v1/admin/keys", url=keys.admin_url(serving)).ok().json["data"]
    assert [row["id"] for row in listed] == [key["id"]]


def test_limits_are_the_key_s(serving):
    made = keys.known(serving, keys.make(serving, "--limit", "requests=2/1h"))
    tokens = [begin(serving, made["key"])["token"] for _ in range(2)]
    chat = ("/v1/chat", "POST", {"messages": ["hi"]})
    ask(serving, tokens[0], *chat).ok()
    ask(serving, made["key"], *chat).ok()
    ask(serving, tokens[1], *chat).error(429, "rate_limit_exceeded")


def test_an_open_gateway_has_nothing_to_exchange(serving):
    with Client(serving.url) as client:
        for method in ("POST", "DELETE"):
            error = client.request(method, "/v1/session").error(400, "bad_request")
            assert "no API keys" in error["message"]


def test_a_key_has_no_session_to_end(serving, key):
    ask(serving, key["key"], "/v1/session", "DELETE").error(400, "bad_request")
    assert works(serving, key["key"])


# --- scopes ---

def test_a_session_may_have_fewer_scopes_and_never_more(serving, key):
    made = begin(serving, key["key"], scopes=["read", "chat"])
    assert made["scopes"] == ["chat", "read"]
    token = made["token"]
    assert ask(serving, token).ok().json["scopes"] == ["chat", "read"]
    ask(serving, token, "/v1/files").error(403, "insufficient_scope")
    ask(serving, token, "/v1/admin/keys").error(403, "insufficient_scope")
    ask(serving, token, "/v1/session", "POST", {"scopes": ["read", "files"]}) \
        .error(403, "insufficient_scope", "scopes")
    fewer = begin(serving, token, scopes=["read"])
    assert fewer["scopes"] == ["read"] and fewer["id"] == made["id"]
    ask(serving, fewer["token"], "/v1/chat", "POST", {"messages": ["hi"]}).error(403, "insufficient_scope")
    assert begin(serving, fewer["token"])["scopes"] == ["read"]
    limited = keys.known(serving, keys.make(serving, "--scopes", "chat"))
    ask(serving, limited["key"], "/v1/session", "POST", {"scopes": ["admin"]}).error(403, "insufficient_scope")


def test_what_the_key_loses_its_sessions_lose(serving, key):
    made = keys.known(serving, keys.make(serving))
    token = begin(serving, made["key"])["token"]
    ask(serving, key["key"], f"/v1/admin/keys/{made['id']}", "POST", {"scopes": ["read"]}).ok()
    assert ask(serving, token).ok().json["scopes"] == ["read"]
    ask(serving, token, "/v1/files").error(403, "insufficient_scope")
    assert begin(serving, token)["scopes"] == ["read"]


@pytest.mark.parametrize("body, param, code", [
    ({"scopes": []}, "scopes", "invalid_value"), ({"scopes": ["root"]}, "scopes[0]", "invalid_value"),
    ({"scopes": "chat"}, "scopes", "invalid_type"), ({"scopes": ["chat", 1]}, "scopes[1]", "invalid_type"),
    ({"hours": 5}, "hours", "unknown_parameter")])
def test_wrong_bodies(serving, key, body, param, code):
    ask(serving, key["key"], "/v1/session", "POST", body).error(400, code, param)


# --- time ---

def test_a_token_gets_the_next_one(serving, key):
    first = begin(serving, key["key"])
    wait_until(lambda: time.time() >= first["expires_at"] - HOUR + 1, "the next second")
    second = begin(serving, first["token"])
    assert second["id"] == first["id"] and second["token"] != first["token"]
    assert second["expires_at"] > first["expires_at"] and second["ends_at"] == first["ends_at"]
    assert works(serving, first["token"]) and works(serving, second["token"])
    assert begin(serving, key["key"])["id"] != first["id"]


def test_a_token_dies_of_idleness_and_a_session_of_age(serving, key):
    made = begin(serving, key["key"])
    token, secret = made["token"], key["key"]
    assert forged(serving, token, secret) == token, "the test makes tokens as the gateway does"
    assert works(serving, forged(serving, token, secret, begun=60 - HOUR, until=60 - HOUR))
    dead(serving, forged(serving, token, secret, begun=-HOUR, until=-HOUR))
    ask(serving, forged(serving, token, secret, until=-HOUR), "/v1/session", "POST").error(401, "invalid_session")
    # half an hour before its end, the next token lives for half an hour
    old = forged(serving, token, secret, begun=HOUR // 2 - DAY)
    last = begin(serving, old)
    assert last["ends_at"] == last["expires_at"] == made["ends_at"] - DAY + HOUR // 2
    assert works(serving, last["token"])
    # whatever the token says of itself
    dead(serving, forged(serving, token, secret, begun=-DAY))
    dead(serving, forged(serving, token, secret, begun=-DAY, until=DAY))


def test_a_kept_session_lives_for_a_month(serving, key):
    made = begin(serving, key["key"], keep=True)
    token = made["token"]
    assert abs(made["expires_at"] - time.time() - WEEK) < 60 and abs(made["ends_at"] - time.time() - MONTH) < 60
    assert works(serving, token)
    second = begin(serving, token)
    assert second["ends_at"] == made["ends_at"] and second["expires_at"] >= made["expires_at"]
    assert works(serving, forged(serving, token, key["key"], begun=60 - WEEK, until=60 - WEEK))
    dead(serving, forged(serving, token, key["key"], begun=-WEEK, until=-WEEK))
    dead(serving, forged(serving, token, key["key"], begun=-MONTH))
    # an hour's token does not become a month's
    short = begin(serving, key["key"])["token"]
    ask(serving, short, "/v1/session", "POST", {"keep": True}).error(400, "invalid_value", "keep")
    assert begin(serving, token, keep=True)["ends_at"] == made["ends_at"]
    assert begin(serving, token, keep=False)["ends_at"] == made["ends_at"]
    ask(serving, key["key"], "/v1/session", "POST", {"keep": "yes"}).error(400, "invalid_type", "keep")
    end(serving, second["token"])
    dead(serving, token)
    serving.restart()
    dead(serving, token)


def test_who_had_the_key_hears_that_it_was_revoked(serving, key):
    made = keys.known(serving, keys.make(serving))
    other = keys.known(serving, keys.make(serving))
    tokens = [begin(serving, one["key"], keep=keep)["token"] for one in (made, other) for keep in (True, False)]
    gone = begin(serving, made["key"])["token"]
    end(serving, gone)
    ask(serving, key["key"], f"/v1/admin/keys/{made['id']}", method="DELETE").ok()
    for _ in range(2):
        for token in tokens[:2]:
            assert "revoked" in ask(serving, token).error(401, "invalid_session", "key")["message"]
        assert ask(serving, gone).error(401, "invalid_session")["param"] is None
        false = forged(serving, tokens[0], other["key"])
        assert "revoked" not in ask(serving, false).error(401, "invalid_session")["message"]
        ask(serving, made["key"]).error(401, "invalid_api_key")
        assert works(serving, tokens[2]) and works(serving, tokens[3])
        serving.restart()


def test_no_session_outlives_its_key(serving):
    made = keys.known(serving, keys.make(serving, "--expires", "2h"))
    first = begin(serving, made["key"])
    assert first["ends_at"] == made["expires_at"] and first["expires_at"] < made["expires_at"]
    made = keys.known(serving, keys.make(serving, "--expires", "3s"))
    short = begin(serving, made["key"])
    assert short["ends_at"] == short["expires_at"] == made["expires_at"]
    wait_until(lambda: ask(serving, short["token"]).status == 401, "the key's end")
    dead(serving, short["token"])
    assert works(serving, first["token"])


# --- the end ---

def test_signing_out_ends_all_tokens_of_the_session_alone(serving, key):
    first, other = begin(serving, key["key"]), begin(serving, key["key"])
    second = begin(serving, first["token"], scopes=["read"])
    assert end(serving, second["token"]) == {"id": first["id"], "object": "session", "deleted": True}
    dead(serving, first["token"])
    dead(serving, second["token"])
    ask(serving, first["token"], "/v1/session", "DELETE").error(401, "invalid_session")
    ask(serving, first["token"], "/v1/session", "POST").error(401, "invalid_session")
    assert works(serving, other["token"]) and works(serving, key["key"])


def test_the_end_of_a_session_survives_a_restart(serving, key):
    one, two = (begin(serving, key["key"])["token"] for _ in range(2))
    end(serving, one)
    for stop in (serving.stop, serving.kill):
        stop()
        serving.start()
        dead(serving, one)
        assert works(serving, two) and begin(serving, two)["scopes"]


@pytest.mark.sqlite  # a takeover
def test_another_process_knows_within_a_second(serving, key, succeed):  # noqa: F811
    """The old process of a takeover still answers on its connections, one request each."""
    def asked(raw, token):
        return raw.send(get("/v1/me", f"Authorization: Bearer {token}")).read().status

    token = begin(serving, key["key"])["token"]
    old = [Raw(serving) for _ in range(20)]
    try:
        assert [asked(raw, token) for raw in old] == [200] * 20
        new = succeed(serving)
        assert works(new, token)
        assert asked(old.pop(), token) == 200, "the old process is still there"
        end(new, token)
        watch = Watch(new)
        dead(new, token)
        wait_until(lambda: asked(old.pop(), token) == 401, "the news")
        assert watch.seconds() < 1
    finally:
        for raw in old:
            raw.close()
    assert serving.wait_exit() == 0


@pytest.mark.parametrize("how", ["revoke", "rotate"])
def test_what_ends_a_key_ends_its_sessions_within_a_second(serving, key, how):
    """By the command, which is another process."""
    def measure():
        made = keys.known(serving, keys.make(serving))
        token = begin(serving, made["key"])["token"]
        with keys.client_of(serving, token) as client:
            client.get("/v1/me").ok()
            keys.command(serving, how, made["id"])
            watch = Watch(serving)
            wait_until(lambda: client.get("/v1/me").status == 401, "its end")
            dead(serving, token)
            return watch.seconds()

    soonest(measure, 1)
    made = keys.known(serving, keys.make(serving))
    token = begin(serving, made["key"])["token"]
    path, method = {"revoke": ("", "DELETE"), "rotate": ("/rotate", "POST")}[how]
    ask(serving, key["key"], f"/v1/admin/keys/{made['id']}{path}", method).ok()
    dead(serving, token)


def test_a_session_lives_as_long_as_the_text_that_it_came_from(serving, key):
    """A rotation with grace leaves the old text valid for a while, and what was made with it."""
    made = keys.known(serving, keys.make(serving))
    old = begin(serving, made["key"])["token"]
    rotated = ask(serving, key["key"], f"/v1/admin/keys/{made['id']}/rotate", "POST", {"grace": 2}).ok().json
    new = begin(serving, rotated["key"])["token"]
    late = begin(serving, made["key"])["token"]
    assert works(serving, old) and works(serving, new) and works(serving, late)
    next_old = begin(serving, old)["token"]
    wait_until(lambda: not works(serving, made["key"]), "the end of the grace")
    for token in (old, late, next_old):
        dead(serving, token)
    assert works(serving, new)


def test_keys_of_the_configuration_have_sessions_too(start):
    config = {"api_keys": [{"env": "ONE_KEY"}, {"env": "TWO_KEY"}], "admin_listen": "127.0.0.1:0"}
    gateway = start(config, env={"ONE_KEY": CONFIG_KEY, "TWO_KEY": CONFIG_KEY + "2"})
    one = begin(gateway, CONFIG_KEY)
    two = begin(gateway, CONFIG_KEY + "2", scopes=["chat"])
    assert (one["key"], one["name"], one["scopes"]) == ("config:1", None, ["chat", "read", "files"])
    assert (two["key"], two["scopes"]) == ("config:2", ["chat"])
    assert ask(gateway, one["token"]).ok().json["id"] == "config:1"
    end(gateway, one["token"])
    dead(gateway, one["token"])
    gateway.restart()
    dead(gateway, one["token"])
    one = begin(gateway, CONFIG_KEY)
    # a key that a reload takes away takes its sessions with it
    gateway.write_config({**config, "api_keys": [{"env": "TWO_KEY"}]})
    gateway.signal(1)
    wait_until(lambda: ask(gateway, CONFIG_KEY).status == 401, "the reload")
    dead(gateway, one["token"])
    assert ask(gateway, two["token"]).ok().json["id"] == "config:1", "the second is the first now"


# --- tokens that are none ---

def test_every_slip_in_a_token_is_the_same_refusal(serving, key):
    other = keys.known(serving, keys.make(serving, "--scopes", "chat"))
    good = begin(serving, other["key"])["token"]
    assert works(serving, good)
    seen = set()
    slips = [good[:i] + ("1" if good[i] != "1" else "0") + good[i + 1:] for i in range(10, len(good))]
    slips += [good[:-1], good + "0", good[:-32], "parley_st_", good.upper().replace("PARLEY_ST", "parley_st"),
              good.replace(other["id"][4:], key["id"][4:]),
              forged(serving, good, key["key"]), forged(serving, good, other["key"], secret=b"\0" * 32),
              forged(serving, good, other["key"], secret=b""), "parley_st_" + "0" * 100]
    with Client(serving.url) as client:
        for text in slips:
            error = client.get("/v1/me", headers=keys.bearer(text)).error(401, "invalid_session")
            assert text not in error["message"]
            seen.add(error["message"])
        assert client.get("/v1/me", headers=keys.bearer(good)).status == 200
    assert len(seen) == 1, seen


def test_no_text_of_a_token_is_kept_or_told(start):
    gateway = start(args=[*ADMIN, "--log-level", "debug"])
    root = keys.known(gateway, keys.make(gateway, "--scopes", "admin,chat,read"))["key"]
    tokens = [begin(gateway, root)["token"] for _ in range(2)]
    ended = tokens[0]
    tokens.append(begin(gateway, tokens[0])["token"])
    end(gateway, ended)
    with keys.client_of(gateway, tokens[1]) as client:
        client.chat("hi").ok()
        told = [client.get("/metrics").body, client.get(f"/v1/admin/keys/{tokens[1]}").body,
                client.get(f"/v1/runs/{tokens[1]}").body, client.get("/v1/admin/keys").body,
                client.get("/v1/me", headers={"Authorization": f"Basic {tokens[1]}"}).body,
                client.get("/v1/me", headers=keys.bearer(ended)).body]
    gateway.wait_log(r"\(a key stands in it\)")
    gateway.stop()
    files = {path.name: path.read_bytes() for path in gateway.folder.rglob("*") if path.is_file()}
    for secret in (token[-32:] for token in tokens):
        assert secret not in "".join(gateway.lines)
        assert not [body for body in told if secret.encode() in body]
        assert not [name for name, content in files.items() if secret.encode() in content]


# --- the notes of ended sessions ---

def notes(gateway, sql="SELECT count(*) FROM session_ended", *args):
    with contextlib.closing(sqlite3.connect(gateway.database, isolation_level=None)) as db:
        return db.execute(sql, args).fetchall()


def test_notes_go_when_their_time_is_over(serving, key):
    for n in range(3):
        notes(serving, "INSERT INTO session_ended VALUES (?,?,?,?)", 5, n, key["id"][4:], 1000)
    end(serving, begin(serving, key["key"])["token"])
    (ends,), = notes(serving, "SELECT ends_ms FROM session_ended")
    assert (DAY - 60) * 1000 < ends - time.time() * 1000 <= DAY * 1000


def test_a_key_ends_a_thousand_sessions_at_most(serving, key):
    later = int(time.time() * 1000) + HOUR * 1000
    with contextlib.closing(sqlite3.connect(serving.database)) as db, db:
        db.executemany("INSERT INTO session_ended VALUES (?,?,?,?)",
                       [(7, n, key["id"][4:], later) for n in range(999)])
    end(serving, begin(serving, key["key"])["token"])
    token = begin(serving, key["key"])["token"]
    error = ask(serving, token, "/v1/session", "DELETE").error(503, "overloaded")
    assert "1000 sessions" in error["message"] and works(serving, token)
    other = keys.known(serving, keys.make(serving))
    end(serving, begin(serving, other["key"])["token"])
    assert notes(serving) == [(1001,)]
