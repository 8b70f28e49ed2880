"""The Responses API as its clients see it: OpenAI's own types, and the grammar of its streams."""

import json

import openai
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_item_list import ResponseItemList
from pydantic import TypeAdapter

import sse
from waiting import DEADLINE

PATH = "/v1/responses"
EVENT = TypeAdapter(ResponseStreamEvent)
LAST = {"response.completed", "response.incomplete", "response.failed"}
# Members that stand for the request in every object.
SHOWN = {"model", "instructions", "metadata", "parallel_tool_calls", "temperature", "tool_choice",
         "presence_penalty", "frequency_penalty", "top_p", "max_output_tokens", "max_tool_calls", "previous_response_id",
         "prompt_cache_key", "safety_identifier", "service_tier", "user", "tools", "text",
         "reasoning", "conversation", "background", "store", "top_logprobs", "truncation"}
KEYS = SHOWN | {"id", "object", "created_at", "status", "completed_at", "error",
                "incomplete_details", "output", "usage"}


def sdk(gateway, **more):
    return openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="none", max_retries=0,
                         timeout=DEADLINE, **more, _strict_response_validation=True)


def check(response):
    """A response object is what OpenAI's types say, and has every member."""
    Response.model_validate(response, strict=True)
    assert set(response) == KEYS
    assert len({i["id"] for i in response["output"]}) == len(response["output"])
    calls = [i["call_id"] for i in response["output"] if "call_id" in i]
    assert all(calls) and len(set(calls)) == len(calls)
    for item in response["output"]:
        assert item["id"]
    if response["status"] in ("queued", "in_progress"):
        assert response["output"] == [] and response["usage"] is None
    return response


def check_page(page):
    ResponseItemList.model_validate(page, strict=True)
    return page


def events_of(stream):
    """Reads a stream (client.Stream) to its end."""
    found = []
    for block in stream:
        if block.is_comment:
            continue
        event = json.loads(block.data)
        assert block.event == event["type"] and block.id is None
        found.append(event)
    return found


class Item:
    def __init__(self, item):
        self.item, self.parts, self.done = item, {}, False


def check_events(events, first=0, gapless=True):
    """The grammar of a whole stream; returns the last response."""
    items = {}
    for n, event in enumerate(events):
        EVENT.validate_python(event, strict=True)
        if gapless:
            assert event["sequence_number"] == first + n
        elif n:
            assert event["sequence_number"] > events[n - 1]["sequence_number"]
    assert [e["type"] for e in events[:2]] == ["response.created", "response.in_progress"]
    assert len({e["response"]["id"] for e in events if "response" in e}) == 1
    for event in events[2:]:
        _take(items, event)
    last = check(events[-1]["response"])
    assert events[-1]["type"] in LAST
    assert sum(e["type"] in LAST for e in events) == 1
    if last["status"] in ("completed", "incomplete"):
        assert all(i.done for i in items.values())
        assert last["output"] == [items[n].item for n in sorted(items)]
    return last


def _take(items, event):
    kind = event["type"].removeprefix("response.")
    if kind in ("completed", "incomplete", "failed", "error"):
        return
    index = event["output_index"]
    if kind == "output_item.added":
        assert index == len(items)
        items[index] = Item(event["item"])
        assert not event["item"].get("arguments") and not event["item"].get("summary")
        return
    item = items[index]
    assert not item.done
    if kind == "output_item.done":
        assert event["item"]["id"] == item.item["id"]
        assert event["item"]["type"] == item.item["type"]
        _check_whole(item, event["item"])
        item.item, item.done = event["item"], True
        return
    assert event["item_id"] == item.item["id"]
    place = event.get("content_index", event.get("summary_index", 0))
    if kind.endswith("part.added"):
        assert place == len(item.parts)
        item.parts[place] = ""
    elif kind.endswith(".delta"):
        if "call" in item.item["type"]:
            item.parts.setdefault(0, "")
        item.parts[place] += event["delta"]
    elif kind.endswith("part.done"):
        part = event["part"]
        assert part.get("text", part.get("refusal")) == item.parts[place]
    else:
        assert kind.endswith(".done")
        whole = [event[k] for k in ("text", "refusal", "arguments", "input") if k in event]
        assert whole == [item.parts.get(place, "")]


def _check_whole(item, whole):
    if whole["type"] == "message":
        said = [p.get("text", p.get("refusal")) for p in whole["content"]]
    elif whole["type"] == "reasoning":
        said = [p["text"] for p in whole["summary"]]
    elif whole["type"] == "image_generation_call":
        assert item.item["result"] is None and whole["result"] and not item.parts
        return
    else:
        said = [whole.get("arguments", whole.get("input"))]
    assert said == [item.parts[n] for n in sorted(item.parts)] or said == [""]


def text_of(response):
    return "".join(part["text"] for item in response["output"] if item["type"] == "message"
                   for part in item["content"] if part["type"] == "output_text")


def stream(client, headers=None, **body):
    return client.stream(PATH, {"model": "echo", "input": "hello", **body, "stream": True},
                         headers=headers)


def create(client, **body):
    return client.post(PATH, {"model": "echo", "input": "hello", **body})


__all__ = ["PATH", "check", "check_events", "check_page", "create", "events_of", "sdk", "sse",
           "stream", "text_of"]
