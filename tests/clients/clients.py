"""The clients' matrix: who is tried, in what, and what each is known to see.

One table for two readers: tests/clients/test_matrix.py plays each cell and checks it, and
tests/lint/docs.py prints it into docs/clients.md.  So it holds facts alone, and needs nothing
but the lock files that stand beside it.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pointed import POINTED

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build"


@dataclass(frozen=True)
class Whole:
    """The answer, with nothing missing."""


@dataclass(frozen=True)
class Noticed:
    """The client tells its user of an error, with this status where there is one."""
    status: int | None = None
    told: bool = True  # why, in the words of the gateway, where it had a chance to say so


@dataclass(frozen=True)
class Half:
    """A fault: a part of the answer is given for the whole one."""


class Scenario(NamedTuple):
    id: str
    title: str
    want: Whole | Noticed
    stream: bool = True
    tools: bool = False
    words: str = ""  # of what the gateway says in the stream's error block
    before: bool = False  # it fails before a stream has begun, so a client may call again


SCENARIOS = [
    Scenario("plain", "an answer that is not streamed", Whole(), stream=False),
    Scenario("stream", "a stream", Whole()),
    Scenario("tools", "a stream that calls a tool", Whole(), tools=True),
    Scenario("many", "50 calls at once, half of them streams", Whole()),
    Scenario("cut", "the provider's connection breaks in mid-stream", Noticed(),
             words="closed the connection"),
    Scenario("error", "the provider reports an error in mid-stream", Noticed(),
             words="fell over"),
    Scenario("stalls", "the provider falls silent in mid-stream", Noticed(),
             words="fell silent"),
    Scenario("kill", "the gateway is killed in mid-stream", Noticed()),
    Scenario("limited", "the provider answers 429", Noticed(429), before=True),
    Scenario("fails", "the provider answers 500", Noticed(502), before=True),
    Scenario("key", "the provider answers 401", Noticed(403), before=True),
    Scenario("silent", "the provider says nothing at all", Noticed(504), before=True),
]


class Odd(NamedTuple):
    """Where a client differs from the others, and why."""
    sees: Whole | Noticed | Half
    why: str


class Runtime(NamedTuple):
    """How the programs of a language are run, and where the versions of their packages stand."""
    title: str
    folder: str
    lock: str
    command: list  # {build} and {program} are replaced
    needs: str  # what scripts/test makes, where the language's tools are
    environment: dict = {}


class Client(NamedTuple):
    id: str
    title: str
    runtime: Runtime
    program: str
    packages: list  # as the lock file calls them
    again: dict = {}  # scenario: how often it calls in all, where that is not once
    odd: dict = {}  # scenario: Odd
    faults: list = []  # others than those of odd
    gathers: bool = False  # it hands out nothing of a stream before its end
    api: str = "chat"  # which of the gateway's it uses
    base: str = "/v1"  # what its base URL ends with
    without: tuple = ()  # scenarios that its API has no words for

    def scenarios(self):
        return [s for s in SCENARIOS if s.id not in self.without]

    def sees(self, scenario):
        return self.odd[scenario.id].sees if scenario.id in self.odd else scenario.want

    def requests(self, scenario):
        return self.again.get(scenario.id, 1)

    def versions(self):
        """Of its packages, from the lock file."""
        lock = self.folder() / self.runtime.lock
        pattern = LOCKS[lock.suffix]
        return [re.search(pattern.format(name=re.escape(name)), lock.read_text(), re.M)[1]
                for name in self.packages]

    def folder(self):
        return HERE / self.runtime.folder

    def lacks(self):
        """Why it can't be tried here; None where it can."""
        if not (BUILD / self.runtime.needs).exists():
            return f"{self.runtime.title}: {self.runtime.needs} is not there; its tools are " \
                   "missing or too old, or scripts/test clients was not run"
        return None

    def command(self):
        return [part.format(build=BUILD, program=self.program) for part in self.runtime.command]


# How each kind of lock file names a package and its version.
LOCKS = {
    ".txt": r"^{name}==(\S+)",
    ".json": r'"node_modules/{name}": \{{\s*"(?:name": "[^"]+",\s*")?version": "([^"]+)"',
    ".mod": r"^(?:require |\t){name} v(\S+)",
    ".xml": r"<artifactId>{name}</artifactId>\s*<version>([^<]+)<",
}


PYTHON, PYTHON_3 = (
    Runtime("Python", "python", f"{name}.txt", [f"{{build}}/venv-{name}/bin/python",
                                                 "{program}.py"], f"venv-{name}",
            {"OPENAI_API_KEY": "none", "LLM_USER_PATH": f"{BUILD}/clients/llm"})
    for name in ("clients", "clients-newest"))
