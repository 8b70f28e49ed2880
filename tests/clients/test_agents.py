"""Agents and their frameworks, pointed at the gateway with the lines of docs/clients.md.

Frameworks of Python are installed with the clients; programs are too large for that, and are run where they are on
the PATH.
"""

import os
import re
import shutil
import subprocess

import pytest

from agents import AGENTS, URL
from clients import BUILD
from gateway import environment
from test_loops import turn

PYTHON = BUILD / "venv-clients-newest" / "bin" / "python"
PACKAGES = BUILD / "venv-clients-newest"


def lacks(agent):
    """Why it can't be run here; empty where it can."""
    if agent.module:
        found = list(PACKAGES.glob(f"lib/python*/site-packages/{agent.module}"))
        return "" if found else "scripts/test clients was not run"
    return "" if shutil.which(agent.program) else f"{agent.program} is not installed"


def ask(agent, folder, here):
    """Runs what the documentation says, at home in folder; here: puts this gateway and model into lines."""
    env = environment({"HOME": str(folder), "PATH": os.environ["PATH"], "OPENAI_API_KEY": "KEY",
                       "DSPY_CACHEDIR": str(folder / "cache")})
    if agent.module:
        command = [str(PYTHON), "-c", here(agent.lines)]
    elif agent.file:
        file = folder / agent.file.removeprefix("~/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(here(agent.lines))
        command = ["bash", "-ec", here(agent.command)]
    else:
        command = ["bash", "-ec", here(agent.lines)]
    return subprocess.run(command, cwd=folder, env=env, timeout=170, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


@pytest.mark.xdist_group("agents")
@pytest.mark.parametrize("agent", [a for a in AGENTS if a.tested], ids=lambda a: a.id)
def test_it_shows_the_answer(shared, script, tmp_path, agent):
    if why := lacks(agent):
        pytest.skip(why)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)  # most programs want to be in a repository
    s = script(turn("All is done."))
    done = ask(agent, tmp_path, lambda text: re.sub(r"\bMODEL\b", s.model, text.replace(URL, shared.url)))
    assert done.returncode == 0 and "All is done." in done.stdout, (done.stdout + done.stderr)[-3000:]
    assert any("Say when you are done." in x.request.body.decode() for x in s.exchanges)
