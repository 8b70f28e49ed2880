"""LiteLLM as a client."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it downloads a list as it starts

# LiteLLM imports httpx2 with the first call: of two calls at once, one met a module that was half imported.
import httpx2  # noqa: E402, F401
import litellm  # noqa: E402

from jobs import TOOL, serve  # noqa: E402


def call(job, say):
    answer = litellm.completion(
        model="openai/" + job["model"], api_base=job["url"], api_key="none",
        messages=[{"role": "user", "content": job["prompt"]}], stream=job["stream"],
        **({"tools": [TOOL]} if job["tools"] else {}))
    for part in answer if job["stream"] else [answer]:
        for choice in part.choices:
            said = choice.delta if job["stream"] else choice.message
            say(said.content)
            for made in said.tool_calls or []:
                say(made.function.arguments)


serve(call)
