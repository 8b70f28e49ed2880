"""LangChain for Python."""

import functools

from langchain_openai import ChatOpenAI

from jobs import TOOL, serve


@functools.cache
def chat(url, model, tools):
    made = ChatOpenAI(base_url=url, model=model, api_key="none")
    return made.bind_tools([TOOL]) if tools else made


def call(job, say):
    model = chat(job["url"], job["model"], job["tools"])
    answer = model.stream(job["prompt"]) if job["stream"] else [model.invoke(job["prompt"])]
    for part in answer:
        say(part.content)
        if job["stream"]:
            for made in getattr(part, "tool_call_chunks", None) or []:
                say(made["args"])
        else:
            for made in part.tool_calls:
                say(made["args"]["text"])


serve(call)
