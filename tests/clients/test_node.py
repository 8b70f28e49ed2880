"""Runs the tests of the Node SDK as one test, where Node and its packages are installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gateway import BINARY, environment

FOLDER = Path(__file__).resolve().parent / "node"


@pytest.mark.skipif(not shutil.which("node"), reason="no Node")
@pytest.mark.skipif(not (FOLDER / "node_modules").exists(), reason="npm ci was not run")
def test_the_node_sdk():
    env = environment({"PARLEY_BIN": str(BINARY), "PARLEY_TEST_DEADLINE":
                       os.environ.get("PARLEY_TEST_DEADLINE", "15")})
    result = subprocess.run(["node", "--test", "test.mjs"], cwd=FOLDER, env=env, timeout=170,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
