"""What the programs of llm share: its Python interface, which its command line uses too."""

import functools

import llm

from jobs import SCHEMA, serve


def serve_class(kind, **how):
    @functools.cache
    def model(url, name):
        made = kind(name, model_name=name, api_base=url, **how)
        made.needs_key = None
        return made

    def call(job, say):
        tools = [llm.Tool(name="note", description="Takes a note", input_schema=SCHEMA)]
        answer = model(job["url"], job["model"]).prompt(
            job["prompt"], stream=job["stream"], **({"tools": tools} if job["tools"] else {}))
        for piece in answer:
            say(piece)
        for made in answer.tool_calls():
            say(made.arguments["text"])

    serve(call)
