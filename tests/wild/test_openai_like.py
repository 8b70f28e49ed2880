"""What is sent to servers that speak OpenAI's API, or nearly so."""

import pytest

from ask import WIRE


def sent(wild, script, family, dialect, body, stream=False):
    """What the provider got for a request, and what was said to the client."""
    wire = WIRE[dialect]
    s = script(wire.say("ok") if stream else wire.whole("ok"))
    said = wild.post(family, dialect, s, body, stream)
    assert said.status == 200, said
    return s.request.json, said


# --- system messages (D12, D23, D36) ---


def turn(role, content):
    return {"role": role, "content": content}


def item(role, content):
    return {"type": "message", **turn(role, content)}


def responses(*items, **more):
    return {"input": list(items), "store": False, **more}


def messages(*turns, **more):
    return {"max_tokens": 50, "messages": list(turns), **more}


def chat(*turns):
    return {"messages": list(turns)}


A, B, C = "A \"a\"", "B\nb", "C"
HI, HO = turn("user", "hi"), turn("assistant", "ho")
SYS = [turn("system", A), HI, turn("system", B), HO, turn("user", "and?")]
TEXTS = [{"type": "text", "text": B}, {"type": "text", "text": C}]
MOVED = ["system_moved"]


@pytest.mark.parametrize("family, body, first, rest, codes", [
    ("responses", responses(item("developer", B), HI, instructions=A), f"{A}\n\n{B}", [HI], []),
    ("responses", responses(item("developer", B), HI), B, [HI], []),
    ("responses", responses(item("system", A), item("developer", B), HI, item("developer", C)),
     f"{A}\n\n{B}\n\n{C}", [HI], MOVED),
    ("responses", responses(HI, HO, item("developer", [{"type": "input_text", "text": B}]), HI),
     B, [HI, HO, HI], MOVED),
    ("messages", messages(HI, turn("system", B), HO, HI, system=A), f"{A}\n\n{B}", [HI, HO, HI], MOVED),
    ("messages", messages(HI, turn("system", [{"type": "text", "text": B}]), HO, HI), B, [HI, HO, HI], MOVED),
    ("native", {"messages": [turn("developer", B), HI], "instruction": A}, f"{A}\n\n{B}", [HI], []),
    ("native", {"messages": [turn("system", A), turn("system", TEXTS), HI]}, f"{A}\n\n{B}\n\n{C}", [HI], []),
    ("native", {"messages": [HI, HO, turn("system", B), HI]}, B, [HI, HO, HI], MOVED),
])
def test_system_messages_become_one(wild, script, stream, family, body, first, rest, codes):
    got, said = sent(wild, script, family, "openai", body, stream)
    assert got["messages"] == [turn("system", first), *rest]
    assert said.codes == codes


@pytest.mark.parametrize("turns", [
    SYS, [turn("developer", A), turn("developer", B), HI], [HI, turn("developer", TEXTS)],
    [turn("system", TEXTS), HI], [{"content": "x", "role": "developer", "name": "n"}, HI]])
@pytest.mark.parametrize("dialect", ["openai", "azure"])
def test_chat_completions_stay_as_they_are(wild, script, dialect, turns):
    got, said = sent(wild, script, "chat", dialect, chat(*turns))
    assert got["messages"] == turns and not said.warnings


@pytest.mark.parametrize("family, body, there", [
    ("responses", responses(item("developer", B), HI, instructions=A), [turn("system", A), turn("developer", B), HI]),
    ("messages", messages(HI, turn("system", B), HI, system=A), [turn("system", A), HI, turn("system", B), HI]),
])
def test_azure_tells_the_roles_apart(wild, script, family, body, there):
    got, said = sent(wild, script, family, "azure", body)
    assert got["messages"] == there and not said.warnings


@pytest.mark.parametrize("family, body, there, codes", [
    ("chat", chat(HI, HO, turn("system", B), HI), [turn("system", B), HI, HO, HI], MOVED),
    ("chat", chat(turn("system", A), turn("developer", TEXTS), HI), [turn("system", f"{A}\n\n{B}\n\n{C}"), HI], []),
    ("chat", chat(turn("system", TEXTS), HI), [turn("system", TEXTS), HI], []),
    ("chat", chat(turn("developer", A), HI), [turn("system", A), HI], []),
    ("chat", chat(HI, turn("system", ""), HO, HI), [HI, HO, HI], MOVED),
    ("messages", messages(HI, turn("system", B), HO, HI, system=A), [turn("system", f"{A}\n\n{B}"), HI, HO, HI], MOVED),
    ("responses", responses(HI, HO, item("developer", B), HI), [turn("system", B), HI, HO, HI], MOVED),
    ("native", {"messages": [HI, HO, turn("system", B), HI]}, [turn("system", B), HI, HO, HI], MOVED),
])
def test_mistral_takes_one_at_the_front(wild, script, stream, family, body, there, codes):
    got, said = sent(wild, script, family, "mistral", body, stream)
    assert got["messages"] == there and said.codes == codes


@pytest.mark.parametrize("empty", [None, "", [], [{"type": "text", "text": ""}]])
def test_empty_turns_are_not_for_mistral(wild, script, stream, empty):  # D35
    got, said = sent(wild, script, "chat", "mistral", chat(HI, turn("assistant", empty), turn("user", "and?")), stream)
    assert got["messages"] == [HI, turn("user", "and?")] and not said.warnings


