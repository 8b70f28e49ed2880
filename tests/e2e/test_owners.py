"""What belongs to one key is not there for another: every route, with ids that are somebody else's.

Each request is made twice by a second key: with the ids of the first one's things, and with ids that
nobody has.  The two answers must be the same, so that not even an error tells what there is.  A new
route fails the first test until it has its row here.
"""

import json
import re
import uuid

import pytest

import gateway as gw
import keys
from client import Client
from waiting import wait_until

SECRET = "zebraword"
FORM = "form-boundary"


class Things:
    """The ids of what a key has stored, or made-up ones."""

    def __init__(self, conversation, run, message, answer, completion, file, item, response):
        self.conversation, self.run, self.message, self.answer = conversation, run, message, answer
        self.completion, self.file, self.item, self.response = completion, file, item, response

    def all(self):
        return list(vars(self).values())

    def changed(self):
        """Ids of the same form and time that nobody has: the unguessable half is another."""
        def other(text):
            if text.startswith("file-"):
                return text[:-12] + uuid.uuid4().hex[:12]
            return text[:-16] + uuid.uuid4().hex[:16]
        return Things(*map(other, self.all()))


def make(client):
    turn = client.chat(f"{SECRET} one", metadata={"label": SECRET}).ok()
    conversation = turn.json["conversation"]
    items = client.items(conversation)["data"]
    completion = client.complete(store=True, messages=[{"role": "user", "content": SECRET}],
                                 metadata={"label": SECRET}).ok().json["id"]
    file = client.post("/v1/files", form(f"{SECRET} text"), headers=FORM_TYPE).ok().json["id"]
    response = client.post("/v1/responses", {"input": SECRET}).ok().json["id"]
    return Things(conversation, turn.json["run"], items[0]["id"], turn.json["message_id"],
                  completion, file, items[0]["id"], response)


FORM_TYPE = {"Content-Type": f"multipart/form-data; boundary={FORM}"}


def form(text):
    return (f'--{FORM}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n'
            f'--{FORM}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n'
            f'Content-Type: text/plain\r\n\r\n{text}\r\n--{FORM}--\r\n').encode()


def chat(**fields):
    return {"messages": ["hi"], **fields}


def file_of(uid):
    return [{"content": "hi", "context": {"files": [{"uuid": uid}]}}]


ITEM = {"items": [{"type": "message", "role": "user",
                   "content": [{"type": "input_text", "text": "x"}]}]}

