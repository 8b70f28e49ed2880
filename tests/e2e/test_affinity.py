"""Affinity: the calls of a session go to one of a model's targets; several keys of a provider."""

import collections
import json

import pytest

import gateway as gw
import keys
import upstream as up
from client import Client
from fixtures import provider
from upstream import in_turn
from waiting import wait_until

NEVER = {"failures": 0, "cooling": "0s", "dead_key": "0s"}
ONCE = {"failures": 1, "pause": "1m", "cooling": "1m", "dead_key": "1m"}
HI = [{"role": "user", "content": "hi"}]


def echoes(*weights, **model):
    """A model `m` with as many targets, which answer with their names."""
    names = "abcdefgh"[:len(weights)]
    return {"providers": [{"name": n, "dialect": "echo", "reply": n} for n in names],
            "models": [{"name": "m", "targets": [{"provider": n, "weight": w}
                                                 for n, w in zip(names, weights, strict=True)], **model}]}


def turn(client, conversation=None, **fields):
    more = {"conversation": conversation} if conversation else {}
    return client.post("/v1/chat", {"messages": HI, "config": {"model": "m"}, **more, **fields}).ok()


def plain(client, headers=None, **body):
    return client.post("/v1/chat/completions", {"model": "m", "messages": HI, **body}, headers=headers).ok()


def target(reply):
    return reply.headers["x-parley-target"]


def affinity(client):
    text = client.get("/metrics").ok().body.decode()
    found = {line.split('"')[1]: int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
             if line.startswith("parley_affinity_total{")}
    return [found.get(result, 0) for result in ("kept", "moved", "none")]


# --- which calls are one session's ---


def test_a_conversation_stays_at_its_target(start):
    seen = collections.Counter()
    with Client(start(echoes(1, 1, 1)).url) as client:
        for _ in range(40):
            first = turn(client)
            seen[target(first)] += 1
            for _ in range(2):
                assert target(turn(client, first.json["conversation"])) == target(first)
        assert len(seen) == 3
        assert affinity(client) == [120, 0, 0]


def test_a_chain_of_responses_stays_at_its_target(start):
    with Client(start({**echoes(1, 1, 1), "responses_store": True}).url) as client:
        for _ in range(8):
            first = client.post("/v1/responses", {"model": "m", "input": "hi", "store": True}).ok()
            again = client.post("/v1/responses", {"model": "m", "input": "more", "store": True,
                                                  "previous_response_id": first.json["id"]}).ok()
            assert target(again) == target(first)


HEADERS = ("x-parley-session", "x-session-id", "x-claude-code-session-id", "session-id", "session_id",
           "x-litellm-session-id", "helicone-session-id", "agent-session-id")
UUID = "0bc6c2b4-6a1f-4b9d-8f9b-%012x"


def bodies(name):
    """What names a session in a body."""
    yield {"prompt_cache_key": name}
    yield {"session_id": name}


def claude(name):
    yield {"metadata": {"user_id": f"user_ab12_account__session_{name}"}}
    yield {"metadata": {"user_id": json.dumps({"device_id": "d", "session_id": name})}}


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_names_the_session(start, header):
    with Client(start(echoes(1, 1, 1)).url) as client:
        seen = {}
        for round_ in range(2):
            for i in range(16):
                named = target(plain(client, {header: UUID % i}))
                assert seen.setdefault(i, named) == named
        assert len(set(seen.values())) == 3
        # Parley's own header decides before any other one
        for i in range(16):
            both = {header: UUID % (i + 100), "x-parley-session": UUID % i}
            if header != "x-parley-session":
                assert target(plain(client, both)) == target(plain(client, {"x-parley-session": UUID % i}))


