"""Asks one member of a request of a provider, and tells in a few words what became of it.

The words, as the table of members.py has them:

  passed          it arrived under its own name, with its value
  own             nothing was sent: the gateway does it itself, or it is the provider's preset
  warned          nothing was sent, and a warning names it
  refused         400, at the member's path
  a.b             its value arrived at that place of the provider's request
  a.b=VALUE       another value arrived there; `a~`: an object or a list; `-a`: what was there without it is gone
  breaks RULE     the strict provider refuses what it was sent (tests/e2e/strict)
  … !             and a warning names it: the value was clamped, say, or a part of it was left out

More than one place is joined by `; `.  "lost" is none of them: nothing was sent, and nobody was told.
"""

import json
import re

import strict
import upstream as up
import ask as families
from ask import WIRE

HELLO = [{"role": "user", "content": "hi"}]
BODIES = {"chat": {"messages": HELLO}, "responses": {"input": "hi", "store": False},
          "messages": {"max_tokens": 5000, "messages": HELLO}, "native": {"messages": ["hi"]},
          "completions": {"prompt": "hi"}, "ollama": {"messages": HELLO}}
PATHS = {**families.PATHS, "ollama": "/api/chat"}
FEW = 2  # leaves of an object that are told one by one


def answer(wire, text="good day"):
    """The provider's: a stream or not, as it was asked."""
    def step(x):
        streamed = up.streams(x.request)
        for inner in wire.say(*text.partition(" ")) if streamed else [wire.whole(text)]:
            up.in_turn(inner)(x)
    return step


class Asked:
    """What a request came to."""

    def __init__(self, status, warnings, error, sent, broken):
        self.status, self.warnings, self.error, self.sent = status, warnings, error, sent
        self.broken = broken  # rules of the provider


def ask(client, script, family, dialect, body, stream):
    """Sends a body; the last request that the provider got is what was sent."""
    before = len(script.exchanges)
    body = {**body, **({"stream": stream} if stream or family == "ollama" else {})}
    if family == "native":
        body["config"] = {**body.get("config", {}), "model": script.under(dialect)}
    else:
        body["model"] = script.under(dialect)
    headers = {"anthropic-beta": "any-2026-11-01"} if family == "messages" else {}  # some members need one
    if stream:
        with client.stream(PATHS[family], body, headers) as reply:
            whole = reply.reply()
    else:
        whole = client.post(PATHS[family], body, headers=headers)
    broken = re.findall(r"^  \[([^]]+)\]", "\n".join(strict.JUDGE.take()), re.M)
    text, error, warnings = whole.body.decode(), None, []
    if whole.status != 200:
        error = whole.json["error"]
        if isinstance(error, str):  # Ollama's
            error = {"message": error, "param": error.partition(":")[0]}
    elif '"error":{' in text or "event: error" in text:
        error = {"message": text[-500:], "param": None}
    if whole.status == 200 and family == "native":
        found = text.find('"warnings":[')
        warnings += json.JSONDecoder().raw_decode(text[found + len('"warnings":'):])[0] if found >= 0 else []
    warnings += json.loads(whole.headers.get("x-parley-warnings", "[]"))
    sent = None
    if whole.status == 200:
        sent = script.wait(before + 1).request.json
        sent["model"] = "M"
    return Asked(whole.status, warnings, error, sent, broken)


def _join(path, step):
    return f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}" if path else step


def _steps(value):
    return value.items() if isinstance(value, dict) else enumerate(value)


def _leaves(path, value):
    if isinstance(value, (dict, list)) and value:
        for step, inner in _steps(value):
            yield from _leaves(_join(path, step), inner)
    else:
        yield path, value


def changes(before, after, path=""):
    """(place, value) of all that a request has more than another, or has otherwise; GONE for what it lacks."""
    if isinstance(before, dict) and isinstance(after, dict):
        for step in {**before, **after}:
            if step not in before:
                yield _join(path, step), after[step]
            elif step not in after:
                yield f"-{_join(path, step)}", None
            else:
                yield from changes(before[step], after[step], _join(path, step))
    elif isinstance(before, list) and isinstance(after, list) and len(before) <= len(after):
        for n, value in enumerate(after):
            if n < len(before):
                yield from changes(before[n], value, _join(path, n))
            else:
                yield _join(path, n), value
    elif before != after or type(before) is not type(after):
        yield path, after


# A text that goes into the conversation moves what follows it.
CONVERSATIONS = ("messages", "input[", "contents")
# What the definition of a function may have, whatever its dialect.
OF_TOOLS = {"type", "function", "name", "description", "parameters", "strict", "input_schema", "cache_control",
            "functionDeclarations", "parametersJsonSchema"}


def _strange(tool):
    """Members that no dialect's tools have; a schema's are the client's."""
    for name, value in tool.items():
        if name not in OF_TOOLS:
            yield name
        elif name in ("function", "functionDeclarations"):
            for inner in value if isinstance(value, list) else [value]:
                yield from _strange(inner)


def _shown(place, value, asked):
    if place.startswith(CONVERSATIONS):
        yield re.split(r"\W", place)[0] + "~"
    elif place.startswith("-") or value == asked:
        yield place
    elif place == "tools":
        strange = [name for tool in value for name in _strange(tool)]
        yield f"tools~ with {', '.join(strange)}" if strange else "tools~"
    elif isinstance(value, (dict, list)):
        leaves = list(_leaves(place, value))
        if len(leaves) > FEW:
            yield f"{place}~"
        else:
            for where, leaf in leaves:
                yield where if leaf == asked else f"{where}={json.dumps(leaf, ensure_ascii=False)}"
    else:
        yield f"{place}={json.dumps(value, ensure_ascii=False)}"


def told(without, this, names):
    """The warnings that the member made: True where one names it, None where none does."""
    known = {w["message"] for w in without.warnings}
    new = [w["message"] for w in this.warnings if w["message"] not in known]
    if not new:
        return False
    return True if any(name in message for name in names for message in new) else None


def word(without, this, member, value, names):
    """What became of the member, in the table's words."""
    if this.broken:
        return f"breaks {this.broken[0]}"
    if this.status != 200:
        param = (this.error or {}).get("param") or ""
        if this.status == 400 and param.replace("config.", "").startswith(member):
            return "refused"
        return f"{this.status} at {param or 'nothing'}: {this.error['message'][:80]}"
    if this.error:
        return f"broken: {this.error['message'][:80]}"
    diff = list(changes(without.sent, this.sent))
    warned = told(without, this, names)
    mark = {True: " !", None: " ?", False: ""}[warned]
    if not diff:
        return {True: "warned", None: "warned?", False: "lost"}[warned]
    if diff == [(member, value)]:
        return "passed" + mark
    return "; ".join(dict.fromkeys(shown for place, inner in diff for shown in _shown(place, inner, value))) + mark
