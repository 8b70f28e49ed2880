"""Tags of calls: where they come from, and usage by them."""

import csv
import io
import json
from decimal import Decimal

import pytest

import keys
import upstream as up
from client import Client
from fixtures import provider
from gateway import run
from waiting import wait_until

ADMIN = ["--admin-listen", "127.0.0.1:0"]
TAGS = {"usage_tags": ["customer", "feature", "t"]}
PRICE = {"input": 1, "output": 1}
SUMS = ("calls", "input_tokens", "output_tokens", "cost")


def priced(*models, **more):
    return {"models": [{"name": "echo", "provider": "echo", "price": PRICE, "max_output": 50}, *models],
            "default_model": "echo", **TAGS, **more}


@pytest.fixture
def tagged(start):
    """tagged(option=…): a client of a gateway whose usage is told apart by customer and feature."""
    made = []

    def make(*models, headers=None, **more):
        gateway = start(priced(*models, **more), args=ADMIN)
        client = Client(gateway.url, headers)
        client.gateway = gateway
        made.append(client)
        return client
    yield make
    for client in made:
        client.http.close()


def rows(client, query, **more):
    return client.get(f"/v1/usage?{query}", **more).ok().json["data"]


def by(client, tag, query=""):
    """Calls by the values of a tag."""
    return {row[f"tag.{tag}"]: row["calls"] for row in rows(client, f"group=tag.{tag}{query}")}


def counted(client, calls, tag="customer"):
    """The same, once these calls are written down."""
    wait_until(lambda: sum(by(client, tag).values()) == calls, f"{calls} calls by {tag}")
    return by(client, tag)


def customer(name, **more):
    return {"x-parley-tag-customer": name, **more}


# --- every API --------------------------------------------------------------------------------------

ASK = [{"role": "user", "content": "hi"}]
ROUTES = [
    ("/v1/chat", {"messages": ASK, "store": True}),
    ("/v1/chat", {"messages": ASK, "store": False}),
    ("/v1/chat", {"messages": ASK, "store": True, "stream": True}),
    ("/v1/chat/completions", {"model": "echo", "messages": ASK}),
    ("/v1/chat/completions", {"model": "echo", "messages": ASK, "store": True}),
    ("/v1/chat/completions", {"model": "echo", "messages": ASK, "stream": True}),
    ("/v1/completions", {"model": "echo", "prompt": "hi"}),
    ("/v1/embeddings", {"model": "echo", "input": "hi"}),
    ("/v1/responses", {"model": "echo", "input": "hi"}),
    ("/v1/responses", {"model": "echo", "input": "hi", "store": False, "stream": True}),
    ("/v1/responses", {"model": "echo", "input": "hi", "background": True}),
    ("/v1/messages", {"model": "echo", "messages": ASK, "max_tokens": 20}),
    ("/v1/messages", {"model": "echo", "messages": ASK, "max_tokens": 20, "stream": True}),
    ("/api/sdk/p/any/a/echo/r", {"inputs": [{"messages": ASK}], "stream": False}),
]


@pytest.mark.parametrize("budget", [False, True], ids=["", "budget"])
def test_every_api_tells_usage_apart(tagged, budget):
    client = tagged()
    if budget:
        key = keys.known(client.gateway, keys.make(client.gateway, "--budget", "5"))
        client.http.headers.update(keys.bearer(key["key"]))
    for path, body in ROUTES:
        reply = client.request("POST", path, body, headers=customer("acme", **{"x-parley-tag-feature": "search"}))
        assert reply.status < 300, (path, reply)
    assert client.chat("bye").ok()
    assert counted(client, len(ROUTES) + 1) == {"acme": len(ROUTES), None: 1}
    alone, = rows(client, "tag.customer=acme&tag.feature=search&group=model")
    assert alone["calls"] == len(ROUTES) and alone["model"] == "echo"
    assert rows(client, "tag.customer=acme&tag.feature=mail") == []
    both = rows(client, "group=tag.feature&group=tag.customer&group=day")
    assert [(row["tag.feature"], row["tag.customer"], row["calls"]) for row in both] == [
        (None, None, 1), ("search", "acme", len(ROUTES))]
    # What is told apart adds up to what is not.
    whole, = rows(client, "group=day")
    for name in SUMS:
        assert sum(Decimal(row[name]) for row in both) == Decimal(whole[name]), name


# --- where a tag comes from -------------------------------------------------------------------------