@pytest.mark.parametrize("path, make, body", [
    ("/v1/chat/completions", bodies, {"messages": HI}),
    ("/v1/messages", claude, {"messages": HI, "max_tokens": 9}),
    ("/v1/responses", bodies, {"input": "hi", "store": False}),
])
def test_a_body_names_the_session(start, path, make, body):
    with Client(start(echoes(1, 1, 1)).url) as client:
        for way in range(2):
            seen = {}
            for _ in range(2):
                for i in range(16):
                    more = list(make(UUID % i))[way]
                    named = target(client.post(path, {"model": "m", **body, **more}).ok())
                    assert seen.setdefault(i, named) == named
            assert len(set(seen.values())) == 3


def test_all_families_and_streams_say_the_same_of_a_header(start):
    with Client(start({**echoes(1, 1, 1), "providers": echoes(1, 1, 1)["providers"]}).url) as client:
        for i in range(6):
            header = {"x-parley-session": f"s{i}"}
            want = target(plain(client, header))
            calls = [("/v1/messages", {"model": "m", "max_tokens": 9, "messages": HI}),
                     ("/v1/responses", {"model": "m", "input": "hi", "store": False}),
                     ("/v1/chat", {"config": {"model": "m"}, "messages": HI, "store": False}),
                     ("/v1/chat", {"config": {"model": "m"}, "messages": HI}),
                     ("/v1/embeddings", {"model": "m", "input": "hi"})]
            for path, body in calls:
                assert target(client.post(path, body, headers=header).ok()) == want, path
            for path, body in calls[:-1]:
                with client.stream(path, {**body, "stream": True}, headers=header) as stream:
                    assert stream.response.headers["x-parley-target"] == want, path
                    list(stream)


def test_calls_without_a_session_go_by_weight(start):
    with Client(start(echoes(3, 1)).url) as client:
        seen = collections.Counter(target(plain(client)) for _ in range(40))
        assert seen == {"a": 30, "b": 10}
        assert affinity(client) == [0, 0, 40]


def test_off_means_by_weight(start):
    with Client(start(echoes(1, 1, affinity="off")).url) as client:
        seen = collections.Counter(target(plain(client, {"x-parley-session": "s"})) for _ in range(10))
        assert seen == {"a": 5, "b": 5}
        assert affinity(client) == [0, 0, 0]


def test_one_target_needs_no_header(start):
    with Client(start(echoes(1)).url) as client:
        assert "x-parley-target" not in plain(client, {"x-parley-session": "s"}).headers


def test_another_owner_s_session_is_another_one(start):
    g = start(echoes(1, 1, 1), args=["--admin-listen", "127.0.0.1:0"])
    made = [keys.known(g, keys.make(g, "--name", n))["key"] for n in "xy"]
    seen = []
    for key in made:
        with keys.client_of(g, key) as client:
            seen.append([target(plain(client, {"x-parley-session": f"s{i}"})) for i in range(16)])
    assert seen[0] != seen[1]


# --- gateways, restarts, failures ---


def test_two_gateways_and_a_restart_agree(start):
    first, second = start(echoes(2, 1, 1)), start(echoes(2, 1, 1))
    names = [f"s{i}" for i in range(24)]
    with Client(first.url) as a, Client(second.url) as b:
        plain(b)
        before = [target(plain(a, {"x-parley-session": n})) for n in names]
        assert [target(plain(b, {"x-parley-session": n})) for n in names] == before
        talks = [turn(a) for _ in range(12)]
    first.stop()
    first.start()
    with Client(first.url) as a:
        assert [target(plain(a, {"x-parley-session": n})) for n in names] == before
        for talk in talks:
            assert target(turn(a, talk.json["conversation"])) == target(talk)


def served(upstream, names, **more):
    """Providers of the scripted server."""
    return [{"name": n, "dialect": "openai", "base_url": upstream.url, "retries": 0, "health": dict(ONCE), **more}
            for n in names]


def never(upstream):
    """Two of them, whose failures of one call are no other call's."""
    return [{**p, "health": dict(NEVER)} for p in served(upstream, "ab")]


