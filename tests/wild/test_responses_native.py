"""POST /v1/responses where the provider speaks the same API: what only this API can say reaches it, and
comes back."""

import json

import pytest

import responses
import upstream as up
from ask import PATHS, TOOL, WIRE
from client import Client, Stream
from wires import OpenAIResponses

TO = "openai-responses"
WEB = {"type": "web_search", "search_context_size": "low"}
CRM = {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [
    {"type": "function", "name": "find", "defer_loading": True, "parameters": TOOL["parameters"], "strict": False}]}
PATCH = {"type": "custom", "name": "apply_patch", "format": {"type": "grammar", "syntax": "lark", "definition": "s: x"}}
THOUGHT = {"id": "rs_up", "type": "reasoning", "summary": [{"type": "summary_text", "text": "**Look**\n\nhm"}],
           "encrypted_content": "gAAAA+/=="}
SEARCH = {"id": "ws_up", "type": "web_search_call", "status": "completed",
          "action": {"type": "search", "query": "oslo"}}
NOTE = {"id": "msg_up1", "type": "message", "status": "completed", "role": "assistant", "phase": "commentary",
        "content": [{"type": "output_text", "text": "Looking.", "annotations": [], "logprobs": []}]}
FIND = {"id": "fc_up", "type": "function_call", "status": "completed", "call_id": "call_up1", "name": "find",
        "namespace": "crm", "arguments": '{"city":"Oslo"}'}
EDIT = {"id": "ctc_up", "type": "custom_tool_call", "call_id": "call_up2",
        "name": "apply_patch", "input": "*** Begin\n\"x\""}
FINAL = {"id": "msg_up2", "type": "message", "status": "completed", "role": "assistant", "phase": "final_answer",
         "content": [{"type": "output_text", "text": "Done.", "logprobs": [], "annotations": [
             {"type": "url_citation", "url": "http://x/", "title": "T", "start_index": 0, "end_index": 4}]}]}
