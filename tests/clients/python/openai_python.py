"""openai-python."""

import functools

import openai

from jobs import TOOL, serve


@functools.cache
def sdk(url):
    return openai.OpenAI(base_url=url, api_key="none", _strict_response_validation=True)


def talk(client, job, say):
    answer = client.chat.completions.create(
        model=job["model"], messages=[{"role": "user", "content": job["prompt"]}],
        stream=job["stream"], **({"tools": [TOOL]} if job["tools"] else {}))
    for part in answer if job["stream"] else [answer]:
        for choice in part.choices:
            said = choice.delta if job["stream"] else choice.message
            say(said.content)
            for made in said.tool_calls or []:
                say(made.function.arguments)


if __name__ == "__main__":
    serve(lambda job, say: talk(sdk(job["url"]), job, say))
