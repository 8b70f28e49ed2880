"""What the programs of LangChain's models share."""

import functools

from jobs import TOOL, serve


def loop(model, job, say):
    """A tool is run, its result goes back to the model, and the talk goes on."""
    model = model.bind_tools([TOOL])
    messages = [("user", job["prompt"])]
    for more in (None, ("user", job["loop"])):
        messages += [more] if more else []
        answer = ask(model, messages, job)
        say(str(answer.text))
        messages.append(answer)
        for made in answer.tool_calls:
            messages.append({"role": "tool", "tool_call_id": made["id"], "content": "taken"})
        if answer.tool_calls:
            messages.append(ask(model, messages, job))
            say(str(messages[-1].text))


def ask(model, messages, job):
    if not job["stream"]:
        return model.invoke(messages)
    return functools.reduce(lambda whole, part: whole + part, model.stream(messages))


def serve_chat(make):
    """make(url, name) gives a model."""
    make = functools.cache(make)

    def call(job, say):
        model = make(job["url"], job["model"])
        if job.get("loop"):
            loop(model, job, say)
            return
        model = model.bind_tools([TOOL]) if job["tools"] else model
        for part in model.stream(job["prompt"]) if job["stream"] else [model.invoke(job["prompt"])]:
            say(str(part.text))
            if job["stream"]:
                for made in getattr(part, "tool_call_chunks", None) or []:
                    say(made["args"])
            else:
                for made in part.tool_calls:
                    say(made["args"]["text"])

    serve(call)
