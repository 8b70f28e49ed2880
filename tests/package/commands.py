"""Runs a program that has to end well, and gives what it said."""

import os
import subprocess


def run(*command, code=0, cwd=None, **env):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, cwd=cwd,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8", **env})
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
