"""anthropic-python; streams by its helper."""

import functools

import anthropic

from jobs import SCHEMA, serve

TOOL = {"name": "note", "description": "Takes a note", "input_schema": SCHEMA}


@functools.cache
def sdk(url):
    return anthropic.Anthropic(base_url=url, api_key="none", _strict_response_validation=True)


@anthropic.beta_tool
def note(text: str) -> str:
    """Takes a note."""
    return "taken"


def loop(job, say):
    """The SDK itself runs the tool."""
    runner = sdk(job["url"]).beta.messages.tool_runner(
        model=job["model"], max_tokens=1000, tools=[note], stream=job["stream"],
        messages=[{"role": "user", "content": job["prompt"]}])
    for answer in runner:
        message = answer.get_final_message() if job["stream"] else answer
        for block in message.content:
            if block.type == "text":
                say(block.text)


def call(job, say):
    if job.get("loop"):
        loop(job, say)
        return
    ask = {"model": job["model"], "max_tokens": 1000,
           "messages": [{"role": "user", "content": job["prompt"]}],
           **({"tools": [TOOL]} if job["tools"] else {})}
    if not job["stream"]:
        for block in sdk(job["url"]).messages.create(**ask).content:
            say(block.text)
        return
    with sdk(job["url"]).messages.stream(**ask) as stream:
        for event in stream:
            if event.type == "text":
                say(event.text)
            elif event.type == "input_json":
                say(event.partial_json)
        stream.get_final_message()


serve(call)