@pytest.fixture(scope="module")
def options(make_wild):
    def of(word):
        return make_wild({d: {"system_messages": word} for d in ("openai", "azure", "mistral", "ollama")})
    return {word: of(word) for word in ("auto", "keep", "one")}


JOINED = [turn("system", f"{A}\n\n{B}"), HI, HO, turn("user", "and?")]


@pytest.mark.parametrize("word, family, dialect, joined", [
    ("auto", "chat", "openai", False), ("auto", "native", "openai", True), ("auto", "messages", "openai", True),
    ("auto", "messages", "azure", False), ("auto", "chat", "mistral", True), ("auto", "messages", "ollama", False),
    ("keep", "chat", "openai", False), ("keep", "native", "openai", False), ("keep", "messages", "openai", False),
    ("keep", "messages", "azure", False), ("keep", "chat", "mistral", False), ("keep", "messages", "mistral", False),
    ("keep", "messages", "ollama", False),
    ("one", "chat", "openai", True), ("one", "native", "openai", True), ("one", "messages", "openai", True),
    ("one", "chat", "azure", True), ("one", "messages", "azure", True), ("one", "chat", "mistral", True),
    ("one", "chat", "ollama", True), ("one", "messages", "ollama", True),
])
def test_the_option_decides(options, script, word, family, dialect, joined):
    body = messages(*SYS[1:], system=A) if family == "messages" else chat(*SYS)
    got, said = sent(options[word], script, family, dialect, body)
    assert got["messages"] == (JOINED if joined else SYS)
    assert said.codes == (MOVED if joined else [])


@pytest.mark.parametrize("family", ["chat", "native"])
def test_a_system_message_is_text(options, script, family):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    s = script(WIRE["openai"].whole("ok"))
    said = options["one"].post(family, "openai", s, chat(HI, turn("system", [TEXTS[0], picture])))
    assert said.status == 400 and said.error["param"] == "messages[1].content[1]", said


# --- allowed_tools (D52) ---

NAMES = ["ping", "get_weather", "get_time"]
TOOLS = [{"type": "function", "function": {"name": n, "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}}
         for n in NAMES]
FORCED = {"mistral": "required", "gemini": {"functionCallingConfig": {"mode": "ANY"}}, "anthropic": {"type": "any"},
          "openai-responses": "required", "ollama": None}
FREE = {**FORCED, "mistral": "auto", "gemini": {"functionCallingConfig": {"mode": "AUTO"}}, "anthropic": {"type": "auto"},
        "openai-responses": "auto"}


def allowing(mode, *names, **more):
    return {"messages": [HI], "tools": TOOLS, **more, "tool_choice": {"type": "allowed_tools", "allowed_tools": {
        "mode": mode, "tools": [{"type": "function", "function": {"name": n}} for n in names]}}}


def names_of(body):
    found = []
    for tool in body.get("tools", []):
        found += [f["name"] for f in tool.get("functionDeclarations", [tool.get("function", tool)])]
    return found


@pytest.mark.parametrize("mode, names, there", [
    ("auto", ["get_time", "ping"], ["ping", "get_time"]), ("required", ["get_weather"], ["get_weather"]),
    ("auto", ["ping", "unknown"], ["ping"]), ("auto", [], [])])
@pytest.mark.parametrize("dialect", list(FORCED))
def test_only_allowed_tools_are_sent(wild, script, dialect, stream, mode, names, there):
    got, said = sent(wild, script, "chat", dialect, allowing(mode, *names), stream)
    assert names_of(got) == there
    choice = got.get("toolConfig", got.get("tool_choice"))
    assert choice == ((FORCED if mode == "required" else FREE)[dialect] if there else None)


@pytest.mark.parametrize("dialect", ["openai", "azure"])
def test_openai_filters_itself(wild, script, dialect):
    body = allowing("required", "ping")
    got, _ = sent(wild, script, "chat", dialect, body)
    assert (got["tools"], got["tool_choice"]) == (TOOLS, body["tool_choice"])


@pytest.mark.parametrize("choice, param", [
    (7, "tool_choice.allowed_tools"), ({}, "tool_choice.allowed_tools.tools"),
    ({"mode": "auto", "tools": {}}, "tool_choice.allowed_tools.tools"),
    ({"mode": "some", "tools": []}, "tool_choice.allowed_tools.mode"),
    ({"mode": "required", "tools": []}, "tool_choice.allowed_tools.tools"),
])
@pytest.mark.parametrize("dialect", ["anthropic", "mistral"])
def test_what_can_not_be_allowed(wild, script, dialect, choice, param):
    s = script(WIRE[dialect].whole("ok"))
    said = wild.post("chat", dialect, s, {"messages": [HI], "tools": TOOLS, "tool_choice": {
        "type": "allowed_tools", "allowed_tools": choice}})
    assert (said.status, said.error["param"]) == (400, param), said


def test_llm_chat_allows_tools_too(wild, script):
    body = allowing("required", "ping")
    got, _ = sent(wild, script, "native", "gemini", {
        "messages": ["hi"], "config": {k: body[k] for k in ("tools", "tool_choice")}})
    assert names_of(got) == ["ping"]
