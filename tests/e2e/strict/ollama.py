"""Ollama's own chat and embeddings."""

import base64

from strict.rules import rule
from strict.types import KNOWN, strict_validator, types_of

API = "https://github.com/ollama/ollama/blob/main/api/types.go"
# Its decoder passes over what it does not know; that a tool has to be strict is lost there, and harms nothing.
KNOWN["ollama", "tools.*.function.strict"] = "https://pkg.go.dev/encoding/json#Unmarshal"


@types_of("ollama")
def _chat(beta):
    from typing import Any, Literal

    from ollama import _types as of

    class Function(of.Message.ToolCall.Function):
        index: int | None = None  # the server's own type has it and the id; the package's does not

    class ToolCall(of.Message.ToolCall):
        id: str | None = None
        function: Function

    class Message(of.Message):
        role: Literal["system", "user", "assistant", "tool"]
        images: list[str] | None = None
        tool_calls: list[ToolCall] | None = None
        tool_call_id: str | None = None

    class Options(of.Options):
        min_p: float | None = None

    class Request(of.ChatRequest):
        messages: list[Message]
        options: Options | None = None
        format: str | dict[str, Any] | None = None
        truncate: bool | None = None
        shift: bool | None = None
    # A model reads of the parameters what it knows.
    return (strict_validator(Request, open_models=("Parameters", "Property")),
            f"ollama {_version()}, _types.py, and {API}")


def _version():
    from importlib.metadata import version
    return version("ollama")


@types_of("ollama.embeddings")
def _embeddings(beta):
    from ollama import _types as of

    class Request(of.EmbedRequest):
        options: of.Options | None = None
    return strict_validator(Request), f"ollama {_version()}, _types.py"


@rule("image-bytes", "ollama", API + " (ImageData is []byte)")
def _(body):
    for i, message in enumerate(body["messages"]):
        for k, image in enumerate(message.get("images") or []):
            try:
                good = base64.b64decode(image, validate=True) != b""
            except ValueError:
                good = False
            if not good:
                yield f"messages.{i}.images.{k}", f"{image[:40]!r} is no base64"


@rule("format-words", "ollama", "https://github.com/ollama/ollama/blob/main/docs/api.md#request-json-mode")
def _(body):
    if isinstance(body.get("format"), str) and body["format"] not in ("", "json"):
        yield "format", f"{body['format']!r} is neither json nor a schema"


@rule("think-words", "ollama", API + " (ThinkValue)")
def _(body):
    if isinstance(body.get("think"), str) and body["think"] not in ("low", "medium", "high", "max"):
        yield "think", f"{body['think']!r} is no level"


@rule("result-names", "ollama",
      "https://github.com/ollama/ollama/blob/main/docs/api.md#chat-request-with-history-with-tools")
def _(body):
    """A result follows an assistant's calls, and names one of them."""
    names = set()
    for i, message in enumerate(body["messages"]):
        names |= {c["function"]["name"] for c in message.get("tool_calls") or []}
        if message["role"] == "tool" and message.get("tool_name") not in names:
            yield f"messages.{i}.tool_name", f"{message.get('tool_name')!r} was not called"


@rule("embeddings-load", "ollama.embeddings",
      "https://github.com/ollama/ollama/blob/main/server/routes.go (EmbedHandler)")
def _(body):
    """Without a text a model is loaded, and there are no vectors."""
    if body["input"] in ("", []):
        yield "input", "no text"
