"""The strict providers themselves: each rule finds what breaks it, and nothing in what does not."""

import copy
import json

import pytest

import strict
import upstream as up
from strict.rules import RULES

# --- rows -----------------------------------------------------------------------------------------
# rule, path of the breach, what makes a good body (by path) and what then makes it a bad one

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
          "additionalProperties": False}
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASK = {"role": "user", "content": "hi"}
NINE = {"id": "D681PevKs", "function": {"name": "f", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
TOOL = {"name": "f", "input_schema": {"type": "object", "properties": {}}}
PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}
SAID = {"role": "user", "parts": [{"text": "hi"}]}
SPOKEN = {"role": "user", "content": [{"text": "hi"}]}
SPEC = {"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}
TOOL_USE = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]}
TOOL_RESULT = {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "ok"}]}}]}
TOOLED = {"messages": [SPOKEN, TOOL_USE, TOOL_RESULT], "toolConfig": {"tools": [SPEC]}}
PAPER = {"document": {"format": "pdf", "name": "a b", "source": {"bytes": "QQ=="}}}
DECLARED = [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {
    "n": {"type": "STRING", "enum": ["a"]}, "l": {"type": "ARRAY", "items": {"type": "STRING"}}}}}]}]
SAYS = {"type": "user_input", "content": [{"type": "text", "text": "hi"}]}
STEPS = {"input": [SAYS, {"type": "thought", "signature": "QQ=="},
                   {"type": "function_call", "id": "c1", "name": "f", "arguments": {}},
                   {"type": "function_result", "call_id": "c1", "name": "f", "result": "ok"}]}
ASKED = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
TOLD = {"type": "function_call_output", "call_id": "c1", "output": "ok"}

BASE = {
    "openai": {"model": "m", "messages": [ASK]},
    "openai.completions": {"model": "m", "prompt": "hi"},
    "openai.embeddings": {"model": "m", "input": ["hi"]},
    "responses": {"model": "m", "input": [ASK]},
    "anthropic": {"model": "m", "max_tokens": 4096, "messages": [ASK]},
    "anthropic.count": {"model": "m", "messages": [ASK]},
    "gemini": {"contents": [SAID]},
    "gemini.embeddings": {"requests": [{"model": "models/m", "content": {"parts": [{"text": "hi"}]}}]},
    "interactions": {"model": "m", "store": False, "input": [SAYS]},
    "mistral": {"model": "m", "messages": [ASK]},
    "mistral.embeddings": {"model": "m", "input": ["hi"]},
    "bedrock": {"messages": [SPOKEN]},
    "ollama": {"model": "m", "messages": [ASK]},
    "ollama.embeddings": {"model": "m", "input": ["hi"]},
}


def tools_of(*more):
    return [copy.deepcopy(FUNCTION), *more]


CHAT = {"messages": [ASK, {"role": "assistant", "tool_calls": [CALL]},
                     {"role": "tool", "tool_call_id": "call_1", "content": "ok"}], "tools": [FUNCTION]}
NINTH = {"messages": [ASK, {"role": "assistant", "tool_calls": [NINE]},
                      {"role": "tool", "tool_call_id": "D681PevKs", "content": "ok"}]}
