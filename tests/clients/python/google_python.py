"""google-genai, Google's SDK for its own API."""

import threading

from google import genai
from google.genai import types

from jobs import SCHEMA, serve

TOOL = {"function_declarations": [{"name": "note", "description": "Takes a note",
                                   "parameters_json_schema": SCHEMA}]}


made, lock = {}, threading.Lock()


def sdk(url):
    """One client: those that are dropped close what is on its way."""
    with lock:
        if url not in made:
            made[url] = genai.Client(api_key="none", http_options={"base_url": url})
        return made[url]


def note(text: str) -> str:
    """Takes a note."""
    return "taken"


def loop(job, say):
    """The SDK itself runs the tool, and keeps the history, which alone has all that was said before the last answer."""
    chat = sdk(job["url"]).chats.create(model=job["model"], config={"tools": [note]})
    for prompt in (job["prompt"], job["loop"]):
        known = len(chat.get_history())
        for _ in chat.send_message_stream(prompt) if job["stream"] else [chat.send_message(prompt)]:
            pass
        for content in chat.get_history()[known:]:
            for part in content.parts if content.role == "model" else []:
                say(part.text)


def call(job, say):
    if job.get("loop"):
        loop(job, say)
        return
    config = types.GenerateContentConfig(tools=[TOOL]) if job["tools"] else None
    ask = {"model": job["model"], "contents": job["prompt"], "config": config}
    models = sdk(job["url"]).models
    for piece in models.generate_content_stream(**ask) if job["stream"] else [models.generate_content(**ask)]:
        for part in piece.parts or []:
            say(part.function_call.args["text"] if part.function_call else part.text)


serve(call)
