-- The sums of call_hour by one name, so that a look at a month does not read the hours by all three of them.
CREATE TABLE call_sum (
	kind        INTEGER NOT NULL, -- enum call_hours_by (src/store/ledger.h): by nothing, key, model, provider
	hour        INTEGER NOT NULL,
	name        TEXT NOT NULL,
	gateway     INTEGER NOT NULL, -- as in call_hour, like the rest
	calls       INTEGER NOT NULL,
	failed      INTEGER NOT NULL,
	cancelled   INTEGER NOT NULL,
	client_left INTEGER NOT NULL,
	refused     INTEGER NOT NULL,
	tokens_in   INTEGER NOT NULL,
	tokens_out  INTEGER NOT NULL,
	nano        INTEGER NOT NULL,
	durations   BLOB NOT NULL,
	firsts      BLOB NOT NULL,
	PRIMARY KEY (kind, hour, name, gateway)
) STRICT, WITHOUT ROWID;

-- Hours that an older version has written: it put the sum by nothing here, and none by a name.
CREATE INDEX call_hour_all ON call_hour (hour) WHERE key = '*';

-- Retention looks for what is old.
CREATE INDEX provider_health_at ON provider_health (at_ms);