# Row of --dump-routes: requests that name things, each (path or None for the row's, body, status).
# None as status: a list, in which nothing of the other key may be; else what B has to be told.
CASES = {
    "POST /v1/chat": [
        (None, lambda t: chat(conversation=t.conversation), 404),
        (None, lambda t: chat(conversation=t.conversation, parent=t.message), 404),
        (None, lambda t: chat(conversation=t.conversation, parent=t.answer), 404),
        (None, lambda t: {"messages": file_of(t.file)}, 404),
        (None, lambda t: {"messages": file_of(t.file.removeprefix("file-"))}, 404)],
    "GET /v1/chat/completions": [
        (None, None, None), ("/v1/chat/completions?after={completion}", None, 400),
        ("/v1/chat/completions?metadata[label]=" + SECRET, None, None)],
    "GET /v1/chat/completions/{id}": [("/v1/chat/completions/{completion}", None, 404)],
    "POST /v1/chat/completions/{id}": [
        ("/v1/chat/completions/{completion}", lambda t: {"metadata": {"a": "b"}}, 404)],
    "DELETE /v1/chat/completions/{id}": [("/v1/chat/completions/{completion}", None, 404)],
    "GET /v1/chat/completions/{id}/messages": [
        ("/v1/chat/completions/{completion}/messages", None, 404)],
    "POST /v1/responses": [
        (None, lambda t: {"input": "hi", "previous_response_id": t.response}, 404),
        (None, lambda t: {"input": [{"type": "item_reference", "id": t.answer}]}, 404),
        (None, lambda t: {"input": "hi", "conversation": t.conversation}, 404)],
    "GET /v1/responses/{id}": [
        ("/v1/responses/{response}", None, 404),
        ("/v1/responses/{response}?stream=true", None, 404)],
    "DELETE /v1/responses/{id}": [("/v1/responses/{response}", None, 404)],
    "POST /v1/responses/{id}/cancel": [("/v1/responses/{response}/cancel", None, 404)],
    "GET /v1/responses/{id}/input_items": [
        ("/v1/responses/{response}/input_items", None, 404)],
    "POST /api/sdk/p/{project}/a/{agent}/r": [
        ("/api/sdk/p/x/a/echo/r", lambda t: {"inputs": [], "thread_id": t.conversation}, 404)],
    "GET /api/sdk/threads": [
        (None, None, None), ("/api/sdk/threads?after={conversation}", None, 400),
        ("/api/sdk/threads?before={conversation}", None, 400)],
    "GET /api/sdk/threads/{id}": [("/api/sdk/threads/{conversation}", None, 404)],
    "POST /api/sdk/threads/{id}": [
        ("/api/sdk/threads/{conversation}", lambda t: {"metadata": {}}, 404)],
    "GET /api/sdk/threads/{id}/messages": [
        ("/api/sdk/threads/{conversation}/messages", None, 404),
        ("/api/sdk/threads/{mine}/messages?after={message}", None, 400),
        ("/api/sdk/threads/{mine}/messages?before={message}", None, 400)],
    "POST /api/sdk/threads/{id}/messages": [
        ("/api/sdk/threads/{conversation}/messages", lambda t: {"content": "x"}, 404)],
    "GET /api/sdk/threads/{id}/messages/{message}": [
        ("/api/sdk/threads/{conversation}/messages/{message}", None, 404),
        ("/api/sdk/threads/{mine}/messages/{message}", None, 404)],
    "POST /api/sdk/threads/{id}/messages/{message}": [
        ("/api/sdk/threads/{conversation}/messages/{message}", lambda t: {"metadata": {}}, 404),
        ("/api/sdk/threads/{mine}/messages/{message}", lambda t: {"metadata": {}}, 404)],
    "GET /api/sdk/threads/{id}/runs": [
        ("/api/sdk/threads/{conversation}/runs", None, 404),
        ("/api/sdk/threads/{mine}/runs?after={run}", None, 400)],
    "GET /api/sdk/runs/{id}": [("/api/sdk/runs/{run}", None, 404)],
    "GET /api/sdk/files": [(None, None, None), ("/api/sdk/files?after={file}", None, 400)],
    "GET /api/sdk/files/{id}": [("/api/sdk/files/{file}", None, 404)],
    "GET /api/sdk/files/{id}/content": [("/api/sdk/files/{file}/content", None, 404)],
    "DELETE /api/sdk/files/{id}": [("/api/sdk/files/{file}", None, 404)],
    "GET /v1/conversations": [
        (None, None, None), ("/v1/conversations?after={conversation}", None, 400),
        ("/v1/conversations?metadata[label]=" + SECRET, None, None)],
    "GET /v1/conversations/{id}": [("/v1/conversations/{conversation}", None, 404)],
    "POST /v1/conversations/{id}": [
        ("/v1/conversations/{conversation}", lambda t: {"title": "x"}, 404)],
    "DELETE /v1/conversations/{id}": [("/v1/conversations/{conversation}", None, 404)],
    "POST /v1/conversations/{id}/fork": [
        ("/v1/conversations/{conversation}/fork", lambda t: {}, 404),
        ("/v1/conversations/{conversation}/fork", lambda t: {"at": t.message}, 404),
        ("/v1/conversations/{mine}/fork", lambda t: {"at": t.message}, 404)],
    "GET /v1/conversations/{id}/items": [
        ("/v1/conversations/{conversation}/items", None, 404),
        ("/v1/conversations/{mine}/items?after={item}", None, 400)],
    "POST /v1/conversations/{id}/items": [
        ("/v1/conversations/{conversation}/items", lambda t: ITEM, 404)],
    "GET /v1/conversations/{id}/items/{item}": [
        ("/v1/conversations/{conversation}/items/{item}", None, 404),
        ("/v1/conversations/{mine}/items/{item}", None, 404)],
    "DELETE /v1/conversations/{id}/items/{item}": [
        ("/v1/conversations/{conversation}/items/{item}", None, 404),
        ("/v1/conversations/{mine}/items/{item}", None, 404)],
    "GET /v1/conversations/{id}/export": [("/v1/conversations/{conversation}/export", None, 404)],
    "GET /v1/conversations/{id}/tree": [
        ("/v1/conversations/{conversation}/tree", None, 404),
        ("/v1/conversations/{mine}/tree?after={message}", None, 400)],
    "GET /v1/conversations/{id}/computer": [("/v1/conversations/{conversation}/computer", None, 404)],
    "DELETE /v1/conversations/{id}/computer": [("/v1/conversations/{conversation}/computer", None, 404)],
    "GET /v1/conversations/{id}/computer/files": [
        ("/v1/conversations/{conversation}/computer/files", None, 404)],
    "GET /v1/conversations/{id}/computer/files/{path}": [
        ("/v1/conversations/{conversation}/computer/files/a", None, 404)],
    "GET /v1/conversations/{id}/messages": [
        ("/v1/conversations/{conversation}/messages", None, 404),
        ("/v1/conversations/{conversation}/messages?format=lmc", None, 404),
        ("/v1/conversations/{mine}/messages?leaf={message}", None, 404)],
    "GET /v1/runs": [
        (None, None, None), ("/v1/runs?conversation={conversation}", None, None),
        ("/v1/runs?after={run}", None, 400)],
    "GET /v1/runs/{id}": [("/v1/runs/{run}", None, 404)],
    "GET /v1/admin/runs/{id}": [("/v1/admin/runs/{run}", None, 403)],
    "GET /v1/messages/{id}/events": [("/v1/messages/{answer}/events", None, 404)],
    "GET /v1/runs/{id}/events": [
        ("/v1/runs/{run}/events", None, 404), ("/v1/runs/{run}/events?format=lmc&after=1", None, 404)],
    "POST /v1/runs/{id}/ticket": [("/v1/runs/{run}/ticket", lambda t: {}, 404)],
    "POST /v1/runs/{id}/continue": [("/v1/runs/{run}/continue", lambda t: {}, 404)],
    "POST /v1/runs/{id}/approve": [("/v1/runs/{run}/approve", lambda t: {"approve": True}, 404)],
    "POST /v1/runs/{id}/cancel": [("/v1/runs/{run}/cancel", lambda t: {}, 404)],
    "GET /v1/files": [(None, None, None), ("/v1/files?after={file}", None, 400)],
    "GET /v1/files/{id}": [("/v1/files/{file}", None, 404)],
    "GET /v1/files/{id}/content": [("/v1/files/{file}/content", None, 404)],
    "DELETE /v1/files/{id}": [("/v1/files/{file}", None, 404)],
    "GET /v1/usage": [(None, None, None)],
    "GET /v1/calls/hours": [(None, None, None)],
    "DELETE /v1/cache": [(None, None, None)],
    "GET /v1/search": [
        ("/v1/search?q=" + SECRET, None, None),
        ("/v1/search?q=" + SECRET + "&conversation={conversation}", None, "same")],
}

