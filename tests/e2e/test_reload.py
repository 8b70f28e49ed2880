"""A reload: what it takes over, and what it says of what only a new start changes."""

import json
import signal

import pytest

from fixtures import usual_config
from gateway import CANARY


def reloaded(gateway, upstream, **changes):
    """The messages of a reload with these options in the file."""
    mark = len(gateway.lines)
    gateway.write_config(usual_config(upstream, **changes))
    gateway.signal(signal.SIGHUP)
    gateway.wait_log("was read again", mark)
    lines = [json.loads(line) for line in gateway.lines[mark:]]
    return [(line["level"], line["msg"]) for line in lines if line["event"] == "reload"]


# The gateway's own flags (--listen) stand above the file.
KEPT = {
    "max_body": "5MiB", "loops": 3, "drain_timeout": "7s", "socket_mode": "0600",
    "durability": "strict", "events_keep": "1h", "otlp_endpoint": f"http://{CANARY}.test:4318",
    "admin_listen": "127.0.0.1:1", "database": "other.db", "log_format": "text",
}


@pytest.mark.parametrize("option", KEPT)
def test_what_is_kept_is_named(start, upstream, option):
    gateway = start(usual={})
    kept, done = reloaded(gateway, upstream, **{option: KEPT[option]})
    assert kept[0] == "warn" and kept[1].endswith(f": {option}") and done[0] == "info"
    assert reloaded(gateway, upstream) == [done], "as it runs"


def test_all_of_them_in_one_line(start, upstream):
    gateway = start(usual={})
    kept, _ = reloaded(gateway, upstream, **KEPT)
    assert set(kept[1].split(": ")[1].split(", ")) == set(KEPT)


def test_what_is_taken_over_or_says_the_same_is_not_named(start, upstream):
    gateway = start(usual={"max_body": "2MiB"})
    told = reloaded(gateway, upstream, max_body="2048KiB", keep_alive="3s", cors_origins=["*"],
                    log_content=True, max_calls=7, drain_timeout="60000ms")
    assert [level for level, _ in told] == ["info"]


def test_a_list_is_compared_item_by_item(start, upstream, tmp_path):
    places = [f"unix:{tmp_path}/{name}" for name in "ab"]
    gateway = start(usual={"listen": places}, listen=None)
    assert len(reloaded(gateway, upstream, listen=list(places))) == 1
    for other in (places[:1], places[::-1], [*places, f"unix:{tmp_path}/c"]):
        kept, _ = reloaded(gateway, upstream, listen=other)
        assert kept[1].endswith(": listen")
