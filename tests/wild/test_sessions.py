"""How programs name their sessions (docs/providers.md, "Sessions and targets"): their recorded requests, and the
two SDKs. Each name leads to the target that `x-parley-session` leads to."""

import copy
import itertools
import json

import anthropic
import openai
import pytest

from client import Client
from test_replay import CHATS, LEFT_OUT, RECORDS

# The beginning of a record's name -> the headers and members of the body in which the program puts its session, all
# of them the same name; the first one decides.  Other programs name none.
NAMED = {
    "claude": ["x-claude-code-session-id"],  # metadata.user_id has it too: of that, the records have no true form
    "codex": ["session-id", "/prompt_cache_key"],
    "opencode": ["x-session-id", "/prompt_cache_key"],
}
SESSIONS = [f"0bc6c2b4-6a1f-4b9d-8f9b-{i:012x}" for i in range(6)]
HI = [{"role": "user", "content": "hi"}]


@pytest.fixture(scope="module")
def gateway(start_once):
    """The model `m` has three targets, which answer everything."""
    return start_once({"providers": [{"name": name, "dialect": "echo"} for name in "abc"],
                       "models": [{"name": "m", "images": True,
                                   "targets": [{"provider": name} for name in "abc"]}]})


@pytest.fixture
def client(gateway):
    with Client(gateway.url) as client:
        yield client


@pytest.fixture(scope="module")
def targets(gateway):
    """The target of each session, by Parley's own header."""
    with Client(gateway.url) as client:
        found = {session: client.post("/v1/chat/completions", {"model": "m", "messages": HI},
                                      headers={"x-parley-session": session}).ok().headers["x-parley-target"]
                 for session in SESSIONS}
    assert set(found.values()) == {"a", "b", "c"}
    return found


def places(name):
    return next((of for start, of in NAMED.items() if name.startswith(start)), [])


def replay(client, name, session=None, at=()):
    """The target of the recorded request with the session's name at these places, and nowhere else."""
    record = RECORDS[name]
    body = {**copy.deepcopy(record["body"]), "model": "m"}
    body.pop("stream", None)
    if record["path"] == "/v1/responses":  # a stored answer is a conversation's, which is a session by itself
        body["store"] = False
    if isinstance(body.get("input"), list):  # what a reference names is stored nowhere
        body["input"] = [item for item in body["input"] if item.get("type") != "item_reference"]
    headers = {key: value for key, value in record["headers"].items() if key.lower() not in LEFT_OUT}
    for place in places(name):
        member = place.removeprefix("/")
        holder = body if place != member else headers
        if place in at:
            assert member in holder
            holder[member] = session
        else:
            holder.pop(member, None)
    return client.post(record["path"], body, headers=headers).ok().headers["x-parley-target"]


def results(client):
    """Calls without a session, and with one, so far."""
    text = client.get("/metrics").ok().body.decode()
    found = {line.split('"')[1]: int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
             if line.startswith("parley_affinity_total{")}
    return found.get("none", 0), found.get("kept", 0)


@pytest.mark.parametrize("name", CHATS)
def test_a_recorded_request_names_its_session_or_none(client, targets, name):
    record = RECORDS[name]
    there = [place for place in places(name) if place.removeprefix("/") in
             (record["body"] if place.startswith("/") else record["headers"])]
    assert bool(there) == bool(places(name)), "the program names its session in each request"
    for place in there:
        assert {session: replay(client, name, session, [place]) for session in SESSIONS} == targets
    before = results(client)
    replay(client, name)
    assert results(client) == (before[0] + 1, before[1])


def test_programs_that_name_a_session_are_all_in_the_table():
    """A new record with a word that may name one is looked at by somebody."""
    words = ("session", "cache_key", "conversation", "thread")
    for name in CHATS:
        record = RECORDS[name]
        seen = [key for key in itertools.chain(record["headers"], record["body"])
                if any(word in key.lower() for word in words)]
        assert bool(seen) == bool(places(name)), (name, seen)


# --- SDKs ---


def openai_chat(made, session):
    return made.chat.completions.with_raw_response.create(model="m", messages=HI, prompt_cache_key=session)


def openai_responses(made, session):
    return made.responses.with_raw_response.create(model="m", input="hi", store=False, prompt_cache_key=session)


def openai_headers(made, session):
    return made.responses.with_raw_response.create(model="m", input="hi", store=False,
                                                   extra_headers={"x-parley-session": session})


def claude_text(session):
    return f"user_{'ab' * 32}_account__session_{session}"


def claude_object(session):
    return json.dumps({"device_id": "ab" * 32, "account_uuid": "", "session_id": session})


@pytest.mark.parametrize("ask", [openai_chat, openai_responses, openai_headers])
def test_an_sdk_names_the_session(gateway, targets, ask):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="any", max_retries=0) as made:
        assert {session: ask(made, session).headers["x-parley-target"] for session in SESSIONS} == targets


@pytest.mark.parametrize("user", [claude_text, claude_object])
def test_a_user_with_claude_code_s_session_names_it(gateway, client, user):
    """What stands around the name counts, so it need not be the target of the name alone; but it stays."""
    before = results(client)
    with anthropic.Anthropic(base_url=gateway.url, api_key="any", max_retries=0) as made:
        once, again = ([made.messages.with_raw_response.create(
            model="m", max_tokens=9, messages=HI, metadata={"user_id": user(f"{session}{i}")}).headers["x-parley-target"]
            for session in SESSIONS for i in range(4)] for _ in range(2))
    assert once == again and set(once) == {"a", "b", "c"}
    assert results(client) == (before[0], before[1] + 2 * len(once))
