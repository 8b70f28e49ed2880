"""Alerts: a webhook is told of providers, budgets and the database, once for each change; what stands is in the overview."""

import http.server
import json
import resource
import signal
import threading

import pytest

import disk
import gateway as gw
import keys
import upstream as up
from client import Client
from fixtures import provider
from test_metrics import value
from waiting import DEADLINE, wait_until

SECRET = "token-of-the-webhook-0123"


@pytest.fixture
def webhook():
    """What the webhook was sent, and the statuses that it answers with first."""
    class Hook(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            status = server.statuses.pop(0) if server.statuses else 204
            server.seen.append((status, self.headers["authorization"], json.loads(body)))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    server.seen, server.statuses = [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def url(webhook):
    return f"http://127.0.0.1:{webhook.server_address[1]}/hook"


def standing(admin):
    return [(a["type"], a["subject"]) for a in admin.get("/v1/admin/overview").ok().json["alerts"]]


def stands(admin, webhook, kind, subject=None):
    """The alert stands, is counted, and the webhook was told of it."""
    wait_until(lambda: standing(admin) == [(kind, subject)], kind, DEADLINE * 2)
    assert value(admin, "parley_alerts", type=kind) == 1
    wait_until(lambda: [body["type"] for _, _, body in webhook.seen] == [kind], "the message")
    assert webhook.seen[0][2]["subject"] == subject and webhook.seen[0][2]["text"]


def ends(admin, webhook, kind, end):
    wait_until(lambda: standing(admin) == [], f"the end of {kind}", DEADLINE * 2)
    assert value(admin, "parley_alerts", type=kind) == 0
    wait_until(lambda: [body["type"] for _, _, body in webhook.seen] == [kind, end], "the news")


def test_a_provider_that_goes_down_and_comes_back(start, upstream, script, webhook):
    s = script(up.in_turn(up.reply({"error": {"message": "no"}}, 500), up.stream("ok")))
    webhook.statuses = [500]
    gateway = start({"providers": [provider(upstream, "p", health={"failures": 1, "pause": "1s"})],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}],
                     "alert_url": url(webhook)}, env={"PARLEY_ALERT_TOKEN": SECRET})
    with Client(gateway.url) as admin:
        assert standing(admin) == []
        admin.complete("m")
        wait_until(lambda: len(webhook.seen) == 2, "the alert, which is sent again after a failure")
        (_, token, first), (status, _, again) = webhook.seen
        assert token == f"Bearer {SECRET}" and status == 204 and first == again
        assert first["object"] == "alert" and first["type"] == "provider_down" and first["subject"] == "p"
        assert standing(admin) == [("provider_down", "p")]
        assert admin.get("/v1/admin/overview").ok().json["secrets"]["PARLEY_ALERT_TOKEN"] == "set"

        def well():
            admin.post(f"/v1/admin/providers/p/test?model={s.name}")
            return standing(admin) == []
        wait_until(well, "the end of the alert")
        wait_until(lambda: len(webhook.seen) == 3, "the news")
        assert webhook.seen[2][2]["type"] == "provider_up" and webhook.seen[2][2]["subject"] == "p"
    assert SECRET not in gateway.log()


