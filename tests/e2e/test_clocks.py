"""Gateways whose clocks and that of the database's server differ.

These tests start a server of their own, whatever engine the others use.  The server's clock is moved by a trigger, where a
gateway reads it: at the end of its lease.  Otherwise it would find its lease over, so none ends."""

import re

import pytest

from client import Client
from waiting import wait_until

DAYS = 10
LONG_AGO = f"((extract(epoch FROM now()) - {DAYS} * 86400) * 1000)::bigint"


@pytest.fixture
def clock(join, server, database):
    """clock(by): from now on, the server's clock says so much more."""
    join().stop()  # makes the tables
    server.sql("CREATE TABLE moved AS SELECT interval '0' AS by; CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql "
               "AS 'BEGIN NEW.lease_until := NEW.lease_until + (SELECT by FROM moved); "
               "RETURN CASE WHEN NEW.dead = 0 THEN NEW END; END'; "
               "CREATE TRIGGER move BEFORE INSERT OR UPDATE ON gateway FOR EACH ROW EXECUTE FUNCTION move()", database)
    return lambda by: server.sql(f"UPDATE moved SET by = '{by}'", database)


def offset(client):
    return float(re.search(r"^parley_db_clock_offset_milliseconds (\S+)$", client.http.get("/metrics").text, re.M)[1])


def test_a_gateway_in_the_future_removes_nothing(join, server, database, clock):
    """By the server's clock, what the gateway finds was made a moment ago."""
    clock(f"-{DAYS} days")
    server.sql("INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, created_ms, completed_ms, "
               f"seq_reserved) SELECT {LONG_AGO} << 20, 1, 1, 1, 1, 1, 1, 2, {LONG_AGO}, {LONG_AGO}, 1000; "
               "INSERT INTO event SELECT id, 1, 1, 'x' FROM run; "
               "INSERT INTO idempotency (id, secret, owner, key, fingerprint, created_ms, stored, outcome, http) "
               f"SELECT id, 1, 1, 'k', 'f', {LONG_AGO}, 0, 2, 200 FROM run", database)
    kept = "SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM idempotency)"
    gateway = join(events_keep="24h", idempotency_keep="24h")
    with Client(gateway.url) as client:
        wait_until(lambda: client.get("/readyz").status == 503, "a gateway that is not ready")
        assert "clock" in client.get("/readyz").json["checks"]["reason"]
        assert abs(offset(client) - DAYS * 86400000) < 60000
        client.chat("stored").error(503, "storage_unavailable")
        client.chat("not stored", store=False).ok()
        assert any("clock_wrong" in line for line in gateway.lines)
        wait_until(lambda: server.number("SELECT count(*) FROM search_queue", database) == 0, "chores")
        assert server.number(kept, database) == 2
        # The clocks agree, and both say that it is old.
        clock("0")
        wait_until(lambda: client.get("/readyz").status == 200, "readiness")
        assert abs(offset(client)) < 1000  # the server answers a moment later
        wait_until(lambda: server.number(kept, database) == 0, "nothing old")
        client.chat("stored").ok()


def test_a_gateway_in_the_past_begins_nothing(join, clock):
    gateway = join()
    with Client(gateway.url) as client:
        client.chat("stored").ok()
        clock("4 s")
        wait_until(lambda: offset(client) < -3000, "a look at the clock")
        client.chat("stored").ok()
        clock("1 hour")
        wait_until(lambda: client.get("/readyz").status == 503, "a gateway that is not ready")
        client.chat("stored").error(503, "storage_unavailable")
        clock("0")
        wait_until(lambda: client.get("/readyz").status == 200, "readiness")
        client.chat("stored").ok()
