"""Runs the tests of the Node SDK as one test, where Node and its packages are installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gateway import BINARY, PROJECT, environment

FOLDER = Path(__file__).resolve().parent / "node"


@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
@pytest.mark.skipif(not (FOLDER / "node_modules").exists(), reason="npm ci was not run")
def test_the_node_sdk():
    env = environment({"PARLEY_BIN": str(BINARY), "PARLEY_TEST_DEADLINE":
                       os.environ.get("PARLEY_TEST_DEADLINE", "15")})
    result = subprocess.run(["node", "--test", "test.mjs"], cwd=FOLDER, env=env, timeout=170,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]


@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
@pytest.mark.skipif(not (FOLDER / "node_modules" / "@anthropic-ai").exists(),
                    reason="npm ci was not run")
@pytest.mark.parametrize("page", ["messages.md", "gemini.md", "ollama.md"])
def test_the_examples_of_the_documentation(shared, page):
    run_examples(page, shared, "Hello")


@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
def test_the_examples_without_a_package(shared):
    run_examples("responses.md", shared, "Hello there\n")


def run_examples(name, gateway, said):
    page = (PROJECT / "docs" / name).read_text()
    examples = re.findall(r"^<!-- run -->\n```js\n(.*?)^```\n", page, re.M | re.S)
    assert examples
    for text in examples:
        done = subprocess.run(["node", "--input-type=module", "-e",
                               text.replace("http://127.0.0.1:8080", gateway.url)], cwd=FOLDER,
                              env=environment(), timeout=60, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, said), done.stdout + done.stderr
