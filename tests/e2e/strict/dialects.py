"""Which dialect a request is in, its headers, and how each dialect says no."""

import re

from strict.rules import Breach

# The prefix of a base_url whose requests are Mistral's: OpenAI's paths don't tell.
MISTRAL = "/mistral"

PATHS = [  # the first that is found in the place asked for; LMC's own path has no judge
    (re.compile(r"/v1/messages/count_tokens$"), "anthropic.count"),
    (re.compile(r"/v1/messages$"), "anthropic"),
    (re.compile(r"/models/[^/:]+:(generateContent|streamGenerateContent)$"), "gemini"),
    (re.compile(r"/models/[^/:]+:batchEmbedContents$"), "gemini.embeddings"),
    (re.compile(r"/api/chat$"), "ollama"),
    (re.compile(r"/api/embed$"), "ollama.embeddings"),
    (re.compile(rf"^{MISTRAL}/.*/chat/completions$"), "mistral"),
    (re.compile(rf"^{MISTRAL}/.*/embeddings$"), "mistral.embeddings"),
    (re.compile(r"/responses$"), "responses"),
    (re.compile(r"/chat/completions$"), "openai"),
    (re.compile(r"/completions$"), "openai.completions"),
    (re.compile(r"/embeddings$"), "openai.embeddings"),
]


# What the requests of a provider's dialect are judged by.
KINDS = {"openai": ("openai", "openai.completions", "openai.embeddings"),
         "openai-responses": ("responses", "openai.embeddings"),
         "anthropic": ("anthropic", "anthropic.count"), "gemini": ("gemini", "gemini.embeddings"),
         "ollama": ("ollama", "ollama.embeddings"), "mistral": ("mistral", "mistral.embeddings")}
KINDS["azure"] = KINDS["openai"]


def kind_of(method, target):
    if method != "POST":
        return None
    path = target.split("?")[0]
    return next((kind for pattern, kind in PATHS if pattern.search(path)), None)


def is_beta(request):
    return (request.header("anthropic-beta") or "") != ""


def judge_headers(kind, request):
    sort = (request.header("content-type") or "").split(";")[0].strip()
    if sort != "application/json":
        yield Breach("headers", "content-type", f"is {sort!r}", "RFC 9110, section 8.3")
    if kind.startswith("anthropic") and request.header("anthropic-version") is None:
        yield Breach("headers", "anthropic-version", "is missing",
                     "https://platform.claude.com/docs/en/api/versioning")


def refusal(kind, text):
    """The body of a 400."""
    if kind.startswith("anthropic"):
        return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    if kind.startswith("gemini"):
        return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    if kind.startswith("ollama"):
        return {"error": text}
    if kind.startswith("mistral"):
        return {"object": "error", "message": text, "type": "invalid_request_error", "param": None,
                "code": None}
    return {"error": {"message": text, "type": "invalid_request_error", "param": None, "code": None}}
