"""What the programs of LlamaIndex's models share."""

import functools

from llama_index.core.llms import ChatMessage

from jobs import serve


def serve_chat(make, tool):
    """make(url, name) gives a model; tool: as its API has tools."""
    make = functools.cache(make)

    def call(job, say):
        llm = make(job["url"], job["model"])
        ask = [ChatMessage(role="user", content=job["prompt"])]
        more = {"tools": [tool]} if job["tools"] else {}
        if not job["stream"]:
            answer = llm.chat(ask, **more)
            say(answer.message.content)
        else:
            for answer in llm.stream_chat(ask, **more):
                say(answer.delta)
        if job["tools"]:
            for made in llm.get_tool_calls_from_response(answer):
                say(made.tool_kwargs["text"])

    serve(call)
