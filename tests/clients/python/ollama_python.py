"""ollama, Ollama's own client."""

from functools import cache

from ollama import Client

from jobs import TOOL, serve

@cache
def sdk(url):
    return Client(url, headers={"Authorization": "Bearer none"})


def call(job, say):
    ask = {"model": job["model"], "messages": [{"role": "user", "content": job["prompt"]}],
           "tools": [TOOL] if job["tools"] else None}
    for piece in sdk(job["url"]).chat(**ask, stream=True) if job["stream"] else [sdk(job["url"]).chat(**ask)]:
        say(piece.message.content)
        for made in piece.message.tool_calls or []:
            say(made.function.arguments["text"])


serve(call)
