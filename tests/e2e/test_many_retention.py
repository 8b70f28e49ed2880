"""The event log of several gateways: old tables go while they work."""


import pytest

from test_many import WORDS, clients, events, gated, wanted
from test_postgres import check_turns, loaded
from waiting import wait_until

# Logs of runs that ended two to three days ago, in tables of an hour: as if gateways had made them.
OLD = """
DO $$ DECLARE hour bigint := 3600000::bigint << 20; day bigint := 24 * hour;
now bigint := (extract(epoch FROM now()) * 1000)::bigint << 20; made text; BEGIN
FOR made IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'event'::regclass AND
    inhrelid <> 'event_rest'::regclass LOOP EXECUTE 'DROP TABLE ' || made; END LOOP;
FOR n IN 0..23 LOOP
EXECUTE format('CREATE TABLE event_old%s PARTITION OF event FOR VALUES FROM (%s) TO (%s)', n,
    now - 3 * day + n * hour, now - 3 * day + (n + 1) * hour);
INSERT INTO run (id, secret, owner, gateway, conversation, parent, base, status, created_ms, completed_ms,
    seq_reserved, events_to) SELECT now - 3 * day + n * hour + i, 1, 1, 1, 1, 1, 1, 2, 1, 1, 9, 9
    FROM generate_series(1, 20) i;
END LOOP;
EXECUTE format('CREATE TABLE event_now PARTITION OF event FOR VALUES FROM (%s) TO (MAXVALUE)', now - 2 * day);
INSERT INTO event SELECT id, p, p, 'old' FROM run, generate_series(1, 9) p; END $$"""


@pytest.mark.parametrize("keep", [{"events_keep": "24h", "events_keep_size": "0"},
                                  {"events_keep": "0", "events_keep_size": "1KiB"}], ids=["age", "size"])
def test_old_tables_go_while_gateways_work(join, server, database, script, keep):
    """No call is refused for it, and the log of a live run stays, which both gateways read to its end."""
    join().stop()
    server.sql(OLD, database)
    a, b = join(**keep), join(**keep)
    gates, s = gated(script)
    with clients(a, b) as (one, two), one.chat_stream("go", model=s.model) as begun, \
            loaded(a, b, clients=4) as (loads, more):
        wanted(begun, WORDS[0])
        more(10)
        wait_until(lambda: server.number(
            "SELECT count(*) FROM pg_class WHERE relname LIKE 'event\\_old%' AND relkind = 'r'", database) == 0,
            "no old tables")
        more(20)
        with events(two, f"/v1/runs/{begun.headers['x-run-id']}/events") as reader:
            for gate in gates:
                gate.open()
            assert begun.native().text == reader.native().text == "".join(WORDS)
    assert all(load.refused == 0 for load in loads)
    check_turns(loads, a, server, database)
