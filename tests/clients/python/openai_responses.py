"""openai-python, asked for responses; streams by its helper."""

import functools

import openai

from jobs import FUNCTION, serve


@functools.cache
def sdk(url):
    return openai.OpenAI(base_url=url, api_key="none", _strict_response_validation=True)


def loop(job, say):
    """A tool is run and the talk goes on; each request continues the response before it."""
    feed, before = job["prompt"], None
    for _ in range(3):
        ask = {"model": job["model"], "input": feed, "tools": [FUNCTION],
               "previous_response_id": before}
        if job["stream"]:
            with sdk(job["url"]).responses.stream(**ask) as stream:
                answer = stream.get_final_response()
        else:
            answer = sdk(job["url"]).responses.parse(**ask)
        say(answer.output_text)
        before = answer.id
        feed = [{"type": "function_call_output", "call_id": made.call_id, "output": "taken"}
                for made in answer.output if made.type == "function_call"] or job["loop"]


def call(job, say):
    if job.get("loop"):
        loop(job, say)
        return
    ask = {"model": job["model"], "input": job["prompt"],
           **({"tools": [FUNCTION]} if job["tools"] else {})}
    if not job["stream"]:
        say(sdk(job["url"]).responses.create(**ask).output_text)
        return
    with sdk(job["url"]).responses.stream(**ask) as stream:
        for event in stream:
            if event.type in ("response.output_text.delta",
                              "response.function_call_arguments.delta"):
                say(event.delta)
        stream.get_final_response()


serve(call)
