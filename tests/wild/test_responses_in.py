"""POST /v1/responses: what clients of OpenAI's newest packages send, to providers of every dialect."""

import json
import urllib.error
import urllib.request

import pytest

from ask import PATHS, TOOL, WIRE, question

FUNCTION = {"type": "function", **TOOL, "strict": None}
TIME = {"type": "function", "name": "get_time", "parameters": {"type": "object", "properties": {}}, "strict": False}
CUSTOM = {"type": "custom", "name": "run_js", "description": "runs JavaScript"}


def text_of(dialect, stream):
    return WIRE[dialect].say("Hel", "lo") if stream else WIRE[dialect].whole("Hello")


# --- D1: the choice is a member of its own ---

# choice in the request, and what the provider is sent: auto, none, any, or the function's name
CHOICES = [
    ("auto", "auto"),
    ("none", "none"),
    ("required", "any"),
    ({"type": "function", "name": "get_weather"}, "get_weather"),
    ({"type": "custom", "name": "run_js"}, "run_js"),
    ({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "get_time"}]}, "auto"),
]
ONE = {"type": "function", "function": {"name": "NAME"}}
CHAT = {"auto": "auto", "none": "none", "any": "required", "one": ONE}
# what a dialect says for each; Ollama has no such member
WORDS = {
    "openai": ("tool_choice", CHAT),
    "azure": ("tool_choice", CHAT),
    "mistral": ("tool_choice", CHAT),  # "any" at Mistral's own host
    "anthropic": ("tool_choice", {"auto": {"type": "auto"}, "none": {"type": "none"}, "any": {"type": "any"},
                                  "one": {"type": "tool", "name": "NAME"}}),
    "gemini": ("toolConfig", {k: {"functionCallingConfig": v} for k, v in {
        "auto": {"mode": "AUTO"}, "none": {"mode": "NONE"}, "any": {"mode": "ANY"},
        "one": {"mode": "ANY", "allowedFunctionNames": ["NAME"]}}.items()}),
}


def filled(value, name):
    if isinstance(value, dict):
        return {k: filled(v, name) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v, name) for v in value]
    return name if value == "NAME" else value


@pytest.mark.parametrize("choice, said", CHOICES, ids=["auto", "none", "required", "function", "custom", "allowed"])
def test_a_choice_reaches_every_provider(wild, script, dialect, stream, choice, said):
    s = script(text_of(dialect, stream))
    answer = wild.post("responses", dialect, s, {
        "input": "hi", "store": False, "tools": [FUNCTION, TIME, CUSTOM], "tool_choice": choice,
        "parallel_tool_calls": False}, stream)
    assert (answer.status, answer.text) == (200, "Hello"), answer.error
    sent = s.request.json
    if said != "none":  # some providers have no word for it, and are sent no tools
        assert sent.get("tools") or sent["toolConfig"]["tools"]
    if dialect in WORDS:
        key, words = WORDS[dialect]
        got, want = sent.get(key), filled(words.get(said, words["one"]), said)
        if said == "none" and got is None:
            assert "tools" not in sent
        else:
            assert {k: got[k] for k in want} == want if isinstance(want, dict) else got == want, sent


# --- D2, D4: members that only Responses has ---

ALONE = {
    "client_metadata": {"installation": "k1"},
    "context_management": [{"type": "compaction", "compact_threshold": 200000}],
    "prompt_cache_options": {"mode": "implicit"},
    "background_options": {"completion_window": "2h"},
}
OTHERS = [d for d in WIRE if d != "openai-responses"]


@pytest.mark.parametrize("key", ALONE)
@pytest.mark.parametrize("to", OTHERS)
def test_a_member_of_this_api_does_not_leak(wild, script, stream, to, key):
    s = script(text_of(to, stream))
    answer = wild.post("responses", to, s, {"input": "hi", "store": False, key: ALONE[key]}, stream)
    assert (answer.status, answer.text) == (200, "Hello"), answer.error
    assert key not in s.request.json
    assert [w["message"].split()[0] for w in answer.warnings] == [key] and answer.codes == ["parameter_dropped"]