USED = {"messages": [ASK, {"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}],
        "tools": [TOOL]}
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
STRICT = {"tools": [{**TOOL, "strict": True, "input_schema": SCHEMA}]}
FORMAT = {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}
CALLED = {"contents": [SAID, {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
                       {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}
IMAGE = [{"role": "user", "content": [{"type": "image_url", "image_url": {
    "url": "data:image/png;base64,iVBORw0KGgo="}}]}]
JSON = {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": True,
                                                                   "schema": SCHEMA}}}

ROWS = [  # rule, kind, good, {path: value} that breaks it, further arguments of judge()
    ("tool-pairs", "openai", CHAT, {"messages.2.tool_call_id": "call_2"}),
    ("tool-pairs", "openai", CHAT, {"messages.2": ASK}),
    ("tool-call-ids", "openai", CHAT, {"messages.1.tool_calls": [CALL, CALL]}),
    ("tool-names", "openai", CHAT, {"messages.1.tool_calls.0.function.name": "a b"}),
    ("tool-names", "openai", CHAT, {"tools.0.function.name": "x" * 65}),
    ("tool-properties", "openai", CHAT, {"tools.0.function.parameters": {"type": "object"}}),
    ("tool-properties", "openai", CHAT, {"tools.0.function.parameters.required": None}),
    ("tool-strict", "openai", {"tools": [{**FUNCTION, "function": {**FUNCTION["function"], "strict": True}}]},
     {"tools.0.function.parameters.additionalProperties": True}),
    ("tool-strict", "openai", JSON, {"response_format.json_schema.schema.required": []}),
    ("format-name", "openai", JSON, {"response_format.json_schema.name": "a b"}),
    ("only-with-tools", "openai", {"tools": [FUNCTION], "parallel_tool_calls": False}, {"tools": None}),
    ("only-with-tools", "openai", {"tools": [FUNCTION]}, {"tools": []}),
    ("chosen-tool", "openai", {"tools": [FUNCTION], "tool_choice": {
        "type": "function", "function": {"name": "f"}}}, {"tool_choice.function.name": "g"}),
    ("stop-list", "openai", {"stop": ["a"] * 4}, {"stop": ["a"] * 5}),
    ("stop-list", "openai.completions", {"stop": ["a"] * 4}, {"stop": ["a"] * 5}),
    ("logprobs-pair", "openai", {"logprobs": True, "top_logprobs": 2}, {"logprobs": False}),
    ("stream-options", "openai", {"stream": True, "stream_options": {"include_usage": True}},
     {"stream": False}),
    ("limits-exclude", "openai", {"max_tokens": 5}, {"max_completion_tokens": 5}),
    ("messages-empty", "openai", {}, {"messages": []}),
    ("messages-empty", "anthropic", {}, {"messages": []}),
    ("assistant-empty", "openai", {"messages": [ASK, {"role": "assistant", "content": "x"}, ASK]},
     {"messages.1.content": None}),
    ("image-data", "openai", {"messages": IMAGE},
     {"messages.0.content.0.image_url.url": "data:image/jpg;base64,QQ=="}),
    ("embeddings-empty", "openai.embeddings", {}, {"input": [""]}),
    ("embeddings-load", "ollama.embeddings", {"input": [""]}, {"input": ""}),
    ("items-pair", "responses", {"input": [ASK, ASKED, TOLD]}, {"input.2.call_id": "c2"}),
    ("items-pair", "responses", {"input": [ASK, ASKED, TOLD]}, {"input": [ASK, ASKED]}),
    ("items-empty", "responses", {}, {"input": []}),
    ("item-names", "responses", {"input": [ASK, ASKED, TOLD]}, {"input.1.name": "a b"}),
    ("item-properties", "responses", {"tools": [{"type": "function", "name": "f", "strict": False,
                                                 "parameters": SCHEMA}]},
     {"tools.0.parameters": {"type": "object"}}),
    ("item-strict", "responses", {"tools": [{"type": "function", "name": "f", "strict": True,
                                             "parameters": SCHEMA}]}, {"tools.0.parameters.required": []}),
    ("choice-needs-tools", "responses", {"tool_choice": "auto"}, {"tool_choice": "required"}),
    ("state-excludes", "responses", {"previous_response_id": "resp_1"}, {"conversation": "conv_1"}),
    ("removed-sampling", "anthropic", {"temperature": 0.5}, {}, {"version": "2026-10-21"}),
    ("tool-use-ids", "anthropic", USED, {"messages.1.content.0.id": "functions.f:0",
                                         "messages.2.content.0.tool_use_id": "functions.f:0"}),
    ("tool-use-pairs", "anthropic", USED, {"messages.2.content.0.tool_use_id": "toolu_2"}),
    ("tool-use-pairs", "anthropic", USED, {"messages.2.content": [{"type": "text", "text": "x"}, RESULT]}),
    ("tool-use-pairs", "anthropic", USED, {"messages.2": {"role": "assistant", "content": "x"}}),
    ("blank-texts", "anthropic", {}, {"messages.0.content": " \n"}),
    ("blank-texts", "anthropic", {"system": [{"type": "text", "text": "s"}]}, {"system.0.text": "\n"}),
    ("blank-texts", "anthropic", USED, {"messages.2.content.0.content": [{"type": "text", "text": ""}]}),
    ("first-role", "anthropic", {}, {"messages": [{"role": "assistant", "content": "x"}, ASK]}),
    ("prefill", "anthropic", {"messages": [ASK, {"role": "assistant", "content": "x"}]},
     {"messages.1.content": "x "}),
    ("tool-use-names", "anthropic", USED, {"tools.0.name": "x" * 129}),
    ("tool-use-names", "anthropic", USED, {"tools": [TOOL, TOOL]}),
    ("input-schemas", "anthropic", USED, {"tools.0.input_schema": {"properties": {}}}),
    ("input-schemas", "anthropic", USED, {"tools.0.input_schema.anyOf": [{"type": "object"}]}),
    ("tool-choice-needs-tools", "anthropic", {**USED, "tool_choice": {"type": "any"}}, {"tools": []}),
    ("tool-choice-needs-tools", "anthropic", {**USED, "tool_choice": {"type": "tool", "name": "f"}},
     {"tool_choice.name": "g"}),
    ("thinking-excludes", "anthropic", THINKING, {"temperature": 0.5}),
    ("thinking-excludes", "anthropic", THINKING, {"top_k": 5}),
    ("thinking-excludes", "anthropic", THINKING, {"tools": [TOOL], "tool_choice": {"type": "any"}}),
    ("thinking-excludes", "anthropic", THINKING, {"top_p": 0.5}),
    ("thinking-budget", "anthropic", THINKING, {"thinking.budget_tokens": 1000}),
    ("thinking-budget", "anthropic", THINKING, {"max_tokens": 2000}),
    ("thinking-first", "anthropic", {**THINKING, **USED, "messages": [
        ASK, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "QQ=="}, USE]},
        {"role": "user", "content": [RESULT]}]}, {"messages.1.content": [USE]}),
    ("temperature-or-top-p", "anthropic", {"temperature": 0.5}, {"top_p": 0.9}),
    ("ranges", "anthropic", {"temperature": 1}, {"temperature": 1.5}),
    ("ranges", "anthropic", {}, {"max_tokens": 0}),
    ("user-id", "anthropic", {"metadata": {"user_id": "5f2c9a01-77aa"}},
     {"metadata.user_id": "ann@example.com"}),
    ("user-id", "anthropic", {}, {"metadata": {"user_id": "+49 170 0000000"}}),
    ("user-id", "anthropic", {"metadata": {"user_id": "x" * 256}}, {"metadata.user_id": "x" * 257}),
    ("stop-sequences", "anthropic", {"stop_sequences": ["x"]}, {"stop_sequences.0": "\n"}),
    ("format-schemas", "anthropic", FORMAT, {"output_config.format.schema.additionalProperties": True}),
    ("format-schemas", "anthropic", FORMAT, {"output_config.format.schema.properties.city.minLength": 1}),
    ("format-schemas", "anthropic", FORMAT, {"output_config.format.schema.properties.city.format": "ssn"}),
    ("strict-tools", "anthropic", STRICT, {"tools.0.input_schema.properties.city.maxLength": 5}),
    ("strict-tools", "anthropic", STRICT, {"tools": [{**STRICT["tools"][0], "name": f"f{i}"}
                                                     for i in range(21)]}),
    ("cache-marks", "anthropic", {}, {"messages.0.content": [
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 5}),
    ("source-data", "anthropic", {"messages": [{"role": "user", "content": [PNG]}]},
     {"messages.0.content.0.source.data": "data:image/png;base64,QQ=="}),
    ("contents-alternate", "gemini", {}, {"contents": [SAID, SAID]}),
    ("contents-alternate", "gemini", {}, {"contents": [SAID, {"role": "model", "parts": [{"text": "x"}]}]}),
    ("function-counts", "gemini", CALLED, {"contents.2.parts": [{"text": "ok"}]}),
    ("function-counts", "gemini", CALLED, {"contents.2.parts.0.functionResponse.name": "g"}),
    ("one-datum", "gemini", {}, {"contents.0.parts": [{"thoughtSignature": "QQ=="}]}),
    ("function-names", "gemini", {"tools": DECLARED}, {"tools.0.functionDeclarations.0.name": "a b"}),
    ("schema-subset", "gemini", {"tools": DECLARED},
     {"tools.0.functionDeclarations.0.parameters.properties.n.type": "INTEGER"}),
    ("schema-subset", "gemini", {"tools": DECLARED},
     {"tools.0.functionDeclarations.0.parameters.properties.l": {"type": "ARRAY"}}),
    ("stops", "gemini", {"generationConfig": {"stopSequences": ["a"] * 5}},
     {"generationConfig.stopSequences": ["a"] * 6}),
    ("response-forms", "gemini", {"generationConfig": {"responseMimeType": "application/json",
                                                       "responseJsonSchema": SCHEMA}},
     {"generationConfig.responseMimeType": "text/plain"}),
    ("response-forms", "gemini", {"generationConfig": {"responseLogprobs": True, "logprobs": 2}},
     {"generationConfig.responseLogprobs": False}),
    ("calling-modes", "gemini", {"tools": DECLARED, "toolConfig": {"functionCallingConfig": {
        "mode": "ANY", "allowedFunctionNames": ["f"]}}}, {"toolConfig.functionCallingConfig.mode": "AUTO"}),
    ("media-types", "gemini", {"contents": [{"role": "user", "parts": [{"inlineData": {
        "mimeType": "image/png", "data": "QQ=="}}]}]},
     {"contents.0.parts.0.inlineData.mimeType": "image/jpg"}),
    ("thinking-by-model", "gemini", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 128}}},
     {"generationConfig.thinkingConfig.thinkingBudget": 0}, {"model": "gemini-2.5-pro"}),
    ("thinking-by-model", "gemini", {}, {"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}},
     {"model": "gemini-2.5-flash"}),
    ("json-with-tools", "gemini", {"tools": DECLARED},
     {"generationConfig": {"responseMimeType": "application/json"}}, {"model": "gemini-2.5-pro"}),
    ("step-members", "interactions", STEPS, {"input.2.thought_signature": "QQ=="}),
    ("history", "interactions", {}, {"store": True}),
    ("history", "interactions", {}, {"input": [SAYS, {"type": "model_output", "content": SAYS["content"]}]}),
    ("results", "interactions", STEPS, {"input.3.call_id": "c2"}),
    ("results", "interactions", STEPS, {"input.3": SAYS}),
    ("signatures", "interactions", STEPS, {"input.1": SAYS}),
    ("signatures", "interactions", STEPS, {"input.1.signature": ""}),
    ("content-data", "interactions", {"input": [{**SAYS, "content": [{"type": "image", "mime_type": "image/png", "data": "QQ=="}]}]},
     {"input.0.content.0": {"type": "image", "mime_type": "image/png"}}),
    ("interaction-functions", "interactions", {"tools": [{"type": "function", "name": "f"}]}, {"tools.0.name": "a b"}),
    ("interaction-functions", "interactions", {}, {"generation_config": {"tool_choice": "any"}}),
    ("interaction-stops", "interactions", {"generation_config": {"stop_sequences": ["a"]}},
     {"generation_config.stop_sequences": [""]}),
    ("levels", "interactions", {"model": "gemini-2.5-pro", "generation_config": {"thinking_level": "low"}},
     {"generation_config.thinking_level": "minimal"}),
    ("nine-characters", "mistral", NINTH, {"messages.1.tool_calls.0.id": "call_1",
                                           "messages.2.tool_call_id": "call_1"}),
    ("role-order", "mistral", {"messages": [{"role": "system", "content": "s"}, ASK]},
     {"messages": [ASK, {"role": "assistant", "content": "a"}, {"role": "system", "content": "s"}, ASK]}),
    ("role-order", "mistral", {}, {"messages": [ASK, {"role": "assistant", "content": "a"}]}),
    ("call-count", "mistral", NINTH, {"messages.2.tool_call_id": "D681PevKt"}),
    ("assistant-says", "mistral", {"messages": [ASK, {"role": "assistant", "content": "x"}, ASK]},
     {"messages.1.content": ""}),
    ("prefix-last", "mistral", {"messages": [ASK, {"role": "assistant", "content": "x"}, ASK]},
     {"messages.1.prefix": True}),
    ("image-bytes", "ollama", {"messages": [{**ASK, "images": ["QQ=="]}]},
     {"messages.0.images.0": "data:image/png;base64,QQ=="}),
    ("format-words", "ollama", {"format": "json"}, {"format": "yaml"}),
    ("think-words", "ollama", {"think": "high"}, {"think": "hard"}),
    ("result-names", "ollama", {"messages": [
        ASK, {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
        {"role": "tool", "tool_name": "f", "content": "ok"}]}, {"messages.2.tool_name": "g"}),
    ("turns", "bedrock", {}, {"messages": [SPOKEN, SPOKEN]}),
    ("blank-blocks", "bedrock", {}, {"messages.0.content.0.text": " "}),
    ("tool-config", "bedrock", {}, {"messages": TOOLED["messages"]}),
    ("tool-results", "bedrock", TOOLED, {"messages.2.content.0.toolResult.toolUseId": "t2"}),
    ("document-names", "bedrock", {"messages": [{"role": "user", "content": [PAPER, {"text": "hi"}]}]},
     {"messages.0.content.0.document.name": "a.pdf"}),
    ("cache-points", "bedrock", {}, {"messages.0.content": [{"cachePoint": {"type": "default"}}]}),
]


def changed(body, changes):
    body = copy.deepcopy(body)
    for path, value in changes.items():
        at = body
        *steps, last = [int(s) if s.isdigit() else s for s in path.split(".")]
        for step in steps:
            at = at[step]
        at[last] = copy.deepcopy(value)
    return body


def judged(kind, body, **more):
    return {b.rule: str(b) for b in strict.judge(kind, json.dumps(body).encode(), **more)}


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r[0]}" for i, r in enumerate(ROWS)])
def test_a_rule_finds_what_breaks_it_and_nothing_else(row):
    name, kind, good, changes, *more = row
    more = more[0] if more else {}
    body = {**BASE[kind], **copy.deepcopy(good)}
    # A row whose fault is what it is judged for, and not its body, is good without.
    assert judged(kind, body, **(more if changes else {})) == {}
    found = judged(kind, changed(body, changes), **more)
    assert name in found and RULES[name].source in found[name], found