@pytest.fixture
def three(start, upstream, script):
    """Three targets; the one that is asked `down` times in a row fails so often first."""
    def make(**model):
        scripts = {n: script(up.either(n)) for n in "abc"}
        g = start({"providers": served(upstream, "abc"),
                   "models": [{"name": "m", "targets": [{"provider": n, "upstream_model": scripts[n].name}
                                                        for n in "abc"], **model}]},
                  args=["--admin-listen", "127.0.0.1:0"])
        return g, scripts
    return make


FAILS = up.reply({"error": {"message": "went wrong", "type": "server_error"}}, 500)


def test_only_the_sessions_of_a_target_that_is_down_move(three):
    g, scripts = three()
    with Client(g.url) as client:
        before = {i: target(plain(client, {"x-parley-session": f"s{i}"})) for i in range(30)}
        talks = [turn(client) for _ in range(12)]
        assert set(before.values()) == set("abc")
        well = scripts["b"].steps
        scripts["b"].steps = (FAILS,)
        during = {i: target(plain(client, {"x-parley-session": f"s{i}"})) for i in before}
        for i, name in before.items():
            assert during[i] != "b" and (name == "b" or during[i] == name)
        moved = {talk.json["conversation"]: target(turn(client, talk.json["conversation"])) for talk in talks}
        assert affinity(client)[1] > 0
        scripts["b"].steps = well
        g.stop()
        g.start()  # the breaker is forgotten
    with Client(g.url) as client:
        # a session that a client names returns; a conversation stays where its last good answer came from
        assert {i: target(plain(client, {"x-parley-session": f"s{i}"})) for i in before} == before
        for talk in talks:
            stays = moved[talk.json["conversation"]]
            assert stays != "b"
            assert target(turn(client, talk.json["conversation"])) == stays


def test_a_fallback_s_cache_is_kept(start, upstream, script):
    own, other = script(in_turn(FAILS, up.either("own"))), script(up.either("other"))
    g = start({"providers": never(upstream),
               "models": [{"name": "m", "provider": "a", "upstream_model": own.name, "fallback": ["f"]},
                          {"name": "f", "provider": "b", "upstream_model": other.name}]})
    with Client(g.url) as client:
        first = turn(client)
        talk = first.json["conversation"]
        assert target(first) == "b" and first.headers["x-parley-attempts"] == "2"
        second = turn(client, talk)
        assert target(second) == "b" and second.headers["x-parley-attempts"] == "1"
        assert target(turn(client)) == "a"  # others are asked as ever
        other.steps = (FAILS,)
        third = turn(client, talk)  # then the model's own target is asked, and stays
        assert target(third) == "a" and third.headers["x-parley-attempts"] == "2"
        assert target(turn(client, talk)) == "a"


def test_a_failed_turn_moves_no_conversation(start, upstream, script):
    a, b = script(up.either("a")), script(up.either("b"))
    g = start({"providers": never(upstream),
               "models": [{"name": "m", "targets": [{"provider": "a", "upstream_model": a.name},
                                                    {"provider": "b", "upstream_model": b.name}]}]})
    with Client(g.url) as client:
        first = turn(client)
        well = a.steps, b.steps
        a.steps = b.steps = (FAILS,)
        client.post("/v1/chat", {"messages": HI, "config": {"model": "m"},
                                 "conversation": first.json["conversation"]}).error(502)
        a.steps, b.steps = well
        assert target(turn(client, first.json["conversation"])) == target(first)


def fallback(start, upstream, own, other, more=(), **health):
    """A model `big` that falls back on `small`, and back."""
    return start({"providers": [{**p, "health": {**NEVER, **health}} for p in served(upstream, "ab")],
                  "models": [{"name": "big", "provider": "a", "upstream_model": own.name, "fallback": ["small"]},
                             {"name": "small", "provider": "b", "upstream_model": other.name,
                              "fallback": ["big"]}, *more]})