# These name nothing that is stored; keys themselves belong to the operator, whoever owns what.
NAMELESS = {
    "POST /v1/chat/completions", "POST /v1/completions", "POST /v1/messages", "POST /v1/messages/count_tokens",
    "POST /v1/responses/input_tokens",
    "POST /v1/translate", "POST /v1/embeddings", "GET /v1/models",
    *(f"POST /v1/models/{{model}}:{verb}" for verb in (
        "generateContent", "streamGenerateContent", "countTokens", "embedContent", "batchEmbedContents")),
    "POST /api/chat", "POST /api/generate", "POST /api/embed", "POST /api/embeddings", "GET /api/tags", "POST /api/show",
    "GET /api/ps", "GET /api/version", "POST /api/create", "POST /api/copy", "POST /api/pull", "POST /api/push",
    "DELETE /api/delete", "POST /api/blobs/{digest}",
    "GET /v1/models/{id}", "GET /v1/me", "POST /v1/session", "DELETE /v1/session", "GET /v1/sign-in", "POST /v1/sign-in", "POST /v1/conversations", "POST /v1/conversations/import",
    "POST /v1/files", "POST /api/sdk/threads", "POST /api/sdk/files", "GET /api/sdk/ext/ping", "GET /", "GET /console", "GET /console/a/{name}", "GET /livez", "GET /readyz", "GET /healthz", "GET /metrics",
    "GET /openapi.yaml", "GET /openapi.json", "GET /v1/admin/keys", "POST /v1/admin/keys",
    "GET /v1/admin/groups", "POST /v1/admin/groups", "GET /v1/admin/groups/{id}",
    "POST /v1/admin/groups/{id}", "DELETE /v1/admin/groups/{id}",
    "GET /v1/admin/keys/{id}", "POST /v1/admin/keys/{id}", "DELETE /v1/admin/keys/{id}",
    "POST /v1/admin/keys/{id}/rotate", "GET /v1/admin/usage", "GET /v1/admin/budgets", "GET /v1/admin/calls/hours", "GET /v1/admin/overview",
    "GET /v1/admin/audit", "GET /v1/admin/log",
    "GET /v1/admin/providers", "POST /v1/admin/providers/{name}/test", "GET /v1/admin/providers/{name}/models",
    "GET /v1/admin/runs", "GET /v1/admin/runs/live", "DELETE /v1/admin/cache",
    "GET /v1/runs/live",  # tests/e2e/test_runs_live.py
}


