"""Google's Interactions API, as google-genai's own types have it."""

import re

from strict.gemini import NAME, STOPS
from strict.rules import rule
from strict.types import strict_validator, types_of

DOCS = "https://ai.google.dev/gemini-api/docs/"


@types_of("interactions")
def _create(beta):
    from google.genai.interactions import CreateModelInteraction, InteractionsInput
    from google.genai.version import __version__

    class Request(CreateModelInteraction):
        model: str  # the package lists Google's own
        input: InteractionsInput
    return strict_validator(Request), f"google-genai {__version__}, interactions.CreateModelInteraction"


def answers():
    """The types of a whole answer and of an event."""
    from google.genai.interactions import Interaction, InteractionSSEEvent

    class Answer(Interaction):
        model: str | None = None
        object: str | None = None  # as its pages show it
    return {False: Answer, True: InteractionSSEEvent}


def contents(body):
    for i, step in enumerate(body["input"]):
        for name in ("content", "result"):
            if isinstance(step.get(name), list):
                for k, one in enumerate(step[name]):
                    yield f"input.{i}.{name}.{k}", one


@rule("step-members", "interactions", "https://github.com/googleapis/python-genai (interactions.Step)")
def _(body):
    """The package lets steps have any member.  A call's signature is one that the API gives and takes."""
    from google.genai import interactions as of
    types = {"user_input": of.UserInputStep, "model_output": of.ModelOutputStep, "thought": of.ThoughtStep,
             "function_call": of.FunctionCallStep, "function_result": of.FunctionResultStep}
    for i, step in enumerate(body["input"]):
        if step["type"] not in types:
            yield f"input.{i}.type", f"{step['type']!r} is none of a client's"
            continue
        known = {*types[step["type"]].model_fields, *(["signature"] if step["type"] == "function_call" else [])}
        for name in set(step) - known:
            yield f"input.{i}.{name}", "is not known"


@rule("history", "interactions", DOCS + "interactions (stateless)")
def _(body):
    """Nothing is kept at the provider: the request has all, and ends with what the model should answer."""
    steps = body["input"]
    if body.get("store") is not False:
        yield "store", "is not false"
    if not steps or steps[-1]["type"] not in ("user_input", "function_result"):
        yield "input", "does not end with a step of the user"
    for i, step in enumerate(steps):
        if step["type"] in ("user_input", "model_output") and not step.get("content"):
            yield f"input.{i}.content", "is empty"


@rule("results", "interactions", DOCS + "function-calling")
def _(body):
    open_calls = {}
    for i, step in enumerate(body["input"]):
        if step["type"] == "function_call":
            open_calls[step["id"]] = step["name"]
        elif step["type"] == "function_result":
            if open_calls.pop(step["call_id"], None) != step.get("name"):
                yield f"input.{i}.call_id", f"{step['call_id']!r} is no call of {step.get('name')!r} that waits"
        elif step["type"] == "user_input" and open_calls:
            yield f"input.{i}", f"comes before the results of {sorted(open_calls)}"


@rule("signatures", "interactions", DOCS + "thinking and https://github.com/googleapis/js-genai/issues/1735")
def _(body):
    """A thought has its signature, and a turn's calls come after one."""
    thought = False
    for i, step in enumerate(body["input"]):
        if step["type"] == "thought":
            thought = True
            if not step.get("signature"):
                yield f"input.{i}.signature", "is missing"
        elif step["type"] == "function_call" and not thought and "signature" not in step:
            yield f"input.{i}", "a call without a thought before it"
        elif step["type"] in ("user_input", "function_result"):
            thought = False


@rule("content-data", "interactions", DOCS + "interactions (content)")
def _(body):
    for path, one in contents(body):
        if one["type"] != "text" and ("data" in one) == ("uri" in one):
            yield path, "has not either data or uri"
        if one["type"] != "text" and "data" in one and "mime_type" not in one:
            yield path, "has no mime_type"


@rule("interaction-functions", "interactions", DOCS + "function-calling")
def _(body):
    names = [tool.get("name") for tool in body.get("tools") or [] if tool["type"] == "function"]
    for i, name in enumerate(names):
        if not NAME.fullmatch(name or ""):
            yield f"tools.{i}.name", f"{name!r} is not {NAME.pattern}"
    choice = (body.get("generation_config") or {}).get("tool_choice")
    if isinstance(choice, dict) and set(choice["allowed_tools"].get("tools") or []) - set(names):
        yield "generation_config.tool_choice", "names what is not declared"
    if choice is not None and choice != "none" and not names:
        yield "generation_config.tool_choice", "is there without tools"


@rule("interaction-stops", "interactions", DOCS + "text-generation")
def _(body):
    stops = (body.get("generation_config") or {}).get("stop_sequences") or []
    if len(stops) > STOPS or "" in stops:
        yield "generation_config.stop_sequences", f"more than {STOPS}, or an empty one"


@rule("levels", "interactions", DOCS + "thinking#thinking-levels")
def _(body):
    generation = body.get("generation_config") or {}
    level, model = generation.get("thinking_level"), body["model"]
    lacks = {"gemini-2.5": ("minimal", "xhigh"), "gemini-3-pro": ("minimal", "medium", "xhigh"),
             "gemini-3.1-pro": ("minimal", "xhigh")}
    for name, levels in lacks.items():
        if re.match(name + r"(-|$)", model) and level in levels:
            yield "generation_config.thinking_level", f"{model} has no {level}"
