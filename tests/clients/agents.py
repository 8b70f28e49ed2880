"""Agents, their frameworks and user interfaces: how each is pointed at the gateway.

One table for two readers: tests/clients/test_agents.py runs each that is installed, with exactly these lines, and
tests/lint/docs.py prints them into docs/clients.md.  Where a program has several APIs to choose from, each is a row.
"""

from typing import NamedTuple

URL = "http://127.0.0.1:8080"
WORDS = "Say when you are done."  # what each is asked


class Agent(NamedTuple):
    id: str
    title: str
    api: str
    tried: str  # the version that was tried last
    lines: str  # what the user writes: a file, or commands
    fence: str
    file: str = ""  # where lines stand; empty: the lines are a shell's, or a program
    command: str = ""  # of a program with a file: what asks it once
    program: str = ""  # what has to be on the PATH; empty: a module of Python
    module: str = ""
    tested: bool = True


def _opencode(package):
    return """\
{"$schema": "https://opencode.ai/config.json",
 "provider": {"parley": {"npm": "%s", "name": "Parley",
   "options": {"baseURL": "http://127.0.0.1:8080/v1", "apiKey": "KEY"},
   "models": {"MODEL": {}}}},
 "model": "parley/MODEL"}""" % package


OPENCODE = {"fence": "json", "file": "opencode.json", "command": f'opencode run "{WORDS}"', "program": "opencode"}

AGENTS = [
    Agent("opencode", "opencode", "chat", "1.18.33", _opencode("@ai-sdk/openai-compatible"), **OPENCODE),
    Agent("opencode-responses", "opencode", "responses", "1.18.33", _opencode("@ai-sdk/openai"), **OPENCODE),
    Agent("opencode-messages", "opencode", "messages", "1.18.33", _opencode("@ai-sdk/anthropic"), **OPENCODE),
    Agent("pi", "pi", "chat", "0.73.1", """\
{"providers": {"parley": {
  "baseUrl": "http://127.0.0.1:8080/v1", "api": "openai-completions", "apiKey": "KEY",
  "models": [{"id": "MODEL"}]}}}""", "json", "~/.pi/agent/models.json",
          f'pi --provider parley --model MODEL -p "{WORDS}"', "pi"),
    Agent("continue", "Continue (`cn`)", "chat", "1.5.47", """\
name: Parley
version: 1.0.0
schema: v1
models:
  - name: MODEL
    provider: openai
    model: MODEL
    apiBase: http://127.0.0.1:8080/v1
    apiKey: KEY
    roles: [chat, edit, apply]""", "yaml", "~/.continue/config.yaml",
          f'cn --config ~/.continue/config.yaml -p "{WORDS}"', "cn"),
    Agent("cline", "Cline", "chat", "3.0.65", f"""\
cline auth -p openai -k KEY -m MODEL -b http://127.0.0.1:8080/v1
cline -P openai -m MODEL "{WORDS}\"""", "sh", program="cline"),
    Agent("qwen", "Qwen Code", "chat", "0.15.10", f"""\
export OPENAI_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=KEY OPENAI_MODEL=MODEL
qwen --auth-type openai -p "{WORDS}\"""", "sh", program="qwen"),
    Agent("gemini-cli", "gemini-cli", "generateContent", "0.61.0", f"""\
export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8080 GEMINI_API_KEY=KEY
mkdir -p ~/.gemini
echo '{{"security": {{"auth": {{"selectedType": "gemini-api-key"}}}}}}' > ~/.gemini/settings.json
gemini --skip-trust -m MODEL -p "{WORDS}\"""", "sh", program="gemini"),
    Agent("aider", "aider", "chat", "0.86.2", f"""\
aider --openai-api-base http://127.0.0.1:8080/v1 --openai-api-key KEY --model openai/MODEL \\
  --no-show-model-warnings --yes-always --message "{WORDS}\"""", "sh", program="aider"),
    Agent("open-webui", "Open WebUI", "chat", "0.12", """\
export OPENAI_API_BASE_URL=http://127.0.0.1:8080/v1 OPENAI_API_KEY=KEY ENABLE_OLLAMA_API=false
open-webui serve""", "sh", program="open-webui", tested=False),
    Agent("langgraph", "LangGraph", "chat", "langgraph 1.2.24, langchain 1.5.2", f"""\
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

agent = create_agent(ChatOpenAI(base_url="http://127.0.0.1:8080/v1", api_key="KEY", model="MODEL"))
print(agent.invoke({{"messages": [("user", "{WORDS}")]}})["messages"][-1].content)""", "python", module="langgraph"),
    Agent("pydantic-ai", "Pydantic AI", "chat", "2.68.0", f"""\
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

agent = Agent(OpenAIChatModel("MODEL", provider=OpenAIProvider(
    base_url="http://127.0.0.1:8080/v1", api_key="KEY")))
print(agent.run_sync("{WORDS}").output)""", "python", module="pydantic_ai"),
    Agent("pydantic-ai-responses", "Pydantic AI", "responses", "2.68.0", f"""\
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

agent = Agent(OpenAIResponsesModel("MODEL", provider=OpenAIProvider(
    base_url="http://127.0.0.1:8080/v1", api_key="KEY")))
print(agent.run_sync("{WORDS}").output)""", "python", module="pydantic_ai"),
    Agent("smolagents", "smolagents", "chat", "1.26.0", f"""\
from smolagents import OpenAIModel

model = OpenAIModel(model_id="MODEL", api_base="http://127.0.0.1:8080/v1", api_key="KEY")
print(model([{{"role": "user", "content": "{WORDS}"}}]).content)""", "python", module="smolagents"),
    Agent("dspy", "DSPy", "chat", "3.4.1", f"""\
import dspy

lm = dspy.LM("openai/MODEL", api_base="http://127.0.0.1:8080/v1", api_key="KEY")
print(lm("{WORDS}"))""", "python", module="dspy"),
    Agent("dspy-responses", "DSPy", "responses", "3.4.1", f"""\
import dspy

lm = dspy.LM("openai/MODEL", api_base="http://127.0.0.1:8080/v1", api_key="KEY",
             model_type="responses")
print(lm("{WORDS}"))""", "python", module="dspy"),
]


def table():
    lines = ["", "| program | API | tried with |", "|---|---|---|"]
    lines += [f"| {a.title} | {a.api} | {a.tried} |" for a in AGENTS]
    for a in AGENTS:
        lines += ["", f"{a.title} ({a.api}){', in `' + a.file + '`' if a.file else ''}:", "",
                  f"```{a.fence}", a.lines, "```"]
        if a.command:
            lines += ["", f"`{a.command}` then asks it once."]
    return "\n".join([*lines, "", ""])