def test_a_provider_that_a_reload_removes_is_down_no_more(start, upstream, script, webhook):
    s = script(up.reply({"error": {"message": "no"}}, 500))
    config = {"providers": [provider(upstream, "p", health={"failures": 1, "pause": "60s"})],
              "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]}
    gateway = start({**config, "alert_url": url(webhook)})

    def reload(config):
        gateway.write_config({**config, "alert_url": url(webhook)})
        gateway.signal(signal.SIGHUP)
    with Client(gateway.url) as admin:
        admin.complete("m")
        stands(admin, webhook, "provider_down", "p")
        reload({"models": [{"name": "m", "provider": "echo"}]})
        ends(admin, webhook, "provider_down", "provider_up")
        assert "configuration" in webhook.seen[1][2]["text"]
        reload(config)  # its breaker is still open
        wait_until(lambda: standing(admin) == [("provider_down", "p")], "the alert of a provider that is back")


def test_a_budget_near_its_end_and_used_up_is_told_once(start, webhook):
    gateway = start({"models": [{"name": "echo", "provider": "echo", "max_output": 10,
                                 "price": {"input": 10000, "output": 10000}}],
                     "alert_url": url(webhook), "alert_budget": 50}, args=["--admin-listen", "127.0.0.1:0"])
    boss = keys.known(gateway, keys.make(gateway, "--scopes", "admin"))
    made = gw.run("groups", "create", "--budget", "2/30d", "--database", gateway.database_option())
    group = made.stdout.strip()
    poor = keys.known(gateway, keys.make(gateway, "--budget", "2/30d", "--group", group))
    with keys.client_of(gateway, poor["key"]) as client, \
            keys.client_of(gateway, boss["key"], admin=True) as admin:
        while (reply := client.complete(max_tokens=4)).status == 200:
            pass
        reply.error(429, "insufficient_quota")
        # Budgets and the disk are looked at each 15 and 10 seconds.
        wait_until(lambda: any(kind.startswith("budget_") for kind, _ in standing(admin)), "the alert", DEADLINE * 2)
        kind = standing(admin)[0][0]
        assert sorted(standing(admin)) == sorted([(kind, poor["id"]), (kind, group)])
        assert value(admin, "parley_alerts", type=kind) == 2
        wait_until(lambda: len(webhook.seen) == 2, "the messages")
        assert {seen[2]["subject"] for seen in webhook.seen} == {poor["id"], group}
        assert poor["key"] not in json.dumps([seen[2] for seen in webhook.seen])
        for path in (f"/v1/admin/keys/{poor['id']}", f"/v1/admin/groups/{group}"):
            admin.request("DELETE", path).ok()
        wait_until(lambda: standing(admin) == [], "the end of the alerts of what is gone", DEADLINE * 2)
        assert value(admin, "parley_alerts", type=kind) == 0


@pytest.mark.sqlite
def test_a_disk_that_runs_out_of_room(start, webhook):
    with disk.mounted("64m") as folder:
        filler = folder / "filler"
        disk.fill(filler, 61 << 20)
        gateway = start({"database": str(folder / "parley.db"), "alert_url": url(webhook)})
        with Client(gateway.url) as admin:
            stands(admin, webhook, "disk_low")
            assert " MiB left" in webhook.seen[0][2]["text"]
            admin.chat("There is room for this.").ok()
            filler.unlink()
            ends(admin, webhook, "disk_low", "disk_ok")
        gateway.stop()


@pytest.mark.sqlite
def test_a_file_that_cannot_be_written(start, webhook):
    """The largest allowed file stands for a full disk, as in the tests of the store."""
    gateway = start({"alert_url": url(webhook)}, restore_signals=False)  # SIGXFSZ stays ignored
    with Client(gateway.url) as admin:
        admin.chat("one").ok()
        size = max((gateway.folder / name).stat().st_size for name in ("parley.db", "parley.db-wal"))
        assert standing(admin) == []
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        admin.chat("x" * 300_000).error(503, "storage_unavailable")
        stands(admin, webhook, "store_failing")
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        ends(admin, webhook, "store_failing", "store_ok")
        wait_until(lambda: admin.chat("two").status == 200, "writes to work again")


def test_a_database_server_that_is_gone(join, server, webhook):
    with Client(join(alert_url=url(webhook)).url) as admin:
        admin.chat("one").ok()
        assert standing(admin) == []
        server.kill()
        try:
            stands(admin, webhook, "store_failing")
        finally:
            server.start()
        ends(admin, webhook, "store_failing", "store_ok")


def test_without_a_webhook_alerts_stand_all_the_same(start, upstream, script):
    s = script(up.reply({"error": {"message": "no"}}, 401))
    gateway = start({"providers": [provider(upstream, "p", health={"dead_key": "60s"})],
                     "models": [{"name": "m", "provider": "p", "upstream_model": s.name}]})
    with Client(gateway.url) as admin:
        admin.complete("m")
        wait_until(lambda: standing(admin) == [("provider_down", "p")], "the alert")


@pytest.mark.parametrize("address", ["http://example.org/", "ftp://x", "http://127.0.0.1.example.org/",
                                     "http://localhost:x@example.org/", "hook"])
def test_an_address_that_is_not_encrypted_is_refused(tmp_path, address):
    done = gw.run("--check-config", "--alert-url", address, cwd=tmp_path)
    assert done.returncode != 0 and "https://" in done.stderr
