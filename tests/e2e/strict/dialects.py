"""Which dialect a request is in, its headers, and how each dialect says no."""

import json
import re

from strict.rules import Breach, loads

# The prefix of a base_url whose requests are Mistral's: OpenAI's paths don't tell.
MISTRAL = "/mistral"

PATHS = [  # the first that is found in the place asked for; LMC's own path has no judge
    (re.compile(r"/v1/messages/count_tokens$"), "anthropic.count"),
    (re.compile(r"/v1/messages$"), "anthropic"),
    (re.compile(r"/models/[^/:]+:(generateContent|streamGenerateContent)$"), "gemini"),
    (re.compile(r"/models/[^/:]+:countTokens$"), "gemini.count"),
    (re.compile(r"/models/[^/:]+:batchEmbedContents$"), "gemini.embeddings"),
    (re.compile(r"/interactions$"), "interactions"),
    (re.compile(r"/model/[^/]+/converse(-stream)?$"), "bedrock"),
    (re.compile(r"/model/[^/]+/invoke(-with-response-stream)?$"), "anthropic"),
    (re.compile(r"/publishers/anthropic/models/count-tokens:rawPredict$"), "anthropic.count"),
    (re.compile(r"/publishers/anthropic/models/[^/:]+:(rawPredict|streamRawPredict)$"), "anthropic"),
    (re.compile(r"/api/chat$"), "ollama"),
    (re.compile(r"/api/embed$"), "ollama.embeddings"),
    (re.compile(rf"^{MISTRAL}/.*/chat/completions$"), "mistral"),
    (re.compile(rf"^{MISTRAL}/.*/embeddings$"), "mistral.embeddings"),
    (re.compile(r"/responses$"), "responses"),
    (re.compile(r"/responses/input_tokens$"), "responses.count"),
    (re.compile(r"/chat/completions$"), "openai"),
    (re.compile(r"/completions$"), "openai.completions"),
    (re.compile(r"/embeddings$"), "openai.embeddings"),
]


# What the requests of a provider's dialect are judged by.
KINDS = {"openai": ("openai", "openai.completions", "openai.embeddings"),
         "openai-responses": ("responses", "responses.count", "openai.embeddings"),
         "anthropic": ("anthropic", "anthropic.count"), "gemini": ("gemini", "gemini.count", "gemini.embeddings"),
         "gemini-interactions": ("interactions", "gemini.embeddings"),
         "bedrock": ("bedrock",), "ollama": ("ollama", "ollama.embeddings"), "mistral": ("mistral", "mistral.embeddings")}
KINDS["azure"] = KINDS["openai"]


def kind_of(method, target):
    if method != "POST":
        return None
    path = target.split("?")[0]
    return next((kind for pattern, kind in PATHS if pattern.search(path)), None)


# The places that host Anthropic's API: what their bodies have more (the package anthropic, lib/bedrock and lib/vertex).
HOSTS = [(re.compile(r"/model/[^/]+/invoke"), "bedrock-2023-05-31"),
         (re.compile(r"/publishers/anthropic/models/"), "vertex-2023-10-16")]


def is_bedrock(request):
    return bool(HOSTS[0][0].search(request.target))


def is_beta(request):
    return (request.header("anthropic-beta") or "") != "" or (is_bedrock(request) and b'"anthropic_beta"' in request.body)


def unhosted(request, kind):
    """The body as Anthropic's own API would have it, and what is wrong with the rest of it."""
    version = next((v for pattern, v in HOSTS if pattern.search(request.target)), None)
    if version is None:
        return request.body, []
    value, found = loads(request.body), []
    if value.pop("anthropic_version", None) != version:
        found.append(Breach("hosting", "anthropic_version", f"is not {version}", "https://platform.claude.com/docs/"))
    flags = value.pop("anthropic_beta", ["x"])
    if not is_bedrock(request):
        assert flags == ["x"]
    elif not flags or not all(isinstance(f, str) for f in flags):
        found.append(Breach("hosting", "anthropic_beta", f"{flags!r} is no list of words", "https://platform.claude.com/docs/"))
    for name in ("model", *(["stream"] if is_bedrock(request) else [])):
        if (name in value) != (kind == "anthropic.count"):
            found.append(Breach("hosting", name, "is not as the place has it", "https://platform.claude.com/docs/"))
    return json.dumps({**value, **({} if "model" in value else {"model": "m"})}).encode(), found


def judge_headers(kind, request):
    sort = (request.header("content-type") or "").split(";")[0].strip()
    if sort != "application/json":
        yield Breach("headers", "content-type", f"is {sort!r}", "RFC 9110, section 8.3")
    if kind.startswith("anthropic") and not is_bedrock(request) and request.header("anthropic-version") is None:
        yield Breach("headers", "anthropic-version", "is missing",
                     "https://platform.claude.com/docs/en/api/versioning")


def refusal(kind, text):
    """The body of a 400."""
    if kind.startswith("anthropic"):
        return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    if kind.startswith("gemini"):
        return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}
    if kind == "interactions":
        return {"error": {"message": text, "code": "invalid_request"}}
    if kind.startswith("ollama"):
        return {"error": text}
    if kind.startswith("bedrock"):
        return {"message": text}
    if kind.startswith("mistral"):
        return {"object": "error", "message": text, "type": "invalid_request_error", "param": None,
                "code": None}
    return {"error": {"message": text, "type": "invalid_request_error", "param": None, "code": None}}