def test_every_rule_has_a_row_and_a_source():
    assert {r[0] for r in ROWS} == set(RULES)
    assert all("https://" in r.source for r in RULES.values())


# --- types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", BASE)
def test_types_are_strict_all_the_way_down(kind):
    assert judged(kind, BASE[kind]) == {}
    assert "types" in judged(kind, {**BASE[kind], "nobody_knows": 1})
    assert "types" in judged(kind, {k: v for k, v in BASE[kind].items() if k != next(
        n for n in ("messages", "contents", "requests", "input", "prompt") if n in BASE[kind])}) or (
            kind == "responses")  # where nothing but the model is required


@pytest.mark.parametrize("kind, changes, path", [
    ("openai", {"messages.0.nobody_knows": 1}, "messages.0.nobody_knows"),
    ("openai", {"temperature": "hot"}, "temperature"),
    ("openai", {"temperature": "1"}, "temperature"),
    ("openai", {"seed": 1.5}, "seed"),
    ("openai", {"client_metadata": {}}, "client_metadata"),  # a member of Responses
    ("openai", {"warnings": []}, "warnings"),  # Parley's own
    ("openai", {"messages.0": {"role": "user", "content": [{"type": "text"}]}}, "messages.0.content.0.text"),
    ("openai", {"messages.0.role": "nobody"}, "messages.0"),
    ("responses", {"input.0.nobody_knows": 1}, "input.0.nobody_knows"),
    ("responses", {"seed": 1}, "seed"),  # a member of chat completions
    ("anthropic", {"messages.0.content": [{**PNG, "source": {**PNG["source"], "media_type": "image/jpg"}}]},
     "messages.0.content.0.source.media_type"),
    ("anthropic", {"messages.0.role": "system2"}, "messages.0"),
    ("gemini", {"generationConfig": {"top_k": 1}}, "generationConfig.top_k"),
    ("gemini", {"generationConfig": {"thinkingConfig": {"thinkingLevel": "HARD"}}},
     "generationConfig.thinkingConfig.thinkingLevel"),
    ("gemini", {"generationConfig": {"audioTimestamp": True}}, ""),  # of Google's other API
    ("gemini", {"tools": [{"functionDeclarations": [{"name": "f", "parameters": {
        "type": "OBJECT", "additionalProperties": False, "$ref": "x"}}]}]},
     "tools.0.functionDeclarations.0.parameters.$ref"),
    ("bedrock", {"inferenceConfig": {"max_tokens": 1}}, ""),
    ("bedrock", {"messages.0.role": "nobody"}, ""),
    ("bedrock", {"messages.0.content.0": {"image": {"format": "png", "source": {"bytes": "data:"}}}}, ""),
    ("mistral", {"seed": 1}, "seed"),
    ("mistral", {"tool_choice": "some"}, "tool_choice"),
    ("ollama", {"options": {"nobody_knows": 1}}, "options.nobody_knows"),
    ("ollama", {"messages": [{"role": "assistant", "tool_calls": [
        {"function": {"name": "f", "arguments": "{}"}}]}]}, "messages.0.tool_calls.0.function.arguments"),
])
def test_types_find(kind, changes, path):
    found = strict.judge(kind, json.dumps(changed(BASE[kind], changes)).encode())
    assert path in [b.path for b in found if b.rule == "types"], found


