"""The command line of llm, whose models come from the file that docs/clients.md shows."""

import os
import re
import subprocess

import pytest

from clients import BUILD, CLIENTS
from gateway import environment
from pointed import POINTED

LLM = BUILD / "venv-clients-newest" / "bin" / "llm"


@pytest.fixture
def models(shared, tmp_path):
    entries = [re.sub("^#.*\n", "", POINTED[c.program]).replace("MODEL", c.program, 1)
               .replace("MODEL", "echo").replace("http://127.0.0.1:8080", shared.url)
               for c in CLIENTS if c.program.startswith("llm_")]
    (tmp_path / "extra-openai-models.yaml").write_text("\n".join(entries))
    return tmp_path


@pytest.mark.skipif(not LLM.exists(), reason="scripts/test clients was not run")
@pytest.mark.xdist_group("llm")
@pytest.mark.parametrize("more", [[], ["--no-stream"]], ids=["stream", "plain"])
@pytest.mark.parametrize("model", [c.program for c in CLIENTS if c.program.startswith("llm_")])
def test_the_command_line(models, model, more):
    env = environment({"LLM_USER_PATH": str(models), "OPENAI_API_KEY": "", "HOME": str(models),
                       "PATH": os.environ["PATH"]})
    done = subprocess.run([LLM, "-m", model, *more, "Hello, big world"], env=env, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "Hello, big world"), done.stderr
