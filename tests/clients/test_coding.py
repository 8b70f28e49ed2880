"""Codex, Claude Code and gemini-cli, where they are installed: too large to be pinned beside the others.

Each is asked once: the model answers with a text and a call of the tool that runs commands, and
gets what the command printed.
"""

import json
import os
import re
import shutil
import subprocess

import pytest

import upstream as up
from gateway import PROJECT, environment
from test_loops import DETAILS, turn
from wires import OpenAIResponses

PRINTS = "echo marker-$((40+2))"
SHELLS = {"exec_command": {"cmd": PRINTS}, "shell_command": {"command": PRINTS},
          "shell": {"command": ["sh", "-c", PRINTS]},
          "run_shell_command": {"command": "expr 40 + 2 | sed s/^/marker-/"},  # it runs no $()
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


def own_gemini(x):
    """The same in the words of Google's API, which gemini-cli speaks itself; its web search is a tool that Google runs."""
    asked = x.request.json
    calls = [f["name"] for t in asked.get("tools", []) for f in t.get("functionDeclarations", [])]
    done = any("functionResponse" in part for turn in asked["contents"] for part in turn["parts"])
    call = {"functionCall": {"name": "run_shell_command", "args": SHELLS["run_shell_command"]}, "thoughtSignature": "QUJD"}
    part = call if "run_shell_command" in calls and not done else {"text": "All done."}
    answer = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
              "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}}
    for step in [up.sse(), up.data(answer), up.end()] if "stream" in x.request.target else [up.reply(answer)]:
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


def gemini(folder, url, name):
    (folder / ".gemini").mkdir()
    (folder / ".gemini" / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none", "HOME": str(folder)}, \
        ["--skip-trust", "-m", f"claude-{name}", "--approval-mode", "yolo", "-p", "What is the marker?"]


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


@pytest.mark.parametrize("program", [codex, claude, gemini])
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


def test_gemini_cli_is_passed_on_to_its_own_api(coder):
    done, script = coder(gemini, up.call(own_gemini), dialect="gemini")
    assert done.returncode == 0 and "All done." in done.stdout, done.stderr[-2000:]
    last = next(x.request.json for x in reversed(script.exchanges) if "stream" in x.request.target)
    parts = [part for turn in last["contents"] for part in turn["parts"]]
    result, = [part["functionResponse"] for part in parts if "functionResponse" in part]
    assert "marker-42" in json.dumps(result)
    assert [part["thoughtSignature"] for part in parts if "functionCall" in part] == ["QUJD"]


@pytest.mark.skipif(not shutil.which("gemini"), reason="gemini is not installed")
def test_gemini_cli_is_pointed_as_its_page_says(start, tmp_path):
    page = (PROJECT / "docs" / "gemini.md").read_text()
    commands = re.search(r"^## gemini-cli\n\n```sh\n(.*?)^```", page, re.M | re.S)[1]
    gateway = start({"models": [{"name": name, "provider": "echo"} for name in ("my-model", "gemini-*")]})
    done = subprocess.run(["bash", "-ec", commands.replace("http://127.0.0.1:8080", gateway.url)], cwd=tmp_path, timeout=170,
                          env=environment({"PATH": os.environ["PATH"], "HOME": str(tmp_path)}), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("Say hello"), (done.stdout + done.stderr)[-2000:]


@pytest.mark.long
@pytest.mark.parametrize("program", [codex, claude, gemini])
def test_an_answer_that_breaks_off_is_noticed(coder, program):
    done, _ = coder(program, up.sse(), up.role(), up.text("Half of it"), up.hang_up())
    assert done.returncode != 0
    # gemini-cli skips the error block: that the body has no end is all it notices.
    assert "closed the connection" in done.stdout + done.stderr or program is gemini
