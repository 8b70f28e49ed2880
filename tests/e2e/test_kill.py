"""Killed again and again under mixed load: everything that somebody was told is there, nothing twice.

scripts/kill-loop runs as many rounds as one likes.
"""

import pytest

import kill
import upstream as up
from fixtures import UPSTREAM_KEY, usual_config

ROUNDS = 20
SEED = "11"  # a failure names the seed and the round, for scripts/kill-loop


@pytest.fixture
def own_upstream():
    """That no other gateway keeps connections to: the loop waits until there are none."""
    server = up.Upstream()
    yield server
    server.close()


@pytest.mark.long
def test_random_kills_lose_nothing(own_upstream, tmp_path):
    upstream = own_upstream
    loop = kill.Loop(tmp_path, upstream, lambda durability: usual_config(
        upstream, durability=durability), SEED, env={"TEST_UPSTREAM_KEY": UPSTREAM_KEY})
    for _ in range(ROUNDS):
        loop.round()
    print(loop.report())
    assert loop.figures["rounds"] == ROUNDS
    assert loop.figures["blocks seen"] > 100 and loop.figures["blocks read again"] > 100
    for what in ("events of responses seen", "API keys", "files", "keys of things asked again", "killed while starting"):
        assert loop.figures[what] > 0, what
    assert loop.figures["cut off while streaming"] > 0 and loop.figures["completed"] > 0