def ask(client, model, conversation=None, **fields):
    more = {"conversation": conversation} if conversation else {}
    return client.post("/v1/chat", {"messages": HI, "config": {"model": model}, **more, **fields})


def test_another_model_is_another_question(start, upstream, script):
    own, other = script(up.either("own")), script(up.either("other"))
    with Client(fallback(start, upstream, own, other).url) as client:
        first = ask(client, "small").ok()
        talk = first.json["conversation"]
        assert target(first) == "b"
        assert target(ask(client, "big", talk).ok()) == "a"
        assert target(ask(client, "big", talk).ok()) == "a"
        assert target(ask(client, "small", talk).ok()) == "b"
        first = client.post("/v1/responses", {"model": "small", "input": "hi", "store": True}).ok()
        again = client.post("/v1/responses", {"model": "big", "input": "hi", "store": True,
                                              "previous_response_id": first.json["id"]}).ok()
        assert (target(first), target(again)) == ("b", "a")


REFUSES = up.reply({"error": {"message": "too long", "type": "invalid_request_error",
                              "code": "context_length_exceeded"}}, 400)


def test_what_a_fallback_refuses_the_model_itself_is_asked(start, upstream, script):
    own, other = script(in_turn(FAILS, up.either("own"))), script(up.either("other"))
    with Client(fallback(start, upstream, own, other).url) as client:
        first = ask(client, "big").ok()
        assert target(first) == "b"
        other.steps = (REFUSES,)
        second = ask(client, "big", first.json["conversation"]).ok()
        assert target(second) == "a" and second.headers["x-parley-attempts"] == "2"
        assert target(ask(client, "big", first.json["conversation"]).ok()) == "a"
        own.steps = (REFUSES,)  # and then nobody else is
        ask(client, "big", first.json["conversation"]).error(400, "context_length_exceeded")


BUSY = up.reply({"error": {"message": "too busy", "type": "server_error"}}, 503)


def test_each_target_s_failure_is_its_own(start, upstream, script):
    own, other = script(in_turn(BUSY, up.either("own"))), script(up.either("other"))
    g = fallback(start, upstream, own, other, failures=2, window="1m", pause="1m")
    with Client(g.url) as client:
        first = ask(client, "big").ok()
        assert target(first) == "b"
        own.steps = other.steps = (BUSY,)
        ask(client, "big", first.json["conversation"]).error(503)
        ask(client, "big", first.json["conversation"])
        tries = len(own.exchanges)
        ask(client, "big").error(503, "no_healthy_upstream")
        assert len(own.exchanges) == tries


def test_a_call_that_moved_is_counted_as_one(start, upstream, script):
    own, other = script(FAILS), script(up.either("other"))
    with Client(fallback(start, upstream, own, other, failures=1, window="1m", pause="1m").url) as client:
        for i in range(4):
            reply = client.post("/v1/chat/completions", {"model": "big", "messages": HI},
                                headers={"x-parley-session": f"s{i}"}).ok()
            assert target(reply) == "b"
        assert affinity(client) == [1, 3, 0]  # the first one began at its own


# --- several keys ---


