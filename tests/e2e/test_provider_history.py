"""GET /v1/admin/providers: the health of the last 24 hours, kept over restarts."""

import upstream as up
from client import Client
from fixtures import provider
from waiting import wait_until


def history(admin, name="p"):
    listed = admin.get("/v1/admin/providers").ok().json
    assert listed["to"] - listed["from"] == 24 * 3600
    one = next(p for p in listed["data"] if p["name"] == name)
    for before, after in zip(one["history"], one["history"][1:]):
        assert before["to"] == after["from"], "there is no gap"
    if one["history"]:
        assert one["history"][-1]["to"] == listed["to"]
    return one["health"], [interval["state"] for interval in one["history"]]


def test_changes_of_health_are_kept_over_a_restart(start, upstream, script):
    s = script(up.reply({"error": {"message": "no"}}, 500))
    gateway = start({"providers": [provider(upstream, "p", health={"failures": 1, "pause": "60s"})],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name},
                                {"name": "echo", "provider": "echo"}]})
    with Client(gateway.url) as admin:
        wait_until(lambda: history(admin) == ("fine", ["fine"]), "the first look")
        assert admin.complete("m").status == 502
        assert history(admin)[0] == "open"
        wait_until(lambda: history(admin)[1] == ["fine", "open"], "the open breaker")
        assert history(admin, "echo")[1] == ["fine"]
    gateway.restart()
    with Client(gateway.url) as admin:
        wait_until(lambda: history(admin) == ("fine", ["fine", "open", "fine"]), "the fresh start")
