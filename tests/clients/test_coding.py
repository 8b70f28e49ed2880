"""Codex and Claude Code, where they are installed: too large to be pinned beside the others.

Each is asked once: the model answers with a text and a call of the tool that runs commands, and
gets what the command printed.
"""

import json
import os
import shutil
import subprocess

import pytest

import upstream as up
from gateway import environment
from test_loops import DETAILS, turn
from wires import OpenAIResponses

PRINTS = "echo marker-$((40+2))"
SHELLS = {"exec_command": {"cmd": PRINTS}, "shell_command": {"command": PRINTS},
          "shell": {"command": ["sh", "-c", PRINTS]},
          "Bash": {"command": PRINTS, "description": "Prints"}}
CODEX = """
model = "claude-{model}"
model_provider = "parley"

[model_providers.parley]
name = "Parley"
base_url = "{url}/v1"
env_key = "PARLEY_KEY"
wire_api = "responses"
"""


def model(x):
    """Calls the tool for commands; once it has printed, says the end."""
    asked = x.request.json
    tools = [t["function"]["name"] for t in asked.get("tools", [])]
    shell = next((t for t in tools if t in SHELLS), None)
    if any(m["role"] == "tool" for m in asked["messages"]) or not shell:
        turn("All done.")(x)
    else:
        turn("Let me look. ", shell, SHELLS[shell], details=DETAILS)(x)


def own_model(x):
    """The same in the words of OpenAI's Responses API, which Codex speaks itself: nothing is translated."""
    asked = x.request.json
    shell = next((t["name"] for t in asked.get("tools", []) if t.get("name") in SHELLS), None)
    done = any(i.get("type") == "function_call_output" for i in asked["input"])
    wire = OpenAIResponses()
    for step in wire.say("All done.") if done or not shell else wire.call(shell, "call_a", SHELLS[shell]):
        step(x)


def codex(folder, url, name):
    (folder / "config.toml").write_text(CODEX.format(url=url, model=name))
    return {"CODEX_HOME": str(folder), "PARLEY_KEY": "none"}, \
        ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "What is the marker?"]


def claude(folder, url, name):
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_AUTH_TOKEN": "none",
            "ANTHROPIC_MODEL": f"claude-{name}", "HOME": str(folder),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}, \
        ["-p", "What is the marker?", "--allowedTools", "Bash(echo:*)"]


@pytest.fixture
def coder(start, upstream, tmp_path):
    """coder(program, *steps): its process when done, and the provider's script."""
    def run(program, *steps, dialect="openai"):
        if not shutil.which(program.__name__):
            pytest.skip(f"{program.__name__} is not installed")
        script = upstream.script(*steps)
        gateway = start({
            "providers": [{"name": "p", "dialect": dialect, "base_url": upstream.url}],
            "models": [{"name": "claude-*", "provider": "p"}]})
        env, arguments = program(tmp_path, gateway.url, script.name)
        done = subprocess.run(
            [program.__name__, *arguments], cwd=tmp_path, timeout=170, stdin=subprocess.DEVNULL,
            env=environment({"PATH": os.environ["PATH"], **env}), capture_output=True, text=True)
        return done, script
    return run


@pytest.mark.parametrize("program", [codex, claude])
def test_a_command_is_run(coder, program):
    done, script = coder(program, up.call(model))
    assert done.returncode == 0 and "All done." in done.stdout, done.stderr[-2000:]
    last = next(x.request.json["messages"] for x in reversed(script.exchanges)
                if any(m["role"] == "tool" for m in x.request.json["messages"]))
    assert "marker-42" in json.dumps([m for m in last if m["role"] == "tool"])
    assert [m.get("reasoning_details") for m in last if m["role"] == "assistant"] == [DETAILS]


def test_codex_is_passed_on_to_its_own_api(coder):
    done, script = coder(codex, up.call(own_model), dialect="openai-responses")
    assert done.returncode == 0 and "All done." in done.stdout, done.stderr[-2000:]
    last = script.exchanges[-1].request.json
    output, = [i for i in last["input"] if i.get("type") == "function_call_output"]
    assert output["call_id"] == "call_a" and "marker-42" in json.dumps(output)
    assert any(t["type"] not in ("function", "custom") for t in last["tools"]), "hosted tools pass to this API"


@pytest.mark.long
@pytest.mark.parametrize("program", [codex, claude])
def test_an_answer_that_breaks_off_is_noticed(coder, program):
    done, _ = coder(program, up.sse(), up.role(), up.text("Half of it"), up.hang_up())
    assert done.returncode != 0
    assert "closed the connection" in done.stdout + done.stderr