@pytest.mark.parametrize("to", ["openai", "azure"])
def test_what_only_a_provider_knows_goes_through(wild, script, to):
    s = script(WIRE[to].whole("Hello"))
    more = {"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}, "seed": 3}
    answer = wild.post("responses", to, s, {"input": "hi", "store": False, **more})
    assert answer.status == 200 and not answer.warnings
    assert {k: s.request.json[k] for k in more} == more


# --- D3: what OpenAI's own tools leave in a history ---

def user(text):
    return {"role": "user", "content": text}


BRINGS = {"type": "additional_tools", "role": "developer", "tools": [
    {"type": "namespace", "name": "functions", "description": "of the shell",
     "tools": [{"type": "custom", "name": "exec", "description": "runs js"}]}]}
LEFT = {
    "tool_search": [{"type": "tool_search_call", "id": "tsc_1", "call_id": "s1", "arguments": {"q": "x"},
                     "execution": "client", "status": "completed"},
                    {"type": "tool_search_output", "call_id": "s1", "execution": "client", "tools": []}],
    "compaction": [{"type": "compaction", "id": "cmp_1", "encrypted_content": "abc"}],
    "mcp": [{"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []},
            {"type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "f", "arguments": "{}"}],
    "web_search": [{"type": "web_search_call", "id": "ws_1", "status": "completed",
                    "action": {"type": "search", "query": "x"}}],
    "local_shell": [{"type": "local_shell_call", "id": "lsh_1", "call_id": "l1", "status": "completed",
                     "action": {"type": "exec", "command": ["ls"], "env": {}}},
                    {"type": "local_shell_call_output", "id": "l1", "output": "{}"}],
}


@pytest.mark.parametrize("kind", LEFT)
@pytest.mark.parametrize("to", ["openai", "anthropic", "gemini"])
def test_items_of_hosted_tools_are_left_out(wild, script, to, kind):
    s = script(WIRE[to].whole("Hello"))
    answer = wild.post("responses", to, s, {"input": [user("hi"), *LEFT[kind], user("and now?")], "store": False})
    assert (answer.status, answer.text) == (200, "Hello"), answer.error
    assert answer.codes == ["hosted_item_dropped"] * len(LEFT[kind])
    assert [w["index"] for w in answer.warnings] == list(range(1, 1 + len(LEFT[kind])))
    if to == "openai":
        assert [m["content"] for m in s.request.json["messages"]] == ["hi", "and now?"]


@pytest.fixture(scope="module")
def refusing(make_wild):
    return make_wild(hosted_tools="refuse")


@pytest.mark.parametrize("kind", LEFT)
@pytest.mark.parametrize("to", ["openai", "openai-responses"])
def test_items_of_hosted_tools_are_refused_where_the_option_says_so(refusing, script, to, kind):
    s = script(WIRE[to].whole("Hello"))
    answer = refusing.post("responses", to, s, {"input": [user("hi"), *LEFT[kind]], "store": False})
    assert (answer.status, answer.error["param"]) == (400, "input[1].type")
    answer = refusing.post("responses", to, s, {"input": [BRINGS, user("hi")], "store": False})
    assert (answer.status, answer.error["param"]) == (400, "input[0].type")
    answer = refusing.post("responses", to, s, {"input": "hi", "store": False, "tools": [{"type": "web_search"}]})
    assert (answer.status, answer.error["param"]) == (400, "tools[0].type")


def test_hosted_tools_and_their_choice_are_left_out(wild, script, stream):
    s = script(text_of("openai", stream))
    answer = wild.post("responses", "openai", s, {
        "input": "hi", "store": False, "tools": [{"type": "web_search"}, FUNCTION],
        "tool_choice": {"type": "web_search"}}, stream)
    assert (answer.status, answer.codes) == (200, ["hosted_tool_dropped"] * 2)
    assert [t["function"]["name"] for t in s.request.json["tools"]] == ["get_weather"]
    assert "tool_choice" not in s.request.json


# --- D39: namespaces, and what a chat's function has no word for ---

CRM = {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [
    {"type": "function", "name": "find", "description": "Finds one.", "defer_loading": True,
     "parameters": TOOL["parameters"], "strict": False, "output_schema": {"type": "object"},
     "allowed_callers": ["direct"]},
    {"type": "custom", "name": "query", "description": "in SQL"}]}


def called(dialect, stream, name, args):
    return (WIRE[dialect].call if stream else WIRE[dialect].whole_call)(name, "call_1", args)


@pytest.mark.parametrize("to", OTHERS)
def test_a_namespace_is_flattened_and_turned_back(wild, script, stream, to):
    s = script(called(to, stream, "crm__find", {"city": "Oslo"}))
    answer = wild.post("responses", to, s, {"input": "hi", "store": False, "tools": [CRM, TIME]}, stream)
    items = answer.body["output"] if not stream else answer.body[-1]["response"]["output"]
    item, = [i for i in items if i["type"] != "reasoning"]  # which carries Gemini's signature
    assert (item["type"], item["name"], item["namespace"]) == ("function_call", "find", "crm"), answer.error
    assert [(n, a) for _, n, a in answer.calls] == [("find", {"city": "Oslo"})]
    if to == "openai":
        find, query, _ = (t["function"] for t in s.request.json["tools"])
        assert find == {"name": "crm__find", "description": "Customers.\n\nFinds one.",
                        "parameters": TOOL["parameters"], "strict": False}
        assert query["name"] == "crm__query" and query["description"] == "in SQL"
    s = script(text_of(to, stream))
    answer = wild.post("responses", to, s, {"store": False, "tools": [CRM], "input": [
        user("hi"), item, {"type": "function_call_output", "call_id": item["call_id"], "output": "found"}],
        "tool_choice": {"type": "function", "name": "find"}}, stream)
    assert (answer.status, answer.text) == (200, "Hello"), answer.error
    assert "crm__find" in str(s.request.json)
    if to == "openai":
        assert s.request.json["messages"][1]["tool_calls"][0]["function"]["name"] == "crm__find"
        assert s.request.json["tool_choice"] == {"type": "function", "function": {"name": "crm__find"}}


def test_tools_that_an_item_brings_along_are_added(wild, script, stream):
    s = script(called("openai", stream, "functions__exec", {"input": "ls()"}))
    answer = wild.post("responses", "openai", s, {"input": [BRINGS, user("hi"), BRINGS], "store": False,
                                                  "tools": [FUNCTION]}, stream)
    assert [t["function"]["name"] for t in s.request.json["tools"]] == ["get_weather", "functions__exec"]
    items = answer.body["output"] if not stream else answer.body[-1]["response"]["output"]
    item, = [i for i in items if i["type"] != "reasoning"]  # which carries Gemini's signature
    assert (item["type"], item["name"], item["namespace"], item["input"]) == (
        "custom_tool_call", "exec", "functions", "ls()")


@pytest.mark.parametrize("body, param", [
    ({"tools": [{"type": "namespace", "tools": []}]}, "tools[0].name"),
    ({"tools": [{"type": "namespace", "name": "n", "tools": [{"type": "function"}]}]}, "tools[0].tools[0].name"),
    ({"tools": [{"type": "namespace", "name": "n", "tools": 5}]}, "tools[0].tools"),
    ({"input": [{"type": "additional_tools", "tools": [{"type": "custom"}]}, user("hi")]},
     "input[0].tools[0].name"),
])
def test_a_wrong_tool_is_named_where_it_stands(wild, body, param):
    answer = wild.post("responses", "openai", "echo", {"input": "hi", "store": False, **body})
    assert (answer.status, answer.error["param"]) == (400, param)


# --- D31: items between a call and its result ---

def call(id, name="get_weather"):
    return {"type": "function_call", "call_id": id, "name": name, "arguments": "{}"}


def result(id):
    return {"type": "function_call_output", "call_id": id, "output": f"result of {id}"}


def developer(text):
    return {"role": "developer", "content": text}


def told(text):
    return {"role": "assistant", "content": text}


THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
C3 = {"type": "custom_tool_call", "call_id": "c3", "name": "run_js", "input": "1"}
O3 = {"type": "custom_tool_call_output", "call_id": "c3", "output": "result of c3"}
# what is sent: the ids of calls, ">" and the id that a result answers, or a text
BETWEEN = {
    "user": ([user("hi"), call("c1"), user("be brief"), result("c1")], ["hi", "c1", ">c1", "be brief"]),
    "developer": ([user("hi"), call("c1"), developer("be brief"), result("c1")], ["be brief", "hi", "c1", ">c1"]),
    "assistant": ([user("hi"), call("c1"), told("wait"), result("c1")], ["hi", "wait c1", ">c1"]),
    "custom": ([user("hi"), call("c1"), C3, result("c1"), O3], ["hi", "c1 c3", ">c1", ">c3"]),
    "thought": ([user("hi"), call("c1"), THOUGHT, call("c2"), result("c2"), result("c1")],
                ["hi", "c1 c2", ">c1", ">c2"]),
    "two turns": ([user("hi"), call("c1"), told("wait"), call("c2"), user("go on"), result("c1"), result("c2")],
                  ["hi", "c1", ">c1", "wait c2", ">c2", "go on"]),
    "same id": ([user("hi"), call("c1"), result("c1"), user("and?"), call("c1"), user("x"), result("c1")],
                ["hi", "c1", ">c1", "and?", "c1", ">c1", "x"]),
}


def short(message):
    if message["role"] == "tool":
        assert message["content"] == f"result of {message['tool_call_id']}"
        return ">" + message["tool_call_id"]
    return " ".join(filter(None, [message.get("content")] + [c["id"] for c in message.get("tool_calls") or []]))


@pytest.mark.parametrize("kind", BETWEEN)
@pytest.mark.parametrize("to", OTHERS)
def test_results_follow_their_calls(wild, script, to, kind):
    items, want = BETWEEN[kind]
    s = script(WIRE[to].whole("Hello"))
    answer = wild.post("responses", to, s, {"input": items, "store": False, "tools": [FUNCTION, CUSTOM]})
    assert (answer.status, answer.text) == (200, "Hello"), answer.error
    if to == "openai":
        assert [short(m) for m in s.request.json["messages"]] == want
    if to == "anthropic":
        for turn in s.request.json["messages"]:
            kinds = [b["type"] for b in turn["content"]]
            assert kinds == sorted(kinds, key=lambda k: k != "tool_result") or turn["role"] == "assistant"


def test_results_of_an_earlier_response_come_first(wild, script):
    s = script(WIRE["openai"].whole_call("get_weather", "c1", {}))
    first = wild.post("responses", "openai", s, {"input": "hi", "tools": [FUNCTION]})
    s = script(WIRE["openai"].whole("Hello"))
    second = wild.post("responses", "openai", s, {
        "previous_response_id": first.body["id"], "input": [user("be brief"), result("c1")]})
    assert second.text == "Hello"
    assert [short(m) for m in s.request.json["messages"]] == ["hi", "c1", ">c1", "be brief"]


# --- R5, R10: the object, and types ---

def test_the_object_has_the_members_of_open_responses(wild, script, stream):
    s = script(text_of("openai", stream))
    answer = wild.post("responses", "openai", s, {"input": "hi", "store": False}, stream)
    body = answer.body[-1]["response"] if stream else answer.body
    want = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "service_tier": "default"}
    assert {k: body[k] for k in want} == want
    assert not {"temperature", "top_p", "presence_penalty", "frequency_penalty", "service_tier"} & set(s.request.json)


@pytest.mark.parametrize("key, value", [
    ("temperature", "hot"), ("top_p", True), ("presence_penalty", "1"), ("frequency_penalty", []), ("user", 5),
    ("service_tier", {}), ("safety_identifier", 1), ("prompt_cache_key", 2), ("max_output_tokens", "9"),
    ("parallel_tool_calls", "yes"), ("top_logprobs", "3"), ("stream", "no"), ("instructions", 1)])
def test_a_wrong_type_is_refused_at_its_place(wild, key, value):
    answer = wild.post("responses", "openai", "echo", {"input": "hi", "store": False, key: value})
    assert (answer.status, answer.error["code"], answer.error["param"]) == (400, "invalid_type", key)


def test_a_route_that_is_not_there_says_so(wild):
    asked = urllib.request.Request(f"{wild.gateway.url}/v1/responses/compact", b"{}", {"Content-Type": "application/json"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked)
    error = json.loads(refused.value.read())["error"]
    assert (refused.value.code, error["code"]) == (404, "unknown_url") and "compact" in error["message"]


# --- one rule for a request without a model ---

def test_a_request_without_a_model_asks_the_default_one(make_wild, script):
    s = script(*[WIRE["anthropic"].whole("Hello")] * 5)
    wild = make_wild(default_model=s.under("anthropic"))
    for n, family in enumerate(["chat", "messages", "responses", "native", "completions"]):
        body = {"prompt": "hi"} if family == "completions" else question(family)
        wild.client.post(PATHS[family], body).ok()
        assert s.exchanges[n].request.json["model"] == s.name
