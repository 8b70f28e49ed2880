"""Runs with a computer of models that have several targets."""

import contextlib

import pytest

import keys
import upstream as up
from computer import approve, calls, module_runner, run_of, streamed  # noqa: F401
from runner import needs_sandbox
from test_affinity import FAILS, never
from upstream import in_turn

pytestmark = needs_sandbox


@contextlib.contextmanager
def asking(start, upstream, runner, models):
    g = start({"computer": f"unix:{runner.path}", "computer_auto": True, "providers": never(upstream),
               "models": models})
    key = keys.known(g, keys.make(g, "--name", "one", "--scopes", "chat,read,files,execute"))
    with keys.client_of(g, key["key"]) as client:
        yield client


def body(confirm, **more):
    return {"messages": ["hi"], "format": "lmc", "stream": True,
            "config": {"model": "m", "computer": {"confirm": confirm}}, **more}


@pytest.mark.parametrize("targets", [1, 2])
def test_an_approval_that_asks_no_provider(start, upstream, script, runner, targets):
    """The second code waits in its turn, so the run of the first approval ends without a call."""
    own = script(in_turn(calls(("python", "34 / 24"), ("python", "1 + 1")), up.stream("own")))
    models = [{"name": "m", "targets": [{"provider": n, "upstream_model": own.name} for n in "ab"[:targets]]}]
    with asking(start, upstream, runner, models) as client:
        _, _, stream = streamed(client, body("ask"))
        _, _, second = approve(client, run_of(stream))
        assert client.run(run_of(second))["finish_reason"] == "confirmation"
        assert len(own.exchanges) == 1
        _, _, third = approve(client, run_of(second))
        assert client.run(run_of(third))["finish_reason"] == "stop" and len(own.exchanges) == 2


def test_the_steps_of_a_run_stay_at_a_fallback(start, upstream, script, runner):
    own = script(in_turn(FAILS, up.stream("own")))
    other = script(in_turn(up.stream("other"), calls(("python", "34 / 24")), up.stream("other")))
    models = [{"name": "m", "provider": "a", "upstream_model": own.name, "fallback": ["f"]},
              {"name": "f", "provider": "b", "upstream_model": other.name}]
    with asking(start, upstream, runner, models) as client:
        _, _, stream = streamed(client, body("never"))
        talk = stream.headers["x-conversation-id"]
        _, _, stream = streamed(client, body("never", conversation=talk))  # with two steps
        assert [a["provider"] for a in client.run(run_of(stream))["attempt_list"]] == ["b", "b"]
        _, _, stream = streamed(client, body("never", conversation=talk))
        assert stream.headers["x-parley-target"] == "b"
    assert len(own.exchanges) == 1 and len(other.exchanges) == 4
