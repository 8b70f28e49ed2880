"""openai-python's own types, strictly: every object and every event of a stream as it was sent.

Then the answer as an object of the caller's type.
"""

import json

import openai
import pydantic
from openai.types.responses import Response, ResponseStreamEvent

from jobs import FUNCTION, serve

EVENT = pydantic.TypeAdapter(ResponseStreamEvent)


class Note(pydantic.BaseModel):
    text: str


def events(client, ask):
    with client.responses.with_streaming_response.create(**ask, stream=True) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                yield EVENT.validate_python(json.loads(line[len("data: "):]), strict=True)


def parsed(client, ask, stream):
    if not stream:
        return client.responses.parse(**ask, text_format=Note)
    with client.responses.stream(**ask, text_format=Note) as answer:
        return answer.get_final_response()


def call(job, say):
    client = openai.OpenAI(base_url=job["url"], api_key="none", max_retries=0,
                           _strict_response_validation=True)
    ask = {"model": job["model"], "input": job["prompt"]}
    if job["parse"]:
        say(parsed(client, ask, job["stream"]).output_parsed.text)
        return
    ask["tools"] = [FUNCTION]
    if job["stream"]:
        found = list(events(client, ask))
        assert [e.sequence_number for e in found] == list(range(len(found)))
        say(found[-1].type)
        return
    raw = client.responses.with_raw_response.create(**ask)
    found = Response.model_validate(json.loads(raw.text), strict=True)
    kept = client.responses.with_raw_response.retrieve(found.id)
    assert Response.model_validate(json.loads(kept.text), strict=True).output == found.output
    say(f"response.{found.status}")


serve(call)