def test_the_header_goes_before_the_metadata_and_the_key(tagged):
    client = tagged()
    made = keys.known(client.gateway, keys.make(client.gateway, "--scopes", "chat,read,admin"))
    head = keys.bearer(made["key"])
    with keys.client_of(client.gateway, made["key"], admin=True) as admin:
        group = admin.post("/v1/admin/groups", {"name": "team"}).ok().json["id"]
        admin.post(f"/v1/admin/keys/{made['id']}",
                   {"metadata": {"customer": "key's", "feature": 'no "tag"'}, "group": group}).ok()
    said = {"model": "echo", "messages": ASK, "metadata": {"customer": "body's"}}
    for body, headers in ((said, {}), (said, customer("head's")), ({**said, "metadata": {}}, {})):
        client.post("/v1/chat/completions", body, headers={**head, **headers}).ok()
    wait_until(lambda: sum(by_key(client, head).values()) == 3, "the calls")
    assert by_key(client, head) == {"body's": 1, "head's": 1, "key's": 1}
    assert [(row["group"], row["tag.customer"], row["calls"]) for row in rows(
        client, "group=tag.customer&group=group", headers=head)] == [
            (group, value, 1) for value in ("body's", "head's", "key's")]
    assert [(row["group"], row["calls"]) for row in rows(client, "group=group", headers=head)] == [(group, 3)]
    # What can be no tag is passed over where the caller can't change it.
    assert {row["tag.feature"] for row in rows(client, "group=tag.feature", headers=head)} == {None}


def by_key(client, head):
    return {row["tag.customer"]: row["calls"] for row in rows(client, "group=tag.customer", headers=head)}


def test_what_can_be_no_tag_is_refused_and_named(tagged):
    client = tagged()
    for value in ("x" * 129, 'a"b', "a\\b"):
        client.post("/v1/chat", {"messages": ASK}, headers=customer(value)).error(
            400, "invalid_value", "x-parley-tag-customer")
        client.post("/v1/chat", {"messages": ASK, "metadata": {"customer": value}}).error(
            400, "invalid_value", "metadata.customer")
    client.post("/v1/chat", {"messages": ASK}, headers=customer(b"\xff")).error(
        400, "invalid_value", "x-parley-tag-customer")
    client.post("/v1/messages", {"model": "echo", "messages": ASK, "max_tokens": 9,
                                 "metadata": {"customer": 7}}).error(400, "invalid_type", "metadata.customer")
    ok = client.post("/v1/chat", {"messages": ASK}, headers=customer("x" * 128)).ok()
    assert not ok.json.get("warnings")
    told = client.post("/v1/chat", {"messages": ASK}, headers={"x-parley-tag-costumer": "acme"}).ok()
    assert [w["code"] for w in told.json["warnings"]] == ["tag_unknown"]
    assert "x-parley-tag-costumer" in told.json["warnings"][0]["message"]
    client.post("/v1/chat", {"messages": ASK}, headers={"X-Parley-Tag-T": "ü =1".encode()}).ok()
    assert counted(client, 3) == {"x" * 128: 1, None: 2} and by(client, "t") == {"ü =1": 1, None: 2}
    client.get("/v1/usage?group=tag.costumer").error(400, "invalid_value", "group")
    client.get("/v1/usage?tag.costumer=acme").error(400, "invalid_value", "tag.costumer")


