"""LlamaIndex, with the class that it has for servers of OpenAI's shape."""

import functools

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

from jobs import TOOL, serve


@functools.cache
def model(url, name):
    return OpenAILike(model=name, api_base=url, api_key="none", is_chat_model=True,
                      is_function_calling_model=True)


def call(job, say):
    llm = model(job["url"], job["model"])
    ask = [ChatMessage(role="user", content=job["prompt"])]
    more = {"tools": [TOOL]} if job["tools"] else {}
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
