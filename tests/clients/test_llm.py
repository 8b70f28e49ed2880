"""The command line of llm, whose models come from the file that docs/clients.md shows."""

import os
import re
import subprocess

import pytest

from clients import BUILD, CLIENTS
from gateway import environment
from pointed import POINTED

LLM = BUILD / "venv-clients-newest" / "bin" / "llm"


KEY = "a-key-of-the-environment"


@pytest.fixture
def models(start, tmp_path):
    """A folder for llm, whose models are those of a gateway with keys."""
    gateway = start(env={"PARLEY_API_KEY": KEY})
    lines = [re.sub("^#.*\n", "", POINTED[c.program], flags=re.M).replace("MODEL", c.program, 1)
             .replace("MODEL", "echo").replace("http://127.0.0.1:8080", gateway.url)
             for c in CLIENTS if c.program.startswith("llm_")]
    (tmp_path / "extra-openai-models.yaml").write_text("\n".join(lines))
    return tmp_path


def run(folder, *arguments):
    env = environment({"LLM_USER_PATH": str(folder), "OPENAI_API_KEY": "", "HOME": str(folder),
                       "PATH": os.environ["PATH"]})
    return subprocess.run([LLM, *arguments], env=env, timeout=60, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


@pytest.mark.skipif(not LLM.exists(), reason="scripts/test clients was not run")
@pytest.mark.xdist_group("llm")
@pytest.mark.parametrize("more", [[], ["--no-stream"]], ids=["stream", "plain"])
@pytest.mark.parametrize("model", [c.program for c in CLIENTS if c.program.startswith("llm_")])
def test_the_command_line(models, model, more):
    told = re.search("^# llm (.*)$", POINTED[model], re.M)[1]
    assert run(models, *told.replace("KEY", KEY).split()).returncode == 0
    done = run(models, "-m", model, *more, "Hello, big world")
    assert (done.returncode, done.stdout.strip()) == (0, "Hello, big world"), done.stderr