LITELLM = {"usage_tags": ["tags", "customer"], "usage_tags_litellm": True}


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "openai-responses"])
def test_the_tags_of_litellm_are_counted_and_not_sent_on(start, upstream, script, dialect):
    answers = {"openai": up.reply(up.completion("fine")), "anthropic": up.reply(
        {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "stop_sequence": None,
         "content": [{"type": "text", "text": "fine"}], "usage": {
             "input_tokens": 3, "output_tokens": 2, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}),
        "openai-responses": up.reply(
        {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "created_at": 1,
         "output": [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                     "content": [{"type": "output_text", "text": "fine", "annotations": []}]}],
         "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}})}
    s = script(answers[dialect])
    gateway = start({"providers": [provider(upstream, "p", dialect=dialect)], **LITELLM, "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "price": PRICE, "max_output": 50}]})
    bodies = {"openai": ("/v1/chat/completions", {"messages": ASK}),
              "anthropic": ("/v1/messages", {"messages": ASK, "max_tokens": 9}),
              "openai-responses": ("/v1/responses", {"input": "hi", "store": False})}
    path, body = bodies[dialect]
    metadata = {"tags": ["b", "a", "b"], "customer": "acme"}
    with Client(gateway.url) as client:
        client.post(path, {"model": "m", "metadata": metadata, **body}).ok()
        sent = s.wait(1).request
        assert b'"tags"' not in sent.body and b'"b"' not in sent.body
        if dialect == "anthropic":  # which takes user_id alone
            assert b"acme" not in sent.body
        assert counted_tags(client, 2) == {"a": 1, "b": 1}
        assert by(client, "customer", "&tag.tags=b") == {"acme": 1}
        # The header goes before the list.
        client.post(path, {"model": "m", "metadata": metadata, **body}, headers={"x-litellm-tags": "c, d"}).ok()
        assert counted_tags(client, 4) == {"a": 1, "b": 1, "c": 1, "d": 1}
        client.post(path, {"model": "m", "metadata": {"tags": ["a", 7]}, **body}).error(
            400, "invalid_type", "metadata.tags")
        client.post(path, {"model": "m", "metadata": {"tags": [str(i) for i in range(17)]}, **body}).error(
            400, "invalid_value", "metadata.tags")


def counted_tags(client, pairs):
    wait_until(lambda: sum(by(client, "tags").values()) == pairs, "the calls")
    return by(client, "tags")


def test_a_title_counts_for_the_customer_of_its_turn(tagged):
    client = tagged(title_model="echo")
    client.post("/v1/chat", {"messages": ASK}, headers=customer("acme")).ok()
    assert counted(client, 2) == {"acme": 2}


# --- who sees it, and how ---------------------------------------------------------------------------


def test_a_key_sees_its_own_and_an_admin_all(tagged):
    client = tagged()
    heads = []
    for name in ("one", "two"):
        made = keys.known(client.gateway, keys.make(client.gateway, "--name", name))
        heads.append(keys.bearer(made["key"]))
        client.post("/v1/chat", {"messages": ASK}, headers={**heads[-1], **customer(name)}).ok()
    for name, head in zip(("one", "two"), heads):
        wait_until(lambda: by_key(client, head), "its usage")  # noqa: B023
        assert by_key(client, head) == {name: 1}
        assert rows(client, "tag.customer=" + ("two" if name == "one" else "one"), headers=head) == []
    text = client.get("/v1/usage?group=tag.customer", headers={**heads[0], "Accept": "text/csv"}).ok()
    line, = csv.DictReader(io.StringIO(text.body.decode()))
    assert line["tag.customer"] == "one" and line["calls"] == "1"
    made = keys.known(client.gateway, keys.make(client.gateway, "--scopes", "admin"))
    with keys.client_of(client.gateway, made["key"], admin=True) as admin:
        whole = admin.get("/v1/admin/usage?group=tag.customer&group=key").ok().json["data"]
        assert {row["tag.customer"] for row in whole} == {"one", "two"} and len({row["key"] for row in whole}) == 2
        figures = admin.get("/metrics").body.decode()
    assert "customer" not in figures


# --- what goes wrong --------------------------------------------------------------------------------


def test_a_kill_loses_no_tags(start, upstream, script):
    """A stored run and a reservation that were cut off are booked by whoever finds them, with their tags."""
    gate = up.Gate()
    s = script(up.sse(), up.role(), up.text("begun"), up.wait(gate))
    gateway = start({"providers": [provider(upstream, "p")], **TAGS, "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "price": PRICE, "max_output": 50}]}, args=ADMIN)
    made = keys.known(gateway, keys.make(gateway, "--budget", "5"))
    with Client(gateway.url, keys.bearer(made["key"])) as client:
        for store in (True, False):
            body = {"model": "m", "messages": ASK, "stream": True, "store": store}
            reader = client.stream("/v1/chat/completions", body, headers=customer("acme"))
            reader.__enter__()
        s.wait(2)
        wait_until(lambda: int(gateway.rows("SELECT count(*) FROM reservation")[0][0]) == 2, "both reservations")
        gateway.kill()
    gate.open()
    gateway.restart()
    with Client(gateway.url, keys.bearer(made["key"])) as client:
        assert counted(client, 2) == {"acme": 2}
        whole, = rows(client, "group=day")
        tagged, = rows(client, "tag.customer=acme")
        assert {name: whole[name] for name in SUMS} == {name: tagged[name] for name in SUMS}


@pytest.mark.parametrize("tag", [None, "acme"])
def test_what_a_failed_attempt_has_used_keeps_the_tags(start, upstream, script, tag):
    """Both are memory of the same stage."""
    s = script(up.sse(), up.data(up.chunk({"role": "assistant"}) | {"usage": {
        "prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42}}), up.end())
    back = script(*up.stream("from ", "there"))
    gateway = start({"commit_after": "20s", "providers": [provider(upstream, "p", retries=0)], **TAGS, "models": [
        {"name": "m", "provider": "p", "upstream_model": s.name, "fallback": ["n"], "price": dict(PRICE)},
        {"name": "n", "provider": "p", "upstream_model": back.name, "price": dict(PRICE)}]})
    with Client(gateway.url) as client:
        reply = client.post("/v1/chat/completions", {"model": "m", "messages": ASK, "stream": True},
                            headers=customer(tag) if tag else None)
        assert reply.status == 200 and len(s.exchanges) == 1
        assert counted(client, 1) == {tag: 1}


@pytest.mark.parametrize("options, says", [
    ({"usage_tags": ["Customer"]}, "is no name of a tag"),
    ({"usage_tags": ["a", "a"]}, "is there twice"),
    ({"usage_tags": ["a"], "usage_tags_litellm": True}, "does not name"),
    ({"usage_tags": ["a", "b", "c", "d", "e"]}, "usage_tags"),
])
def test_a_wrong_configuration_is_told(tmp_path, options, says):
    file = tmp_path / "parley.yaml"
    file.write_text(json.dumps(options))
    done = run("--check-config", "--config", str(file))
    assert done.returncode != 0 and says in done.stderr + done.stdout