@pytest.mark.parametrize("body", [b'{"model":"m","model":"n","messages":[]}', b"{", b"\xff"])
def test_what_is_no_good_json(body):
    assert {b.rule for b in strict.judge("openai", body)} <= {"once", "json"}
    assert strict.judge("openai", body)


def test_what_servers_like_openais_know_passes():
    assert judged("openai", {**BASE["openai"], "top_k": 5, "chat_template_kwargs": {"a": 1}, "messages": [
        {"role": "assistant", "content": "x", "reasoning_content": "hm"}, ASK]}) == {}


# --- the server -----------------------------------------------------------------------------------


BAD = {"nobody_knows": 1}  # for OpenAI's dialect


@pytest.fixture
def judge(monkeypatch):
    """A judge of the test's own, that it may tell nobody about what it finds."""
    one = strict.Judge()
    monkeypatch.setattr(strict, "JUDGE", one)
    return one


def test_the_provider_refuses_as_the_real_one_does(client, script, judge):
    s = script(up.stream("ok"))
    error = client.complete(s.model, **BAD).error(400)
    assert "nobody_knows: Extra inputs" in error["message"]
    assert s.request.json["nobody_knows"] == 1  # the script has its requests all the same
    told, = judge.take()
    for word in ("POST /v1/chat/completions (openai)", "[types nobody_knows]", "completion_create_params"):
        assert word in told
    assert judge.take() == []