NODE_20, NODE_22 = (
    Runtime(f"Node {n}", "node", "package-lock.json",
            [f"node_modules/node{n}/bin/node", "{program}.mjs"],
            f"../tests/clients/node/node_modules/node{n}/bin/node") for n in (20, 22))
GO = Runtime("Go", "go", "go.mod", ["{build}/clients/{program}"], "clients/openai-go")
JAVA = Runtime("Java", "java", "pom.xml",
               ["java", "@{build}/clients/java/arguments", "{program}"], "clients/java/arguments")


def on_each_node(id, title, *more, **even_more):
    return [Client(f"{id}-{node.title.split()[1]}", title, node, *more, **even_more)
            for node in (NODE_20, NODE_22)]


RESPONSES = {"api": "responses"}
MESSAGES = {"api": "messages", "base": ""}
AZURE = {"api": "Azure's chat", "base": ""}
GEMINI = {"api": "generateContent", "base": ""}
OLLAMA = {"api": "Ollama's chat", "base": ""}
TEXT = {"api": "completions", "without": ("tools",)}


THRICE = {"limited": 3}  # the preset of OpenAI's SDKs and what is built on them
THRICE_ALL = {"limited": 3, "fails": 3, "silent": 3}
DEAF = "does not know of `x-should-retry`"

CLIENTS = [
    Client("openai-python", "openai-python 2", PYTHON, "openai_python", ["openai"], THRICE),
    Client("openai-python-3", "openai-python 3", PYTHON_3, "openai_python", ["openai"], THRICE),
    Client("openai-python-responses", "openai-python 2", PYTHON, "openai_responses", ["openai"],
           THRICE, **RESPONSES),
    Client("openai-python-3-responses", "openai-python 3", PYTHON_3, "openai_responses",
           ["openai"], THRICE, **RESPONSES),
    Client("openai-python-azure", "openai-python 3", PYTHON_3, "openai_azure", ["openai"], THRICE,
           **AZURE),
    Client("anthropic-python", "anthropic-python", PYTHON, "anthropic_python", ["anthropic"],
           THRICE, **MESSAGES),
    Client("google-python", "google-genai", PYTHON, "google_python", ["google-genai"], **GEMINI),
    Client("ollama-python", "ollama", PYTHON, "ollama_python", ["ollama"], **OLLAMA),
    Client("langchain-python", "LangChain", PYTHON, "langchain_python",
           ["langchain-openai", "langchain-core"], THRICE),
    Client("langchain-python-responses", "LangChain", PYTHON, "langchain_responses",
           ["langchain-openai", "langchain-core"], THRICE, **RESPONSES),
    Client("langchain-python-anthropic", "LangChain", PYTHON, "langchain_claude",
           ["langchain-anthropic", "langchain-core"], THRICE, **MESSAGES),
    Client("llama-index-responses", "LlamaIndex", PYTHON, "llama_index_responses",
           ["llama-index-llms-openai", "llama-index-core"], {"limited": 4}, **RESPONSES),
    Client("llama-index-text", "LlamaIndex", PYTHON, "llama_index_text",
           ["llama-index-llms-openai-like", "llama-index-core"], {"limited": 4}, **TEXT),
    Client("llama-index", "LlamaIndex", PYTHON, "llama_index_like",
           ["llama-index-llms-openai-like", "llama-index-core"], {"limited": 4}),
    Client("litellm", "LiteLLM", PYTHON, "litellm_client", ["litellm"], THRICE,
           faults=["a call with `tools` needs the package `mcp`, which it does not bring"]),
    Client("instructor", "instructor", PYTHON, "instructor_client", ["instructor"], THRICE,
           gathers=True, faults=["`create_partial` gives nothing before the stream has ended"]),
    Client("llm", "llm", PYTHON_3, "llm_client", ["llm"], THRICE),
    Client("llm-responses", "llm", PYTHON_3, "llm_responses", ["llm"], THRICE, **RESPONSES),
    Client("llm-text", "llm", PYTHON_3, "llm_text", ["llm"], THRICE, **TEXT),
    Client("agents-python", "OpenAI Agents", PYTHON_3, "openai_agents", ["openai-agents"], THRICE,
           **RESPONSES),
    *on_each_node("openai-node", "openai-node", "openai-chat", ["openai"], THRICE),
    *on_each_node("openai-node-responses", "openai-node", "openai-responses", ["openai"], THRICE,
                  **RESPONSES),
    *on_each_node("openai-node-azure", "openai-node", "openai-azure", ["openai"], THRICE, **AZURE),
    *on_each_node("anthropic-node", "anthropic-node", "anthropic", ["@anthropic-ai/sdk"], THRICE,
                  **MESSAGES),
    Client("google-node-22", "google-genai", NODE_22, "google", ["@google/genai"], **GEMINI),
    *on_each_node("ollama-js", "ollama", "ollama", ["ollama"], **OLLAMA),
    *on_each_node("langchain-js", "LangChain", "langchain",
                  ["@langchain/openai", "@langchain/core"], {"fails": 7, "silent": 7},
                  faults=[DEAF]),
    *on_each_node("ai-openai", "AI SDK, OpenAI", "ai-openai", ["ai", "@ai-sdk/openai"],
                  THRICE_ALL, faults=[DEAF]),
    *on_each_node("ai-responses", "AI SDK, OpenAI", "ai-responses", ["ai", "@ai-sdk/openai"],
                  THRICE_ALL, faults=[DEAF], **RESPONSES),
    *on_each_node("ai-anthropic", "AI SDK, Anthropic", "ai-anthropic",
                  ["ai", "@ai-sdk/anthropic"], THRICE_ALL, faults=[DEAF], api="messages"),
    *on_each_node("ai-google", "AI SDK, Google", "ai-google", ["ai", "@ai-sdk/google"],
                  THRICE_ALL, faults=[DEAF], api="generateContent", base="/v1beta"),
    *on_each_node("ai-compatible", "AI SDK, compatible", "ai-compatible",
                  ["ai", "@ai-sdk/openai-compatible"],
                  THRICE_ALL, faults=[DEAF]),
    *on_each_node("agents", "OpenAI Agents", "agents-chat", ["@openai/agents"], THRICE),
    *on_each_node("agents-responses", "OpenAI Agents", "agents-responses", ["@openai/agents"],
                  THRICE, **RESPONSES),
    Client("openai-go", "openai-go", GO, "openai-go", ["github.com/openai/openai-go/v3"], THRICE),
    Client("openai-java", "openai-java", JAVA, "OpenAiJava", ["openai-java"], THRICE),
    Client("langchain4j", "LangChain4j", JAVA, "LangChain4j", ["langchain4j-open-ai"],
           odd=dict.fromkeys(["cut", "error", "stalls"], Odd(
               Noticed(told=False), "skips the error block of a stream: that the body has no end "
               "is all it notices"))),
]

