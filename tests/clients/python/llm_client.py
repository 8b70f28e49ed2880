"""llm, by its Python interface, which its command line uses too."""

import functools

import llm
from llm.default_plugins.openai_models import Chat

from jobs import PARAMETERS, serve


@functools.cache
def model(url, name):
    made = Chat(name, model_name=name, api_base=url, supports_tools=True)
    made.needs_key = None
    return made


def call(job, say):
    tools = [llm.Tool(name="note", description="Takes a note", input_schema=PARAMETERS)]
    answer = model(job["url"], job["model"]).prompt(
        job["prompt"], stream=job["stream"], **({"tools": tools} if job["tools"] else {}))
    for piece in answer:
        say(piece)
    for made in answer.tool_calls():
        say(made.arguments["text"])


serve(call)