def test_every_route_is_here():
    rows = set(gw.run("--dump-routes").stdout.split("\n")[:-1])
    assert rows - set(CASES) - NAMELESS == set(), "routes that nobody has tried with foreign ids"
    assert not set(CASES) & NAMELESS


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """(gateway, a's client, b's client, a's things, b's)."""
    gateway = gw.Gateway(tmp_path_factory.mktemp("owners"), args=[
        "--admin-listen", "127.0.0.1:0", "--computer", "unix:/nowhere/runner.sock"])
    gateway.start()
    made = [keys.known(gateway, keys.make(
        gateway, "--name", name, "--scopes", "chat,read,files,execute")) for name in "ab"]
    with keys.client_of(gateway, made[0]["key"]) as a, \
            keys.client_of(gateway, made[1]["key"]) as b:
        made = make(a), make(b)
        for client in (a, b):
            wait_until(lambda: all(run["http_status"] for run in client.get("/v1/runs").ok().json["data"]),
                       "the ledger has what these calls said of their runs")  # noqa: B023, it is called at once
        yield gateway, a, b, *made
    gateway.stop()


def everything(client, things):
    """All that a key can see of its things."""
    paths = [f"/v1/conversations/{things.conversation}",
             f"/v1/conversations/{things.conversation}/items?order=asc",
             f"/v1/conversations/{things.conversation}/export", f"/v1/runs/{things.run}",
             f"/v1/runs/{things.run}/events", f"/v1/chat/completions/{things.completion}",
             f"/v1/responses/{things.response}", f"/v1/responses/{things.response}/input_items",
             f"/v1/files/{things.file}", f"/v1/files/{things.file}/content",
             "/v1/conversations?limit=100", "/v1/files", "/v1/runs?limit=100"]
    return [client.get(path).ok().body for path in paths]


def ask(client, row, case, things, mine):
    path, body, _ = case
    method, template = row.split()
    path = (path or template).format(mine=mine.conversation, **vars(things))
    reply = client.request(method, path, body(things) if body else None)
    text = reply.body.decode()
    for n, thing in enumerate(things.all()):
        # an id may be repeated to who has sent it
        text = text.replace(thing, f"<{n}>").replace(thing.removeprefix("file-"), f"<{n}>")
    return reply, re.sub(r"req_[0-9a-f]{32}", "req", text)


@pytest.mark.parametrize("row, at", [(row, at) for row in CASES for at in range(len(CASES[row]))])
def test_a_foreign_id_is_one_that_is_not_there(two, row, at):
    gateway, a, b, its, mine = two
    case = CASES[row][at]
    before = everything(a, its)
    reply, text = ask(b, row, case, its, mine)
    _, unknown = ask(b, row, case, its.changed(), mine)
    assert text == unknown, "the two answers tell apart what is there and what is not"
    if isinstance(case[2], int):
        reply.error(case[2])
    else:
        assert reply.status in (200, 404), reply
        for thing in its.all():
            assert thing not in reply.body.decode(), reply
    assert everything(a, its) == before, "another key has changed it"


def test_lists_hold_one_s_own_alone(two):
    _, a, b, its, mine = two
    for client, own, other in ((a, its, mine), (b, mine, its)):
        seen = b"".join(client.get(path).ok().body for path in (
            "/v1/conversations?limit=100", "/v1/runs?limit=100", "/v1/files",
            "/v1/chat/completions?limit=100")).decode()
        for name in ("conversation", "run", "file", "completion"):
            assert getattr(own, name) in seen, name
            assert getattr(other, name) not in seen, name