CHROMIUM = Client("event-source", "EventSource", NODE_20, "browser", [])


# --- as a table -----------------------------------------------------------------------------------


def _shown(client, scenario):
    if scenario.id in client.without:
        return ""
    sees = client.sees(scenario)
    if isinstance(sees, Half):
        return "**half**"
    if isinstance(sees, Whole):
        return "whole"
    if not scenario.before:
        return "error" if sees.told else "error, not which"
    times = client.requests(scenario)
    return f"{sees.status or 'error'}" + (f" × {times}" if times > 1 else "")


def _rows():
    """What is alike on several Nodes is one row."""
    rows = {}
    for client in CLIENTS:
        versions = ", ".join(map(" ".join, zip(client.packages, client.versions())))
        cells = tuple(_shown(client, s) for s in SCENARIOS)
        rows.setdefault((client.title, client.api, versions, cells), []).append(client)
    return rows


FENCES = {"Python": "python", "Node": "js", "Go": "go", "Java": "java"}


def _runs_on(some):
    titles = [client.runtime.title for client in some]
    language = titles[0].split()[0]
    return " ".join([language, ", ".join(t.split()[1] for t in titles if " " in t)]).strip()


def _pointed():
    """How each client is pointed at the gateway; what is alike stands once."""
    found = {}
    for client in CLIENTS:
        language = client.runtime.title.split()[0]
        fence = "yaml" if "yaml" in POINTED[client.program] else FENCES[language]
        found.setdefault((fence, POINTED[client.program]), {})[
            f"{client.title} ({client.api})"] = True
    for (fence, lines), names in found.items():
        yield from [f"{', '.join(names)}:", "", f"```{fence}", lines, "```", ""]


def table():
    head = ["client", "on", "API", *[s.id for s in SCENARIOS]]
    lines = ["", "| scenario | what happens |", "|---|---|",
             *[f"| {s.id} | {s.title} |" for s in SCENARIOS], "",
             f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (title, api, _, cells), some in _rows().items():
        lines.append("| " + " | ".join([title, _runs_on(some), api, *cells]) + " |")
    lines += ["", "| client | on | API | tried with | its own faults |", "|---|---|---|---|---|"]
    for (title, api, versions, _), some in _rows().items():
        faults = dict.fromkeys([*[odd.why for odd in some[0].odd.values()], *some[0].faults])
        lines.append(f"| {title} | {_runs_on(some)} | {api} | {versions} | {'; '.join(faults)} |")
    return "\n".join([*lines, "", *_pointed(), ""])
