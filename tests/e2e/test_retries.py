"""Retries, fallbacks, targets, breakers: every row of the table in docs/providers.md."""

import math

import pytest

import upstream as up
from client import Client
from fixtures import DEAD
from gateway import sanitized
from raw import Raw, post
from upstream import in_turn
from waiting import DEADLINE, TooSlow, Watch, paced, soonest, wait_until, within

NEVER = {"failures": 0, "cooling": "0s", "dead_key": "0s"}


def fails(status=500, **more):
    return up.reply({"error": {"message": "went wrong", "type": "server_error"}}, status, **more)


def limited(**headers):
    return up.reply({"error": {"message": "slow down", "type": "requests",
                               "code": "rate_limit_exceeded"}}, 429,
                    headers=[(k.replace("_", "-"), v) for k, v in headers.items()])


def ms(seconds):
    return f"{seconds * 1000:.0f}ms"


REFUSED_KEY = up.reply({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)


@pytest.fixture
def gateway(start, upstream):
    """gateway({provider: settings}, [model…]): every provider is the scripted one."""
    def make(providers, models):
        entries = [{"name": name, "dialect": "openai", "base_url": upstream.url, "retries": 2,
                    **more, "health": {**NEVER, **more.get("health", {})}}
                   for name, more in providers.items()]
        return start({"providers": entries, "models": models})
    return make


@pytest.fixture
def one(gateway, script):
    """One provider `p` that plays the steps, and a client."""
    made = []

    def make(*steps, **more):
        s = script(*steps)
        g = gateway({"p": more}, [{"name": "m", "provider": "p", "upstream_model": s.name}])
        made.append(Client(g.url))
        made[-1].gateway = g
        return s, made[-1]
    yield make
    for client in made:
        client.http.close()


def ask(client, model="m", **more):
    return client.post("/v1/chat", {"messages": ["hi"], "config": {"model": model}, **more})


def attempts(reply):
    return int(reply.headers["x-parley-attempts"])


def run_of(client, reply):
    return client.get(f"/v1/runs/{reply.headers['x-run-id']}").ok().json


# --- retries ---


@pytest.mark.parametrize("failure", [
    fails(500), fails(502), fails(503), fails(504),
    [up.sse(), up.data({"error": {"message": "overloaded", "code": "overloaded"}}), up.end()],
    limited(retry_after_ms="30"), limited(Retry_After="1"),
    fails(503, headers=[("retry-after-ms", "20")]),
], ids=["500", "502", "503", "504", "first event", "429 ms", "429 s", "503 ms"])
def test_what_cost_nothing_is_tried_again(one, failure):
    s, client = one(in_turn(failure, up.stream("fine")))
    with client.stream("/v1/chat", {"messages": ["hi"], "stream": True,
                                                 "config": {"model": "m"}}) as stream:
        assert stream.status == 200
        assert stream.headers["x-parley-attempts"] == "2"
        run = stream.headers["x-run-id"]
        assert b"fine" in b"".join(stream.response.iter_raw())
    assert len(s.exchanges) == 2
    run = client.get(f"/v1/runs/{run}").ok().json
    assert run["attempts"] == 2 and run["status"] == "completed" and run["provider"] == "p"


def test_the_first_answer_is_one_attempt(one):
    s, client = one(up.either())
    answer = ask(client).ok()
    assert attempts(answer) == 1 and run_of(client, answer)["attempts"] == 1
    plain = client.post("/v1/chat/completions", {
        "model": "m", "messages": [{"role": "user", "content": "hi"}]}).ok()
    assert attempts(plain) == 1


def test_it_gives_up_after_so_many(one):
    s, client = one(fails(500), retries=1)
    answer = ask(client)
    answer.error(502, "upstream_error")
    assert attempts(answer) == 2 and len(s.exchanges) == 2
    assert answer.headers["x-should-retry"] == "false"
    run = run_of(client, answer)
    assert run["attempts"] == 2 and run["status"] == "failed"


def test_a_refused_connection_is_tried_again(start):
    port = DEAD.getsockname()[1]
    g = start({"providers": [{"name": "p", "dialect": "openai", "retries": 1, "health": NEVER,
                              "base_url": f"http://127.0.0.1:{port}/v1"}],
               "models": [{"name": "m", "provider": "p"}]})
    with Client(g.url) as client:
        answer = ask(client)
        answer.error(502, "upstream_connect_failed")
        assert attempts(answer) == 2


@pytest.mark.parametrize("failure, status, code, retry", [
    (limited(Retry_After="3"), 429, "rate_limit_exceeded", None),
    (limited(), 429, "rate_limit_exceeded", None),
    (fails(503, headers=[("Retry-After", "30")]), 503, "upstream_unavailable", None),
    (up.reply({"error": {"message": "no", "code": "context_length"}}, 400), 400,
     "context_length", None),
    (up.reply({"error": {"message": "no"}}, 404), 404, "upstream_rejected", None),
    (REFUSED_KEY, 403, "upstream_auth_failed", None),
    (up.hang_up(), 502, "upstream_bad_response", None),
    (up.reply(b"<html>", content_type="text/html"), 502, "upstream_bad_response", None),
    ([up.sse(), up.end()], 502, "upstream_bad_response", None),
], ids=["429 late", "429", "503 late", "400", "404", "401", "hung up", "html", "empty"])
def test_what_may_have_cost_or_would_not_help_is_not(one, failure, status, code, retry):
    s, client = one(failure)
    answer = ask(client)
    answer.error(status, code)
    assert attempts(answer) == 1 and len(s.exchanges) == 1
    assert answer.headers.get("x-should-retry") == retry


def test_a_silent_provider_is_asked_once_and_no_sdk_asks_again(one):
    gate = up.Gate()
    s, client = one(up.wait(gate), timeouts={"first_byte": "200ms"})
    answer = ask(client)
    answer.error(504, "first_byte_timeout")
    assert answer.headers["x-should-retry"] == "false"
    assert attempts(answer) == 1 and len(s.exchanges) == 1


def test_after_content_nothing_is_tried_again(one):
    s, client = one(up.sse(), up.role(), up.text("a"),
                    up.data({"error": {"message": "broke", "code": 500}}), up.end())
    with client.stream("/v1/chat", {"messages": ["hi"], "stream": True,
                                                 "config": {"model": "m"}}) as stream:
        got = b"".join(stream.response.iter_raw())
    assert b"event: error" in got and b"[DONE]" not in got
    assert len(s.exchanges) == 1


def test_an_opening_chunk_is_no_answer_yet(one):
    s, client = one(in_turn([up.sse(), up.role(),
                             up.data({"error": {"message": "broke", "code": 500}}), up.end()],
                            up.stream("fine")))
    answer = ask(client, stream=True)
    assert answer.status == 200 and b"fine" in answer.body and attempts(answer) == 2
    assert len(s.exchanges) == 2


@paced(1.5, 3)
def test_total_bounds_all_attempts_together(one, unit):
    """No wait begins that would end behind the limit."""
    s, client = one(fails(503, headers=[("retry-after-ms", round(600 * unit))]), retries=10,
                    timeouts={"total": ms(unit)})
    with within(unit):
        answer = ask(client)
        answer.error(503, "upstream_unavailable")
        assert attempts(answer) == 2
    gate = up.Gate()
    s, client = one(in_turn(fails(500), [up.wait(gate)]), timeouts={"total": ms(unit)})
    answer = ask(client)
    answer.error(504, "total_timeout")
    if attempts(answer) < 2:
        raise TooSlow("it was over before the second attempt")
    assert attempts(answer) == 2


def test_a_cancel_ends_a_wait_at_once(one):
    def measure():
        s, client = one(fails(503, headers=[("retry-after-ms", "1900")]))
        run = client.post("/v1/chat", {"messages": ["hi"], "background": True,
                                       "config": {"model": "m"}}).ok(202).json["id"]
        s.wait(1).done.wait(DEADLINE)
        watch = Watch(client.gateway)
        client.post(f"/v1/runs/{run}/cancel").ok()
        wait_until(lambda: client.get(f"/v1/runs/{run}").json["status"] == "cancelled",
                   "the run is cancelled")
        took = watch.seconds()
        assert len(s.exchanges) <= 2
        return took

    soonest(measure, 1 if sanitized() else 0.1)


def test_leaving_ends_a_wait_at_once(one):
    body = b'{"messages":["hi"],"config":{"model":"m"},"on_disconnect":"cancel"}'

    def measure():
        s, client = one(fails(503, headers=[("retry-after-ms", "1900")]))
        with Raw(client.gateway) as raw:
            raw.send(post("/v1/chat", body))
            s.wait(1).done.wait(DEADLINE)
            watch = Watch(client.gateway)
        wait_until(lambda: any(r["status"] == "cancelled" for r in
                               client.get("/v1/runs").json["data"]), "the left run is cancelled")
        took = watch.seconds()
        assert len(s.exchanges) <= 2
        return took

    soonest(measure, 1)


def test_one_key_is_one_run_whatever_attempts_it_took(one):
    s, client = one(in_turn(fails(500), up.stream("fine"), up.reply(up.completion("fine"))))
    body = {"messages": ["hi"], "config": {"model": "m"}, "stream": True}
    first = client.post("/v1/chat", body, headers={"Idempotency-Key": "k"})
    again = client.post("/v1/chat", body, headers={"Idempotency-Key": "k"})
    assert first.status == again.status == 200 and first.body == again.body
    assert again.headers["idempotency-replayed"] == "true"
    assert len(s.exchanges) == 2


# --- fallbacks ---


def two_models(gateway, script, first, second, **more):
    a, b = script(*first), script(*second)
    g = gateway({"p": {"retries": 0, **more}, "q": {}}, [
        {"name": "m", "provider": "p", "upstream_model": a.name, "fallback": ["n"]},
        {"name": "n", "provider": "q", "upstream_model": b.name}])
    return a, b, Client(g.url)


@pytest.mark.parametrize("failure", [fails(500), limited(Retry_After="60"), REFUSED_KEY,
                                     up.reply({"error": {"message": "x"}}, 402)],
                         ids=["500", "429", "401", "402"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
def test_a_fallback_answers(gateway, script, failure, stream):
    a, b, client = two_models(gateway, script, [failure], [up.either("from n")])
    with client:
        answer = ask(client, stream=stream)
        assert answer.status == 200 and b"from" in answer.body
        assert attempts(answer) == 2
        run = run_of(client, answer)
        assert run["provider"] == "q" and run["model"] == "m" and run["attempts"] == 2
        assert len(a.exchanges) == len(b.exchanges) == 1
        assert b.request.json["model"] == b.name
        metrics = client.get("/metrics").body.decode()
        assert 'parley_upstream_attempts_total{upstream="q",outcome="ok"} 1' in metrics
        assert 'parley_upstream_attempts_total{upstream="p"' in metrics


def test_a_bad_request_goes_to_no_fallback(gateway, script):
    a, b, client = two_models(gateway, script, [up.reply({"error": {"message": "no"}}, 400)],
                              [up.either()])
    with client:
        ask(client).error(400)
        assert not b.exchanges


def test_the_last_error_is_told_when_all_fail(gateway, script):
    a, b, client = two_models(gateway, script, [fails(500)], [limited(Retry_After="7")])
    with client:
        answer = ask(client)
        answer.error(429)
        assert answer.headers["retry-after"] == "7" and attempts(answer) == 2


def test_echo_can_be_the_fallback(gateway, script):
    s = script(fails(500))
    g = gateway({"p": {"retries": 0}}, [{"name": "m", "provider": "p", "upstream_model": s.name,
                                         "fallback": ["echo"]}])
    with Client(g.url) as client:
        answer = ask(client).ok()
        assert answer.text == "hi" and run_of(client, answer)["provider"] == "echo"


# --- health ---


def gauge(client, state):
    for line in client.get("/metrics").body.decode().splitlines():
        if line.startswith(f'parley_upstream_unhealthy{{state="{state}"}}'):
            return int(line.split()[-1])
    raise AssertionError("there is no such gauge")


@paced(0.3, 1, 4, 10)
def test_the_breaker_opens_and_one_probe_closes_it(one, unit):
    s, client = one(in_turn(fails(500), fails(500), fails(500), up.either()), retries=0,
                    health={**NEVER, "failures": 2, "pause": ms(unit)})
    ask(client).error(502, "upstream_error")
    with within(unit):
        ask(client).error(502, "upstream_error")
        answer = ask(client)
        answer.error(503, "no_healthy_upstream")
        assert int(answer.headers["retry-after-ms"]) <= unit * 1000
        assert int(answer.headers["retry-after"]) == math.ceil(unit)
        assert "x-parley-attempts" not in answer.headers and len(s.exchanges) == 2
        assert run_of(client, answer)["attempts"] == 0
        assert gauge(client, "open") == 1

    def a_bad_probe():
        with within(unit):
            if ask(client).status != 502:
                return False
            ask(client).error(503, "no_healthy_upstream")
            return True
    # The first probe fails, so it is open again; the second closes it.
    wait_until(a_bad_probe, "a probe", DEADLINE + unit)
    assert len(s.exchanges) == 3
    wait_until(lambda: ask(client).status == 200, "a good probe", DEADLINE + unit)
    ask(client).ok()
    assert gauge(client, "open") == 0


def test_a_client_error_opens_no_breaker(one):
    s, client = one(up.reply({"error": {"message": "no"}}, 422),
                    health={**NEVER, "failures": 1, "pause": "1m"})
    for _ in range(3):
        ask(client).error(422)
    assert len(s.exchanges) == 3


def test_a_limit_is_kept_for_as_long_as_told(one):
    s, client = one(in_turn(limited(Retry_After="60"), up.either()),
                    health={**NEVER, "cooling": "1s"})
    answer = ask(client)
    answer.error(429)
    assert answer.headers["retry-after"] == "60"
    answer = ask(client)
    answer.error(429, "upstream_rate_limited")
    assert 55 <= int(answer.headers["retry-after"]) <= 60
    assert len(s.exchanges) == 1 and gauge(client, "cooling") == 1


@paced(0.4, 2, 8)
def test_a_limit_that_is_not_told_cools_a_little(one, unit):
    s, client = one(in_turn(limited(), up.either()), health={**NEVER, "cooling": ms(unit)})
    with within(unit):
        ask(client).error(429)
        ask(client).error(429)
        assert len(s.exchanges) == 1
    wait_until(lambda: ask(client).status == 200, "it has cooled", DEADLINE + unit)


@paced(0.4, 2, 8)
def test_a_dead_key_stops_its_entry_and_is_tried_again(one, unit):
    s, client = one(in_turn(REFUSED_KEY, up.either()), health={**NEVER, "dead_key": ms(unit)})
    with within(unit):
        message = ask(client).error(403, "upstream_auth_failed")["message"]
        assert message == ("the provider 'p' refused the gateway's own key (status 401); "
                           "the key of this request is not at fault")
        message = ask(client).error(403, "upstream_credentials_exhausted")["message"]
        assert "the gateway's own key" in message and "of this request is not at fault" in message
        assert gauge(client, "dead_key") == 1 and len(s.exchanges) == 1
    wait_until(lambda: ask(client).status == 200, "the key is tried again", DEADLINE + unit)


def test_who_is_ill_is_passed_over(gateway, script):
    a, b, client = two_models(gateway, script, [REFUSED_KEY], [up.either("from n")],
                              health={**NEVER, "dead_key": "1m"})
    with client:
        assert attempts(ask(client).ok()) == 2
        assert attempts(ask(client).ok()) == 1
        assert len(a.exchanges) == 1 and len(b.exchanges) == 2


# --- several targets ---


def targets(gateway, scripts, weights, **more):
    names = [f"p{i}" for i in range(len(scripts))]
    # A session of its own would choose the first target of each conversation by chance.
    return gateway({n: more for n in names}, [{"name": "m", "affinity": "off", "targets": [
        {"provider": n, "upstream_model": s.name, "weight": w}
        for n, s, w in zip(names, scripts, weights, strict=True)]}])


def test_targets_share_calls_by_weight(gateway, script):
    both = [script(up.either()), script(up.either())]
    with Client(targets(gateway, both, [3, 1]).url) as client:
        for _ in range(8):
            ask(client, store=False).ok()
    # Each loop may have its own connection, but what targets are owed is shared.
    assert [len(s.exchanges) for s in both] == [6, 2]


def test_another_target_is_asked_at_once(gateway, script):
    bad, good = script(fails(500)), script(up.either())
    with Client(targets(gateway, [bad, good], [9, 1], retries=0).url) as client:
        answer = ask(client).ok()
        assert attempts(answer) == 2 and run_of(client, answer)["provider"] == "p1"
    assert len(bad.exchanges) == 1


def test_an_open_target_gets_no_calls(gateway, script):
    bad, good = script(fails(500)), script(up.either())
    g = targets(gateway, [bad, good], [1, 1], retries=0,
                health={**NEVER, "failures": 1, "pause": "1m"})
    with Client(g.url) as client:
        for _ in range(6):
            ask(client).ok()
    assert len(bad.exchanges) == 1 and len(good.exchanges) == 6


# --- the configuration ---


@pytest.mark.parametrize("model, says", [
    ({"name": "m", "provider": "echo", "fallback": ["nobody"]}, "no model 'nobody'"),
    ({"name": "m", "provider": "echo", "fallback": ["m"]}, "falls back on itself"),
    ({"name": "m", "provider": "echo", "targets": [{"provider": "echo"}]}, "not both"),
    ({"name": "m", "targets": []}, "1 to 16 targets"),
    ({"name": "m", "targets": [{"provider": "nobody"}]}, "no provider 'nobody'"),
    ({"name": "m", "targets": [{"provider": "echo", "weight": 0}]}, "1 to 1000"),
    ({"name": "m", "targets": [{"weight": 1}]}, "needs a provider"),
], ids=lambda v: v if isinstance(v, str) else "")
def test_a_wrong_configuration_is_refused(start, model, says):
    gateway = start({"models": [model]}, ready=False)
    code, said = gateway.fails_to_start()
    assert code != 0 and says in said
