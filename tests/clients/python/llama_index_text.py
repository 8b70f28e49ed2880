"""LlamaIndex, with the class that it has for servers of OpenAI's shape, asked for completions."""

import functools

from llama_index.llms.openai_like import OpenAILike

from jobs import serve


@functools.cache
def model(url, name):
    return OpenAILike(model=name, api_base=url, api_key="none")


def call(job, say):
    llm = model(job["url"], job["model"])
    if not job["stream"]:
        say(llm.complete(job["prompt"]).text)
        return
    for answer in llm.stream_complete(job["prompt"]):
        say(answer.delta)


serve(call)
