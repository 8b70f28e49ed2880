"""LiteLLM's own parts as a hook, and as the asker of one; says `ready on URL`.

    POST URL                   its content filter behind its generic guardrail API: blocks `forbidden`, masks `4711`
    GET URL                    the questions so far
    POST /ask {url, texts}     its client asks a hook about texts: what it makes of the answer

Each question has to be one that LiteLLM's request model takes, without a member that it does not know.
"""

import asyncio
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it looks for a newer one first

from litellm.exceptions import GuardrailRaisedException  # noqa: E402
from litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api.generic_guardrail_api import (  # noqa: E402
    GenericGuardrailAPI,
)
from litellm.types.guardrails import BlockedWord  # noqa: E402
from litellm.types.proxy.guardrails.guardrail_hooks.generic_guardrail_api import (  # noqa: E402
    GenericGuardrailAPIRequest,
)


def content_filter():
    from litellm.proxy.guardrails.guardrail_hooks.litellm_content_filter.content_filter import ContentFilterGuardrail

    return ContentFilterGuardrail(guardrail_name="words", blocked_words=[
        BlockedWord(keyword="forbidden", action="BLOCK"), BlockedWord(keyword="4711", action="MASK")])


def read(raw):
    body = json.loads(raw)
    unknown = set(body) - set(GenericGuardrailAPIRequest.model_fields)
    assert not unknown, f"members that LiteLLM does not know: {unknown}"
    return GenericGuardrailAPIRequest.model_validate(body)


def judge(words, asked):
    """The answer, in LiteLLM's words."""
    from fastapi import HTTPException

    texts = list(asked.texts or [])
    inputs = {"texts": list(texts), "images": asked.images or [],
              "tool_calls": [dict(c) for c in asked.tool_calls or []]}
    try:
        made = asyncio.run(words.apply_guardrail(inputs=inputs, request_data={}, input_type=asked.input_type))
    except HTTPException as refused:
        return {"action": "BLOCKED", "blocked_reason": str(refused.detail)}
    if made["texts"] != texts:
        return {"action": "GUARDRAIL_INTERVENED", "texts": made["texts"]}
    return {"action": "NONE"}


def serve():
    words, asked, lock = content_filter(), [], threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def say(self, status, body):
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self):
            self.say(200, asked)

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/ask":
                self.say(200, ask(**json.loads(raw)))
                return
            try:
                question = read(raw)
                with lock:
                    answer = judge(words, question)
                asked.append({"question": json.loads(raw), "answer": answer, "key": self.headers["x-api-key"]})
                self.say(200, answer)
            except Exception as error:  # noqa: BLE001
                asked.append({"fault": f"{type(error).__name__}: {error}"})
                self.say(500, {"error": str(error)})

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"ready on http://127.0.0.1:{server.server_address[1]}/beta/litellm_basic_guardrail_api", flush=True)
    server.serve_forever()


def ask(url, texts):
    client = GenericGuardrailAPI(api_base=url, guardrail_name="hook", event_hook="pre_call", default_on=True)
    try:
        return asyncio.run(client.apply_guardrail(inputs={"texts": texts}, request_data={}, input_type="request"))
    except GuardrailRaisedException:
        return {"blocked": True}


if __name__ == "__main__":
    serve()