def pool(start, upstream, s, count=3, **more):
    return start({"providers": [{"name": "p", "dialect": "openai", "base_url": upstream.url, "retries": 0,
                                 "health": ONCE, "api_keys": [{"env": f"KEY{i}"} for i in range(count)], **more}],
                  "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]},
                 env={f"KEY{i}": f"sk-pool-{i}-{gw.CANARY}" for i in range(count)},
                 args=["--admin-listen", "127.0.0.1:0"])


def key_of(exchange):
    return exchange.request.header("authorization").split("-")[2]


def test_sessions_share_the_keys_of_a_provider(start, upstream, script):
    s = script(up.either())
    with Client(pool(start, upstream, s).url) as client:
        for i in range(40):
            for _ in range(2):
                reply = plain(client, {"x-parley-session": f"s{i}"})
                assert target(reply) == f"p#{int(key_of(s.exchanges[-1])) + 1}"
        by = [key_of(x) for x in s.exchanges]
        assert set(by) == {"0", "1", "2"} and by[::2] == by[1::2]


def test_a_run_tells_which_key_was_used(start, upstream, script):
    """Of a stored run by its log of attempts, of any other call by the ledger; sums know the entry alone."""
    refused = up.reply({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)
    good = up.either()
    s = script(lambda x: (refused if key_of(x) == "1" else good)(x))
    g = pool(start, upstream, s)
    with Client(g.url) as client, Client(keys.admin_url(g)) as admin:
        moved = 0
        for i in range(40):  # one of them finds the dead key
            run = client.run(turn(client, **{"config": {"model": "m"}}).json["run"])
            asked = [(x["provider"], x["key"]) for x in run["attempt_list"]]
            now = [("p", int(key_of(x)) + 1) for x in s.exchanges[-len(asked):]]
            assert asked == now and run["provider"] == "p"
            moved += [key for _, key in asked].count(2)
        assert moved == 1

        used = []
        for i in range(6):
            plain(client, {"x-parley-session": f"s{i}"})
            used.append(int(key_of(s.exchanges[-1])) + 1)
        listed = wait_until(lambda: (found := client.get("/v1/runs?stored=false").ok().json["data"]) and
                            len(found) == 6 and found, "the ledger has the calls")
        for run, key in zip(listed[::-1], used, strict=True):
            assert run["provider"] == "p"
            for c, path in ((client, "/v1/runs/"), (admin, "/v1/admin/runs/")):
                only, = c.get(path + run["id"]).ok().json["attempt_list"]
                assert (only["provider"], only["key"]) == ("p", key)
        assert len(client.get("/v1/runs?provider=p&limit=100").ok().json["data"]) == 46
        hours = admin.get("/v1/admin/calls/hours?by=provider").ok().json["data"]
        assert {h["provider"] for h in hours} == {"p"}


def test_a_dead_key_takes_itself_alone_out(start, upstream, script):
    refused = up.reply({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)
    good = up.either()
    s = script(lambda x: (refused if key_of(x) == "1" else good)(x))
    g = pool(start, upstream, s)
    with Client(g.url) as client:
        seen = [target(plain(client, {"x-parley-session": f"s{i}"})) for i in range(40)]
        assert set(seen) == {"p#1", "p#3"}
        assert sum(key_of(x) == "1" for x in s.exchanges) == 1
    with Client(keys.admin_url(g)) as admin:
        listed = {p["name"]: p["health"] for p in admin.get("/v1/admin/providers").ok().json["data"]}
        assert listed == {"p#1": "fine", "p#2": "dead_key", "p#3": "fine", "echo": "fine"}
        overview = admin.get("/v1/admin/overview").ok().json
        assert [(t["key"], t["health"]) for m in overview["models"] if m["name"] == "m"
                for t in m["targets"]] == [(1, "fine"), (2, "dead_key"), (3, "fine")]
        assert [p["name"] for p in overview["providers"]] == ["p", "echo"]


def test_a_pool_s_alerts_name_the_key_and_stand(start, upstream, script):
    refused = up.reply({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)
    good = up.either()
    s = script(lambda x: (refused if key_of(x) == "1" else good)(x))
    g = pool(start, upstream, s)
    with Client(g.url) as client:
        for i in range(40):  # one of them finds the dead key
            plain(client, {"x-parley-session": f"s{i}"})
    g.wait_log(r'"event":"alert"[^\n]*p#2')
    looks = len(g.lines)
    with Client(keys.admin_url(g)) as admin:
        wait_until(lambda: "p#2" in json.dumps(admin.get("/v1/admin/overview").ok().json["alerts"]), "it stands")
        listed = admin.get("/v1/admin/overview").ok().json
        assert next(p for p in listed["providers"] if p["name"] == "p")["health"] == "fine"
        admin.post("/v1/admin/providers/p%231/test", {"model": s.name})
    assert looks and sum('"event":"alert"' in line for line in g.lines) == 1


def test_tokens_are_counted_with_a_key_that_is_well(start, upstream, script):
    refused = up.reply({"type": "error", "error": {"type": "authentication_error", "message": "no"}}, 401)
    counted = up.reply({"input_tokens": 7})
    s = script(lambda x: (refused if x.request.header("x-api-key") == "k0" else counted)(x))
    entry = provider(upstream, "p", "anthropic", api_keys=[{"env": "K0"}, {"env": "K1"}])
    entry["health"] = dict(ONCE)
    g = start({"providers": [entry], "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]},
              env={"K0": "k0", "K1": "k1"})
    body = {"model": "m", "messages": HI}
    with Client(g.url) as client:
        for i in range(40):  # some session finds the dead key
            client.post("/v1/messages", {**body, "max_tokens": 9}, headers={"x-parley-session": f"s{i}"})
        assert client.post("/v1/messages/count_tokens", body).ok().json == {"input_tokens": 7}
        assert s.exchanges[-1].request.header("x-api-key") == "k1"


@pytest.mark.parametrize("entry, says", [
    ({"api_keys": []}, "1 to 16 keys"),
    ({"api_keys": "x"}, "list"),
    ({"api_keys": [{"env": "A"}], "api_key_env": "B"}, "key"),
    ({"api_keys": [{"env": "A"}, {"env": "A"}]}, "the same key a second time"),
    ({"api_keys": [{"env": "NOT_SET"}]}, "NOT_SET"),
    ({"api_keys": [{"env": "A"}, "sk-123"]}, "map"),
])
def test_a_wrong_pool_is_refused(start, entry, says):
    g = start({"providers": [{"name": "p", "dialect": "openai", "base_url": "http://127.0.0.1:9", **entry}],
               "models": [{"name": "m", "provider": "p"}]}, ready=False, env={"A": "sk-1", "B": "sk-2"})
    code, said = g.fails_to_start()
    assert code != 0 and says in said and "sk-1" not in said


@pytest.mark.parametrize("model, says", [
    ({"affinity": "sticky"}, "session, off"), ({"prompt_cache": "yes"}, "auto, off"),
])
def test_wrong_words_are_refused(start, model, says):
    g = start({"models": [{"name": "m", "provider": "echo", **model}]}, ready=False)
    code, said = g.fails_to_start()
    assert code != 0 and says.split(",")[0] in said


# --- the operator's view ---


def test_the_share_of_cached_tokens_is_shown(three):
    usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101,
             "prompt_tokens_details": {"cached_tokens": 80}}
    g, scripts = three()
    for s in scripts.values():
        s.steps = (up.reply(up.completion("ok", usage=usage)),)
    with Client(g.url) as client, Client(keys.admin_url(g)) as admin:
        for _ in range(3):
            plain(client, {"x-parley-session": "s"})
        where = target(plain(client, {"x-parley-session": "s"}))
        overview = admin.get("/v1/admin/overview").ok().json
        seen = {t["provider"]: (t["tokens_in"], t["cached_tokens"]) for m in overview["models"]
                if m["name"] == "m" for t in m["targets"]}
        assert seen.pop(where) == (400, 320) and set(seen.values()) == {(0, 0)}


@pytest.mark.long
def test_a_thousand_conversations_of_ten_turns(start):
    """The acceptance of the design: nobody moves, and weights hold."""
    with Client(start(echoes(3, 1, 1)).url) as client:
        seen = collections.Counter()
        for _ in range(1000):
            first = turn(client)
            where, talk = target(first), first.json["conversation"]
            seen[where] += 1
            for _ in range(9):
                assert target(turn(client, talk)) == where
    assert abs(seen["a"] - 600) <= 50 and abs(seen["b"] - 200) <= 45
