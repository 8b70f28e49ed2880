"""instructor: each answer is an object, which the model gives as the arguments of a tool."""

import functools

import anthropic  # noqa: F401, else instructor imports it in several threads at once
import instructor
import openai
import pydantic

from jobs import serve


class Note(pydantic.BaseModel):
    text: str


@functools.cache
def sdk(url):
    return instructor.from_openai(openai.OpenAI(base_url=url, api_key="none",
                                                _strict_response_validation=True))


def call(job, say):
    ask = {"model": job["model"], "response_model": Note,
           "messages": [{"role": "user", "content": job["prompt"]}]}
    if not job["stream"]:
        say(sdk(job["url"]).chat.completions.create(**ask).text)
        return
    had = ""
    for note in sdk(job["url"]).chat.completions.create_partial(**ask):
        say((note.text or "")[len(had):])
        had = note.text or ""


serve(call)