OUTPUT = [THOUGHT, SEARCH, NOTE, FIND, EDIT]
USAGE = {"input_tokens": 30, "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 0, "audio_tokens": 1},
         "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 4, "other_tokens": 2}, "total_tokens": 39}
ASKED = {
    "instructions": "Be brief.", "tools": [WEB, CRM, PATCH], "tool_choice": "auto", "parallel_tool_calls": False,
    "reasoning": {"effort": "low", "summary": "auto", "context": "all_turns"}, "include": ["reasoning.encrypted_content"],
    "text": {"verbosity": "low", "format": {"type": "text"}}, "client_metadata": {"installation": "k1"},
    "context_management": [{"type": "compaction", "compact_threshold": 200000}], "prompt_cache_key": "k",
    "truncation": "auto", "max_output_tokens": 5, "service_tier": "flex", "temperature": 0.25,
    "stream_options": {"include_obfuscation": False}, "top_k": 3, "metadata": {"a": "b"},
    "input": [{"role": "user", "content": [{"type": "input_text", "text": "h\u00fc"},
                                           {"type": "input_image", "image_url": "https://x/y.png", "detail": "original"}]},
              THOUGHT, SEARCH, NOTE, FIND, {"type": "function_call_output", "call_id": "call_up1", "output": "found"},
              {"type": "compaction", "id": "cmp_1", "encrypted_content": "xyz"},
              {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
              {"role": "developer", "content": "go on"}]}


class Upstream(OpenAIResponses):
    """Streams and plain answers of any items, in the provider's own words."""

    def _response(self, status, output=(), **more):
        return {**super()._response(status, output, **more), "usage": USAGE if status == "completed" else None,
                "service_tier": "flex", "temperature": 0.25, "moderation": {"own": 1}, "truncation": "auto"}

    def items(self, *output, last=True):
        events = []
        for n, item in enumerate(output):
            at = {"item_id": item["id"], "output_index": n}
            empty = {"content": []} if "content" in item else {"summary": []} if "summary" in item else {}
            began = {"status": "in_progress"} if "status" in item else {}
            events.append({"type": "response.output_item.added", "output_index": n, "item": {
                **item, **empty, **({"arguments": ""} if "arguments" in item else {}), **began}})
            if item["type"] == "reasoning":
                part = item["summary"][0]
                events += [{"type": "response.reasoning_summary_part.added", **at, "summary_index": 0,
                            "part": {**part, "text": ""}},
                           {"type": "response.reasoning_summary_text.delta", **at, "summary_index": 0,
                            "delta": part["text"], "obfuscation": "abc"},
                           {"type": "response.reasoning_summary_text.done", **at, "summary_index": 0, **part}]
                events[-1]["type"] = "response.reasoning_summary_text.done"
            elif item["type"] == "message":
                text = item["content"][0]["text"]
                events += [{"type": "response.output_text.delta", **at, "content_index": 0, "delta": text,
                            "logprobs": [], "obfuscation": "xyz"}]
            elif item["type"] == "function_call":
                events += [{"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]},
                           {"type": "response.function_call_arguments.done", **at, "arguments": item["arguments"]}]
            elif item["type"] == "web_search_call":
                events += [{"type": "response.web_search_call.searching", **at}]
            events.append({"type": "response.output_item.done", "output_index": n, "item": item})
        if last:
            events.append({"type": "response.completed", "response": self._response("completed", output)})
        return events


WIRES = Upstream()


def say(stream, *output):
    return WIRES._stream(*WIRES.items(*output)) if stream else up.reply(WIRES._response("completed", output))


def sent_items(s):
    return s.request.json["input"]


def body_of(said, stream):
    return said.body[-1]["response"] if stream else said.body


def bare(items):
    return [{k: v for k, v in i.items() if k != "id"} for i in items]


# --- the request ---

def test_the_request_goes_on_as_it_came(wild, script, stream):
    s = script(say(stream, FINAL))
    said = wild.post("responses", TO, s, {**ASKED, "store": False}, stream)
    assert (said.status, said.text, said.warnings) == (200, "Done.", []), said.error
    want = {**ASKED, "store": False, "model": s.name}
    del want["metadata"]  # of stored responses, which the provider does not have
    if stream:
        want["stream"] = True
    else:
        del want["stream_options"]
    assert s.request.json == want
    raw = s.request.body.decode()
    for item in ASKED["input"][1:5]:
        assert json.dumps(item) in raw or json.dumps(item, separators=(",", ":")) in raw or item == THOUGHT


def test_a_text_stays_a_text(wild, script):
    s = script(say(False, FINAL))
    wild.post("responses", TO, s, {"input": "hi", "store": False})
    assert s.request.json == {"model": s.name, "input": "hi", "store": False}


def test_reasoning_that_nobody_has_is_left_out(wild, script):
    """A provider that stores nothing finds nothing by a name."""
    s = script(say(False, FINAL))
    raw = {"id": "rs_3", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    said = wild.post("responses", TO, s, {"store": False, "input": [
        {"role": "user", "content": "hi"}, {**THOUGHT, "encrypted_content": None}, raw, NOTE]})
    assert said.codes == ["reasoning_dropped"] and said.warnings[0]["index"] == 1
    assert sent_items(s) == [{"role": "user", "content": "hi"}, raw, NOTE]


@pytest.mark.parametrize("more", [
    {"prompt": {"id": "pmpt_1"}}, {"moderation": {"model": "omni"}},
    {"input": [{"role": "user", "content": [{"type": "input_file", "file_url": "https://x/y.pdf"}]}]}])
def test_what_only_such_a_provider_can_do_passes(wild, script, more):
    s = script(say(False, FINAL))
    said = wild.post("responses", TO, s, {"input": "hi", "store": False, **more})
    assert said.status == 200 and {k: s.request.json[k] for k in more} == more
    said = wild.post("responses", "anthropic", script(WIRE["anthropic"].whole("x")), {"input": "hi", **more})
    assert said.status == 400


# --- the answer ---

def test_an_answer_comes_back_as_it_is(wild, script, stream):
    s = script(say(stream, *OUTPUT))
    said = wild.post("responses", TO, s, {"input": "hi", "store": False, "tools": [WEB, CRM, PATCH]}, stream)
    body = body_of(said, stream)
    assert body["output"] == OUTPUT and body["usage"] == USAGE
    assert body["moderation"] == {"own": 1} and body["service_tier"] == "flex" and body["temperature"] == 0.25
    assert body["id"].startswith("resp_") and body["id"] != "resp_1" and body["store"] is False
    assert body["model"] == s.under(TO)
    assert (said.log["tokens_in"], said.log["tokens_out"]) == (30, 9)
    if stream:
        events = WIRES.items(*OUTPUT)
        assert [e["sequence_number"] for e in said.body] == list(range(len(events) + 2))
        assert [{k: v for k, v in e.items() if k != "sequence_number"} for e in said.body[2:-1]] == events[:-1]
        assert said.body[0]["type"] == "response.created" and said.body[0]["response"]["id"] == body["id"]


def test_a_stored_answer_has_ids_of_the_gateway(wild, script, stream):
    s = script(say(stream, *OUTPUT, FINAL))
    said = wild.post("responses", TO, s, {"input": "hi", "tools": [WEB, CRM, PATCH]}, stream)
    body = body_of(said, stream)
    run = body["id"].removeprefix("resp_")
    ids = [f"{p}_{run}{n}" for p, n in (("rs", ""), ("ws", ""), ("msg", ""), ("fc", ""), ("ctc", "_2"), ("msg", "_2"))]
    assert [i["id"] for i in body["output"]] == ids and bare(body["output"]) == bare([*OUTPUT, FINAL])
    got = wild.client.get(f"/v1/responses/{body['id']}").ok().json
    assert got["output"] == body["output"] and got["status"] == "completed"
    events = again(wild, body["id"])
    if stream:
        assert events == said.body
        for event in events:
            assert event.get("item_id", ids[0]) in ids
        assert again(wild, body["id"], 5) == said.body[6:]
    assert events[-1]["response"]["id"] == body["id"]


def again(wild, id, after=None):
    more = f"&starting_after={after}" if after is not None else ""
    with wild.client.http.stream("GET", f"/v1/responses/{id}?stream=true{more}") as answer:
        return responses.events_of(Stream(answer, "GET"))


# --- what is stored goes back whole ---

RESULTS = [{"type": "function_call_output", "call_id": "call_up1", "output": "found"},
           {"type": "custom_tool_call_output", "call_id": "call_up2", "output": "ok"}]


def test_a_response_that_goes_on_brings_its_items_along(wild, script, stream):
    s = script(up.in_turn(say(stream, *OUTPUT), say(stream, FINAL)))
    asked = {"input": "h\u00fc", "tools": [WEB, CRM, PATCH], "reasoning": {"effort": "low"}}
    first = body_of(wild.post("responses", TO, s, asked, stream), stream)
    assert s.exchanges[0].request.json["include"] == ["reasoning.encrypted_content"]
    second = wild.post("responses", TO, s, {**asked, "input": RESULTS, "previous_response_id": first["id"]}, stream)
    assert second.text == "Done."
    sent = s.exchanges[1].request.json
    assert "previous_response_id" not in sent and sent["store"] is False
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "h\u00fc"}]}
    assert sent["input"] == [user, *OUTPUT, *RESULTS]
    assert body_of(second, stream)["previous_response_id"] == first["id"]


def test_references_become_the_items_that_they_name(wild, script, stream):
    s = script(up.in_turn(say(stream, *OUTPUT), say(stream, FINAL)))
    first = body_of(wild.post("responses", TO, s, {"input": "hi", "tools": [CRM, PATCH]}, stream), stream)
    named = [{"type": "item_reference", "id": i["id"]} for i in first["output"][:3]]
    user = {"role": "user", "content": "hi"}
    second = wild.post("responses", TO, s, {"input": [user, *named, first["output"][3], RESULTS[0]],
                                            "tools": [CRM, PATCH]}, stream)
    assert second.text == "Done.", second.error
    assert s.exchanges[1].request.json["input"] == [user, THOUGHT, SEARCH, NOTE, FIND, RESULTS[0]]


def test_a_reference_to_nothing_is_refused(wild, script):
    said = wild.post("responses", TO, script(say(False, FINAL)), {
        "input": [{"role": "user", "content": "hi"}, {"type": "item_reference", "id": "ws_nonsense"}]})
    assert (said.status, said.error["param"]) == (404, "input[1].id")


def test_a_conversation_goes_on_elsewhere(wild, script, stream):
    """The items of one provider mean nothing to another: it is sent the translation."""
    s = script(say(stream, *OUTPUT))
    first = body_of(wild.post("responses", TO, s, {"input": "hi", "tools": [CRM, PATCH]}, stream), stream)
    s = script(WIRE["openai"].say("Hel", "lo") if stream else WIRE["openai"].whole("Hello"))
    second = wild.post("responses", "openai", s, {"input": RESULTS, "previous_response_id": first["id"],
                                                  "tools": [CRM, PATCH]}, stream)
    assert second.text == "Hello"
    assert "response_items" not in s.request.body.decode()
    calls = s.request.json["messages"][1]["tool_calls"]
    assert [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls] == [
        ("crm__find", {"city": "Oslo"}), ("apply_patch", {"input": EDIT["input"]})]
    s = script(say(stream, FINAL))
    third = body_of(second, stream)["id"]
    wild.post("responses", TO, s, {"input": "and?", "previous_response_id": third}, stream)
    assert sent_items(s)[1:6] == OUTPUT and sent_items(s)[-1] == {"role": "user", "content": "and?"}


HISTORY = [{"role": "user", "content": "h\u00fc"}, THOUGHT, SEARCH, NOTE, FIND, EDIT, *RESULTS]


def test_what_the_client_sent_is_kept_as_it_was(wild, script, stream):
    """A history that comes with a request goes back whole with the next one, too."""
    compacted = {"type": "compaction", "id": "cmp_1", "encrypted_content": "xyz"}
    url = {"role": "user", "content": [{"type": "input_file", "file_url": "https://x/y.pdf"}]}
    s = script(up.in_turn(say(stream, FINAL), say(stream, FINAL)))
    asked = {"input": [compacted, *HISTORY, url], "tools": [WEB, CRM, PATCH]}
    first = body_of(wild.post("responses", TO, s, asked, stream), stream)
    wild.post("responses", TO, s, {"input": "and?", "previous_response_id": first["id"]}, stream)
    kept = s.exchanges[1].request.json["input"]
    found = {"type": "function_call_output", "call_id": "call_up1", "output": "found"}
    assert kept == [compacted, *HISTORY[:-2], found, RESULTS[1], url, FINAL, {"role": "user", "content": "and?"}]
    s = script(WIRE["openai"].whole("Hello"))
    second = wild.post("responses", "openai", s, {"input": "and?", "previous_response_id": first["id"]})
    assert second.text == "Hello" and "response_items" not in s.request.body.decode()
    roles = [m["role"] for m in s.request.json["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user", "assistant", "user"]


def test_a_fallback_of_another_dialect_gets_the_translation(make_wild, script, stream):
    s = script(up.in_turn(WIRES.refuse(500, "no"), WIRE["anthropic"].say("Hel", "lo") if stream
                          else WIRE["anthropic"].whole("Hello")))
    wild = make_wild(models={TO: {"fallback": [s.under("anthropic")]}}, options={TO: {"retries": 0}})
    said = wild.post("responses", TO, s, {**ASKED, "store": False}, stream)
    assert (said.status, said.text) == (200, "Hello"), said.error
    assert {"parameter_dropped", "hosted_tool_dropped", "hosted_item_dropped"} <= set(said.codes)
    assert "crm__find" in str(s.exchanges[1].request.json)


def test_an_error_in_the_stream(wild, script):
    error = {"type": "error", "code": "server_error", "message": "it broke", "param": None}
    s = script(WIRES._stream(*WIRES.items(THOUGHT, NOTE, last=False), error))
    said = wild.post("responses", TO, s, {"input": "hi"}, stream=True)
    assert [e["type"] for e in said.body[-2:]] == ["error", "response.failed"]
    last = said.body[-1]["response"]
    assert last["status"] == "failed" and bare(last["output"]) == bare([THOUGHT, NOTE])
    assert [e["sequence_number"] for e in said.body] == list(range(len(said.body)))
    assert wild.client.get(f"/v1/responses/{last['id']}").ok().json["status"] == "failed"


def test_a_text_that_broke_off_is_kept(wild, script):
    """Its item never ended, so the items alone don't say all."""
    events = WIRES.items(THOUGHT, NOTE, last=False)[:-1]
    s = script(WIRES._stream(*events, {"type": "error", "code": "server_error", "message": "it broke", "param": None}))
    last = wild.post("responses", TO, s, {"input": "hi"}, stream=True).body[-1]["response"]
    got = wild.client.get(f"/v1/responses/{last['id']}").ok().json
    assert responses.text_of(got) == "Looking." and got["status"] == "failed"
    s = script(say(False, FINAL))
    wild.post("responses", TO, s, {"input": "and?", "previous_response_id": last["id"]})
    assert "Looking." in json.dumps(sent_items(s))


def test_an_answer_that_reached_its_limit(wild, script, stream):
    cut = WIRES._response("incomplete", [NOTE], incomplete_details={"reason": "max_output_tokens"})
    cut["usage"] = USAGE
    s = script(WIRES._stream(*WIRES.items(NOTE, last=False), {"type": "response.incomplete", "response": cut})
               if stream else up.reply(cut))
    said = wild.post("responses", TO, s, {"input": "hi"}, stream)
    body = body_of(said, stream)
    assert (said.finish, body["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    if stream:
        assert said.body[-1]["type"] == "response.incomplete"


def test_a_model_s_defaults_are_added(make_wild, script):
    wild = make_wild(models={TO: {"defaults": {"instruction": "Be kind.", "config": {
        "temperature": 0.5, "max_tokens": 77, "reasoning_effort": "low", "seed": 4}}}})
    s = script(say(False, FINAL))
    said = wild.post("responses", TO, s, {"input": "hi", "store": False})
    assert s.request.json == {"model": s.name, "input": "hi", "store": False, "temperature": 0.5,
                              "reasoning": {"effort": "low"}, "max_output_tokens": 77, "instructions": "Be kind."}
    assert said.codes == ["parameter_dropped"] and "seed" in said.warnings[0]["message"]
    s = script(say(False, FINAL))
    wild.post("responses", TO, s, {"input": "hi", "store": False, "temperature": 1, "instructions": "No."})
    assert (s.request.json["temperature"], s.request.json["instructions"]) == (1, "No.")


def test_reasoning_that_is_hidden(make_wild, script, stream):
    wild = make_wild(reasoning_name="none")
    s = script(say(stream, THOUGHT, FINAL))
    said = wild.post("responses", TO, s, {"input": "hi"}, stream)
    assert said.text == "Done." and [i["type"] for i in body_of(said, stream)["output"]] == ["message"]
    got = wild.client.get(f"/v1/responses/{body_of(said, stream)['id']}").ok().json
    assert [i["type"] for i in got["output"]] == ["message"]


def test_a_stream_outlives_the_gateway(make_wild, script):
    gate = up.Gate()
    steps = WIRES._stream(*WIRES.items(*OUTPUT, last=False))[:-1]
    s = script(*steps, up.wait(gate))
    wild = make_wild(durability="strict")  # nobody has seen what is not in the log
    seen = []
    with wild.client.stream(PATHS["responses"], {"model": s.under(TO), "input": "hi", "stream": True,
                                                 "tools": [WEB, CRM, PATCH]}) as stream:
        while len(seen) < len(steps) - 1:
            seen.append(json.loads(stream.next_data().data))
        wild.gateway.kill()
    wild.gateway.start()
    gate.open()
    with Client(wild.gateway.url) as client:
        wild.client = client
        id = seen[0]["response"]["id"]
        events = again(wild, id)
        assert [e["type"] for e in events[-2:]] == ["error", "response.failed"]
        assert seen == events[:-2]
        assert events[-1]["sequence_number"] > seen[-1]["sequence_number"]
        rest = again(wild, id, seen[-1]["sequence_number"])
        assert [e["type"] for e in rest] == ["error", "response.failed"]
        whole = [e["item"] for e in events if e["type"] == "response.output_item.done"]
        assert events[-1]["response"]["output"] == whole == client.get(f"{PATHS['responses']}/{id}").ok().json["output"]
