"""What was left out of a build is told, and the rest works."""

import subprocess

from client import Client
from gateway import BINARY

EX_USAGE, EX_CANTCREAT = 64, 73


def test_a_turn_is_stored_and_the_console_is_nowhere(start):
    with Client(start().url) as client:
        conversation = client.post("/v1/chat", {"messages": ["hi"]}).ok().headers["x-conversation-id"]
        assert len(client.items(conversation)["data"]) == 2
        client.get("/console/").error(404, "unknown_url")
        client.get("/", headers={"Accept": "text/html"}).error(404, "unknown_url")


def test_a_postgresql_database_is_refused(tmp_path):
    done = subprocess.run([BINARY, "serve", "--database", "postgres://localhost/x"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == EX_CANTCREAT and "postgres" in done.stderr.lower(), done


def test_there_is_no_runner(tmp_path):
    done = subprocess.run([BINARY, "runner"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == EX_USAGE and "runner" in done.stderr, done