def test_a_search_finds_one_s_own_alone(two):
    _, a, b, its, mine = two
    for client, own, other in ((a, its, mine), (b, mine, its)):
        found = wait_until(lambda c=client: c.get(f"/v1/search?q={SECRET}").ok().json["data"],
                           "something found")
        wait_until(lambda c=client: c.get(f"/v1/search?q={SECRET}").ok().json.get("complete", True),
                   "the index")
        found = json.dumps(client.get(f"/v1/search?q={SECRET}&limit=50").ok().json["data"])
        assert own.conversation in found and other.conversation not in found


@pytest.mark.parametrize("path, body", [
    ("/v1/chat", chat()), ("/v1/conversations", {"title": "mine"}),
    ("/v1/chat/completions", {"model": "echo", "store": True,
                              "messages": [{"role": "user", "content": "x"}]})])
def test_an_idempotency_key_is_one_s_own(two, path, body):
    """The same name, path and body by another key is another call; another body is no conflict."""
    _, a, b, _, _ = two
    name = {"Idempotency-Key": f"key-{uuid.uuid4()}"}
    first = a.post(path, body, headers=name).ok().json
    other = b.post(path, body, headers=name).ok()
    assert "idempotency-replayed" not in other.headers
    assert other.json["id"] != first["id"]
    name = {"Idempotency-Key": f"key-{uuid.uuid4()}"}
    a.post(path, body, headers=name).ok()
    b.post(path, {**body, "metadata": {"other": "body"}}, headers=name).ok()


def test_the_same_file_uploaded_by_two_is_two_files(two):
    """Contents are kept once; that must not show."""
    _, a, b, _, _ = two
    name = {**FORM_TYPE, "Idempotency-Key": f"key-{uuid.uuid4()}"}
    first = a.post("/v1/files", form("the same"), headers=name).ok().json["id"]
    second = b.post("/v1/files", form("the same"), headers=name).ok()
    assert "idempotency-replayed" not in second.headers and second.json["id"] != first
    a.request("DELETE", f"/v1/files/{first}").ok()
    assert b.get(f"/v1/files/{second.json['id']}/content").ok().body == b"the same"


def test_an_imported_archive_becomes_one_s_own(two):
    """An archive names the ids it had; whoever imports it gets copies with new ones."""
    _, a, b, its, _ = two
    archive = a.get(f"/v1/conversations/{its.conversation}/export").ok().body
    before = everything(a, its)
    made = b.post("/v1/conversations/import", archive,
                  headers={"Content-Type": "application/jsonl"})
    copy = made.ok().json["conversations"][0]["id"]
    assert copy != its.conversation
    b.get(f"/v1/conversations/{copy}").ok()
    a.get(f"/v1/conversations/{copy}").error(404, "not_found")
    b.get(f"/v1/conversations/{its.conversation}").error(404, "not_found")
    assert everything(a, its) == before


def test_a_ticket_opens_its_run_alone(two):
    gateway, a, b, its, mine = two
    ticket = b.post(f"/v1/runs/{mine.run}/ticket").ok().json["ticket"]
    with Client(gateway.url) as nobody:
        nobody.get(f"/v1/runs/{its.run}/events?ticket={ticket}").error(401, "invalid_api_key")
        assert nobody.get(f"/v1/runs/{mine.run}/events?ticket={ticket}").status == 200
    ticket = b.post(f"/v1/runs/{mine.run}/ticket").ok().json["ticket"]
    assert a.get(f"/v1/runs/{mine.run}/events?ticket={ticket}").status == 404, "the key counts"


def test_export_and_import_by_the_operator_keep_owners(two, tmp_path):
    gateway, a, b, its, mine = two
    archive, copy = tmp_path / "all.jsonl", tmp_path / "copy.db"
    done = gw.run("export", "--database", gateway.database, "--output", archive)
    assert done.returncode == 0, done
    for name, *args in (["migrate"], ["import", archive]):
        assert gw.run(name, "--database", copy, *args).returncode == 0
    owners = {json.loads(line).get("owner") for line in archive.read_text().splitlines()}
    rows = keys.command(gateway, "list", "--json").stdout.splitlines()
    assert {json.loads(row)["owner"] for row in rows} <= owners