def test_a_waiver_lets_pass_what_it_names_and_has_to_be_used(client, script, judge):
    s = script(up.reply(up.completion()), allows={"types nobody_knows": "the client's mistake"})
    client.complete(s.model, **BAD).ok()
    assert judge.take() == []
    s = script(up.reply(up.completion()), allows={"types nobody_knows": "the client's mistake"})
    client.complete(s.model, **BAD, neither=1).error(400)
    assert len(judge.take()) == 1
    script(allows={"types messages.*.own": "never sent"})
    assert judge.take() == ["nothing breaks 'types messages.*.own', which a script waives: never sent"]


def test_what_is_expected_fails_no_test_and_has_to_happen(client, script, judge, monkeypatch):
    monkeypatch.setattr(strict.expected, "EXPECTED", {
        ("e2e/a.py::test_a[*-whole]; e2e/b.py::test_b", "types nobody_knows; types neither"): "D0: because"})
    assert sorted(strict.expected.lost()) == ["e2e/a.py::test_a[*-whole]", "e2e/b.py::test_b"]
    assert strict.expected.of("e2e/a.py::test_a[chat-streamed]") == {}
    for test in ("e2e/a.py::test_a[chat-whole]", "e2e/b.py::test_b"):
        broken = strict.expected.of(test)
        assert broken == {"types nobody_knows": "D0: because", "types neither": "D0: because"}
        judge.expect(broken)
        client.complete(script(up.reply(up.completion())).model, **BAD).ok()
        assert judge.take() == ["'types neither' is mended, and has to leave strict/expected.py: D0: because"]
    client.complete(script(up.reply(up.completion())).model, **BAD).error(400)
    assert len(judge.take()) == 1


def test_what_is_expected_is_there():
    assert strict.expected.lost() == []
